//! The cache: values that may be forgotten, and the sliding windows of the rate limits.
//!
//! [`MemoryCache`] serves one process, [`RedisCache`] any number of replicas. Losing the cache
//! costs speed and the precision of limits, never truth: nothing is kept here alone.

#[cfg(test)]
mod conformance;
mod memory;
mod redis;

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::KeyId;

pub use self::memory::MemoryCache;
pub use self::redis::{REDIS_TIMEOUT, RedisCache};

/// Values that may be forgotten, and sliding windows.
#[async_trait]
pub trait Cache: Send + Sync + 'static {
    /// The value under a key, while it lives.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CacheError>;

    /// Keeps a value under a key, for `ttl` at most.
    async fn set(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), CacheError>;

    /// Forgets a key.
    async fn remove(&self, key: &str) -> Result<(), CacheError>;

    /// Counts a hit, if fewer than `limit` were counted within the `window` before it. A refused
    /// hit is not counted. Exact, however many hit at once.
    async fn hit_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError>;

    /// What a window holds now, without counting anything.
    async fn look_at_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError>;

    /// Proves that the cache answers.
    async fn probe(&self) -> Result<(), CacheError>;
}

/// Whose hits are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowKey {
    /// Calls with one API key.
    Key(KeyId),
    /// Calls from one address, apart for each purpose (`health`, `anonymous`).
    Address {
        /// What the calls are for.
        purpose: &'static str,
        /// Where they come from.
        address: IpAddr,
    },
}

impl fmt::Display for WindowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(id) => write!(f, "key:{id}"),
            Self::Address { purpose, address } => write!(f, "{purpose}:{address}"),
        }
    }
}

/// A sliding window after a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowState {
    /// Whether the hit was allowed, and so counted.
    pub allowed: bool,
    /// How many are allowed within the window.
    pub limit: u32,
    /// How many more would be allowed now.
    pub remaining: u32,
    /// When the oldest hit leaves the window.
    pub reset_at: Timestamp,
    /// How long to wait before another hit is allowed; only after a refusal.
    pub retry_after: Option<Duration>,
}

impl WindowState {
    /// The state after a hit, from what the window holds now.
    fn after(hit: Hit, limit: u32, until_reset: Duration, now: Timestamp) -> Self {
        let (allowed, counted) = match hit {
            Hit::Counted { held } => (true, held),
            Hit::Refused => (false, limit),
        };
        Self {
            allowed,
            limit,
            remaining: limit.saturating_sub(counted),
            reset_at: now.checked_add(until_reset).unwrap_or(Timestamp::MAX),
            retry_after: (!allowed).then_some(until_reset),
        }
    }
}

impl WindowState {
    /// The state of a window that was only looked at.
    fn seen(held: u32, limit: u32, until_reset: Duration, now: Timestamp) -> Self {
        Self {
            allowed: held < limit,
            limit,
            remaining: limit.saturating_sub(held),
            reset_at: now.checked_add(until_reset).unwrap_or(Timestamp::MAX),
            retry_after: None,
        }
    }
}

/// What became of a hit: counted, with so many in the window now, or refused.
#[derive(Clone, Copy)]
enum Hit {
    Counted { held: u32 },
    Refused,
}

/// Why the cache did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CacheError {
    /// Out of reach, or too slow to wait for.
    #[error("the cache is out of reach: {0}")]
    Unavailable(String),
}
