//! The monthly quota. The check before the engine runs only saves work; the check inside the
//! record's transaction is the authoritative one.

use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{EventKind, TenantId, Tier};
use lafiya_storage::store::{
    BeyondQuota, Month, NewEvent, QuotaRule, ThresholdNotice, ThresholdReached,
};
use quick_cache::sync::Cache;
use serde::Serialize;
use uuid::Uuid;

use crate::authenticate::Caller;
use crate::clock::{billing_zone, lagos_date};
use crate::context::Context;
use crate::danger::Danger;
use crate::error::ServiceError;
use crate::rate_limit::{self, RateLimitKey};

/// Returns the tenant's quota as the store enforces it.
pub(crate) fn rule(caller: &Caller) -> QuotaRule {
    QuotaRule {
        limit: caller.monthly_quota.or(caller.tier.included_per_month()),
        beyond: match caller.tier.refuses_beyond_quota() {
            true if caller.is_person => BeyondQuota::Answered,
            true => BeyondQuota::Refused,
            false => BeyondQuota::Billed,
        },
    }
}

/// The monthly usage of tenants with a hard quota, as of their last assessment or refusal on this
/// replica. Other replicas count too, so the real usage may be higher, never lower.
pub struct KnownUsage(Cache<(TenantId, Month), u64>);

/// Maximum number of tenants in the cache.
const TENANTS_REMEMBERED: usize = 10_000;

impl Default for KnownUsage {
    fn default() -> Self {
        Self(Cache::new(TENANTS_REMEMBERED))
    }
}

impl KnownUsage {
    pub(crate) fn note(&self, tenant: TenantId, month: Month, used: u64) {
        self.0.insert((tenant, month), used);
    }

    /// Whether more than a tenth of the quota was left, so that the store need not be asked before
    /// the engine runs.
    fn is_far_from(&self, limit: u64, tenant: TenantId, month: Month) -> bool {
        let used = self.0.get(&(tenant, month));
        // Within the last tenth, other replicas may use up the rest, so the store is asked.
        used.is_some_and(|used| used < limit - limit / 10)
    }
}

/// Refuses early if the monthly quota is used up. A person in front of the web app is answered all
/// the same, within the rate limit of a key.
pub(crate) async fn check(
    context: &Context,
    caller: &Caller,
    now: Timestamp,
) -> Result<(), ServiceError> {
    let QuotaRule {
        limit: Some(limit),
        beyond,
    } = rule(caller)
    else {
        return Ok(());
    };
    if beyond == BeyondQuota::Billed {
        return Ok(());
    }
    let (tenant, month) = (caller.tenant_id, Month::from(lagos_date(now)));
    if context.known_usage.is_far_from(limit, tenant, month) {
        return Ok(());
    }
    let used = context.store.usage_this_month(tenant, month).await?;
    if used < limit {
        return Ok(());
    }
    if beyond == BeyondQuota::Answered {
        // The only limit that is left to an answer beyond the quota.
        rate_limit::count(context, RateLimitKey::Key(caller.key_id), None).await?;
        return Ok(());
    }
    Err(exceeded(limit, used, now, None))
}

/// Creates the error, with the start of the next month in Lagos.
pub(crate) fn exceeded(
    limit: u64,
    used: u64,
    now: Timestamp,
    danger: Option<Box<Danger>>,
) -> ServiceError {
    ServiceError::QuotaExceeded {
        limit,
        used,
        reset: next_month(now),
        danger,
    }
}

fn next_month(now: Timestamp) -> Timestamp {
    let today: Date = lagos_date(now);
    let zone = billing_zone();
    let first = today
        .last_of_month()
        .tomorrow()
        .ok()
        .and_then(|day| day.to_zoned(zone).ok());
    first.map_or(Timestamp::MAX, |first| first.timestamp())
}

/// Returns how the store announces that usage has reached 80 % or 100 %.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tenant_far_from_its_limit_skips_the_check() {
        let (tenant, other) = (TenantId(Uuid::from_u128(1)), TenantId(Uuid::from_u128(2)));
        let month = |month| Month::from(jiff::civil::date(2026, month, 1));
        let last = KnownUsage::default();
        assert!(
            !last.is_far_from(200, tenant, month(11)),
            "nothing is known"
        );
        last.note(tenant, month(11), 179);
        assert!(last.is_far_from(200, tenant, month(11)));
        assert!(!last.is_far_from(200, other, month(11)));
        assert!(!last.is_far_from(200, tenant, month(12)));
        last.note(tenant, month(11), 180);
        assert!(!last.is_far_from(200, tenant, month(11)));
        assert!(!last.is_far_from(0, tenant, month(11)));
    }
}
