//! The store's own household: the probe, secrets, and what is thrown away.

use jiff::Timestamp;

use crate::store::StoreError;
use crate::store::connection::{Connection, Engine, sql};

/// Rows removed by one purge at most, of each kind: the writer must not be held up for long.
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
    sql("select bytes from secret where name = $1")
        .bind(name)
        .optional(connection)
        .await?
        .ok_or(StoreError::NotFound)?
        .bytes("bytes")
}

/// Passes over rows that a recording holds at this moment: on PostgreSQL waiting for them could
/// close a circle of waiting, on SQLite there is only one writer.
pub(in crate::store) async fn purge(
    connection: &mut Connection,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let (interviews, idempotency) = match connection.engine() {
        Engine::Sqlite => (
            "delete from interview where (tenant, environment, id) in (
                 select tenant, environment, id from interview where expires_at <= $1 limit $2)",
            "delete from idempotency where (api_key, key_text) in (
                 select api_key, key_text from idempotency where expires_at <= $1 limit $2)",
        ),
        Engine::Postgres => (
            "delete from interview where (tenant, environment, id) in (
                 select tenant, environment, id from interview where expires_at <= $1
                 limit $2 for update skip locked)",
            "delete from idempotency where (api_key, key_text) in (
                 select api_key, key_text from idempotency where expires_at <= $1
                 limit $2 for update skip locked)",
        ),
    };
    let mut removed = 0;
    for statement in [interviews, idempotency] {
        removed += sql(statement)
            .bind(now)
            .bind(PURGE_BATCH)
            .execute(connection)
            .await?;
    }
    Ok(removed)
}
