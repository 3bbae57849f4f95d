//! Deliveries as their tenant sees them: queued manually, listed, retried.

use jiff::Timestamp;
use lafiya_model::{DeliveryId, DeliveryStatus, TenantId, WebhookId, WebhookStatus};

use super::{paged, webhooks};
use crate::store::connection::{Connection, Row, sql};
use crate::store::{DeliveryContent, DeliveryRecord, NewEvent, PageOf, Paged, StoreError};

macro_rules! delivery_columns {
    () => {
        "id, webhook, event_id, kind, status, attempts, next_attempt_at, created_at, \
         last_attempt_at, last_status, last_error, last_duration_ms, delivered_at"
    };
}

pub(in crate::store) async fn queue(
    connection: &mut Connection,
    (tenant, webhook): (TenantId, WebhookId),
    id: DeliveryId,
    event: &NewEvent,
    now: Timestamp,
) -> Result<DeliveryRecord, StoreError> {
    require_active(connection, tenant, webhook).await?;
    let row = sql(concat!(
        "insert into delivery
             (id, tenant, webhook, event_id, kind, payload, event_at, status, next_attempt_at,
              created_at)
         values ($1, $2, $3, $4, $5, $6, $7, 'pending', $7, $7) returning ",
        delivery_columns!()
    ))
    .bind(id)
    .bind(tenant)
    .bind(webhook)
    .bind(event.id)
    .bind(event.kind)
    .bind(&event.payload)
    .bind(now)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    record_from(&row)
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    (tenant, webhook): (TenantId, WebhookId),
    status: Option<DeliveryStatus>,
    page: PageOf,
) -> Result<Paged<DeliveryRecord>, StoreError> {
    let rows = sql(concat!(
        "select ",
        delivery_columns!(),
        " from delivery where tenant = $1 and webhook = $2 and ($3 is null or status = $3)
         order by created_at desc, id desc limit $4 offset $5"
    ))
    .bind(tenant)
    .bind(webhook)
    .bind(status)
    .bind(page.limit)
    .bind(page.offset)
    .all(connection)
    .await?;
    let total = sql("select count(*) as total from delivery
         where tenant = $1 and webhook = $2 and ($3 is null or status = $3)")
    .bind(tenant)
    .bind(webhook)
    .bind(status)
    .optional(connection)
    .await?;
    paged(&rows, total, record_from)
}

pub(in crate::store) async fn find(
    connection: &mut Connection,
    (tenant, webhook): (TenantId, WebhookId),
    id: DeliveryId,
) -> Result<Option<DeliveryContent>, StoreError> {
    let row = sql(concat!(
        "select payload, event_at, ",
        delivery_columns!(),
        " from delivery where tenant = $1 and webhook = $2 and id = $3"
    ))
    .bind(tenant)
    .bind(webhook)
    .bind(id)
    .optional(connection)
    .await?;
    let content = |row: Row| {
        Ok(DeliveryContent {
            record: record_from(&row)?,
            event_at: row.time("event_at")?,
            payload: row.text("payload")?,
        })
    };
    row.map(content).transpose()
}

/// Makes a delivery due now. One that is being attempted is refused, because otherwise it would
/// arrive twice at the same time.
pub(in crate::store) async fn retry(
    connection: &mut Connection,
    (tenant, webhook): (TenantId, WebhookId),
    id: DeliveryId,
    now: Timestamp,
) -> Result<DeliveryRecord, StoreError> {
    let known = sql("select id from delivery where tenant = $1 and webhook = $2 and id = $3")
        .bind(tenant)
        .bind(webhook)
        .bind(id)
        .optional(connection)
        .await?;
    known.ok_or(StoreError::NotFound)?;
    require_active(connection, tenant, webhook).await?;
    let row = sql(concat!(
        "update delivery set status = 'pending', next_attempt_at = $2, lease = null
         where id = $1 and not (status = 'pending' and lease is not null and next_attempt_at > $2)
         returning ",
        delivery_columns!()
    ))
    .bind(id)
    .bind(now)
    .optional(connection)
    .await?
    .ok_or(StoreError::Conflict)?;
    record_from(&row)
}

async fn require_active(
    connection: &mut Connection,
    tenant: TenantId,
    webhook: WebhookId,
) -> Result<(), StoreError> {
    let webhook = webhooks::find(connection, tenant, None, webhook).await?;
    match webhook.ok_or(StoreError::NotFound)?.status {
        WebhookStatus::Active => Ok(()),
        WebhookStatus::Disabled => Err(StoreError::Conflict),
    }
}

fn record_from(row: &Row) -> Result<DeliveryRecord, StoreError> {
    let status = row.parsed("status")?;
    let next_attempt_at = row.time("next_attempt_at")?;
    Ok(DeliveryRecord {
        id: row.parsed("id")?,
        webhook: row.parsed("webhook")?,
        event_id: row.parsed("event_id")?,
        kind: row.parsed("kind")?,
        status,
        attempts: row.count_u32("attempts")?,
        next_attempt_at: (status == DeliveryStatus::Pending).then_some(next_attempt_at),
        created_at: row.time("created_at")?,
        last_attempt_at: row.optional_time("last_attempt_at")?,
        last_status: row
            .optional_count("last_status")?
            .and_then(|status| u16::try_from(status).ok()),
        last_error: row.optional_text("last_error")?,
        last_duration_ms: row.optional_count("last_duration_ms")?,
        delivered_at: row.optional_time("delivered_at")?,
    })
}
