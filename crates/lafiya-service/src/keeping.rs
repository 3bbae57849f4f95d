//! Data retention and encryption keys: purging expired data, and encrypting documents again with a
//! new key.

use jiff::{SignedDuration, Timestamp};
use lafiya_storage::store::NewAct;

use crate::context::Context;
use crate::error::ServiceError;

/// How long assessments are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// Days that assessments are kept. 0 keeps them forever.
    pub days: u32,
    /// Days that sandbox assessments are kept. 0 keeps them as long as the others.
    pub sandbox_days: u32,
    /// Maximum number of sandbox assessments kept per tenant.
    pub sandbox_max: u32,
}

/// Deletes expired data and assessments past their retention. Every replica may call this; the
/// store ensures that only one runs it at a time.
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

/// Returns the time before which assessments are deleted.
fn kept_since(now: Timestamp, retention_days: u32) -> Option<Timestamp> {
    let days = SignedDuration::from_hours(24 * i64::from(retention_days));
    (retention_days > 0).then(|| now.checked_sub(days).unwrap_or(Timestamp::MIN))
}

/// The result of a re-encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reseal {
    /// Documents that were re-encrypted with the current key.
    pub resealed: u64,
    /// Documents that still need an older key because a running call held them: call again.
    pub remaining: u64,
}

/// Encrypts every document with the current data key, in batches, while the service runs. Older
/// keys that no document needs any more are retired and may be removed from the settings.
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
    fn zero_days_means_forever() {
        let now: Timestamp = "2026-11-15T09:00:00Z".parse().unwrap();
        assert_eq!(kept_since(now, 0), None);
        let year = kept_since(now, 365).map(|at| at.to_string());
        assert_eq!(year.as_deref(), Some("2025-11-15T09:00:00Z"));
        assert_eq!(kept_since(now, u32::MAX), Some(Timestamp::MIN));
    }
}
