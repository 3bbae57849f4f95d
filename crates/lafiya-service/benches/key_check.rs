//! Measures the fixed cost of every keyed request: the key check, the usage counter and the rate
//! limit window. It measures cached keys, each of a different tenant, as their number grows, and
//! the store look-up of a key that is not cached. Prints one line per size; `cargo xtask bench all`
//! records the figures.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use lafiya_facilities::Register;
use lafiya_knowledge::KnowledgeBase;
use lafiya_knowledge::schema::Content;
use lafiya_model::{Environment, TenantId, Tier};
use lafiya_service::keys::{self, KeyHasher};
use lafiya_service::rate_limit::{self, RateLimitKey};
use lafiya_service::{
    Clock, Context, Library, Limits, RunningAssessments, TargetPolicy, authenticate,
};
use lafiya_storage::cache::MemoryCache;
use lafiya_storage::store::{self, NewTenant, Store, StoreSettings, StoreUrl};
use uuid::Uuid;

/// Numbers of keys. The sizes are far apart, so that the step from one CPU cache to the next, which
/// the key data crosses somewhere in this range, is not mistaken for growth.
const SIZES: [usize; 4] = [250, 1_000, 4_000, 16_000];
/// Number of passes over all sizes. The sizes alternate, so that a machine that slows down affects
/// all of them equally.
const TURNS: usize = 60;
/// Rounds per pass and calls per round. A round is short enough to run without interruption, so the
/// minimum over all rounds is the cost of the work itself, without other load on the machine.
const CALLS: (usize, usize) = (400, 50);
const LOOK_UPS: (usize, usize) = (40, 10);

/// A clock that advances one second per call, so that no rate limit window is ever full however
/// long the bench runs.
struct SteppingClock(AtomicI64);

impl Clock for SteppingClock {
    fn now(&self) -> Timestamp {
        let second = self.0.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_second(second).expect("a time within the calendar")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut checks = Vec::new();
    for size in SIZES {
        checks.push(KeyCheck::new(size).await);
    }
    for _ in 0..TURNS {
        for check in &mut checks {
            check.call_us = call_us(&check.context, &check.tokens)
                .await
                .min(check.call_us);
            let look_up = look_up_us(&check.context, &check.tokens).await;
            check.look_up_us = look_up.min(check.look_up_us);
        }
    }
    for check in checks {
        let (size, call, look_up) = (check.tokens.len(), check.call_us, check.look_up_us);
        println!("{size} keys: {call:.2} us a call, {look_up:.1} us a look-up");
    }
}

/// A service with a number of keys, and the minimum times measured so far.
struct KeyCheck {
    context: Context,
    tokens: Vec<String>,
    call_us: f64,
    look_up_us: f64,
    /// Keeps the database directory alive.
    _folder: tempfile::TempDir,
}

impl KeyCheck {
    async fn new(size: usize) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = StoreUrl::Sqlite(folder.path().join("bench.db"));
        let store = store::connect(&StoreSettings::new(url))
            .await
            .expect("a new database");
        let context = context(store);
        Self {
            tokens: make_keys(&context, size).await,
            context,
            call_us: f64::INFINITY,
            look_up_us: f64::INFINITY,
            _folder: folder,
        }
    }
}

fn context(store: Arc<dyn Store>) -> Context {
    let library = Library::new(KnowledgeBase::from_content(Content::default()));
    let facilities = Register::new(Vec::new(), library.facility_types());
    Context {
        store,
        cache: Arc::new(MemoryCache::new()),
        own_cache: MemoryCache::new(),
        cache_is_shared: false,
        knowledge: ArcSwap::from_pointee(library),
        facilities: ArcSwap::from_pointee(facilities),
        home_country: String::new(),
        clock: Arc::new(SteppingClock(AtomicI64::new(Timestamp::now().as_second()))),
        hasher: KeyHasher::new(b"a secret of the bench"),
        api_key_cache: Default::default(),
        known_usage: Default::default(),
        phrase_tables: Default::default(),
        health: Default::default(),
        webhook_targets: TargetPolicy::default(),
        limits: Limits {
            per_key_per_minute: 100,
            health_per_minute: 120,
            anonymous_per_minute: 60,
            pipeline_timeout_ms: 90_000,
        },
        running_assessments: RunningAssessments::default(),
        advisor: None,
        started: Instant::now(),
    }
}

/// Creates `count` tenants with one key each, and returns the keys in plain text.
async fn make_keys(context: &Context, count: usize) -> Vec<String> {
    let mut tokens = Vec::with_capacity(count);
    for number in 0..count {
        let tenant = NewTenant {
            id: TenantId(Uuid::now_v7()),
            name: format!("tenant {number}"),
            tier: Tier::Enterprise,
            monthly_quota: None,
            home_country: None,
            created_at: context.clock.now(),
        };
        let id = tenant.id;
        let made = context.store.create_tenant(tenant, "bench").await;
        made.expect("a name that is not taken");
        let key = keys::create(context, id, Environment::Live, None, "bench").await;
        tokens.push(key.expect("a tenant that exists").key);
    }
    tokens
}

/// Returns the microseconds per call in the fastest round, cycling over all keys.
async fn call_us(context: &Context, tokens: &[String]) -> f64 {
    let (rounds, calls) = CALLS;
    let mut turn = tokens.iter().cycle();
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let started = Instant::now();
        for token in turn.by_ref().take(calls) {
            let caller = authenticate::caller(context, black_box(token)).await;
            let caller = caller.expect("a key that is valid");
            let counted = RateLimitKey::Key(caller.key_id);
            let window = rate_limit::count(context, counted, None).await;
            black_box(window.expect("a window that is not full"));
        }
        least = least.min(started.elapsed().as_secs_f64() * 1e6 / calls as f64);
    }
    least
}

/// Returns the microseconds per store look-up of a key in the fastest round.
async fn look_up_us(context: &Context, tokens: &[String]) -> f64 {
    let (rounds, calls) = LOOK_UPS;
    let hashes: Vec<[u8; 32]> = tokens
        .iter()
        .map(|token| context.hasher.hash(token))
        .collect();
    let mut turn = hashes.iter().cycle();
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let started = Instant::now();
        for hash in turn.by_ref().take(calls) {
            let found = context.store.find_key(black_box(hash)).await;
            black_box(found.expect("a store that answers"));
        }
        least = least.min(started.elapsed().as_secs_f64() * 1e6 / calls as f64);
    }
    least
}
