//! The monthly quota. The check before thinking spares work; the one inside the record's
//! transaction is the one that counts.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lafiya_model::{EventKind, Tier};
use lafiya_storage::store::{Month, NewEvent, QuotaRule, ThresholdNotice, ThresholdReached};
use serde::Serialize;
use uuid::Uuid;

use crate::authenticate::Caller;
use crate::clock::{BILLING_ZONE, lagos_date};
use crate::context::Context;
use crate::error::ServiceError;

/// The tenant's quota as the store enforces it.
pub(crate) fn rule(caller: &Caller) -> QuotaRule {
    QuotaRule {
        limit: caller.monthly_quota.or(caller.tier.included_per_month()),
        refuse_beyond: caller.tier.refuses_beyond_quota(),
    }
}

/// Refuses early when the month's quota is used up.
pub(crate) async fn check(
    context: &Context,
    caller: &Caller,
    now: Timestamp,
) -> Result<(), ServiceError> {
    let QuotaRule {
        limit: Some(limit),
        refuse_beyond: true,
    } = rule(caller)
    else {
        return Ok(());
    };
    let used = context
        .store
        .usage_this_month(caller.tenant_id, Month::from(lagos_date(now)))
        .await?;
    if used >= limit {
        Err(exceeded(limit, used, now))
    } else {
        Ok(())
    }
}

/// The refusal, with the moment the next month begins in Lagos.
pub(crate) fn exceeded(limit: u64, used: u64, now: Timestamp) -> ServiceError {
    ServiceError::QuotaExceeded {
        limit,
        used,
        reset: next_month(now),
    }
}

fn next_month(now: Timestamp) -> Timestamp {
    let today: Date = lagos_date(now);
    let zone = TimeZone::get(BILLING_ZONE).unwrap_or(TimeZone::UTC);
    let first = today
        .last_of_month()
        .tomorrow()
        .ok()
        .and_then(|day| day.to_zoned(zone).ok());
    first.map_or(Timestamp::MAX, |first| first.timestamp())
}

/// How the store announces that usage has reached 80 % or 100 %.
pub(crate) fn threshold_notice(caller: &Caller) -> ThresholdNotice {
    ThresholdNotice {
        tier: caller.tier,
        event: threshold_event,
    }
}

fn threshold_event(reached: ThresholdReached) -> NewEvent {
    #[derive(Serialize)]
    struct Reached {
        threshold_percent: u8,
        month: String,
        tier: Tier,
        quota: u64,
    }
    let data = Reached {
        threshold_percent: reached.percent,
        month: reached.month.to_string(),
        tier: reached.tier,
        quota: reached.quota,
    };
    NewEvent {
        id: Uuid::now_v7(),
        kind: EventKind::UsageThresholdReached,
        environment: None,
        payload: serde_json::to_string(&data).unwrap_or_default(),
    }
}
