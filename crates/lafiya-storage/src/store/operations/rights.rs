//! Data rights of a tenant: export of all its data, and erasure.

use jiff::Timestamp;
use lafiya_model::{AssessmentId, Environment, InterviewId, TenantId, TenantStatus};
use serde_json::json;

use super::assessments::{sealed_from, summary_from};
use super::audit::Act;
use super::tenants;
use crate::store::connection::{Connection, Row, sql};
use crate::store::sealing::Sealed;
use crate::store::{AssessmentSummary, Erased, KeptInterview, NewAct, StoreError};

/// Documents per page.
const PAGE: u32 = 100;

/// Rows deleted per step and table.
const BATCH: u32 = 500;

/// Returns a page of assessments with their encrypted documents, latest first, starting after
/// `before`.
pub(in crate::store) async fn export_assessments(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Environment,
    before: Option<AssessmentId>,
) -> Result<Vec<(AssessmentSummary, Sealed)>, StoreError> {
    let statement = match before {
        None => sql(
            "select id, api_key, interview_id, turn, created_at, level, condition_id,
                 condition_name, supersedes, superseded_by, document, document_key
             from assessment where tenant = $1 and environment = $2
             order by created_at desc, id desc limit $3",
        ),
        Some(_) => sql(
            "select id, api_key, interview_id, turn, created_at, level, condition_id,
                 condition_name, supersedes, superseded_by, document, document_key
             from assessment where tenant = $1 and environment = $2
                 and (created_at, id) < (
                     select created_at, id from assessment
                     where tenant = $1 and environment = $2 and id = $4)
             order by created_at desc, id desc limit $3",
        ),
    };
    let statement = statement.bind(tenant).bind(environment).bind(PAGE);
    let statement = match before {
        None => statement,
        Some(before) => statement.bind(before),
    };
    let rows = statement.all(connection).await?;
    rows.iter()
        .map(|row| Ok((summary_from(row)?, sealed_from(row)?)))
        .collect()
}

/// Returns a page of interviews with their encrypted documents, by id, starting after `after`.
pub(in crate::store) async fn export_interviews(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Environment,
    after: Option<InterviewId>,
) -> Result<Vec<(KeptInterview, Sealed)>, StoreError> {
    let after = after.map_or_else(String::new, |id| id.to_string());
    let rows = sql(
        "select id, turn, document, document_key, created_at, expires_at from interview
         where tenant = $1 and environment = $2 and id > $3 order by id limit $4",
    )
    .bind(tenant)
    .bind(environment)
    .bind(&after)
    .bind(PAGE)
    .all(connection)
    .await?;
    let read = |row: &Row| {
        let interview = KeptInterview {
            id: row.parsed("id")?,
            turn: row.count_u32("turn")?,
            created_at: row.time("created_at")?,
            expires_at: row.time("expires_at")?,
            document: Vec::new(),
        };
        Ok((interview, sealed_from(row)?))
    };
    rows.iter().map(read).collect()
}

/// Writes an action to the audit log that changes nothing else in the store.
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

/// Tables that grow with use, deleted in batches.
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

/// Tables that stay small, deleted together with the tenant. Its webhooks, adverse events and
/// usage over quota are deleted with it too.
const SMALL: &[&str] = &[
    "delete from usage_month where tenant = $1",
    "delete from usage_threshold where tenant = $1",
    "delete from usage_day where tenant = $1",
    "delete from usage_condition_day where tenant = $1",
    "delete from sign_in_attempt where account in (select id from account where tenant = $1)",
    "delete from account where tenant = $1",
    "delete from api_key where tenant = $1",
    "delete from tenant where id = $1",
];

/// Suspends the tenant, so that no new data arrives, and deletes a part of its data. When the large
/// tables are empty, the tenant is deleted too. The audit log is kept.
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
    // Updating the row locks it, so that recordings of this tenant wait until it is deleted.
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
