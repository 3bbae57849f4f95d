//! Health: real probes with time-outs, asked at most twice a second so that the public endpoint
//! cannot be used to load the database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::context::Context;

/// Together below two seconds: that is how long the service may be wrong about itself.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1200);
const ANSWER_KEPT_FOR: Duration = Duration::from_millis(500);

/// The state of one part, or of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Works.
    Healthy,
    /// The service goes on without it, less well.
    Degraded,
    /// The service cannot do its work.
    Unhealthy,
    /// Not part of this installation.
    NotConfigured,
}

impl Health {
    /// The word in the answer.
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

/// The health of every part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthReport {
    /// When the parts were asked.
    pub timestamp: Timestamp,
    /// The database.
    pub database: Health,
    /// The shared cache.
    pub redis: Health,
    /// The optional reasoning provider.
    pub ai_provider: Health,
    /// The knowledge base.
    pub knowledge_base: Health,
    /// Seconds since the process started.
    pub uptime_seconds: u64,
}

impl HealthReport {
    /// The worst of the parts.
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

/// The last report, shared by everybody who asks soon after.
#[derive(Default)]
pub struct HealthCache {
    last: ArcSwapOption<(Instant, HealthReport)>,
    /// Makes one caller probe and the others wait for its answer.
    probing: Mutex<()>,
}

impl HealthCache {
    fn recent(&self) -> Option<HealthReport> {
        let last = self.last.load();
        let (at, report) = last.as_deref()?;
        (at.elapsed() < ANSWER_KEPT_FOR).then_some(*report)
    }
}

/// The health of the service, at most half a second old.
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
    // Another may have asked while this one waited.
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

/// Cheap: mostly what the last calls told, else a list of models.
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
    fn the_whole_is_as_well_as_its_worst_part() {
        check(Health::Healthy, Health::NotConfigured, Health::Healthy);
        check(Health::Healthy, Health::Degraded, Health::Degraded);
        check(Health::Unhealthy, Health::Degraded, Health::Unhealthy);
    }
}
