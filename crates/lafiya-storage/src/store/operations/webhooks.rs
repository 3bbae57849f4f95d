//! Webhooks: registered, listed, removed, given a new secret.

use jiff::Timestamp;
use lafiya_model::{Environment, EventKind, TenantId, WebhookId};
use serde_json::json;

use super::audit::Act;
use crate::store::connection::{Connection, Row, sql};
use crate::store::sealing::{DataKeys, Sealed};
use crate::store::{NewWebhook, StoreError, WebhookRecord};

macro_rules! webhook_columns {
    () => {
        "id, tenant, environment, url, events, description, status, disabled_at, \
         previous_secret_until, created_at"
    };
}

/// Returns what the secrets of a webhook are bound to.
fn secret_place(id: WebhookId) -> String {
    format!("webhook secret {id}")
}

/// Returns a secret as stored.
pub(super) fn sealed_secret(
    keys: &DataKeys,
    id: WebhookId,
    secret: &[u8],
) -> Result<Sealed, StoreError> {
    keys.seal(&secret_place(id), secret.to_vec())
}

/// Reads a secret from its two columns; `None` if there is none.
pub(super) fn opened_secret(
    keys: &DataKeys,
    id: WebhookId,
    row: &Row,
    (secret, key): (&str, &str),
) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(bytes) = row.optional_bytes(secret)? else {
        return Ok(None);
    };
    let sealed = Sealed {
        key: row.optional_text(key)?,
        bytes: bytes.into(),
    };
    keys.open(&secret_place(id), sealed).map(Some)
}

/// The columns of the current secret.
pub(super) const SECRET: (&str, &str) = ("secret", "secret_key");
/// The columns of the previous secret.
pub(super) const PREVIOUS_SECRET: (&str, &str) = ("previous_secret", "previous_secret_key");

pub(in crate::store) async fn create(
    connection: &mut Connection,
    keys: &DataKeys,
    new: &NewWebhook,
    max: u32,
    actor: &str,
) -> Result<WebhookRecord, StoreError> {
    connection.lock_tenant(new.tenant).await?;
    let there = list(connection, new.tenant, Some(new.environment)).await?;
    if there.len() >= max as usize {
        return Err(StoreError::Conflict);
    }
    let secret = sealed_secret(keys, new.id, &new.secret)?;
    let row = sql(concat!(
        "insert into webhook
             (id, tenant, environment, url, events, description, status, secret, secret_key,
              created_at)
         values ($1, $2, $3, $4, $5, $6, 'active', $7, $8, $9) returning ",
        webhook_columns!()
    ))
    .bind(new.id)
    .bind(new.tenant)
    .bind(new.environment)
    .bind(&new.url)
    .bind(&events_text(&new.events))
    .bind(&new.description)
    .bind(&secret.bytes)
    .bind(secret.key.as_deref())
    .bind(new.created_at)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let record = record_from(&row)?;
    log(connection, &record, "webhook.create", actor, new.created_at).await?;
    Ok(record)
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Option<Environment>,
) -> Result<Vec<WebhookRecord>, StoreError> {
    let rows = sql(concat!(
        "select ",
        webhook_columns!(),
        " from webhook where tenant = $1 and ($2 is null or environment = $2)
         order by created_at desc, id desc"
    ))
    .bind(tenant)
    .bind(environment)
    .all(connection)
    .await?;
    rows.iter().map(record_from).collect()
}

pub(in crate::store) async fn find(
    connection: &mut Connection,
    tenant: TenantId,
    environment: Option<Environment>,
    id: WebhookId,
) -> Result<Option<WebhookRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        webhook_columns!(),
        " from webhook where tenant = $1 and ($2 is null or environment = $2) and id = $3"
    ))
    .bind(tenant)
    .bind(environment)
    .bind(id)
    .optional(connection)
    .await?;
    row.as_ref().map(record_from).transpose()
}

pub(in crate::store) async fn remove(
    connection: &mut Connection,
    tenant: TenantId,
    id: WebhookId,
    actor: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = sql(concat!(
        "delete from webhook where tenant = $1 and id = $2 returning ",
        webhook_columns!()
    ))
    .bind(tenant)
    .bind(id)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    log(
        connection,
        &record_from(&row)?,
        "webhook.remove",
        actor,
        now,
    )
    .await
}

pub(in crate::store) async fn rotate_secret(
    connection: &mut Connection,
    keys: &DataKeys,
    (tenant, id): (TenantId, WebhookId),
    secret: &[u8],
    previous_until: Timestamp,
    actor: &str,
    now: Timestamp,
) -> Result<WebhookRecord, StoreError> {
    let secret = sealed_secret(keys, id, secret)?;
    let row = sql(concat!(
        "update webhook set previous_secret = secret, previous_secret_key = secret_key,
             previous_secret_until = $3, secret = $4, secret_key = $5
         where tenant = $1 and id = $2 returning ",
        webhook_columns!()
    ))
    .bind(tenant)
    .bind(id)
    .bind(previous_until)
    .bind(&secret.bytes)
    .bind(secret.key.as_deref())
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let record = record_from(&row)?;
    log(connection, &record, "webhook.rotate_secret", actor, now).await?;
    Ok(record)
}

/// Disables a webhook whose receiver answered 410. The caller ends its pending deliveries.
pub(super) async fn disable(
    connection: &mut Connection,
    id: WebhookId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = sql(concat!(
        "update webhook set status = 'disabled', disabled_at = $2
         where id = $1 and status = 'active' returning ",
        webhook_columns!()
    ))
    .bind(id)
    .bind(now)
    .optional(connection)
    .await?;
    match row {
        Some(row) => {
            let record = record_from(&row)?;
            log(connection, &record, "webhook.disable", "receiver", now).await
        }
        None => Ok(()),
    }
}

async fn log(
    connection: &mut Connection,
    webhook: &WebhookRecord,
    action: &'static str,
    actor: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    Act {
        at,
        actor,
        action,
        tenant: webhook.tenant,
        subject: webhook.id.to_string(),
        detail: json!({ "url": webhook.url, "environment": webhook.environment }),
    }
    .log(connection)
    .await
}

fn events_text(events: &[EventKind]) -> String {
    let words: Vec<&str> = events.iter().map(|kind| kind.as_str()).collect();
    words.join(" ")
}

pub(super) fn events_from(row: &Row) -> Result<Vec<EventKind>, StoreError> {
    row.text("events")?
        .split(' ')
        .map(|word| word.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| StoreError::corrupt("column events: not a list of events"))
}

fn record_from(row: &Row) -> Result<WebhookRecord, StoreError> {
    Ok(WebhookRecord {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        environment: row.parsed("environment")?,
        url: row.text("url")?,
        events: events_from(row)?,
        description: row.text("description")?,
        status: row.parsed("status")?,
        disabled_at: row.optional_time("disabled_at")?,
        previous_secret_until: row.optional_time("previous_secret_until")?,
        created_at: row.time("created_at")?,
    })
}
