//! API keys: created, looked up on every request, rotated, revoked, counted.

use jiff::Timestamp;
use lafiya_model::{KeyId, TenantId};
use serde_json::json;

use super::audit::Act;
use super::tenants;
use crate::store::connection::{Connection, Row, sql};
use crate::store::{FoundKey, KeyRecord, KeyUse, NewKey, StoreError};

/// The columns of a key, listed by name: the result of `*` would change under a running replica
/// when a newer version adds a column.
macro_rules! key_columns {
    () => {
        "api_key.id, api_key.tenant, api_key.environment, api_key.display, api_key.created_at, \
         api_key.expires_at, api_key.revoked_at, api_key.rotated_from, api_key.last_used_at, \
         api_key.requests"
    };
}

pub(in crate::store) async fn create(
    connection: &mut Connection,
    key: &NewKey,
    actor: &str,
) -> Result<KeyRecord, StoreError> {
    let record = insert(connection, key).await?;
    Act {
        at: key.created_at,
        actor,
        action: "key.create",
        tenant: key.tenant,
        subject: key.id.to_string(),
        detail: detail_of(&record),
    }
    .log(connection)
    .await?;
    Ok(record)
}

/// Reads the key and its tenant in one query, because it runs before every request whose key is not
/// cached.
pub(in crate::store) async fn find(
    connection: &mut Connection,
    hash: &[u8; 32],
) -> Result<Option<FoundKey>, StoreError> {
    let row = sql(concat!(
        "select ",
        key_columns!(),
        ", ",
        joined_tenant_columns!(),
        "
         from api_key join tenant on tenant.id = api_key.tenant
         where api_key.hash = $1"
    ))
    .bind(hash.as_slice())
    .optional(connection)
    .await?;
    row.as_ref().map(found_from).transpose()
}

pub(in crate::store) async fn find_by_id(
    connection: &mut Connection,
    id: KeyId,
) -> Result<Option<KeyRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        key_columns!(),
        " from api_key where id = $1"
    ))
    .bind(id)
    .optional(connection)
    .await?;
    row.as_ref().map(record_from).transpose()
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    tenant: Option<TenantId>,
) -> Result<Vec<KeyRecord>, StoreError> {
    let statement = match tenant {
        Some(tenant) => sql(concat!(
            "select ",
            key_columns!(),
            " from api_key where tenant = $1 order by created_at desc, id desc"
        ))
        .bind(tenant),
        None => sql(concat!(
            "select ",
            key_columns!(),
            " from api_key order by created_at desc, id desc"
        )),
    };
    let rows = statement.all(connection).await?;
    rows.iter().map(record_from).collect()
}

pub(in crate::store) async fn revoke(
    connection: &mut Connection,
    id: KeyId,
    actor: &str,
    now: Timestamp,
) -> Result<KeyRecord, StoreError> {
    let revoked = sql(concat!(
        "update api_key set revoked_at = $2 where id = $1 and revoked_at is null returning ",
        key_columns!()
    ))
    .bind(id)
    .bind(now)
    .optional(connection)
    .await?;
    // Revoking twice is no error: the second caller gets the record of the first.
    let Some(row) = revoked else {
        let earlier = find_by_id(connection, id).await?;
        return earlier.ok_or(StoreError::NotFound);
    };
    let record = record_from(&row)?;
    Act {
        at: now,
        actor,
        action: "key.revoke",
        tenant: record.tenant,
        subject: id.to_string(),
        detail: json!({ "display": record.display }),
    }
    .log(connection)
    .await?;
    Ok(record)
}

/// Rotates a key with a conditional update: of several rotations one changes the row; the others
/// wait for it and then find the key no longer active.
pub(in crate::store) async fn rotate(
    connection: &mut Connection,
    old: KeyId,
    new: &NewKey,
    actor: &str,
    now: Timestamp,
) -> Result<KeyRecord, StoreError> {
    let revoked = sql("update api_key set revoked_at = $3
         where id = $1 and tenant = $2 and revoked_at is null
             and (expires_at is null or expires_at > $3)")
    .bind(old)
    .bind(new.tenant)
    .bind(now)
    .execute(connection)
    .await?;
    if revoked == 0 {
        let exists = find_by_id(connection, old)
            .await?
            // A key of another tenant looks like none, so that ids cannot be probed.
            .is_some_and(|key| key.tenant == new.tenant);
        return Err(if exists {
            StoreError::Conflict
        } else {
            StoreError::NotFound
        });
    }
    let new = NewKey {
        rotated_from: Some(old),
        ..new.clone()
    };
    let record = insert(connection, &new).await?;
    Act {
        at: now,
        actor,
        action: "key.rotate",
        tenant: new.tenant,
        subject: old.to_string(),
        detail: detail_of(&record),
    }
    .log(connection)
    .await?;
    Ok(record)
}

pub(in crate::store) async fn record_use(
    connection: &mut Connection,
    uses: &[KeyUse],
) -> Result<(), StoreError> {
    // Sorted by id, so that two replicas cannot deadlock.
    let mut uses: Vec<&KeyUse> = uses.iter().collect();
    uses.sort_by_key(|one| one.key);
    for one in uses {
        sql("update api_key set requests = requests + $2,
                 last_used_at = case when last_used_at > $3 then last_used_at else $3 end
             where id = $1")
        .bind(one.key)
        .bind(one.requests)
        .bind(one.last_used_at)
        .execute(connection)
        .await?;
    }
    Ok(())
}

async fn insert(connection: &mut Connection, key: &NewKey) -> Result<KeyRecord, StoreError> {
    let row = sql(concat!(
        "insert into api_key
             (id, tenant, environment, hash, display, created_at, expires_at, rotated_from)
         values ($1, $2, $3, $4, $5, $6, $7, $8) returning ",
        key_columns!()
    ))
    .bind(key.id)
    .bind(key.tenant)
    .bind(key.environment)
    .bind(key.hash.as_slice())
    .bind(&key.display)
    .bind(key.created_at)
    .bind(key.expires_at)
    .bind(key.rotated_from)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    record_from(&row)
}

fn detail_of(key: &KeyRecord) -> serde_json::Value {
    json!({
        "id": key.id,
        "display": key.display,
        "environment": key.environment,
        "expires_at": key.expires_at,
    })
}

fn found_from(row: &Row) -> Result<FoundKey, StoreError> {
    let key = record_from(row)?;
    let tenant = tenants::joined_from(row, key.tenant)?;
    Ok(FoundKey { key, tenant })
}

fn record_from(row: &Row) -> Result<KeyRecord, StoreError> {
    Ok(KeyRecord {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        environment: row.parsed("environment")?,
        display: row.text("display")?,
        created_at: row.time("created_at")?,
        expires_at: row.optional_time("expires_at")?,
        revoked_at: row.optional_time("revoked_at")?,
        rotated_from: row.optional_parsed("rotated_from")?,
        last_used_at: row.optional_time("last_used_at")?,
        requests: row.count("requests")?,
    })
}
