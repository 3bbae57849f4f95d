//! Rate limits: a sliding window of one minute. The shared cache keeps the windows of all replicas;
//! if it is unavailable, each replica uses its own windows, so that a broken cache does not lock
//! out clinicians.

use std::net::IpAddr;
use std::time::Duration;

use lafiya_model::KeyId;
use lafiya_storage::cache::{WindowKey, WindowState};

use crate::context::Context;
use crate::error::ServiceError;

const WINDOW: Duration = Duration::from_secs(60);

/// Page files allowed per anonymous request. A page has about six files, and a whole hospital may
/// share one address.
const PAGE_FILES_PER_REQUEST: u32 = 20;

/// What a request is counted against.
#[derive(Clone, Copy, Debug)]
pub enum RateLimitKey {
    /// A valid key.
    Key(KeyId),
    /// An address on `/health`.
    Health(IpAddr),
    /// An address without a valid key, or on another public endpoint.
    Anonymous(IpAddr),
    /// An address that requests a file of a page: a style sheet, a script or a font.
    PageFile(IpAddr),
    /// An address that tries to sign in.
    SignIn(IpAddr),
}

impl RateLimitKey {
    fn window(self) -> WindowKey {
        match self {
            Self::Key(key) => WindowKey::Key(key),
            Self::Health(address) => WindowKey::Address {
                purpose: "health",
                address: client_network(address),
            },
            Self::Anonymous(address) => WindowKey::Address {
                purpose: "anonymous",
                address: client_network(address),
            },
            Self::PageFile(address) => WindowKey::Address {
                purpose: "page-file",
                address: client_network(address),
            },
            Self::SignIn(address) => WindowKey::Address {
                purpose: "sign-in",
                address: client_network(address),
            },
        }
    }

    fn limit(self, context: &Context) -> u32 {
        match self {
            Self::Key(_) => context.limits.per_key_per_minute,
            Self::Health(_) => context.limits.health_per_minute,
            Self::PageFile(_) => context
                .limits
                .anonymous_per_minute
                .saturating_mul(PAGE_FILES_PER_REQUEST),
            Self::Anonymous(_) | Self::SignIn(_) => context.limits.anonymous_per_minute,
        }
    }
}

/// Returns what counts as one client: an IPv4 address, or the /64 network of an IPv6 address. An
/// IPv6 host has a whole /64 network, so counting single addresses would have no effect.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 => v4,
    }
}

/// Counts one request. Without a shared cache, only the replica's own window is used.
/// `reduced_limit` is the lower limit of a deprecated version.
pub async fn count(
    context: &Context,
    counted: RateLimitKey,
    reduced_limit: Option<u32>,
) -> Result<WindowState, ServiceError> {
    let limit = counted.limit(context);
    let limit = reduced_limit.map_or(limit, |reduced| reduced.min(limit));
    let key = counted.window();
    let now = context.clock.now();
    // The window is in this process, so nothing needs to be awaited.
    if !context.cache_is_shared {
        let window = context.own_cache.hit(&key, limit, WINDOW, now);
        return if window.allowed {
            Ok(window)
        } else {
            Err(ServiceError::RateLimited(window))
        };
    }
    let window = match context.cache.hit_window(&key, limit, WINDOW, now).await {
        // Not counted here as well: refused requests use nothing of either window.
        Ok(shared) if !shared.allowed => shared,
        // A request that the shared window allows is counted here too, so that an outage of the
        // shared cache does not reset the count of this replica.
        Ok(shared) => {
            let own = context.own_cache.hit(&key, limit, WINDOW, now);
            if own.allowed { shared } else { own }
        }
        Err(cause) => {
            metrics::counter!("lafiya_rate_limit_fallbacks_total").increment(1);
            tracing::debug!(%cause, "The shared cache is away; counting on this replica alone.");
            context.own_cache.hit(&key, limit, WINDOW, now)
        }
    };
    if window.allowed {
        Ok(window)
    } else {
        Err(ServiceError::RateLimited(window))
    }
}

/// Returns the current window of a key without counting a request.
pub async fn status_of(context: &Context, key: KeyId) -> WindowState {
    let counted = RateLimitKey::Key(key);
    let (window, limit) = (counted.window(), counted.limit(context));
    let now = context.clock.now();
    if context.cache_is_shared
        && let Ok(shared) = context
            .cache
            .look_at_window(&window, limit, WINDOW, now)
            .await
    {
        return shared;
    }
    context.own_cache.look(&window, limit, WINDOW, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_ipv6_network_count_together() {
        let group = |text: &str| client_network(text.parse().unwrap());
        assert_eq!(group("2001:db8:1:2::1"), group("2001:db8:1:2:ffff::9"));
        assert_ne!(group("2001:db8:1:2::1"), group("2001:db8:1:3::1"));
        assert_eq!(group("::ffff:192.0.2.7"), group("192.0.2.7"));
    }
}
