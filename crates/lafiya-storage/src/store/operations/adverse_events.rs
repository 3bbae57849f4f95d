//! Adverse events: recorded together with their webhook event, and listed.

use lafiya_model::{AssessmentId, Environment, TenantId};

use super::{assessments, outbox, paged};
use crate::store::connection::{Connection, Row, sql};
use crate::store::{AdverseEventRecord, NewAdverseEvent, NewEvent, PageOf, Paged, StoreError};

pub(in crate::store) async fn record(
    connection: &mut Connection,
    new: &NewAdverseEvent,
    event: &NewEvent,
) -> Result<(), StoreError> {
    let about = assessments::exists(connection, new.tenant, new.environment, new.assessment_id);
    if !about.await? {
        return Err(StoreError::NotFound);
    }
    sql("insert into adverse_event
             (id, tenant, environment, assessment_id, description, seriousness, reporter,
              created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)")
    .bind(new.id)
    .bind(new.tenant)
    .bind(new.environment)
    .bind(new.assessment_id)
    .bind(new.description.as_slice())
    .bind(new.seriousness)
    .bind(&new.reporter)
    .bind(new.created_at)
    .execute(connection)
    .await?;
    outbox::announce(connection, new.tenant, new.created_at, event).await
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Environment,
    assessment: Option<AssessmentId>,
    page: PageOf,
) -> Result<Paged<AdverseEventRecord>, StoreError> {
    let rows = sql(
        "select id, tenant, environment, assessment_id, description, seriousness, reporter,
             created_at
         from adverse_event
         where tenant = $1 and environment = $2 and ($3 is null or assessment_id = $3)
         order by created_at desc, id desc limit $4 offset $5",
    )
    .bind(tenant)
    .bind(environment)
    .bind(assessment)
    .bind(page.limit)
    .bind(page.offset)
    .all(connection)
    .await?;
    let total = sql("select count(*) as total from adverse_event
         where tenant = $1 and environment = $2 and ($3 is null or assessment_id = $3)")
    .bind(tenant)
    .bind(environment)
    .bind(assessment)
    .optional(connection)
    .await?;
    paged(&rows, total, record_from)
}

fn record_from(row: &Row) -> Result<AdverseEventRecord, StoreError> {
    Ok(AdverseEventRecord {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        environment: row.parsed("environment")?,
        assessment_id: row.parsed("assessment_id")?,
        description: row.bytes("description")?,
        seriousness: row.parsed("seriousness")?,
        reporter: row.text("reporter")?,
        created_at: row.time("created_at")?,
    })
}
