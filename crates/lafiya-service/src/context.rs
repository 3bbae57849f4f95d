//! The dependencies of the use cases, created once at startup and passed as the first argument.

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use lafiya_facilities::Register;
use lafiya_storage::cache::{Cache, MemoryCache};
use lafiya_storage::store::Store;
use lafiya_webhooks::TargetPolicy;

use crate::authenticate::ApiKeyCache;
use crate::clock::Clock;
use crate::health::HealthCache;
use crate::keys::KeyHasher;
use crate::library::Library;
use crate::phrase_tables::PhraseTableCache;
use crate::quota::KnownUsage;
use crate::running_assessments::RunningAssessments;
use crate::second_opinion::Advisor;

/// Limits of the API; each is a setting whose default is the figure in the API contract.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests per minute and API key.
    pub per_key_per_minute: u32,
    /// Requests per minute and address on `/health`.
    pub health_per_minute: u32,
    /// Requests per minute and address, for requests without a valid key and on other public
    /// endpoints.
    pub anonymous_per_minute: u32,
    /// Timeout of an assessment, in milliseconds.
    pub pipeline_timeout_ms: u64,
}

/// The dependencies of the service.
pub struct Context {
    /// Durable storage.
    pub store: Arc<dyn Store>,
    /// Shared rate limit windows and values, in-process or in Redis.
    pub cache: Arc<dyn Cache>,
    /// This replica's own windows, used while the shared cache is unavailable.
    pub own_cache: MemoryCache,
    /// Whether `cache` is a separate server that can be unavailable.
    pub cache_is_shared: bool,
    /// The knowledge base; replaced as a whole on reload.
    pub knowledge: ArcSwap<Library>,
    /// Facilities; replaced as a whole on reload.
    pub facilities: ArcSwap<Register>,
    /// The country (ISO code) of tenants that set none; empty if there is no default.
    pub home_country: String,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Hashes API keys for storage.
    pub hasher: KeyHasher,
    /// Recently used API keys.
    pub api_key_cache: ApiKeyCache,
    /// The monthly usage of tenants, as far as this replica knows it.
    pub known_usage: KnownUsage,
    /// Phrase tables that were read from the store.
    pub phrase_tables: PhraseTableCache,
    /// The last health report.
    pub health: HealthCache,
    /// Which webhook target addresses are allowed.
    pub webhook_targets: TargetPolicy,
    /// The configured limits.
    pub limits: Limits,
    /// Counts the assessments in progress, so that they can yield to each other.
    pub running_assessments: RunningAssessments,
    /// The language model that gives second opinions, if configured.
    pub advisor: Option<Advisor>,
    /// When the process started, for `uptime_seconds`.
    pub started: Instant,
}
