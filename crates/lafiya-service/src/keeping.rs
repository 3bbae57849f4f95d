//! How long things are kept, and under which keys: purging, and sealing documents anew.

use jiff::{SignedDuration, Timestamp};
use lafiya_storage::store::NewAct;

use crate::context::Context;
use crate::error::ServiceError;

/// How long assessments are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// Days that assessments are kept. 0: for ever.
    pub days: u32,
    /// Days that sandbox assessments are kept. 0: as long as the others.
    pub sandbox_days: u32,
    /// How many sandbox assessments of one tenant are kept.
    pub sandbox_max: u32,
}

/// Removes what has expired, and assessments that are not kept any longer. Every replica may call
/// this; the store sees to it that one does the work at a time.
pub async fn purge(context: &Context, retention: Retention) -> Result<u64, ServiceError> {
    let now = context.clock.now();
    let store = &context.store;
    let mut removed = 0;
    loop {
        let kept_since = kept_since(now, retention.days);
        match store.purge(now, kept_since).await? {
            0 => break,
            some => removed += some,
        }
    }
    loop {
        let kept_since = kept_since(now, retention.sandbox_days);
        match store
            .purge_sandbox(kept_since, retention.sandbox_max)
            .await?
        {
            0 => return Ok(removed),
            some => removed += some,
        }
    }
}

/// The moment before which assessments are not kept.
fn kept_since(now: Timestamp, retention_days: u32) -> Option<Timestamp> {
    let days = SignedDuration::from_hours(24 * i64::from(retention_days));
    (retention_days > 0).then(|| now.checked_sub(days).unwrap_or(Timestamp::MIN))
}

/// What sealing anew came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reseal {
    /// Documents that are now sealed with the current key and were not before.
    pub resealed: u64,
    /// Documents that a running call held and that still need another key: call again.
    pub remaining: u64,
}

/// Seals every document with the current data key, batch by batch, while the service runs. When
/// none needs an older key any more, those are forgotten and may be taken out of the settings.
pub async fn reseal(context: &Context, actor: &str) -> Result<Reseal, ServiceError> {
    let store = &context.store;
    let act = NewAct {
        at: context.clock.now(),
        actor: actor.to_owned(),
        action: "data.reencrypt",
        tenant: None,
        subject: "documents".to_owned(),
        detail: "{}".to_owned(),
    };
    store.log_act(act).await?;
    let mut resealed = 0;
    let mut last = None;
    loop {
        let step = store.reseal_assessments(last).await?;
        resealed += step.resealed;
        if step.last.is_none() {
            break;
        }
        last = step.last;
    }
    loop {
        match store.reseal_interviews().await? {
            0 => break,
            some => resealed += some,
        }
    }
    loop {
        match store.reseal_codes().await? {
            0 => break,
            some => resealed += some,
        }
    }
    loop {
        match store.reseal_webhook_secrets().await? {
            0 => break,
            some => resealed += some,
        }
    }
    let remaining = store.retire_data_keys().await?;
    Ok(Reseal {
        resealed,
        remaining,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_days_means_for_ever() {
        let now: Timestamp = "2026-11-15T09:00:00Z".parse().unwrap();
        assert_eq!(kept_since(now, 0), None);
        let year = kept_since(now, 365).map(|at| at.to_string());
        assert_eq!(year.as_deref(), Some("2025-11-15T09:00:00Z"));
        assert_eq!(kept_since(now, u32::MAX), Some(Timestamp::MIN));
    }
}
