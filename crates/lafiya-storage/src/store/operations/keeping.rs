//! Housekeeping: the probe, secrets, and purging.

use jiff::Timestamp;

use crate::store::StoreError;
use crate::store::connection::{Connection, Engine, Row, sql};

/// Maximum number of rows deleted per purge and table, because the writer must not be blocked for
/// long.
const PURGE_BATCH: u32 = 500;

pub(in crate::store) async fn probe(
    connection: &mut Connection,
    now: Timestamp,
) -> Result<(), StoreError> {
    sql("insert into probe (name, written_at) values ('health', $1)
         on conflict (name) do update set written_at = excluded.written_at")
    .bind(now)
    .execute(connection)
    .await?;
    // Read back, because a full or broken disk may accept a write that it does not keep.
    let row = sql("select written_at from probe where name = 'health'")
        .optional(connection)
        .await?
        .ok_or(StoreError::NotFound)?;
    if row.integer("written_at")? == now.as_millisecond() {
        Ok(())
    } else {
        Err(StoreError::corrupt("the probe reads back differently"))
    }
}

pub(in crate::store) async fn secret(
    connection: &mut Connection,
    name: &str,
    fresh: &[u8],
) -> Result<Vec<u8>, StoreError> {
    sql("insert into secret (name, bytes) values ($1, $2) on conflict (name) do nothing")
        .bind(name)
        .bind(fresh)
        .execute(connection)
        .await?;
    // Read back, because another replica may have stored its own secret first; all must use the
    // same one.
    sql("select bytes from secret where name = $1")
        .bind(name)
        .optional(connection)
        .await?
        .ok_or(StoreError::NotFound)?
        .bytes("bytes")
}

/// Deletes expired rows. Rows that a recording has locked are skipped: on PostgreSQL, waiting for
/// them could cause a deadlock; SQLite has only one writer. If several replicas call this at once,
/// one purges and the others do nothing.
pub(in crate::store) async fn purge(
    connection: &mut Connection,
    now: Timestamp,
    kept_since: Option<Timestamp>,
) -> Result<u64, StoreError> {
    if !purges_alone(connection).await? {
        return Ok(0);
    }
    let (interviews, idempotency, attempts) = match connection.engine() {
        Engine::Sqlite => (
            "delete from interview where (tenant, environment, id) in (
                 select tenant, environment, id from interview where expires_at <= $1 limit $2)",
            "delete from idempotency where (api_key, key_text) in (
                 select api_key, key_text from idempotency where expires_at <= $1 limit $2)",
            "delete from sign_in_attempt where (account, source) in (
                 select account, source from sign_in_attempt where ends_at <= $1 limit $2)",
        ),
        Engine::Postgres => (
            "delete from interview where (tenant, environment, id) in (
                 select tenant, environment, id from interview where expires_at <= $1
                 limit $2 for update skip locked)",
            "delete from idempotency where (api_key, key_text) in (
                 select api_key, key_text from idempotency where expires_at <= $1
                 limit $2 for update skip locked)",
            "delete from sign_in_attempt where (account, source) in (
                 select account, source from sign_in_attempt where ends_at <= $1
                 limit $2 for update skip locked)",
        ),
    };
    let mut removed = 0;
    for statement in [interviews, idempotency, attempts] {
        removed += sql(statement)
            .bind(now)
            .bind(PURGE_BATCH)
            .execute(connection)
            .await?;
    }
    if let Some(kept_since) = kept_since {
        removed += sql("delete from assessment where id in (
                 select id from assessment where created_at < $1 order by created_at limit $2)")
        .bind(kept_since)
        .bind(PURGE_BATCH)
        .execute(connection)
        .await?;
    }
    Ok(removed)
}

pub(in crate::store) async fn purge_sandbox(
    connection: &mut Connection,
    kept_since: Option<Timestamp>,
    kept_max: u32,
) -> Result<u64, StoreError> {
    if !purges_alone(connection).await? {
        return Ok(0);
    }
    let interview_that_ends_with = match connection.engine() {
        Engine::Sqlite => {
            "delete from interview where tenant = $1 and environment = 'test' and id = $2
             and last_assessment_id = $3"
        }
        Engine::Postgres => {
            "delete from interview where (tenant, environment, id) in (
                 select tenant, environment, id from interview
                 where tenant = $1 and environment = 'test' and id = $2 and last_assessment_id = $3
                 for update skip locked)"
        }
    };
    let mut removed = 0;
    for tenant in sql("select id from tenant").all(connection).await? {
        let tenant = tenant.text("id")?;
        for row in superfluous_in_sandbox(connection, &tenant, kept_since, kept_max).await? {
            let (id, interview) = (row.text("id")?, row.text("interview_id")?);
            // An interview that was continued meanwhile has a later assessment and is kept.
            sql(interview_that_ends_with)
                .bind(&tenant)
                .bind(&interview)
                .bind(&id)
                .execute(connection)
                .await?;
            removed += sql("delete from assessment where id = $1")
                .bind(&id)
                .execute(connection)
                .await?;
        }
        // The next call continues with the remaining tenants.
        if removed >= u64::from(PURGE_BATCH) {
            break;
        }
    }
    Ok(removed)
}

/// Lists the oldest sandbox assessments of a tenant: older than `kept_since`, or beyond `kept_max`.
async fn superfluous_in_sandbox(
    connection: &mut Connection,
    tenant: &str,
    kept_since: Option<Timestamp>,
    kept_max: u32,
) -> Result<Vec<Row>, StoreError> {
    let too_old = sql("select id, interview_id from assessment
         where tenant = $1 and environment = 'test' and created_at < $2
         order by created_at, id limit $3")
    .bind(tenant)
    .bind(kept_since.unwrap_or(Timestamp::MIN))
    .bind(PURGE_BATCH)
    .all(connection)
    .await?;
    // The excess over `kept_max` is for a later call, when nothing is too old.
    if !too_old.is_empty() {
        return Ok(too_old);
    }
    sql("select id, interview_id from assessment
         where tenant = $1 and environment = 'test'
         order by created_at desc, id desc limit $3 offset $2")
    .bind(tenant)
    .bind(kept_max)
    .bind(PURGE_BATCH)
    .all(connection)
    .await
}

/// Tries to become the only replica that purges, until the end of this transaction.
async fn purges_alone(connection: &mut Connection) -> Result<bool, StoreError> {
    if connection.engine() == Engine::Sqlite {
        return Ok(true);
    }
    // Installations that share a database have separate schemas.
    let row = sql("select case
             when pg_try_advisory_xact_lock(hashtext('lafiya purge ' || current_schema()))
             then 1::bigint else 0 end as alone")
    .optional(connection)
    .await?;
    row.map_or(Ok(false), |row| Ok(row.integer("alone")? == 1))
}
