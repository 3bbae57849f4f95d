//! Tests `GET /health`.

use std::time::Duration;

use lafiya_blackbox::{BackendKind, Server, eventually, shared};

#[test]
fn a_healthy_service_reports_every_field() {
    let answer = shared().client().get("/v1/health").expect(200);
    let body = answer.json();
    assert_eq!(body["status"], "healthy");
    let timestamp = body["timestamp"].as_str().expect("a timestamp");
    let timestamp: jiff::Timestamp = timestamp.parse().expect("an RFC 3339 timestamp");
    let age = jiff::Timestamp::now().duration_since(timestamp);
    assert!(age.abs().as_secs() < 30, "{timestamp} is not about now");
    assert!(!body["version"].as_str().expect("a version").is_empty());
    assert!(body["uptime_seconds"].is_u64(), "{answer}");
}

#[test]
fn every_check_has_a_documented_status() {
    let body = shared().client().get("/v1/health").expect(200).json();
    let checks = body["checks"].as_object().expect("an object of checks");
    let names: Vec<&str> = checks.keys().map(String::as_str).collect();
    for name in ["database", "redis", "ai_provider", "knowledge_base"] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
    for (name, word) in checks {
        let known = ["healthy", "degraded", "unhealthy", "not_configured"];
        assert!(
            known.iter().any(|listed| word == listed),
            "{name} is {word}"
        );
    }
    assert_eq!(checks["database"], "healthy");
    assert_eq!(checks["knowledge_base"], "healthy");
}

#[test]
fn redis_is_reported_only_if_configured() {
    let body = shared().client().get("/v1/health").expect(200).json();
    let expected = match BackendKind::of_this_run() {
        BackendKind::Embedded => "not_configured",
        BackendKind::Servers => "healthy",
    };
    assert_eq!(body["checks"]["redis"], expected);
}

#[test]
fn the_uptime_grows() {
    let client = shared().client();
    let uptime = || client.get("/v1/health").json()["uptime_seconds"].as_u64();
    let first = uptime();
    eventually("the uptime grows", Duration::from_secs(10), || {
        (uptime() > first).then_some(())
    });
}

#[test]
fn health_is_public_and_ignores_a_wrong_key() {
    let server = shared();
    server.client().get("/v1/health").expect(200);
    let stranger = server.client().with_key("sk_live_wrong");
    stranger.get("/v1/health").expect(200);
}

#[test]
fn the_121st_call_in_a_minute_from_one_address_gets_429() {
    let server = Server::start();
    let client = server.client();
    let first = client.get("/v1/health").expect(200);
    assert_eq!(first.number("x-ratelimit-limit"), 120);
    // The test harness has already sent requests until the service was ready.
    let left = first.number("x-ratelimit-remaining");
    assert!(left >= 110, "{left} left after the first call");
    for _ in 0..left {
        client.get("/v1/health").expect(200);
    }
    let refused = client.get("/v1/health");
    refused.expect_error(429, "RATE_LIMIT_EXCEEDED");
    assert_eq!(refused.number("x-ratelimit-limit"), 120);
    let wait = refused.number("retry-after");
    assert!((1..=60).contains(&wait), "{refused}");
}

#[test]
fn health_calls_count_against_no_other_limit() {
    let server = Server::with("LAFIYA_HEALTH_RATE_LIMIT_PER_MINUTE", "3").start();
    while server.client().get("/v1/health").status == 200 {}
    server.live().get("/v1/symptoms").expect(200);
    server.client().get("/v1/openapi.json").expect(200);
}
