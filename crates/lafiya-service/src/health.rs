//! Health checks: real probes with timeouts, run at most twice a second so that the public endpoint
//! cannot be used to overload the database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::context::Context;

/// Together they stay below two seconds, which limits how long a health report may be outdated.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1200);
const ANSWER_KEPT_FOR: Duration = Duration::from_millis(500);

/// The health of one component or of the whole service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It works.
    Healthy,
    /// The service works without it, with reduced quality.
    Degraded,
    /// The service cannot work.
    Unhealthy,
    /// It is not part of this installation.
    NotConfigured,
}

impl Health {
    /// Returns the value used in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Unhealthy => "unhealthy",
            Self::NotConfigured => "not_configured",
        }
    }

    fn rank(self) -> u8 {
        match self {
            Self::NotConfigured | Self::Healthy => 0,
            Self::Degraded => 1,
            Self::Unhealthy => 2,
        }
    }
}

/// The health of every component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthReport {
    /// When the probes were run.
    pub timestamp: Timestamp,
    /// The database.
    pub database: Health,
    /// The shared cache.
    pub redis: Health,
    /// The optional AI provider.
    pub ai_provider: Health,
    /// The knowledge base.
    pub knowledge_base: Health,
    /// Seconds since the process started.
    pub uptime_seconds: u64,
}

impl HealthReport {
    /// Returns the worst status of all components.
    pub fn overall(&self) -> Health {
        [
            self.database,
            self.redis,
            self.ai_provider,
            self.knowledge_base,
        ]
        .into_iter()
        .filter(|part| *part != Health::NotConfigured)
        .max_by_key(|part| part.rank())
        .unwrap_or(Health::Healthy)
    }
}

/// The last report, shared by requests that arrive shortly after.
#[derive(Default)]
pub struct HealthCache {
    last: ArcSwapOption<(Instant, HealthReport)>,
    /// Lets one request probe while the others wait for its result.
    probing: Mutex<()>,
}

impl HealthCache {
    fn recent(&self) -> Option<HealthReport> {
        let last = self.last.load();
        let (at, report) = last.as_deref()?;
        (at.elapsed() < ANSWER_KEPT_FOR).then_some(*report)
    }
}

/// Returns the health of the service, at most half a second old.
pub async fn report(context: &Context) -> HealthReport {
    let report = match context.health.recent() {
        Some(report) => report,
        None => probed_once(context).await,
    };
    HealthReport {
        uptime_seconds: context.started.elapsed().as_secs(),
        ..report
    }
}

async fn probed_once(context: &Context) -> HealthReport {
    let _probing = context.health.probing.lock().await;
    // Another request may have probed while this one waited for the lock.
    if let Some(report) = context.health.recent() {
        return report;
    }
    let report = probe(context).await;
    let now = (Instant::now(), report);
    context.health.last.store(Some(Arc::new(now)));
    report
}

async fn probe(context: &Context) -> HealthReport {
    let (database, redis, ai_provider) = tokio::join!(
        probe_database(context),
        probe_cache(context),
        probe_provider(context)
    );
    let knowledge_base = if context.knowledge.load().conditions().is_empty() {
        Health::Unhealthy
    } else {
        Health::Healthy
    };
    HealthReport {
        timestamp: context.clock.now(),
        database,
        redis,
        ai_provider,
        knowledge_base,
        uptime_seconds: context.started.elapsed().as_secs(),
    }
}

async fn probe_database(context: &Context) -> Health {
    match timeout(PROBE_TIMEOUT, context.store.probe(context.clock.now())).await {
        Ok(Ok(())) => Health::Healthy,
        Ok(Err(cause)) => {
            tracing::warn!(%cause, "The database does not answer the health probe.");
            Health::Unhealthy
        }
        Err(_) => {
            tracing::warn!(
                timeout_ms = PROBE_TIMEOUT.as_millis() as u64,
                "The database is too slow for the health probe."
            );
            Health::Unhealthy
        }
    }
}

async fn probe_cache(context: &Context) -> Health {
    if !context.cache_is_shared {
        return Health::NotConfigured;
    }
    match timeout(PROBE_TIMEOUT, context.cache.probe()).await {
        Ok(Ok(())) => Health::Healthy,
        _ => {
            tracing::warn!(
                "The shared cache does not answer the health probe; limits are per replica."
            );
            Health::Degraded
        }
    }
}

/// Checks the provider cheaply: mostly from the results of recent calls, otherwise by listing its
/// models.
async fn probe_provider(context: &Context) -> Health {
    match &context.advisor {
        None => Health::NotConfigured,
        Some(advisor) if advisor.provider.is_well().await => Health::Healthy,
        Some(_) => {
            tracing::warn!("The AI provider cannot be reached or fails.");
            Health::Degraded
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(database: Health, redis: Health, expected: Health) {
        let report = HealthReport {
            timestamp: Timestamp::UNIX_EPOCH,
            database,
            redis,
            ai_provider: Health::NotConfigured,
            knowledge_base: Health::Healthy,
            uptime_seconds: 0,
        };
        assert_eq!(report.overall(), expected);
    }

    #[test]
    fn overall_health_is_that_of_the_worst_part() {
        check(Health::Healthy, Health::NotConfigured, Health::Healthy);
        check(Health::Healthy, Health::Degraded, Health::Degraded);
        check(Health::Unhealthy, Health::Degraded, Health::Unhealthy);
    }
}
