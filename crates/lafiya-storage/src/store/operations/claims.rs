//! Deliveries that are due: claimed in fair shares, attempted by the worker, finished here. A claim
//! is a lease: a worker that disappears loses it when it expires.

use std::collections::HashMap;

use jiff::Timestamp;
use lafiya_model::{TenantId, WebhookId};

use super::webhooks;
use crate::store::connection::{Connection, Engine, Row, sql};
use crate::store::sealing::DataKeys;
use crate::store::{AfterAttempt, AttemptRecord, ClaimDeliveries, ClaimedDelivery, StoreError};

/// Maximum number of deliveries deleted per purge, because the writer must not be blocked for long.
const PURGE_BATCH: u32 = 500;

pub(in crate::store) async fn has_work(
    connection: &mut Connection,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let row = sql("select cast(case when exists (select 1 from outbox)
             or exists (select 1 from delivery where status = 'pending' and next_attempt_at <= $1)
         then 1 else 0 end as bigint) as work")
    .bind(now)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    Ok(row.integer("work")? == 1)
}

/// Claims deliveries round-robin, starting after the tenant served last, with an equal share for
/// each waiting tenant: a tenant with a long queue or a slow receiver delays only itself.
pub(in crate::store) async fn claim(
    connection: &mut Connection,
    keys: &DataKeys,
    claim: &ClaimDeliveries,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let mut tenants = waiting_tenants(connection).await?;
    let first = tenants.partition_point(|tenant| Some(*tenant) <= claim.after);
    // Goes on behind the tenant served last. In a fixed order the tenants at the end would never be
    // served under load.
    tenants.rotate_left(first);
    // At least 1: with more tenants than the limit, the round starts after the last one served, so
    // each has its turn.
    let share = (claim.limit / u32::try_from(tenants.len().max(1)).unwrap_or(u32::MAX)).max(1);
    let in_flight: HashMap<TenantId, u32> = claim.in_flight.iter().copied().collect();
    // Many deliveries go to one webhook; its secrets are decrypted once.
    let mut webhooks = HashMap::new();
    let mut claimed = Vec::new();
    for tenant in tenants {
        let busy = in_flight.get(&tenant).copied().unwrap_or(0);
        let left = claim.limit - u32::try_from(claimed.len()).unwrap_or(claim.limit);
        let take = share
            .min(left)
            .min(claim.per_tenant_max.saturating_sub(busy));
        if take == 0 {
            continue;
        }
        for row in lease(connection, claim, tenant, take).await? {
            let webhook: WebhookId = row.parsed("webhook")?;
            let target = match webhooks.get(&webhook) {
                Some(target) => target,
                None => {
                    let target = target_of(connection, keys, webhook, claim.now).await?;
                    webhooks.entry(webhook).or_insert(target)
                }
            };
            claimed.push(claimed_from(&row, claim, webhook, target)?);
        }
    }
    Ok(claimed)
}

/// Lists the tenants with pending deliveries. It jumps from tenant to tenant in the index (a loose
/// index scan), so the cost grows with the number of tenants and not with the number of deliveries.
async fn waiting_tenants(connection: &mut Connection) -> Result<Vec<TenantId>, StoreError> {
    let rows = sql("with recursive waiting (tenant) as (
             select min(tenant) from delivery where status = 'pending'
             union all
             select (select min(delivery.tenant) from delivery
                     where delivery.status = 'pending' and delivery.tenant > waiting.tenant)
             from waiting where waiting.tenant is not null)
         select tenant from waiting where tenant is not null")
    .all(connection)
    .await?;
    rows.iter().map(|row| row.parsed("tenant")).collect()
}

/// Leases due deliveries of a tenant. Rows that another replica is claiming at the same time are
/// skipped.
async fn lease(
    connection: &mut Connection,
    claim: &ClaimDeliveries,
    tenant: TenantId,
    take: u32,
) -> Result<Vec<Row>, StoreError> {
    let due = match connection.engine() {
        Engine::Sqlite => {
            "select id from delivery
             where tenant = $1 and status = 'pending' and next_attempt_at <= $2
             order by next_attempt_at limit $3"
        }
        Engine::Postgres => {
            "select id from delivery
             where tenant = $1 and status = 'pending' and next_attempt_at <= $2
             order by next_attempt_at limit $3 for update skip locked"
        }
    };
    let due = sql(due)
        .bind(tenant)
        .bind(claim.now)
        .bind(take)
        .all(connection)
        .await?;
    let mut leased = Vec::with_capacity(due.len());
    for row in due {
        let row = sql(
            // The end of the lease is also the next attempt: if this worker disappears, the
            // delivery is due again without any cleaning up.
            "update delivery set lease = $2, next_attempt_at = $3 where id = $1
             returning id, tenant, webhook, event_id, kind, payload, event_at, attempts",
        )
        .bind(&row.text("id")?)
        .bind(claim.lease)
        .bind(claim.lease_until)
        .optional(connection)
        .await?;
        leased.extend(row);
    }
    Ok(leased)
}

/// The URL of a webhook and its signing secrets.
struct Target {
    url: String,
    secrets: Vec<Vec<u8>>,
}

async fn target_of(
    connection: &mut Connection,
    keys: &DataKeys,
    webhook: WebhookId,
    now: Timestamp,
) -> Result<Target, StoreError> {
    let row = sql(
        "select url, secret, secret_key, previous_secret, previous_secret_key,
             previous_secret_until
         from webhook where id = $1",
    )
    .bind(webhook)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let opened = |columns| webhooks::opened_secret(keys, webhook, &row, columns);
    let mut secrets = Vec::from_iter(opened(webhooks::SECRET)?);
    if row
        .optional_time("previous_secret_until")?
        // After a rotation both signatures are sent for a while, so that receivers can change their
        // secret without losing events.
        .is_some_and(|until| now < until)
    {
        secrets.extend(opened(webhooks::PREVIOUS_SECRET)?);
    }
    Ok(Target {
        url: row.text("url")?,
        secrets,
    })
}

fn claimed_from(
    row: &Row,
    claim: &ClaimDeliveries,
    webhook: WebhookId,
    target: &Target,
) -> Result<ClaimedDelivery, StoreError> {
    Ok(ClaimedDelivery {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        webhook,
        lease: claim.lease,
        url: target.url.clone(),
        secrets: target.secrets.clone(),
        event_id: row.parsed("event_id")?,
        kind: row.parsed("kind")?,
        event_at: row.time("event_at")?,
        payload: row.text("payload")?,
        attempts: row.count_u32("attempts")?,
    })
}

/// Records the result of an attempt. As everywhere, the webhook is locked before its deliveries, to
/// prevent deadlocks.
pub(in crate::store) async fn finish(
    connection: &mut Connection,
    attempt: &AttemptRecord,
) -> Result<bool, StoreError> {
    if attempt.then == AfterAttempt::Gone {
        webhooks::disable(connection, attempt.webhook, attempt.at).await?;
    }
    let (status, next_attempt_at) = match attempt.then {
        AfterAttempt::Delivered => ("delivered", attempt.at),
        AfterAttempt::RetryAt(at) => ("pending", at),
        AfterAttempt::Failed | AfterAttempt::Gone => ("failed", attempt.at),
    };
    let delivered_at = Some(attempt.at).filter(|_| attempt.then == AfterAttempt::Delivered);
    // Only if the lease still holds: after it expired, another worker may be sending the same
    // delivery.
    let held = sql("update delivery set
             status = $3, next_attempt_at = $4, lease = null, attempts = attempts + 1,
             last_attempt_at = $5, last_status = $6, last_error = $7, last_duration_ms = $8,
             delivered_at = $9
         where id = $1 and lease = $2")
    .bind(attempt.delivery)
    .bind(attempt.lease)
    .bind(status)
    .bind(next_attempt_at)
    .bind(attempt.at)
    .bind(attempt.response_status.map(u64::from))
    .bind(attempt.error.as_deref())
    .bind(attempt.duration_ms)
    .bind(delivered_at)
    .execute(connection)
    .await?;
    if attempt.then == AfterAttempt::Gone {
        sql(
            "update delivery set status = 'failed', lease = null, last_error = $2
             where webhook = $1 and status = 'pending'",
        )
        .bind(attempt.webhook)
        // Stored for the tenant's list of deliveries.
        .bind("the receiver said that it is gone")
        .execute(connection)
        .await?;
    }
    Ok(held > 0)
}

pub(in crate::store) async fn purge(
    connection: &mut Connection,
    before: Timestamp,
) -> Result<u64, StoreError> {
    sql("delete from delivery where id in (
             select id from delivery where created_at < $1 and status <> 'pending' limit $2)")
    .bind(before)
    .bind(PURGE_BATCH)
    .execute(connection)
    .await
}
