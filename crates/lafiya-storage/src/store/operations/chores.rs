//! Periodic tasks that run on one replica at a time, and the announcement of keys that expire.

use jiff::Timestamp;
use lafiya_model::{KeyId, TenantId};
use uuid::Uuid;

use super::{keys, outbox};
use crate::store::connection::{Connection, sql};
use crate::store::{KeyRecord, NewEvent, StoreError};

/// Requests a lease with a conditional update: of several replicas only one changes the row.
pub(in crate::store) async fn begin(
    connection: &mut Connection,
    name: &str,
    holder: Uuid,
    now: Timestamp,
    lease_until: Timestamp,
) -> Result<bool, StoreError> {
    let began = sql(
        "insert into chore (name, next_at, holder) values ($1, $2, $3)
         on conflict (name) do update set next_at = excluded.next_at, holder = excluded.holder
         where chore.next_at <= $4",
    )
    .bind(name)
    .bind(lease_until)
    .bind(holder)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(began > 0)
}

pub(in crate::store) async fn end(
    connection: &mut Connection,
    name: &str,
    holder: Uuid,
    next_at: Timestamp,
) -> Result<(), StoreError> {
    // Only for the holder: after its lease expired, another replica may hold the chore.
    sql("update chore set next_at = $3 where name = $1 and holder = $2")
        .bind(name)
        .bind(holder)
        .bind(next_at)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::store) async fn list_expiring_keys(
    connection: &mut Connection,
    now: Timestamp,
    until: Timestamp,
    limit: u32,
) -> Result<Vec<KeyRecord>, StoreError> {
    let rows = sql("select id from api_key
         where expires_at > $1 and expires_at <= $2 and revoked_at is null
             and not exists (select 1 from key_expiry_announced where key_expiry_announced.api_key = api_key.id)
         order by expires_at, id limit $3")
    .bind(now)
    .bind(until)
    .bind(limit)
    .all(connection)
    .await?;
    let mut expiring = Vec::with_capacity(rows.len());
    for row in rows {
        expiring.extend(keys::find_by_id(connection, row.parsed("id")?).await?);
    }
    Ok(expiring)
}

/// Emits the event once. A row records that it was emitted, so that no other replica or restart
/// repeats it.
pub(in crate::store) async fn announce_expiring_key(
    connection: &mut Connection,
    tenant: TenantId,
    key: KeyId,
    event: &NewEvent,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let first = sql(
        "insert into key_expiry_announced (api_key, announced_at) values ($1, $2)
         on conflict (api_key) do nothing",
    )
    .bind(key)
    .bind(now)
    .execute(connection)
    .await?;
    if first > 0 {
        outbox::announce(connection, tenant, now, event).await?;
    }
    Ok(first > 0)
}
