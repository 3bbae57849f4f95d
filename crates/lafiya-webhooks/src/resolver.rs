//! The only DNS resolver of deliveries. A connection goes to exactly the addresses that were
//! checked, so a name that was public at registration and now resolves to a private address (DNS
//! rebinding) is refused.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::target::{TargetPolicy, TargetRefusal};

/// The result of a DNS look-up.
pub(crate) type Answer = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
/// A DNS look-up function.
pub(crate) type LookUp = Arc<dyn Fn(String) -> Answer + Send + Sync>;

pub(crate) struct GuardedResolver {
    policy: TargetPolicy,
    look_up: LookUp,
}

impl GuardedResolver {
    pub(crate) fn new(policy: TargetPolicy, look_up: LookUp) -> Self {
        Self { policy, look_up }
    }
}

/// Returns the system's resolver.
pub(crate) fn system() -> LookUp {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.policy;
        let answer = (self.look_up)(name.as_str().to_owned());
        Box::pin(async move {
            let found = answer.await?;
            let allowed: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| policy.allows(*address))
                // The port is that of the URL; the client fills it in.
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if allowed.is_empty() {
                return Err(TargetRefusal::NotPublic.into());
            }
            let allowed: Addrs = Box::new(allowed.into_iter());
            Ok(allowed)
        })
    }
}
