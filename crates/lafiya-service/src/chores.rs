//! Periodic tasks that must run on exactly one replica at a time: announcing keys that expire, and
//! deleting old deliveries. The store grants the lease.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lafiya_model::EventKind;
use lafiya_storage::store::{KeyRecord, NewEvent};
use serde_json::json;
use uuid::Uuid;

use crate::context::Context;
use crate::error::ServiceError;

/// How long before its expiry a key is announced.
const ANNOUNCED_BEFORE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long finished deliveries are kept.
const DELIVERIES_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Lease time of a run. A run that takes longer is assumed to have died with its replica.
const TURN_MAX: SignedDuration = SignedDuration::from_mins(5);
/// Maximum number of keys announced per run.
const KEYS_AT_ONCE: u32 = 500;

const NAME: &str = "webhook_chores";

/// Runs the tasks if this replica gets the lease. Returns whether it did.
pub async fn run_if_due(
    context: &Context,
    holder: Uuid,
    every: Duration,
) -> Result<bool, ServiceError> {
    let now = context.clock.now();
    let lease_until = now.checked_add(TURN_MAX).unwrap_or(Timestamp::MAX);
    if !context
        .store
        .begin_chore(NAME, holder, now, lease_until)
        .await?
    {
        return Ok(false);
    }
    announce_expiring_keys(context, now).await?;
    purge_deliveries(context, now).await?;
    let next = now.checked_add(every).unwrap_or(Timestamp::MAX);
    context.store.end_chore(NAME, holder, next).await?;
    Ok(true)
}

async fn announce_expiring_keys(context: &Context, now: Timestamp) -> Result<(), ServiceError> {
    let until = now.checked_add(ANNOUNCED_BEFORE).unwrap_or(Timestamp::MAX);
    let expiring = context
        .store
        .list_expiring_keys(now, until, KEYS_AT_ONCE)
        .await?;
    for key in expiring {
        context
            .store
            .announce_expiring_key(key.tenant, key.id, expiring_event(&key), now)
            .await?;
    }
    Ok(())
}

/// Builds the event of an expiring key. It has no environment, because a key concerns the whole
/// tenant: every webhook that subscribes to it receives it.
fn expiring_event(key: &KeyRecord) -> NewEvent {
    NewEvent {
        id: Uuid::now_v7(),
        kind: EventKind::ApiKeyExpiring,
        environment: None,
        payload: json!({
            "key_id": key.id,
            "prefix": key.display,
            "environment": key.environment,
            "expires_at": key.expires_at,
        })
        .to_string(),
    }
}

async fn purge_deliveries(context: &Context, now: Timestamp) -> Result<(), ServiceError> {
    let before = now.checked_sub(DELIVERIES_KEPT).unwrap_or(Timestamp::MIN);
    while context.store.purge_deliveries(before).await? > 0 {}
    Ok(())
}
