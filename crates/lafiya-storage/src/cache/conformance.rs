//! The conformance suite of the cache: one list of behaviours, run against the memory and the Redis
//! implementation.
//!
//! The Redis tests run if `LAFIYA_TEST_REDIS_URL` is set, under unique keys; with
//! `LAFIYA_TEST_BACKENDS=all` a missing URL is a failure. Redis has its own clock, so tests advance
//! time through [`Given::pass`].

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lafiya_model::KeyId;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::proxy::{Flow, Proxy};

use super::{Cache, CacheError, MemoryCache, REDIS_TIMEOUT, RedisCache, WindowKey, WindowState};

const PREFIX: &str = "lafiya-conformance:";

const MINUTE: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

macro_rules! behaviours {
    ($($name:ident),+ $(,)?) => {
        mod on_memory {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(&super::Given::memory()).await;
            }
        )+}

        mod on_redis {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(given) = super::Given::redis() else { return };
                super::$name(&given).await;
            }
        )+}
    };
}

behaviours! {
    a_value_is_kept_replaced_and_removed,
    a_value_is_forgotten_after_its_time,
    the_cache_answers_a_probe,
    a_window_counts_down_and_then_refuses,
    a_refused_hit_is_not_counted,
    a_window_slides,
    windows_of_different_callers_are_apart,
    a_limit_of_none_allows_none,
    looking_at_a_window_counts_nothing,
    many_hits_at_once_are_counted_exactly,
}

struct Given {
    cache: Arc<dyn Cache>,
    /// A manual clock; `None` if the cache has its own clock.
    clock_ms: Option<AtomicI64>,
}

impl Given {
    fn memory() -> Self {
        Self {
            cache: Arc::new(MemoryCache::new()),
            clock_ms: Some(AtomicI64::new(1_800_000_000_000)),
        }
    }

    fn redis() -> Option<Self> {
        let Ok(url) = std::env::var("LAFIYA_TEST_REDIS_URL") else {
            let demanded = std::env::var("LAFIYA_TEST_BACKENDS").is_ok_and(|which| which == "all");
            assert!(!demanded, "LAFIYA_TEST_REDIS_URL is not set");
            return None;
        };
        Some(Self {
            cache: Arc::new(RedisCache::new(&url, PREFIX).unwrap()),
            clock_ms: None,
        })
    }

    fn now(&self) -> Timestamp {
        match &self.clock_ms {
            Some(clock) => Timestamp::from_millisecond(clock.load(Ordering::Relaxed)).unwrap(),
            None => Timestamp::now(),
        }
    }

    /// Advances the time of the windows.
    async fn pass(&self, time: Duration) {
        match &self.clock_ms {
            Some(clock) => {
                clock.fetch_add(time.as_millis() as i64, Ordering::Relaxed);
            }
            None => tokio::time::sleep(time).await,
        }
    }

    async fn hit(&self, key: &WindowKey, limit: u32, window: Duration) -> WindowState {
        let now = self.now();
        self.cache
            .hit_window(key, limit, window, now)
            .await
            .unwrap()
    }
}

fn somebody() -> WindowKey {
    WindowKey::Key(KeyId(Uuid::new_v4()))
}

async fn a_value_is_kept_replaced_and_removed(given: &Given) {
    let key = format!("test:{}", Uuid::new_v4());
    let cache = &given.cache;
    assert_eq!(cache.get(&key).await.unwrap(), None);
    for value in [b"one".as_slice(), &[0, 255, 10]] {
        cache.set(&key, value, MINUTE).await.unwrap();
        assert_eq!(cache.get(&key).await.unwrap().as_deref(), Some(value));
    }
    cache.remove(&key).await.unwrap();
    cache.remove(&key).await.unwrap();
    assert_eq!(cache.get(&key).await.unwrap(), None);
}

async fn a_value_is_forgotten_after_its_time(given: &Given) {
    let key = format!("test:{}", Uuid::new_v4());
    given.cache.set(&key, b"value", SHORT).await.unwrap();
    // Values expire by the real clock in both implementations, because their methods take no time
    // argument.
    let begun = Instant::now();
    while given.cache.get(&key).await.unwrap().is_some() {
        assert!(begun.elapsed() < SHORT * 10, "the value stays");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn the_cache_answers_a_probe(given: &Given) {
    given.cache.probe().await.unwrap();
}

async fn a_window_counts_down_and_then_refuses(given: &Given) {
    let key = somebody();
    for remaining in [2, 1, 0] {
        let state = given.hit(&key, 3, MINUTE).await;
        assert!(state.allowed);
        assert_eq!((state.limit, state.remaining), (3, remaining));
        assert_eq!(state.retry_after, None);
    }
    let before = given.now();
    let refused = given.hit(&key, 3, MINUTE).await;
    assert!(!refused.allowed);
    assert_eq!(refused.remaining, 0);
    let wait = refused.retry_after.unwrap();
    assert!(wait > MINUTE - Duration::from_secs(5) && wait <= MINUTE);
    let until_reset = refused.reset_at.duration_since(before).unsigned_abs();
    assert!(until_reset > MINUTE - Duration::from_secs(5));
    assert!(until_reset <= MINUTE + Duration::from_secs(1));
}

async fn a_refused_hit_is_not_counted(given: &Given) {
    let key = somebody();
    given.hit(&key, 1, SHORT).await;
    for _ in 0..5 {
        given.pass(SHORT / 10).await;
        given.hit(&key, 1, SHORT).await;
    }
    given.pass(SHORT).await;
    assert!(given.hit(&key, 1, SHORT).await.allowed);
}

async fn a_window_slides(given: &Given) {
    let window = SHORT * 4;
    let key = somebody();
    given.hit(&key, 2, window).await;
    given.pass(SHORT * 2).await;
    given.hit(&key, 2, window).await;
    assert!(!given.hit(&key, 2, window).await.allowed);
    // The first hit has left the window and the second has not, so there is room for one hit. A
    // fixed window that resets would have room for two.
    given.pass(SHORT * 5 / 2).await;
    assert!(given.hit(&key, 2, window).await.allowed);
    assert!(!given.hit(&key, 2, window).await.allowed);
}

async fn windows_of_different_callers_are_apart(given: &Given) {
    // Random addresses, because the windows of an earlier run may still exist.
    let [a, b, c, d, ..] = *Uuid::new_v4().as_bytes();
    let address = IpAddr::V4(Ipv4Addr::new(a, b, c, d));
    let of = |purpose| WindowKey::Address { purpose, address };
    for key in [of("health"), of("anonymous"), somebody()] {
        assert!(given.hit(&key, 1, SHORT).await.allowed, "{key}");
    }
}

async fn looking_at_a_window_counts_nothing(given: &Given) {
    let key = somebody();
    let look = async || {
        let seen = given
            .cache
            .look_at_window(&key, 3, SHORT, given.now())
            .await;
        seen.unwrap()
    };
    assert_eq!((look().await.remaining, look().await.allowed), (3, true));
    given.hit(&key, 3, SHORT).await;
    given.hit(&key, 3, SHORT).await;
    for _ in 0..5 {
        assert_eq!(look().await.remaining, 1);
    }
    given.hit(&key, 3, SHORT).await;
    assert_eq!((look().await.remaining, look().await.allowed), (0, false));
    given.pass(SHORT + SHORT / 10).await;
    assert_eq!(look().await.remaining, 3, "what has left no longer counts");
}

async fn a_limit_of_none_allows_none(given: &Given) {
    let state = given.hit(&somebody(), 0, MINUTE).await;
    assert!(!state.allowed);
    assert_eq!(state.retry_after, Some(MINUTE));
}

async fn many_hits_at_once_are_counted_exactly(given: &Given) {
    let key = somebody();
    let now = given.now();
    let mut running = JoinSet::new();
    for _ in 0..300 {
        let cache = Arc::clone(&given.cache);
        running.spawn(async move { cache.hit_window(&key, 100, MINUTE, now).await.unwrap() });
    }
    let states = running.join_all().await;
    let allowed = states.iter().filter(|state| state.allowed).count();
    assert_eq!(allowed, 100);
    let mut remaining: Vec<u32> = states
        .iter()
        .filter(|state| state.allowed)
        .map(|state| state.remaining)
        .collect();
    remaining.sort_unstable();
    assert_eq!(remaining, (0..100).collect::<Vec<u32>>());
}

fn is_unavailable<T>(answer: &Result<T, CacheError>) -> bool {
    matches!(answer, Err(CacheError::Unavailable(_)))
}

#[tokio::test]
async fn an_unreachable_redis_is_reported_at_once() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let cache = RedisCache::new(&format!("redis://127.0.0.1:{port}"), PREFIX).unwrap();
    for _ in 0..3 {
        assert!(is_unavailable(&cache.probe().await));
    }
}

#[tokio::test]
async fn a_hanging_redis_holds_no_call_longer_than_the_timeout() {
    // Accepts connections and never responds.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let silent = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((connection, _)) = listener.accept().await {
            held.push(connection);
        }
    });
    let cache = RedisCache::new(&format!("redis://127.0.0.1:{port}"), PREFIX).unwrap();
    let key = somebody();
    for _ in 0..3 {
        let begun = Instant::now();
        let answer = cache.hit_window(&key, 1, MINUTE, Timestamp::now()).await;
        assert!(is_unavailable(&answer), "{answer:?}");
        let waited = begun.elapsed();
        assert!(waited < REDIS_TIMEOUT * 3, "waited {waited:?}");
    }
    silent.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recovered_redis_is_used_again() {
    let Ok(url) = std::env::var("LAFIYA_TEST_REDIS_URL") else {
        return;
    };
    let (proxy, url) = Proxy::before(&url).await;
    let cache = RedisCache::new(&url, PREFIX).unwrap();
    cache.probe().await.unwrap();
    for fault in [Flow::Cut, Flow::Hang] {
        proxy.set(fault);
        for _ in 0..3 {
            assert!(is_unavailable(&cache.probe().await), "{fault:?}");
        }
        proxy.set(Flow::Pass);
        let begun = Instant::now();
        while cache.probe().await.is_err() {
            assert!(begun.elapsed() < Duration::from_secs(5), "after {fault:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn an_unreadable_redis_address_is_refused_before_anything_starts() {
    assert!(RedisCache::new("not an address", PREFIX).is_err());
}
