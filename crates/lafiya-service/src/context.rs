//! Everything a use case may reach, built once at start-up and passed first.

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use lafiya_facilities::Register;
use lafiya_storage::cache::{Cache, MemoryCache};
use lafiya_storage::store::Store;
use lafiya_webhooks::TargetPolicy;

use crate::authenticate::KeyRing;
use crate::books::BookShelf;
use crate::clock::Clock;
use crate::health::HealthCache;
use crate::keys::KeyHasher;
use crate::library::Library;
use crate::quota::LastUsed;
use crate::second_opinion::Advisor;
use crate::thinking::Thinking;

/// Limits of the interface; each is a setting whose default is the interface's figure.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests per minute and API key.
    pub per_key_per_minute: u32,
    /// Requests per minute and address on `/health`.
    pub health_per_minute: u32,
    /// Requests per minute and address without a valid key and on other public endpoints.
    pub anonymous_per_minute: u32,
    /// Milliseconds an assessment may take.
    pub pipeline_timeout_ms: u64,
}

/// What the service runs on.
pub struct Context {
    /// What outlives a request.
    pub store: Arc<dyn Store>,
    /// Shared windows and values; in-process or Redis.
    pub cache: Arc<dyn Cache>,
    /// The replica's own windows, used when the shared cache cannot be reached.
    pub own_cache: MemoryCache,
    /// Whether `cache` is a server of its own that can be down.
    pub cache_is_shared: bool,
    /// The knowledge base; replaced as a whole on reload.
    pub knowledge: ArcSwap<Library>,
    /// Facilities; replaced as a whole on reload.
    pub facilities: ArcSwap<Register>,
    /// The country (ISO code) of a tenant that names none; empty where there is none.
    pub home_country: String,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Turns keys into what is stored of them.
    pub hasher: KeyHasher,
    /// Keys seen a moment ago.
    pub key_ring: KeyRing,
    /// How much of their month tenants have used, as far as is known here.
    pub last_used: LastUsed,
    /// Books that documents name, as they were read from the store.
    pub books: BookShelf,
    /// The last health answer.
    pub health: HealthCache,
    /// Which webhook targets are allowed.
    pub webhook_targets: TargetPolicy,
    /// The limits in force.
    pub limits: Limits,
    /// The table of those who think.
    pub thinking: Thinking,
    /// The language model that is asked for a second opinion, where there is one.
    pub advisor: Option<Advisor>,
    /// When the process started, for `uptime_seconds`.
    pub started: Instant,
}
