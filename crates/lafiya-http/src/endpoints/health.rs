//! `GET /health`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use lafiya_service::health::{self, Health};

use crate::json::Json;
use crate::state::HttpState;
use crate::wire::health::HealthAnswer;

/// How the service and what it stands on are doing.
#[utoipa::path(
    get, path = "/health", tags = ["service", "public"], operation_id = "health",
    responses(
        (status = 200, description = "Everything works", body = HealthAnswer),
        (status = 503, description = "At least one part is degraded or unhealthy", body = HealthAnswer),
    ),
)]
pub(crate) async fn read(State(state): State<Arc<HttpState>>) -> (StatusCode, Json<HealthAnswer>) {
    let report = health::report(&state.context).await;
    let status = match report.overall() {
        Health::Healthy | Health::NotConfigured => StatusCode::OK,
        Health::Degraded | Health::Unhealthy => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(HealthAnswer::from(&report)))
}
