//! The wire types of `/health`.

use lafiya_service::health::HealthReport;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct HealthAnswer {
    /// `healthy`, `degraded` or `unhealthy`
    #[schema(example = "healthy")]
    status: &'static str,
    /// When the checks were run
    #[schema(format = DateTime)]
    timestamp: String,
    /// Version of the service
    #[schema(example = "0.1.0")]
    version: &'static str,
    checks: HealthChecks,
    /// Seconds since the process started
    uptime_seconds: u64,
}

/// Each is `healthy`, `degraded`, `unhealthy` or `not_configured`.
#[derive(Serialize, ToSchema)]
pub(crate) struct HealthChecks {
    #[schema(example = "healthy")]
    database: &'static str,
    #[schema(example = "not_configured")]
    redis: &'static str,
    #[schema(example = "not_configured")]
    ai_provider: &'static str,
    #[schema(example = "healthy")]
    knowledge_base: &'static str,
}

impl From<&HealthReport> for HealthAnswer {
    fn from(report: &HealthReport) -> Self {
        Self {
            status: report.overall().as_str(),
            timestamp: report.timestamp.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            checks: HealthChecks {
                database: report.database.as_str(),
                redis: report.redis.as_str(),
                ai_provider: report.ai_provider.as_str(),
                knowledge_base: report.knowledge_base.as_str(),
            },
            uptime_seconds: report.uptime_seconds,
        }
    }
}
