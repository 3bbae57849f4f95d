//! Reads recorded data: assessments, interviews, idempotency keys.

use jiff::Timestamp;
use lafiya_model::{AssessmentId, Environment, InterviewId, KeyId, TenantId};

use super::sealing::{assessment_place, interview_place};
use crate::store::connection::{Connection, Row, sql};
use crate::store::sealing::{DataKeys, Sealed};
use crate::store::{
    AssessmentSummary, ConditionName, IdempotentHit, StoreError, StoredAssessment, StoredInterview,
};

/// Replacements that are followed: more than the turns of several corrected interviews.
const REPLACEMENTS_MAX: u32 = 1000;

pub(in crate::store) async fn find(
    connection: &mut Connection,
    keys: &DataKeys,
    tenant: TenantId,
    environment: Environment,
    id: AssessmentId,
) -> Result<Option<StoredAssessment>, StoreError> {
    let row = sql(
        "select id, api_key, interview_id, turn, created_at, level, condition_id, condition_name,
             supersedes, superseded_by, document, document_key
         from assessment where id = $1 and tenant = $2 and environment = $3",
    )
    .bind(id)
    .bind(tenant)
    .bind(environment)
    .optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let place = assessment_place(tenant, environment, id);
    Ok(Some(StoredAssessment {
        summary: summary_from(&row)?,
        document: keys.open(&place, sealed_from(&row)?)?,
    }))
}

/// The assessment that replaced this one and was not replaced itself; this one where none did.
pub(in crate::store) async fn newest_after(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Environment,
    id: AssessmentId,
) -> Result<AssessmentId, StoreError> {
    let row = sql("with recursive replaced (id, superseded_by, step) as (
             select id, superseded_by, 0 from assessment
             where id = $1 and tenant = $2 and environment = $3
             union all
             select later.id, later.superseded_by, replaced.step + 1
             from assessment later join replaced on later.id = replaced.superseded_by
             where later.tenant = $2 and later.environment = $3 and replaced.step < $4)
         select id from replaced order by step desc limit 1")
    .bind(id)
    .bind(tenant)
    .bind(environment)
    .bind(REPLACEMENTS_MAX)
    .optional(connection)
    .await?;
    row.map_or(Ok(id), |row| row.parsed("id"))
}

/// Whether an assessment with this id exists.
pub(super) async fn exists(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Environment,
    id: AssessmentId,
) -> Result<bool, StoreError> {
    let row = sql("select id from assessment where id = $1 and tenant = $2 and environment = $3")
        .bind(id)
        .bind(tenant)
        .bind(environment)
        .optional(connection)
        .await?;
    Ok(row.is_some())
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Environment,
    limit: u32,
    before: Option<AssessmentId>,
) -> Result<Vec<AssessmentSummary>, StoreError> {
    let statement = match before {
        None => sql(
            "select id, api_key, interview_id, turn, created_at, level, condition_id,
                 condition_name, supersedes, superseded_by
             from assessment where tenant = $1 and environment = $2
             order by created_at desc, id desc limit $3",
        ),
        Some(_) => sql(
            "select id, api_key, interview_id, turn, created_at, level, condition_id,
                 condition_name, supersedes, superseded_by
             from assessment where tenant = $1 and environment = $2
                 and (created_at, id) < (
                     select created_at, id from assessment
                     where tenant = $1 and environment = $2 and id = $4)
             order by created_at desc, id desc limit $3",
        ),
    };
    let statement = statement.bind(tenant).bind(environment).bind(limit);
    let statement = match before {
        None => statement,
        Some(before) => statement.bind(before),
    };
    let rows = statement.all(connection).await?;
    rows.iter().map(summary_from).collect()
}

pub(in crate::store) async fn load_interview(
    connection: &mut Connection,
    keys: &DataKeys,
    tenant: TenantId,
    environment: Environment,
    id: InterviewId,
    now: Timestamp,
) -> Result<Option<StoredInterview>, StoreError> {
    let row = sql(
        "select turn, document, document_key, last_assessment_id, last_request_digest, counted_date,
             expires_at
         from interview
         where tenant = $1 and environment = $2 and id = $3 and expires_at > $4",
    )
    .bind(tenant)
    .bind(environment)
    .bind(id)
    .bind(now)
    .optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(StoredInterview {
        turn: row.count_u32("turn")?,
        document: keys.open(
            &interview_place(tenant, environment, id),
            sealed_from(&row)?,
        )?,
        last_assessment_id: row.parsed("last_assessment_id")?,
        last_request_digest: row.digest("last_request_digest")?,
        // Only billable interviews are counted under a day.
        billed: row.optional_text("counted_date")?.is_some(),
        expires_at: row.time("expires_at")?,
    }))
}

pub(in crate::store) async fn find_idempotent(
    connection: &mut Connection,
    key: KeyId,
    key_text: &str,
    now: Timestamp,
) -> Result<Option<IdempotentHit>, StoreError> {
    let row = sql("select body_digest, assessment_id from idempotency
         where api_key = $1 and key_text = $2 and expires_at > $3")
    .bind(key)
    .bind(key_text)
    .bind(now)
    .optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(IdempotentHit {
        body_digest: row.digest("body_digest")?,
        assessment_id: row.parsed("assessment_id")?,
    }))
}

pub(super) fn sealed_from(row: &Row) -> Result<Sealed, StoreError> {
    Ok(Sealed {
        key: row.optional_text("document_key")?,
        bytes: row.bytes("document")?.into(),
    })
}

pub(super) fn summary_from(row: &Row) -> Result<AssessmentSummary, StoreError> {
    let id = row.optional_text("condition_id")?;
    let name = row.optional_text("condition_name")?;
    Ok(AssessmentSummary {
        assessment_id: row.parsed("id")?,
        key: row.parsed("api_key")?,
        interview_id: row.parsed("interview_id")?,
        turn: row.count_u32("turn")?,
        created_at: row.time("created_at")?,
        level: row.parsed("level")?,
        top_condition: id.zip(name).map(|(id, name)| ConditionName { id, name }),
        supersedes: row.optional_parsed("supersedes")?,
        superseded_by: row.optional_parsed("superseded_by")?,
    })
}
