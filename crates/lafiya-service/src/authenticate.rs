//! Authentication of API keys. A key is hashed with the installation's secret and looked up by the
//! hash, so the time of a look-up does not reveal how much of a key is right. Results are cached
//! for less than a second, so a revocation on any replica takes effect on this one within that
//! time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lafiya_model::{Environment, KeyId, TenantId, TenantStatus, TextToProvider, Tier};
use lafiya_storage::store::{FoundKey, KeyUse};
use quick_cache::sync::Cache;

use crate::context::Context;
use crate::error::ServiceError;
use crate::keys;

/// How long the result of a key look-up is cached, for valid and unknown keys.
const LOOK_UP_CACHED_FOR: Duration = Duration::from_millis(700);
/// Maximum number of cached keys. Unknown keys are cached too, so this limits the memory that an
/// attacker guessing keys can fill. A power of two, because the cache divides it among its shards
/// and rounds up.
const CACHED_KEYS_MAX: usize = 1 << 16;

/// A caller with a valid key.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The tenant the key belongs to.
    pub tenant_id: TenantId,
    /// The id of the key.
    pub key_id: KeyId,
    /// The environment of the key.
    pub key_environment: Environment,
    /// The tenant's subscription tier.
    pub tier: Tier,
    /// The tenant's own quota, if one is agreed.
    pub monthly_quota: Option<u64>,
    /// The tenant's country (ISO code), if it has set one.
    pub home_country: Option<String>,
    /// Whether the tenant's texts may be sent to the AI provider.
    pub text_to_provider: TextToProvider,
    /// Whether a person in front of the web app asks. People are never refused for quota.
    pub is_person: bool,
}

/// The cached result of a key look-up.
#[derive(Clone)]
struct CachedLookUp {
    /// `None` if the key is unknown.
    known: Option<Arc<KnownKey>>,
    fresh_until: Instant,
}

/// The state of the cache before a key was looked up.
#[derive(Clone, Copy)]
struct CacheState {
    /// The number of invalidations so far.
    forgotten: u64,
    at: Instant,
}

/// A known key. Kept small, because it is read on every request.
struct KnownKey {
    caller: Caller,
    expires_at: Option<Timestamp>,
    is_revoked: bool,
    is_suspended: bool,
    requests: Arc<AtomicU64>,
}

impl KnownKey {
    fn of(FoundKey { key, tenant }: FoundKey, requests: Arc<AtomicU64>) -> Self {
        Self {
            caller: Caller {
                tenant_id: tenant.id,
                key_id: key.id,
                key_environment: key.environment,
                tier: tenant.tier,
                monthly_quota: tenant.monthly_quota,
                home_country: tenant.home_country,
                text_to_provider: tenant.text_to_provider,
                is_person: false,
            },
            expires_at: key.expires_at,
            is_revoked: key.revoked_at.is_some(),
            is_suspended: tenant.status == TenantStatus::Suspended,
            requests,
        }
    }

    /// Checks that the key may be used, and counts the request.
    fn admit(&self, now: Timestamp) -> Result<Caller, ServiceError> {
        if self.is_revoked || self.expires_at.is_some_and(|at| at <= now) {
            return Err(ServiceError::InvalidApiKey);
        }
        if self.is_suspended {
            return Err(ServiceError::PermissionDenied);
        }
        // Only admitted requests are counted as use of the key.
        self.requests.fetch_add(1, Ordering::Relaxed);
        Ok(self.caller.clone())
    }
}

/// The cache of recently used keys, and the key usage that is not stored yet.
pub struct ApiKeyCache {
    cached: Cache<[u8; 32], CachedLookUp>,
    /// The number of invalidations so far.
    forgotten: AtomicU64,
    unwritten: Mutex<HashMap<KeyId, Arc<AtomicU64>>>,
}

impl Default for ApiKeyCache {
    fn default() -> Self {
        Self {
            cached: Cache::new(CACHED_KEYS_MAX),
            forgotten: AtomicU64::new(0),
            unwritten: Mutex::new(HashMap::new()),
        }
    }
}

impl ApiKeyCache {
    /// Invalidates the cached result of a key.
    pub fn forget(&self, key: KeyId) {
        // Before the removal: a look-up that ends in between sees the new number and does not keep
        // its result.
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        let is_it = |known: &Arc<KnownKey>| known.caller.key_id == key;
        self.cached
            .retain(|_, cached| !cached.known.as_ref().is_some_and(is_it));
    }

    /// Returns the cached result of a key unless it has expired.
    fn look(&self, hash: &[u8; 32]) -> Option<CachedLookUp> {
        let cached = self.cached.get(hash);
        cached.filter(|cached| Instant::now() < cached.fresh_until)
    }

    /// Returns the state of the cache. Must be called before a key is looked up.
    fn state(&self) -> CacheState {
        CacheState {
            forgotten: self.forgotten.load(Ordering::SeqCst),
            at: Instant::now(),
        }
    }

    /// Caches the result of a look-up. If a key was invalidated since `state`, the result may be
    /// stale and is not kept.
    fn keep(&self, hash: [u8; 32], known: Option<Arc<KnownKey>>, state: CacheState) {
        let cached = CachedLookUp {
            known,
            // From the start of the look-up: what the store answered was true then.
            fresh_until: state.at + LOOK_UP_CACHED_FOR,
        };
        // Inserted first and checked afterwards: an invalidation between a check and the insertion
        // would be missed.
        self.cached.insert(hash, cached);
        if self.forgotten.load(Ordering::SeqCst) != state.forgotten {
            self.cached.remove(&hash);
        }
    }

    fn counter(&self, key: KeyId) -> Arc<AtomicU64> {
        let mut unwritten = self
            .unwritten
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Arc::clone(unwritten.entry(key).or_default())
    }

    /// Takes the usage counted since the last call.
    fn take_use(&self, now: Timestamp) -> Vec<KeyUse> {
        let mut unwritten = self
            .unwritten
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        // A counter that is still referenced must stay in the map, or its next increment would be
        // lost.
        unwritten.retain(|_, counter| {
            Arc::strong_count(counter) > 1 || counter.load(Ordering::Relaxed) > 0
        });
        unwritten
            .iter()
            .map(|(&key, counter)| (key, counter.swap(0, Ordering::Relaxed)))
            .filter(|(_, requests)| *requests > 0)
            .map(|(key, requests)| KeyUse {
                key,
                requests,
                last_used_at: now,
            })
            .collect()
    }

    /// Adds usage that could not be written back to the counters.
    fn return_use(&self, uses: &[KeyUse]) {
        for key_use in uses {
            self.counter(key_use.key)
                .fetch_add(key_use.requests, Ordering::Relaxed);
        }
    }
}

/// Finds the caller of a bearer token.
pub async fn caller(context: &Context, token: &str) -> Result<Caller, ServiceError> {
    // Costs no hash and no look-up, and fills no cache.
    if !keys::looks_like_a_key(token) {
        return Err(ServiceError::InvalidApiKey);
    }
    let hash = context.hasher.hash(token);
    let known = match context.api_key_cache.look(&hash) {
        Some(cached) => cached.known,
        None => look_up(context, hash).await?,
    };
    let known = known.ok_or(ServiceError::InvalidApiKey)?;
    known.admit(context.clock.now())
}

async fn look_up(context: &Context, hash: [u8; 32]) -> Result<Option<Arc<KnownKey>>, ServiceError> {
    let cache = &context.api_key_cache;
    let state = cache.state();
    let found = context.store.find_key(&hash).await?;
    let known = found.map(|found| {
        // One counter for all cached copies of a key, so that no use is counted apart and lost.
        let requests = cache.counter(found.key.id);
        Arc::new(KnownKey::of(found, requests))
    });
    cache.keep(hash, known.clone(), state);
    Ok(known)
}

/// Writes usage counters and last-used times to the store. Called every few seconds and at
/// shutdown, so that requests never wait for it.
pub async fn write_key_use(context: &Context) {
    let uses = context.api_key_cache.take_use(context.clock.now());
    if uses.is_empty() {
        return;
    }
    if let Err(cause) = context.store.record_key_use(&uses).await {
        context.api_key_cache.return_use(&uses);
        tracing::warn!(%cause, keys = uses.len(), "Key counters could not be written; they are kept and tried again.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_lookup_older_than_an_invalidation_is_not_cached() {
        let (cache, hash) = (ApiKeyCache::default(), [7; 32]);
        let state = cache.state();
        cache.keep(hash, None, state);
        assert!(cache.look(&hash).is_some(), "nothing was forgotten");
        cache.forget(KeyId(Uuid::now_v7()));
        assert!(cache.look(&hash).is_some(), "another key was forgotten");
        cache.keep(hash, None, state);
        assert!(
            cache.look(&hash).is_none(),
            "it may be what was true before"
        );
    }

    #[test]
    fn a_cached_key_expires() {
        let (cache, hash) = (ApiKeyCache::default(), [7; 32]);
        let over = CachedLookUp {
            known: None,
            fresh_until: Instant::now(),
        };
        cache.cached.insert(hash, over);
        assert!(cache.look(&hash).is_none());
    }

    #[test]
    fn the_number_of_cached_keys_is_bounded() {
        let cache = ApiKeyCache::default();
        for number in 0..2 * CACHED_KEYS_MAX as u64 {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_le_bytes());
            cache.keep(hash, None, cache.state());
        }
        assert!(
            cache.cached.len() <= CACHED_KEYS_MAX,
            "{}",
            cache.cached.len()
        );
    }
}
