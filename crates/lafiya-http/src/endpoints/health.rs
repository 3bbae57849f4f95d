//! `GET /health`

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use lafiya_service::health::{self, Health, HealthReport};

use crate::error::ApiError;
use crate::json;
use crate::state::HttpState;
use crate::wire::health::HealthAnswer;

/// Buffer capacity of a response, in bytes.
const BYTES: usize = 256;

/// The last rendered response, returned until the health checks run again.
#[derive(Default)]
pub(crate) struct CachedHealth(ArcSwapOption<Rendered>);

struct Rendered {
    report: HealthReport,
    body: Bytes,
}

impl CachedHealth {
    fn rendered(&self, report: HealthReport) -> Result<Bytes, ApiError> {
        let last = self.0.load();
        if let Some(last) = last.as_ref().filter(|last| last.report == report) {
            return Ok(last.body.clone());
        }
        let answer = HealthAnswer::from(&report);
        let body = Bytes::from(json::written(&answer, BYTES)?);
        let kept = Rendered {
            report,
            body: body.clone(),
        };
        self.0.store(Some(Arc::new(kept)));
        Ok(body)
    }
}

/// Returns the health of the service and of its dependencies.
#[utoipa::path(
    get, path = "/health", tags = ["service", "public"], operation_id = "health",
    responses(
        (status = 200, description = "Everything works", body = HealthAnswer),
        (status = 503, description = "At least one part is degraded or unhealthy", body = HealthAnswer),
    ),
)]
pub(crate) async fn read(State(state): State<Arc<HttpState>>) -> Result<Response, ApiError> {
    let report = health::report(&state.context).await;
    let mut response = json::respond_with(state.kept_health.rendered(report)?);
    *response.status_mut() = match report.overall() {
        Health::Healthy | Health::NotConfigured => StatusCode::OK,
        Health::Degraded | Health::Unhealthy => StatusCode::SERVICE_UNAVAILABLE,
    };
    Ok(response)
}
