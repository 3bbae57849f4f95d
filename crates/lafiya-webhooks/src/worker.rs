//! The delivery worker. Every replica runs one. The store's leases ensure that only one of them
//! attempts a delivery at a time, and its fair shares that no tenant delays another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use lafiya_model::TenantId;
use lafiya_storage::store::{
    AfterAttempt, AttemptRecord, ClaimDeliveries, ClaimedDelivery, Store, StoreError,
};
use rand::RngExt;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::backoff::RetrySchedule;
use crate::resolver;
use crate::sender::{Outcome, Sender};
use crate::target::TargetPolicy;

/// Maximum number of events taken from the outbox at once.
const DISPATCHED_AT_ONCE: u32 = 200;
/// Time that a lease adds to the longest attempt, to allow for recording it and for clock
/// differences.
const LEASE_MARGIN: Duration = Duration::from_secs(15);
/// Divisor of the concurrency that gives the maximum per tenant.
const TENANT_SHARE: u32 = 4;

/// The settings of the worker.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Which target addresses are allowed.
    pub policy: TargetPolicy,
    /// Timeout of an attempt.
    pub timeout: Duration,
    /// When failed deliveries are retried.
    pub retries: RetrySchedule,
    /// How often an idle worker polls for work.
    pub poll_every: Duration,
    /// Maximum number of concurrent attempts.
    pub concurrency: u32,
}

/// Delivers webhooks that are due.
pub struct Worker {
    shared: Arc<Shared>,
    free: Arc<Semaphore>,
    attempts: TaskTracker,
    last_served: Option<TenantId>,
}

struct Shared {
    store: Arc<dyn Store>,
    sender: Sender,
    settings: WorkerSettings,
    clock: fn() -> Timestamp,
    in_flight: Mutex<HashMap<TenantId, u32>>,
    ended: Notify,
}

impl Worker {
    /// Creates a worker that does not run yet. Fails if no TLS client can be created on this
    /// machine.
    pub fn new(
        store: Arc<dyn Store>,
        settings: WorkerSettings,
        clock: fn() -> Timestamp,
    ) -> Result<Self, String> {
        let sender = Sender::new(settings.policy, settings.timeout, resolver::system())
            .map_err(|cause| cause.to_string())?;
        Ok(Self {
            free: Arc::new(Semaphore::new(settings.concurrency as usize)),
            attempts: TaskTracker::new(),
            last_served: None,
            shared: Arc::new(Shared {
                store,
                sender,
                settings,
                clock,
                in_flight: Mutex::new(HashMap::new()),
                ended: Notify::new(),
            }),
        })
    }

    /// Runs until `stop` is cancelled, then waits for running attempts.
    pub async fn run(mut self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let found_work = match self.round().await {
                Ok(found_work) => found_work,
                Err(cause) => {
                    tracing::warn!(%cause, "Webhooks cannot be delivered right now; tried again shortly.");
                    false
                }
            };
            if !found_work {
                let idle = tokio::time::sleep(self.shared.settings.poll_every);
                tokio::select! {
                    () = idle => {}
                    // An attempt has ended: its permit may be what the next delivery waits for.
                    () = self.shared.ended.notified() => {}
                    () = stop.cancelled() => {}
                }
            }
        }
        // A `TaskTracker` counts as finished only if it is closed.
        self.attempts.close();
        self.attempts.wait().await;
    }

    /// Dispatches events, claims due deliveries and starts their attempts. Returns whether there
    /// was any work.
    async fn round(&mut self) -> Result<bool, StoreError> {
        let store = &self.shared.store;
        let now = (self.shared.clock)();
        // A cheap read first: dispatching and claiming are writes, and an idle service should not
        // write.
        if !store.has_webhook_work(now).await? {
            return Ok(false);
        }
        let dispatched = store
            .dispatch_events(now, DISPATCHED_AT_ONCE, Uuid::now_v7)
            .await?;
        // The clock is read again: what was just dispatched is due now, and dispatching took time.
        let claimed = self.claim((self.shared.clock)()).await?;
        let found_work = dispatched > 0 || !claimed.is_empty();
        for delivery in claimed {
            // The last of the batch stays: the next claim goes on behind that tenant.
            self.last_served = Some(delivery.tenant);
            let Ok(place) = Arc::clone(&self.free).try_acquire_owned() else {
                // Cannot happen: no more deliveries are claimed than permits are available. The
                // lease would expire.
                break;
            };
            let flight = Flight::begin(Arc::clone(&self.shared), delivery.tenant, place);
            self.attempts.spawn(attempt(flight, delivery));
        }
        Ok(found_work)
    }

    async fn claim(&self, now: Timestamp) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let limit = u32::try_from(self.free.available_permits()).unwrap_or(u32::MAX);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let settings = &self.shared.settings;
        let claim = ClaimDeliveries {
            now,
            // A new one for each claim, so that a result of an earlier, expired claim is not taken
            // for this one.
            lease: Uuid::new_v4(),
            lease_until: later(now, settings.timeout + LEASE_MARGIN),
            limit,
            per_tenant_max: (settings.concurrency / TENANT_SHARE).max(1),
            in_flight: self.shared.in_flight(),
            after: self.last_served,
        };
        self.shared.store.claim_deliveries(claim).await
    }
}

impl Shared {
    fn in_flight(&self) -> Vec<(TenantId, u32)> {
        let in_flight = self.in_flight.lock();
        let in_flight = in_flight.unwrap_or_else(|poisoned| poisoned.into_inner());
        in_flight
            .iter()
            .map(|(&tenant, &count)| (tenant, count))
            .collect()
    }

    fn count(&self, tenant: TenantId, change: impl FnOnce(u32) -> u32) {
        let in_flight = self.in_flight.lock();
        let mut in_flight = in_flight.unwrap_or_else(|poisoned| poisoned.into_inner());
        let count = change(in_flight.get(&tenant).copied().unwrap_or(0));
        // An idle tenant uses no memory.
        if count == 0 {
            in_flight.remove(&tenant);
        } else {
            in_flight.insert(tenant, count);
        }
    }
}

/// The permit of a running attempt, released however the attempt ends.
struct Flight {
    shared: Arc<Shared>,
    tenant: TenantId,
    _place: OwnedSemaphorePermit,
}

impl Flight {
    fn begin(shared: Arc<Shared>, tenant: TenantId, place: OwnedSemaphorePermit) -> Self {
        shared.count(tenant, |count| count + 1);
        Self {
            shared,
            tenant,
            _place: place,
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.shared
            .count(self.tenant, |count| count.saturating_sub(1));
        self.shared.ended.notify_one();
    }
}

async fn attempt(flight: Flight, delivery: ClaimedDelivery) {
    let shared = &flight.shared;
    let started = Instant::now();
    let outcome = shared.sender.attempt(&delivery, (shared.clock)()).await;
    let record = record_of(
        &delivery,
        outcome,
        (shared.clock)(),
        started.elapsed(),
        &shared.settings.retries,
    );
    tell(&delivery, &record);
    match shared.store.finish_attempt(record).await {
        Ok(true) => {}
        Ok(false) => {
            tracing::warn!(delivery.id = %delivery.id, "A delivery was removed or claimed by another replica while it was attempted.");
        }
        Err(cause) => {
            tracing::warn!(delivery.id = %delivery.id, %cause, "An attempt could not be recorded; it will be made again.");
        }
    }
}

fn record_of(
    delivery: &ClaimedDelivery,
    outcome: Outcome,
    now: Timestamp,
    took: Duration,
    retries: &RetrySchedule,
) -> AttemptRecord {
    let (response_status, error, then) = match outcome {
        Outcome::Accepted(status) => (Some(status), None, AfterAttempt::Delivered),
        Outcome::Gone => (
            Some(410),
            Some("answered 410".to_owned()),
            AfterAttempt::Gone,
        ),
        Outcome::Failed {
            status,
            reason,
            asked_pause,
        } => {
            let pause = retries.pause(delivery.attempts, rand::rng().random(), asked_pause);
            let then = pause.map_or(AfterAttempt::Failed, |pause| {
                AfterAttempt::RetryAt(later(now, pause))
            });
            (status, Some(reason), then)
        }
    };
    AttemptRecord {
        delivery: delivery.id,
        webhook: delivery.webhook,
        lease: delivery.lease,
        at: now,
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        response_status,
        error,
        then,
    }
}

fn tell(delivery: &ClaimedDelivery, record: &AttemptRecord) {
    let outcome = match record.then {
        AfterAttempt::Delivered => "delivered",
        AfterAttempt::RetryAt(_) => "retry",
        AfterAttempt::Failed => "failed",
        AfterAttempt::Gone => "gone",
    };
    metrics::counter!("lafiya_webhook_attempts_total", "outcome" => outcome).increment(1);
    metrics::histogram!("lafiya_webhook_attempt_seconds")
        .record(record.duration_ms as f64 / 1000.0);
    tracing::debug!(
        delivery.id = %delivery.id,
        tenant.id = %delivery.tenant,
        duration_ms = record.duration_ms,
        outcome,
        "A webhook delivery was attempted."
    );
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by)
        .ok()
        .and_then(|by| now.checked_add(by).ok())
        .unwrap_or(Timestamp::MAX)
}
