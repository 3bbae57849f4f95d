//! The shared cache of several replicas, in Redis or a compatible server.
//!
//! The connection is opened on first use and reopened when it breaks, so the service starts and
//! runs while Redis is unavailable. No call waits longer than [`REDIS_TIMEOUT`]. What to do without
//! a response (such as falling back to local limits) is up to the caller.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, Client, RedisResult, Script};

use super::{Cache, CacheError, Hit, WindowKey, WindowState};

/// Timeout of a call: a request must not hang because the cache is lost.
pub const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// After this many consecutive timeouts the connection is replaced. Otherwise a host that
/// disappeared without closing the connection would be considered reachable for minutes.
const SILENCE_MAX: u32 = 10;

/// Keeps a sorted set of the hits in the window, by the server's clock, so that replicas with
/// different clocks agree. Returns: allowed, number of hits, milliseconds until the oldest leaves.
const HIT_WINDOW: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[1])
local limit = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local held = redis.call('ZCARD', KEYS[1])
local allowed = 0
if held < limit then
    allowed = 1
    redis.call('ZADD', KEYS[1], now, time[1] .. '.' .. time[2] .. '.' .. held)
    redis.call('PEXPIRE', KEYS[1], window)
    held = held + 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or now
return {allowed, held, oldest + window - now}
";

/// Reads the same set without changing it. Returns: number of hits, milliseconds until the oldest
/// leaves.
const LOOK_AT_WINDOW: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[1])
local begins = '(' .. string.format('%.0f', now - window)
local held = redis.call('ZCOUNT', KEYS[1], begins, '+inf')
local oldest = redis.call('ZRANGEBYSCORE', KEYS[1], begins, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
if not oldest then return {0, 0} end
return {held, oldest + window - now}
";

/// The shared cache of several replicas.
pub struct RedisCache {
    client: Client,
    prefix: String,
    connection: Mutex<ConnectionManager>,
    unanswered: AtomicU32,
    hit_window: Script,
    look_at_window: Script,
}

impl RedisCache {
    fn named(&self, kind: &str, key: &str) -> String {
        format!("{}{kind}:{key}", self.prefix)
    }

    /// Creates a cache at a URL; all its keys start with `prefix`. It does not connect yet, so only
    /// an invalid URL is an error. Must be called within the async runtime.
    pub fn new(url: &str, prefix: &str) -> Result<Self, CacheError> {
        let client = Client::open(url).map_err(|error| unavailable(&error))?;
        let connection = Mutex::new(connection_to(&client).map_err(|error| unavailable(&error))?);
        Ok(Self {
            client,
            prefix: prefix.to_owned(),
            connection,
            unanswered: AtomicU32::new(0),
            hit_window: Script::new(HIT_WINDOW),
            look_at_window: Script::new(LOOK_AT_WINDOW),
        })
    }

    async fn ask<T, F>(
        &self,
        question: impl FnOnce(ConnectionManager) -> F,
    ) -> Result<T, CacheError>
    where
        F: Future<Output = RedisResult<T>>,
    {
        // Cloned, so that the lock is not held while waiting; clones share one connection.
        let connection = self.connection().clone();
        let answer = tokio::time::timeout(REDIS_TIMEOUT, question(connection)).await;
        let silent = match &answer {
            // Any other answer, even an error, shows that the server is there.
            Ok(answer) => matches!(answer, Err(error) if error.is_timeout()),
            Err(_) => true,
        };
        self.note(silent);
        answer
            .map_err(|_| CacheError::Unavailable("no answer in time".to_owned()))?
            .map_err(|error| unavailable(&error))
    }

    fn note(&self, silent: bool) {
        if !silent {
            self.unanswered.store(0, Ordering::Relaxed);
            return;
        }
        if self.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= SILENCE_MAX
            && let Ok(fresh) = connection_to(&self.client)
        {
            self.unanswered.store(0, Ordering::Relaxed);
            *self.connection() = fresh;
        }
    }

    fn connection(&self) -> std::sync::MutexGuard<'_, ConnectionManager> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Cache for RedisCache {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CacheError> {
        let key = self.named("value", key);
        self.ask(|mut redis| async move { redis.get(key).await })
            .await
    }

    async fn set(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), CacheError> {
        let key = self.named("value", key);
        let ttl_ms = milliseconds(ttl).max(1);
        self.ask(|mut redis| async move { redis.pset_ex(key, value, ttl_ms).await })
            .await
    }

    async fn remove(&self, key: &str) -> Result<(), CacheError> {
        let key = self.named("value", key);
        self.ask(|mut redis| async move { redis.del(key).await })
            .await
    }

    async fn hit_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError> {
        let mut call = self.hit_window.prepare_invoke();
        call.key(self.named("window", &key.to_string()))
            .arg(milliseconds(window).max(1))
            .arg(limit);
        let (allowed, held, until_reset_ms): (bool, u32, u64) = self
            .ask(|mut redis| async move { call.invoke_async(&mut redis).await })
            .await?;
        let hit = if allowed {
            Hit::Counted { held }
        } else {
            Hit::Refused
        };
        let until_reset = Duration::from_millis(until_reset_ms);
        Ok(WindowState::after(hit, limit, until_reset, now))
    }

    async fn look_at_window(
        &self,
        key: &WindowKey,
        limit: u32,
        window: Duration,
        now: Timestamp,
    ) -> Result<WindowState, CacheError> {
        let mut call = self.look_at_window.prepare_invoke();
        call.key(self.named("window", &key.to_string()))
            .arg(milliseconds(window).max(1));
        let (held, until_reset_ms): (u32, u64) = self
            .ask(|mut redis| async move { call.invoke_async(&mut redis).await })
            .await?;
        let until_reset = Duration::from_millis(until_reset_ms);
        Ok(WindowState::seen(held, limit, until_reset, now))
    }

    async fn probe(&self) -> Result<(), CacheError> {
        self.ask(|mut redis| async move { redis.ping().await })
            .await
    }
}

fn connection_to(client: &Client) -> RedisResult<ConnectionManager> {
    // No retries inside the connection manager: a failed attempt fails the calls that wait for it,
    // and the next call starts another attempt.
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_response_timeout(Some(REDIS_TIMEOUT));
    ConnectionManager::new_lazy_with_config(client.clone(), config)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn unavailable(error: &redis::RedisError) -> CacheError {
    CacheError::Unavailable(error.to_string())
}
