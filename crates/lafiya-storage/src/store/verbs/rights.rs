//! What a tenant may ask for: everything it has, to take away; and that none of it stays.

use jiff::Timestamp;
use lafiya_model::{AssessmentId, Environment, InterviewId, TenantId, TenantStatus};
use serde_json::json;

use super::audit::Act;
use super::sealing::interview_place;
use super::{assessments, tenants};
use crate::store::connection::{Connection, sql};
use crate::store::sealing::{DataKeys, Sealed};
use crate::store::{Erased, KeptInterview, NewAct, StoreError, StoredAssessment};

/// Rows taken or removed at once, of each kind.
const BATCH: u32 = 500;

/// A page of assessments with their documents, latest first, from the one after `before` on.
pub(in crate::store) async fn export_assessments(
    connection: &mut Connection,
    keys: &DataKeys,
    tenant: TenantId,
    environment: Environment,
    before: Option<AssessmentId>,
) -> Result<Vec<StoredAssessment>, StoreError> {
    let page = assessments::list(connection, tenant, environment, BATCH, before).await?;
    let mut exported = Vec::with_capacity(page.len());
    for summary in page {
        let id = summary.assessment_id;
        // Grown too old in the meantime: then it is not there any more.
        if let Some(found) = assessments::find(connection, keys, tenant, environment, id).await? {
            exported.push(found);
        }
    }
    Ok(exported)
}

/// A page of the interviews that are kept, by id, from the one after `after` on.
pub(in crate::store) async fn export_interviews(
    connection: &mut Connection,
    keys: &DataKeys,
    tenant: TenantId,
    environment: Environment,
    after: Option<InterviewId>,
) -> Result<Vec<KeptInterview>, StoreError> {
    let after = after.map_or_else(String::new, |id| id.to_string());
    let rows = sql(
        "select id, turn, document, document_key, created_at, expires_at from interview
         where tenant = $1 and environment = $2 and id > $3 order by id limit $4",
    )
    .bind(tenant)
    .bind(environment)
    .bind(&after)
    .bind(BATCH)
    .all(connection)
    .await?;
    let read = |row: &crate::store::connection::Row| {
        let id = row.parsed("id")?;
        let sealed = Sealed {
            key: row.optional_text("document_key")?,
            bytes: row.bytes("document")?,
        };
        Ok(KeptInterview {
            id,
            turn: row.turn("turn")?,
            created_at: row.time("created_at")?,
            expires_at: row.time("expires_at")?,
            document: keys.open(&interview_place(tenant, environment, id), sealed)?,
        })
    };
    rows.iter().map(read).collect()
}

/// Writes an act into the log that changes nothing else in the store.
pub(in crate::store) async fn log_act(
    connection: &mut Connection,
    act: &NewAct,
) -> Result<(), StoreError> {
    sql(
        "insert into audit_log (at, actor, action, tenant, subject, detail)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(act.at)
    .bind(&act.actor)
    .bind(act.action)
    .bind(act.tenant)
    .bind(&act.subject)
    .bind(&act.detail)
    .execute(connection)
    .await?;
    Ok(())
}

/// What grows with use, each removed a batch at a time.
const GROWING: &[&str] = &[
    "delete from assessment where id in (
         select id from assessment where tenant = $1 limit $2)",
    "delete from interview where (tenant, environment, id) in (
         select tenant, environment, id from interview where tenant = $1 limit $2)",
    "delete from idempotency where (api_key, key_text) in (
         select api_key, key_text from idempotency
         where api_key in (select id from api_key where tenant = $1) limit $2)",
    "delete from delivery where id in (select id from delivery where tenant = $1 limit $2)",
    "delete from outbox where id in (select id from outbox where tenant = $1 limit $2)",
];

/// What stays small, removed together with the tenant itself, as are the webhooks and adverse events
/// that belong to it.
const SMALL: &[&str] = &[
    "delete from usage_month where tenant = $1",
    "delete from usage_threshold where tenant = $1",
    "delete from usage_day where tenant = $1",
    "delete from usage_condition_day where tenant = $1",
    "delete from api_key where tenant = $1",
    "delete from tenant where id = $1",
];

/// Suspends the tenant, so that nothing new comes in, and removes a part of what it has. When
/// nothing that grows is left, the tenant goes too. The log of administrative acts stays.
pub(in crate::store) async fn erase(
    connection: &mut Connection,
    id: TenantId,
    actor: &str,
    now: Timestamp,
) -> Result<Erased, StoreError> {
    let tenant = tenants::find(connection, id)
        .await?
        .ok_or(StoreError::NotFound)?;
    let act = |action| Act {
        at: now,
        actor,
        action,
        tenant: id,
        subject: id.to_string(),
        detail: json!({ "name": tenant.name }),
    };
    // Taking the row keeps recordings of this tenant waiting until it is gone.
    sql("update tenant set status = $2 where id = $1")
        .bind(id)
        .bind(TenantStatus::Suspended)
        .execute(connection)
        .await?;
    if tenant.status != TenantStatus::Suspended {
        act("tenant.erase_begun").log(connection).await?;
    }
    let mut removed = 0;
    for statement in GROWING {
        removed += sql(statement)
            .bind(id)
            .bind(BATCH)
            .execute(connection)
            .await?;
    }
    if removed > 0 {
        return Ok(Erased {
            removed,
            complete: false,
        });
    }
    for statement in SMALL {
        removed += sql(statement).bind(id).execute(connection).await?;
    }
    act("tenant.erase").log(connection).await?;
    Ok(Erased {
        removed,
        complete: true,
    })
}
