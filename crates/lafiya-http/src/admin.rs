//! The admin listener: Prometheus metrics, liveness and readiness. It is off by default and
//! separate from the API, so that it can be bound to an address that clients cannot reach.

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

/// Installs the metrics recorder for the whole process.
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

/// Returns the routes of the admin listener.
pub fn router(metrics: PrometheusHandle, context: Arc<Context>) -> Router {
    Router::new()
        .route("/metrics", get(metrics_text))
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .with_state(Admin { metrics, context })
}

/// Interval between two upkeep runs, which move recorded durations into their histograms.
const SORTED_EVERY: Duration = Duration::from_secs(30);

/// Runs the recorder's upkeep at regular intervals. Without it, and without a scraper, every single
/// duration would be kept in memory.
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

/// Readiness probe. Reports ready as long as requests can be answered: a replica without a cache or
/// a provider is better than no replica.
async fn ready(State(admin): State<Admin>) -> (StatusCode, &'static str) {
    match health::report(&admin.context).await.overall() {
        Health::Unhealthy => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        _ => (StatusCode::OK, "ready\n"),
    }
}
