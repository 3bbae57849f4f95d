//! The cache: values that may be lost, and the sliding windows of the rate limits.
//!
//! [`MemoryCache`] serves one process, [`RedisCache`] any number of replicas. Losing the cache
//! costs speed and the accuracy of rate limits, but no data: nothing is stored only here.

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

/// A cache of values that may be lost, and sliding windows.
///
/// # Example
///
/// ```
/// # async fn example() -> Result<(), lafiya_storage::cache::CacheError> {
/// use std::time::Duration;
///
/// use lafiya_storage::cache::{Cache, MemoryCache};
///
/// let cache = MemoryCache::new();
/// cache.set("greeting", b"hello", Duration::from_secs(60)).await?;
/// assert_eq!(cache.get("greeting").await?.as_deref(), Some(b"hello".as_slice()));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Cache: Send + Sync + 'static {
    /// Returns the value of a key until it expires.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CacheError>;

    /// Stores a value for at most `ttl`.
    async fn set(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), CacheError>;

    /// Removes a key.
    async fn remove(&self, key: &str) -> Result<(), CacheError>;

    /// Counts a hit if fewer than `limit` hits were counted within the `window` before it. A
    /// refused hit is not counted. Exact under concurrency.
    async fn hit_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError>;

    /// Returns the state of a window without counting a hit.
    async fn look_at_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError>;

    /// Checks that the cache responds.
    async fn probe(&self) -> Result<(), CacheError>;
}

/// The key of a rate limit window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowKey {
    /// Requests with one API key.
    Key(KeyId),
    /// Requests from one address, separately for each purpose (`health`, `anonymous`).
    Address {
        /// The purpose of the requests.
        purpose: &'static str,
        /// The client address.
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

/// The state of a sliding window after a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowState {
    /// Whether the hit was allowed and counted.
    pub allowed: bool,
    /// Hits allowed in the window.
    pub limit: u32,
    /// Further hits allowed now.
    pub remaining: u32,
    /// When the oldest hit leaves the window.
    pub reset_at: Timestamp,
    /// How long to wait until another hit is allowed; set only after a refusal.
    pub retry_after: Option<Duration>,
}

impl WindowState {
    /// Creates the state after a hit.
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
    /// Creates the state of a window that was read without a hit.
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

/// The result of a hit: counted, with the number of hits now in the window, or refused.
#[derive(Clone, Copy)]
enum Hit {
    Counted { held: u32 },
    Refused,
}

/// An error of the cache.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CacheError {
    /// The cache is unreachable or timed out.
    #[error("the cache is out of reach: {0}")]
    Unavailable(String),
}
