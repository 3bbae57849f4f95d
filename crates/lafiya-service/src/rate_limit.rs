//! Rate limits: a true sliding window of one minute. The shared cache keeps the windows of all
//! replicas; when it cannot be reached each replica goes on with windows of its own, so that no
//! clinician is locked out by a broken cache.

use std::net::IpAddr;
use std::time::Duration;

use lafiya_model::KeyId;
use lafiya_storage::cache::{WindowKey, WindowState};

use crate::context::Context;
use crate::error::ServiceError;

const WINDOW: Duration = Duration::from_secs(60);

/// How many files of pages an address may have for each anonymous request that it may make. A page
/// has half a dozen, and a whole hospital may share one address.
const PAGE_FILES_PER_REQUEST: u32 = 20;

/// Who a request is counted against.
#[derive(Clone, Copy, Debug)]
pub enum Counted {
    /// A valid key.
    Key(KeyId),
    /// An address on `/health`.
    Health(IpAddr),
    /// An address without a valid key, or on another public endpoint.
    Anonymous(IpAddr),
    /// An address that asks for a file of a page: a style sheet, a script, a font.
    PageFile(IpAddr),
    /// An address that tries to sign in.
    SignIn(IpAddr),
}

impl Counted {
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

/// What is counted as one client: an IPv4 address, or the /64 network of an IPv6 address. IPv6 hosts
/// own whole /64 networks, so counting single addresses would count nothing.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 => v4,
    }
}

/// Counts one request. In one process without a shared cache the replica's own window is the only
/// one. `reduced_limit` is the lower limit of a version that is on its way out.
pub async fn count(
    context: &Context,
    counted: Counted,
    reduced_limit: Option<u32>,
) -> Result<WindowState, ServiceError> {
    let limit = counted.limit(context);
    let limit = reduced_limit.map_or(limit, |reduced| reduced.min(limit));
    let key = counted.window();
    let now = context.clock.now();
    if !context.cache_is_shared {
        let window = context.own_cache.hit(&key, limit, WINDOW, now);
        return if window.allowed {
            Ok(window)
        } else {
            Err(ServiceError::RateLimited(window))
        };
    }
    let window = match context.cache.hit_window(&key, limit, WINDOW, now).await {
        Ok(shared) if !shared.allowed => shared,
        // What the shared window lets through is counted here too, so that a moment without the
        // shared cache neither opens the gate nor forgets what this replica has let through.
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

/// How much of its minute a key has used, without counting anything.
pub async fn status_of(context: &Context, key: KeyId) -> WindowState {
    let counted = Counted::Key(key);
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
