//! Limits on open connections: in total and per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;
use lafiya_service::rate_limit::client_network;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limits and the connections that are open.
pub(crate) struct ConnectionLimits {
    all: Arc<Semaphore>,
    /// 0 disables the limit.
    per_address_max: usize,
    /// Networks that only the total limit applies to, because a proxy brings many clients.
    exempt: Vec<IpNet>,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The total limit is reached.
    Full,
    /// The limit of its address is reached.
    FullForAddress,
}

/// A permit for one open connection, released on drop.
pub(crate) struct ConnectionPermit {
    limits: Arc<ConnectionLimits>,
    /// The address that the connection is counted against, if any.
    counted: Option<IpAddr>,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionLimits {
    pub(crate) fn new(max: usize, per_address_max: usize, exempt: Vec<IpNet>) -> Self {
        Self {
            all: Arc::new(Semaphore::new(max)),
            per_address_max,
            exempt,
            by_address: Mutex::default(),
        }
    }

    /// Whether the total limit is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.all.available_permits() == 0
    }

    /// Acquires a permit for a connection from this address.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionPermit, Refusal> {
        let permit = Arc::clone(&self.all)
            .try_acquire_owned()
            .map_err(|_| Refusal::Full)?;
        Ok(ConnectionPermit {
            // After the permit of the total limit; if this fails, that permit is dropped and so
            // released.
            counted: self.count(address)?,
            limits: Arc::clone(self),
            _permit: permit,
        })
    }

    fn count(&self, address: IpAddr) -> Result<Option<IpAddr>, Refusal> {
        // An IPv4 address counts as the same when it arrives in its IPv6 form.
        let address = address.to_canonical();
        if self.per_address_max == 0 || self.exempt.iter().any(|net| net.contains(&address)) {
            return Ok(None);
        }
        // One IPv6 client has a whole network of addresses.
        let network = client_network(address);
        let mut by_address = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let open = by_address.entry(network).or_default();
        if *open >= self.per_address_max {
            return Err(Refusal::FullForAddress);
        }
        *open += 1;
        Ok(Some(network))
    }

    fn release(&self, network: IpAddr) {
        let mut by_address = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = by_address.get_mut(&network) {
            *open = open.saturating_sub(1);
            // An address without open connections uses no memory.
            if *open == 0 {
                by_address.remove(&network);
            }
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Some(network) = self.counted {
            self.limits.release(network);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max: usize, per_address_max: usize, exempt: &[&str]) -> Arc<ConnectionLimits> {
        let exempt = exempt.iter().map(|net| net.parse().unwrap()).collect();
        Arc::new(ConnectionLimits::new(max, per_address_max, exempt))
    }

    fn admit(limits: &Arc<ConnectionLimits>, address: &str) -> Result<ConnectionPermit, Refusal> {
        limits.admit(address.parse().unwrap())
    }

    #[test]
    fn one_address_cannot_take_every_connection() {
        let limits = limits(10, 2, &[]);
        let first = admit(&limits, "192.0.2.1");
        let second = admit(&limits, "::ffff:192.0.2.1");
        assert_eq!(
            admit(&limits, "192.0.2.1").err(),
            Some(Refusal::FullForAddress)
        );
        let _other = admit(&limits, "192.0.2.2").unwrap();
        drop(first);
        let _third = admit(&limits, "192.0.2.1").unwrap();
        drop(second);
        drop(_third);
        assert_eq!(limits.by_address.lock().unwrap().len(), 1);
        // Different addresses of one IPv6 network share a limit.
        let _all = [
            admit(&limits, "2001:db8:1:2::1").unwrap(),
            admit(&limits, "2001:db8:1:2::2").unwrap(),
        ];
        assert_eq!(
            admit(&limits, "2001:db8:1:2::3").err(),
            Some(Refusal::FullForAddress)
        );
    }

    #[test]
    fn the_total_limit_applies_to_every_address() {
        let limits = limits(3, 1, &["127.0.0.0/8"]);
        let all: Vec<_> = (0..3).map(|_| admit(&limits, "127.0.0.1")).collect();
        assert!(all.iter().all(Result::is_ok));
        assert!(limits.is_full());
        assert_eq!(admit(&limits, "127.0.0.1").err(), Some(Refusal::Full));
        assert_eq!(admit(&limits, "192.0.2.1").err(), Some(Refusal::Full));
    }

    #[test]
    fn a_refused_connection_uses_no_slot() {
        let limits = limits(2, 1, &[]);
        let _first = admit(&limits, "192.0.2.1").unwrap();
        for _ in 0..5 {
            assert!(admit(&limits, "192.0.2.1").is_err());
        }
        assert!(admit(&limits, "192.0.2.2").is_ok());
    }
}
