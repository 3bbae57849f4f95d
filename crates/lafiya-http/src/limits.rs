//! Rate limits at the edge: which address a request is counted against, and the rate limit headers.
//! The windows themselves are kept by the service and its cache.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use lafiya_service::WindowState;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The rate limit state of one response, as the headers report it.
#[derive(Clone, Copy, Debug)]
pub struct RateInfo {
    /// Requests allowed per minute.
    pub limit: u32,
    /// Requests left in this window.
    pub remaining: u32,
    /// When the oldest counted request leaves the window, in Unix milliseconds.
    pub reset_at_ms: i64,
    /// Seconds until the next request would be allowed.
    pub retry_after_seconds: u64,
}

impl From<WindowState> for RateInfo {
    fn from(window: WindowState) -> Self {
        Self {
            limit: window.limit,
            remaining: window.remaining,
            reset_at_ms: window.reset_at.as_millisecond(),
            retry_after_seconds: window
                .retry_after
                .unwrap_or_default()
                .as_millis()
                .div_ceil(1000) as u64,
        }
    }
}

impl RateInfo {
    /// Returns the reset time as a timestamp, for `details.reset`.
    pub fn reset_timestamp(&self) -> String {
        jiff::Timestamp::from_second(self.reset_at_seconds())
            .map_or_else(|_| String::new(), |at| at.to_string())
    }

    fn reset_at_seconds(&self) -> i64 {
        // Rounded up, so that a request is really allowed at the named second.
        self.reset_at_ms.div_euclid(1000) + i64::from(self.reset_at_ms.rem_euclid(1000) > 0)
    }

    /// Writes the three rate limit headers.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.insert(RESET, HeaderValue::from(self.reset_at_seconds()));
    }
}

/// Returns the address that a request is counted against: the peer, or, if the peer is a trusted
/// proxy, the last address in `X-Forwarded-For` that is not a trusted proxy itself.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    // A dual-stack socket reports IPv4 addresses as `::ffff:10.0.0.2`.
    let peer = peer.to_canonical();
    if !is_trusted(peer) {
        return peer;
    }
    let hops: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    // Read from the right: only the entries that our own proxies appended can be trusted.
    for hop in hops.into_iter().rev() {
        match hop_address(hop.trim()) {
            Some(address) if is_trusted(address) => {}
            Some(address) => return address,
            None => return peer,
        }
    }
    peer
}

/// Parses the address of one hop. Some proxies append the port: `1.2.3.4:5678`, `[2001:db8::1]:80`.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address: IpAddr = hop.parse().ok().or_else(with_port).or_else(in_brackets)?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &str, trusted: &[&str], expected: &str) {
        let mut headers = HeaderMap::new();
        if !forwarded.is_empty() {
            headers.insert("x-forwarded-for", HeaderValue::from_str(forwarded).unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        let address = client_address(peer.parse().unwrap(), &headers, &trusted);
        assert_eq!(
            address,
            expected.parse::<IpAddr>().unwrap(),
            "{peer} {forwarded}"
        );
    }

    #[test]
    fn only_a_trusted_proxy_may_name_the_client() {
        check("198.51.100.1", "203.0.113.9", &[], "198.51.100.1");
        check("10.0.0.2", "203.0.113.9", &["10.0.0.0/8"], "203.0.113.9");
        check(
            "10.0.0.2",
            "1.1.1.1, 203.0.113.9, 10.0.0.3",
            &["10.0.0.0/8"],
            "203.0.113.9",
        );
        check("10.0.0.2", "", &["10.0.0.0/8"], "10.0.0.2");
        check(
            "10.0.0.2",
            "rubbish, 203.0.113.9",
            &["10.0.0.0/8"],
            "203.0.113.9",
        );
        check("10.0.0.2", "rubbish", &["10.0.0.0/8"], "10.0.0.2");
        check(
            "::ffff:10.0.0.2",
            "203.0.113.9, ::ffff:10.0.0.3",
            &["10.0.0.0/8"],
            "203.0.113.9",
        );
    }

    #[test]
    fn a_hop_may_name_its_port() {
        let trusted = &["10.0.0.0/8", "fd00::/8"];
        for (hop, address) in [
            ("203.0.113.9:5678", "203.0.113.9"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("203.0.113.9:1, 10.0.0.3:2, [fd00::1]:3", "203.0.113.9"),
            // Not a valid address: falls back to the proxy itself.
            ("203.0.113.9:", "10.0.0.2"),
            ("203.0.113.9:99999", "10.0.0.2"),
            ("[203.0.113.9", "10.0.0.2"),
            ("unknown", "10.0.0.2"),
        ] {
            check("10.0.0.2", hop, trusted, address);
        }
    }
}
