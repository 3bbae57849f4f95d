//! The operator's listener, off by default: Prometheus metrics, liveness and readiness. It is
//! apart from the API so that it can be bound to an address clients never reach.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use lafiya_service::Context;
use lafiya_service::health::{self, Health};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

/// Upper bounds of the duration histogram, in seconds.
const BUCKETS: &[f64] = &[
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 90.0,
];

/// Starts collecting metrics for the whole process.
pub fn collect_metrics() -> Result<PrometheusHandle, String> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), BUCKETS)
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|cause| cause.to_string())
}

#[derive(Clone)]
struct Admin {
    metrics: PrometheusHandle,
    context: Arc<Context>,
}

/// The routes of the operator's listener.
pub fn router(metrics: PrometheusHandle, context: Arc<Context>) -> Router {
    Router::new()
        .route("/metrics", get(metrics_text))
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .with_state(Admin { metrics, context })
}

/// How often durations are put into their histograms.
const SORTED_EVERY: Duration = Duration::from_secs(30);

/// Puts what was measured into the histograms from time to time: where nobody asks for the metrics, every
/// single duration would be kept until somebody does.
pub async fn keep_up(metrics: PrometheusHandle, stop: CancellationToken) {
    let pause = || tokio::time::sleep(SORTED_EVERY);
    while stop.run_until_cancelled(pause()).await.is_some() {
        metrics.run_upkeep();
    }
}

async fn metrics_text(State(admin): State<Admin>) -> impl IntoResponse {
    admin.metrics.run_upkeep();
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
        admin.metrics.render(),
    )
}

/// Ready as long as calls can be answered: a missing cache or provider does not make a replica
/// worse than no replica.
async fn ready(State(admin): State<Admin>) -> (StatusCode, &'static str) {
    match health::report(&admin.context).await.overall() {
        Health::Unhealthy => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        _ => (StatusCode::OK, "ready\n"),
    }
}
