//! The cache of one process: a bounded map for values, a log of times for each window.
//!
//! Addresses are chosen by whoever calls, so what they can make us remember is bounded: windows
//! that have run empty are swept, and when there is still no room one address is forgotten.
//! Windows of API keys live apart, so that a flood of addresses never loosens them.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use moka::sync::Cache as Values;

use super::{Cache, CacheError, Hit, WindowKey, WindowState};

const VALUES_BYTES_MAX: u64 = 64 * 1024 * 1024;
const SHARDS: usize = 32;
const KEYS_MAX: usize = 65_536;
const ADDRESSES_MAX: usize = 65_536;

/// Sweeping a shard reads all of it, so a shard that stays full is swept at most this often.
const SWEEP_INTERVAL_MS: i64 = 1_000;

/// The cache of one process.
pub struct MemoryCache {
    values: Values<String, Value>,
    keys: Windows,
    addresses: Windows,
}

#[derive(Clone)]
struct Value {
    bytes: Vec<u8>,
    ttl: Duration,
}

impl MemoryCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            values: Values::builder()
                .max_capacity(VALUES_BYTES_MAX)
                .weigher(|key: &String, value: &Value| {
                    u32::try_from(key.len() + value.bytes.len()).unwrap_or(u32::MAX)
                })
                .expire_after(ItsOwnTtl)
                .build(),
            keys: Windows::new(KEYS_MAX),
            addresses: Windows::new(ADDRESSES_MAX),
        }
    }

    /// [`Cache::hit_window`] without waiting for anything.
    pub fn hit(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> WindowState {
        self.windows(key).hit(key, limit, window, now)
    }

    /// [`Cache::look_at_window`] without waiting for anything.
    pub fn look(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> WindowState {
        let (held, until_reset) = self.windows(key).look(key, window, now);
        WindowState::seen(held, limit, until_reset, now)
    }

    fn windows(&self, key: &WindowKey) -> &Windows {
        match key {
            WindowKey::Key(_) => &self.keys,
            WindowKey::Address { .. } => &self.addresses,
        }
    }
}

impl Default for MemoryCache {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Cache for MemoryCache {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CacheError> {
        Ok(self.values.get(key).map(|value| value.bytes))
    }

    async fn set(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), CacheError> {
        let bytes = value.to_vec();
        self.values.insert(key.to_owned(), Value { bytes, ttl });
        Ok(())
    }

    async fn remove(&self, key: &str) -> Result<(), CacheError> {
        self.values.invalidate(key);
        Ok(())
    }

    async fn hit_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError> {
        Ok(self.hit(key, limit, window, now))
    }

    async fn look_at_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError> {
        Ok(self.look(key, limit, window, now))
    }

    async fn probe(&self) -> Result<(), CacheError> {
        Ok(())
    }
}

/// Each value lives as long as it was set for, counted anew when it is set again.
struct ItsOwnTtl;

impl moka::Expiry<String, Value> for ItsOwnTtl {
    fn expire_after_create(&self, _: &String, value: &Value, _: Instant) -> Option<Duration> {
        Some(value.ttl)
    }

    fn expire_after_update(
        &self,
        _: &String,
        value: &Value,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(value.ttl)
    }
}

/// Sliding windows, spread over shards so that callers rarely wait for one another.
struct Windows {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

impl Windows {
    fn new(windows_max: usize) -> Self {
        let shard = || Mutex::new(Shard::new(windows_max / SHARDS));
        Self {
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
            hasher: RandomState::new(),
        }
    }

    fn hit(&self, key: &WindowKey, limit: u32, window: Duration, now: Timestamp) -> WindowState {
        self.shard_of(key).hit(key, limit, window, now)
    }

    /// The shard of a key, locked.
    fn shard_of(&self, key: &WindowKey) -> MutexGuard<'_, Shard> {
        let spread = match key {
            // We made it, and its end is random.
            WindowKey::Key(id) => id.0.as_u128() as usize,
            // Whoever calls chooses it, and shall not choose the shard.
            WindowKey::Address { .. } => self.hasher.hash_one(key) as usize,
        };
        let shard = self.shards[spread % SHARDS].lock();
        // A panic while holding the lock cannot leave a log half-written, so poison is ignored.
        shard.unwrap_or_else(PoisonError::into_inner)
    }

    /// How many hits the window holds, and how long until the oldest of them leaves.
    fn look(&self, key: &WindowKey, window: Duration, now: Timestamp) -> (u32, Duration) {
        let shard = self.shard_of(key);
        let window_ms = i64::try_from(window.as_millis()).unwrap_or(i64::MAX);
        let begins_ms = now.as_millisecond().saturating_sub(window_ms);
        let hits = shard.logs.get(key).map(|log| &log.hits_ms);
        let mut live = hits.into_iter().flatten().filter(|&&at| at > begins_ms);
        let Some(oldest) = live.next() else {
            return (0, Duration::ZERO);
        };
        let held = u32::try_from(1 + live.count()).unwrap_or(u32::MAX);
        let left = u64::try_from(oldest.saturating_sub(begins_ms)).unwrap_or(0);
        (held, Duration::from_millis(left))
    }
}

struct Shard {
    logs: HashMap<WindowKey, Log>,
    logs_max: usize,
    swept_at_ms: i64,
}

/// The times of the hits within the window, oldest first.
struct Log {
    hits_ms: VecDeque<i64>,
    idle_from_ms: i64,
}

impl Shard {
    fn new(logs_max: usize) -> Self {
        Self {
            logs: HashMap::new(),
            logs_max,
            swept_at_ms: i64::MIN,
        }
    }

    fn hit(
        &mut self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> WindowState {
        let now_ms = now.as_millisecond();
        let window_ms = i64::try_from(window.as_millis()).unwrap_or(i64::MAX);
        let log = match self.logs.get_mut(key) {
            Some(log) => log,
            None => {
                self.make_room(now_ms);
                self.logs.entry(*key).or_insert_with(|| Log {
                    hits_ms: VecDeque::new(),
                    idle_from_ms: now_ms.saturating_add(window_ms),
                })
            }
        };
        let (hit, oldest_ms) = log.hit(limit, window_ms, now_ms);
        let until_reset_ms = oldest_ms.saturating_add(window_ms).saturating_sub(now_ms);
        let until_reset = Duration::from_millis(u64::try_from(until_reset_ms).unwrap_or(0));
        WindowState::after(hit, limit, until_reset, now)
    }

    fn make_room(&mut self, now_ms: i64) {
        if self.logs.len() < self.logs_max {
            return;
        }
        if now_ms.saturating_sub(self.swept_at_ms) >= SWEEP_INTERVAL_MS {
            self.swept_at_ms = now_ms;
            self.logs.retain(|_, log| log.idle_from_ms > now_ms);
        }
        if self.logs.len() >= self.logs_max
            && let Some(any) = self.logs.keys().next().copied()
        {
            self.logs.remove(&any);
        }
    }
}

impl Log {
    fn hit(&mut self, limit: u32, window_ms: i64, now_ms: i64) -> (Hit, i64) {
        while self
            .hits_ms
            .front()
            .is_some_and(|&at| at.saturating_add(window_ms) <= now_ms)
        {
            self.hits_ms.pop_front();
        }
        let hit = if self.hits_ms.len() < limit as usize {
            // Two callers may have read the clock in another order than they arrive in here.
            let at = self.hits_ms.back().map_or(now_ms, |&last| last.max(now_ms));
            self.hits_ms.push_back(at);
            self.idle_from_ms = at.saturating_add(window_ms);
            let held = u32::try_from(self.hits_ms.len()).unwrap_or(u32::MAX);
            Hit::Counted { held }
        } else {
            Hit::Refused
        };
        (hit, self.hits_ms.front().copied().unwrap_or(now_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_addresses_is_forgotten_and_loosens_no_key() {
        let cache = MemoryCache::new();
        let now = Timestamp::from_second(1_000_000).unwrap();
        let minute = Duration::from_secs(60);
        let key = WindowKey::Key(lafiya_model::KeyId(uuid::Uuid::from_u128(1)));
        assert!(cache.hit(&key, 1, minute, now).allowed);
        for n in 0..300_000_u32 {
            let address = std::net::Ipv4Addr::from(n).into();
            let purpose = "anonymous";
            cache.hit(&WindowKey::Address { purpose, address }, 60, minute, now);
        }
        let shards = &cache.addresses.shards;
        let held: usize = shards.iter().map(|s| s.lock().unwrap().logs.len()).sum();
        assert!(held <= ADDRESSES_MAX, "{held} addresses are remembered");
        assert!(!cache.hit(&key, 1, minute, now).allowed);
    }

    #[test]
    fn a_full_shard_sweeps_idle_windows_before_it_forgets_live_ones() {
        let mut shard = Shard::new(2);
        let second = Duration::from_secs(1);
        let at = |ms| Timestamp::from_millisecond(ms).unwrap();
        let key = |n| WindowKey::Key(lafiya_model::KeyId(uuid::Uuid::from_u128(n)));
        shard.hit(&key(1), 1, second, at(0));
        shard.hit(&key(2), 1, second, at(1_500));
        shard.hit(&key(3), 1, second, at(2_000));
        assert!(!shard.logs.contains_key(&key(1)));
        assert!(shard.logs.contains_key(&key(2)));
    }
}
