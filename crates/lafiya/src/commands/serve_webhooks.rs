//! The two background tasks of webhooks: one delivers events, the other runs the periodic tasks.
//! Both end with the service.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lafiya_service::{Context, chores};
use lafiya_webhooks::{Worker, WorkerSettings};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Delivers webhooks. If no TLS client can be created, everything else is still served and queued
/// deliveries stay queued.
pub(super) async fn deliver(
    context: Arc<Context>,
    settings: WorkerSettings,
    stop: CancellationToken,
) {
    match Worker::new(Arc::clone(&context.store), settings, Timestamp::now) {
        Ok(worker) => worker.run(stop).await,
        Err(cause) => {
            tracing::error!(%cause, "Webhooks are not delivered by this replica.");
        }
    }
}

/// Tries to run the periodic tasks at each interval; one of several replicas gets the lease.
pub(super) async fn do_chores(context: Arc<Context>, every: Duration, stop: CancellationToken) {
    let holder = Uuid::new_v4();
    loop {
        if let Err(cause) = chores::run_if_due(&context, holder, every).await {
            tracing::warn!(%cause, "Chores were not done; tried again later.");
        }
        let pause = tokio::time::sleep(every);
        if stop.run_until_cancelled(pause).await.is_none() {
            return;
        }
    }
}
