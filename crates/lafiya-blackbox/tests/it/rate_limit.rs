//! Tests the rate limits: exact, over a sliding minute, per key or per address, and shared by
//! replicas.

use jiff::Timestamp;
use lafiya_blackbox::{Answer, BackendKind, Client, Server, at_once};

use crate::headers::check_standard_headers;

const KEYED: &str = "/v1/symptoms";

#[test]
fn a_key_may_call_100_times_per_minute() {
    let server = Server::start();
    let client = server.live();
    for call in 1..=100 {
        let answer = client.get(KEYED).expect(200);
        assert_eq!(answer.number("x-ratelimit-limit"), 100);
        assert_eq!(answer.number("x-ratelimit-remaining"), 100 - call);
    }
    for _ in 0..3 {
        client.get(KEYED).expect_error(429, "RATE_LIMIT_EXCEEDED");
    }
}

#[test]
fn a_refusal_states_when_to_retry() {
    let server = Server::with("LAFIYA_RATE_LIMIT_PER_MINUTE", "2").start();
    let client = server.live();
    let before = Timestamp::now();
    client.get(KEYED).expect(200);
    client.get(KEYED).expect(200);
    let refused = client.get(KEYED);
    let error = refused.expect_error(429, "RATE_LIMIT_EXCEEDED");
    check_standard_headers(&refused);
    let details = &error["details"];
    assert_eq!(details["limit"], 2);
    assert_eq!(details["remaining"], 0);
    let wait = details["retryAfter"].as_u64().expect("whole seconds");
    assert_eq!(wait, refused.number("retry-after"));
    assert!((1..=60).contains(&wait), "{refused}");
    let reset = details["reset"].as_str().expect("a timestamp");
    let reset: Timestamp = reset.parse().expect("an RFC 3339 timestamp");
    let ahead = reset.duration_since(before).as_secs();
    assert!(
        (59..=75).contains(&ahead),
        "{ahead} s after the first call: {refused}"
    );
}

#[test]
fn refused_calls_do_not_prolong_the_wait() {
    let server = Server::with("LAFIYA_RATE_LIMIT_PER_MINUTE", "1").start();
    let client = server.live();
    client.get(KEYED).expect(200);
    let first = client.get(KEYED).expect(429).number("x-ratelimit-reset");
    for _ in 0..50 {
        client.get(KEYED).expect(429);
    }
    let last = client.get(KEYED).expect(429).number("x-ratelimit-reset");
    assert_eq!(first, last);
}

#[test]
fn exactly_the_limit_of_300_concurrent_calls_passes() {
    let server = Server::start();
    let client = server.live();
    let statuses = at_once(300, |_| client.get(KEYED).status);
    assert_eq!(count(&statuses, 200), 100);
    assert_eq!(count(&statuses, 429), 200);
}

#[test]
fn each_key_has_its_own_limit() {
    let server = Server::with("LAFIYA_RATE_LIMIT_PER_MINUTE", "2").start();
    let (first, second) = (server.live(), server.sandbox());
    while first.get(KEYED).status == 200 {}
    second.get(KEYED).expect(200);
}

#[test]
fn all_keyed_endpoints_count_together() {
    let server = Server::with("LAFIYA_RATE_LIMIT_PER_MINUTE", "4").start();
    let client = server.live();
    for path in [
        KEYED,
        "/v1/risk-factors",
        "/v1/lab-tests",
        "/v1/symptoms?limit=0",
    ] {
        assert!(client.get(path).status < 429, "{path}");
    }
    client.get(KEYED).expect(429);
}

#[test]
fn an_address_without_a_key_may_call_60_times_per_minute() {
    let server = Server::start();
    let client = server.client();
    let guessing = client.with_key("sk_live_guess");
    for call in 1..=60 {
        let caller = if call % 2 == 0 { &client } else { &guessing };
        let answer = caller.get(KEYED).expect(401);
        assert_eq!(answer.number("x-ratelimit-limit"), 60);
        assert_eq!(answer.number("x-ratelimit-remaining"), 60 - call);
    }
    client.get(KEYED).expect_error(429, "RATE_LIMIT_EXCEEDED");
    guessing.get(KEYED).expect_error(429, "RATE_LIMIT_EXCEEDED");
    // A client with a valid key is not affected by others at the same address.
    server.live().get(KEYED).expect(200);
}

#[test]
fn public_documents_count_against_the_address() {
    let server = Server::with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "2").start();
    let client = server.client();
    client.get("/v1/openapi.json").expect(200);
    client.get("/v1/openapi.json").expect(200);
    client
        .get("/v1/openapi.json")
        .expect_error(429, "RATE_LIMIT_EXCEEDED");
}

#[test]
fn unknown_paths_count_too() {
    let server = Server::with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "2").start();
    let client = server.client();
    client.get("/v1/nowhere").expect(404);
    client.get("/nowhere").expect(404);
    client.get("/v1/nowhere").expect(429);
}

#[test]
fn a_forwarded_address_from_an_untrusted_peer_is_ignored() {
    let server = Server::with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "3").start();
    let statuses = statuses_of_addresses(&server.client(), 5);
    assert_eq!(statuses, [401, 401, 401, 429, 429]);
}

#[test]
fn a_forwarded_address_from_a_trusted_proxy_is_used() {
    let server = Server::with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "1")
        .with("LAFIYA_TRUSTED_PROXIES", "127.0.0.0/8")
        .start();
    let statuses = statuses_of_addresses(&server.client(), 5);
    assert_eq!(statuses, [401, 401, 401, 401, 401]);
    let again = from(&server.client(), "203.0.113.1");
    again.expect_error(429, "RATE_LIMIT_EXCEEDED");
    // An entry that the client itself wrote before the proxy's entry is not trusted.
    let forged = from(&server.client(), "198.51.100.7, 203.0.113.1");
    forged.expect_error(429, "RATE_LIMIT_EXCEEDED");
    // Some proxies append the port.
    for with_port in ["203.0.113.1:5678", "203.0.113.1:80, 127.0.0.1:90"] {
        let again = from(&server.client(), with_port);
        again.expect_error(429, "RATE_LIMIT_EXCEEDED");
    }
    from(&server.client(), "[2001:db8::1]:80").expect(401);
    let neighbour = from(&server.client(), "[2001:db8::2]:81");
    neighbour.expect_error(429, "RATE_LIMIT_EXCEEDED");
}

#[test]
fn replicas_share_the_rate_limit_of_a_key() {
    // Without a shared cache every process counts separately.
    if BackendKind::of_this_run() == BackendKind::Embedded {
        return;
    }
    let server = Server::start();
    let replica = server.replica();
    let clients = [server.live(), server.live().at(replica.address)];
    let statuses = at_once(240, |number| clients[number % 2].get(KEYED).status);
    assert_eq!(count(&statuses, 200), 100);
    assert_eq!(count(&statuses, 429), 140);
}

fn statuses_of_addresses(client: &Client, count: u8) -> Vec<u16> {
    (1..=count)
        .map(|number| from(client, &format!("203.0.113.{number}")).status)
        .collect()
}

fn from(client: &Client, address: &str) -> Answer {
    client.with_header("X-Forwarded-For", address).get(KEYED)
}

fn count(statuses: &[u16], status: u16) -> usize {
    statuses
        .iter()
        .filter(|statuse| **statuse == status)
        .count()
}
