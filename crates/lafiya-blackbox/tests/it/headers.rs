//! Tests the headers of every answer, whatever its status.

use std::collections::HashSet;
use std::io::Read as _;

use flate2::read::GzDecoder;
use jiff::Timestamp;
use lafiya_blackbox::{Answer, Server, shared};
use serde_json::json;

use crate::shape::is_uuid;

/// Asserts the request id, the time, the version and the three rate-limit headers, each in its
/// format.
#[track_caller]
pub(crate) fn check_standard_headers(answer: &Answer) {
    check_identity(answer);
    let limit = answer.number("x-ratelimit-limit");
    let remaining = answer.number("x-ratelimit-remaining");
    assert!(remaining <= limit, "more is left than was there: {answer}");
    let reset = i64::try_from(answer.number("x-ratelimit-reset")).expect("a time");
    let ahead = reset - Timestamp::now().as_second();
    assert!(
        (-5..=65).contains(&ahead),
        "reset is {ahead} s ahead: {answer}"
    );
    let retry_after = answer.header("retry-after").is_some();
    assert_eq!(retry_after, matches!(answer.status, 429 | 503), "{answer}");
}

#[track_caller]
fn check_identity(answer: &Answer) {
    let id = answer.required_header("x-request-id");
    assert!(is_uuid(id), "{id} is not a UUID");
    let time = answer.required_header("x-response-time");
    let number = time.strip_suffix("ms").expect("a time in ms");
    assert!(number.parse::<u64>().is_ok(), "{time} is not <n>ms");
    assert_eq!(answer.required_header("x-api-version"), "1.0");
}

#[test]
fn answers_of_every_status_carry_the_standard_headers() {
    let server = Server::without_limits().start();
    let live = server.live();
    let rotate = || live.request("POST", "/v1/keys/rotate");
    let large = vec![b' '; 256 * 1024 + 1];
    for (status, answer) in [
        (200, live.get("/v1/symptoms")),
        (200, server.client().get("/v1/health")),
        (200, server.client().get("/v1/openapi.json")),
        (400, live.get("/v1/symptoms?limit=0")),
        (401, server.client().get("/v1/symptoms")),
        (404, live.get("/v1/nowhere")),
        (404, server.client().get("/v1/nowhere")),
        (404, server.client().get("/nowhere")),
        (404, live.get("/v1/conditions/c_no_such_thing")),
        (405, live.delete("/v1/symptoms")),
        (405, server.client().delete("/v1/health")),
        (413, rotate().json_text(large).send()),
        (
            415,
            rotate()
                .header("Content-Type", "text/plain")
                .body("{}")
                .send(),
        ),
        (201, live.post("/v1/keys/rotate", &json!({}))),
    ] {
        let answer = answer.expect(status);
        check_standard_headers(&answer);
    }
}

#[test]
fn a_429_carries_the_standard_headers() {
    let server = Server::with("LAFIYA_RATE_LIMIT_PER_MINUTE", "1").start();
    server.live().get("/v1/symptoms").expect(200);
    let refused = server.live().get("/v1/symptoms").expect(429);
    check_standard_headers(&refused);
    assert_eq!(refused.number("x-ratelimit-remaining"), 0);
}

#[test]
fn a_suspended_tenant_gets_the_standard_headers() {
    let server = Server::without_limits().start();
    server.cli(&["tenant", "suspend", "demo"]);
    let refused = server.live().get("/v1/symptoms").expect(403);
    check_standard_headers(&refused);
}

#[test]
fn pages_requested_by_a_program_carry_the_standard_headers() {
    let program = shared().client().with_header("Accept", "application/json");
    for path in ["/", "/docs", "/docs/"] {
        let answer = program.get(path);
        assert!(answer.status < 500, "{answer}");
        check_standard_headers(&answer);
    }
}

#[test]
fn a_head_request_is_answered_like_a_get_without_the_body() {
    let answer = shared()
        .live()
        .request("HEAD", "/v1/symptoms")
        .send()
        .expect(200);
    check_standard_headers(&answer);
    assert!(answer.body.is_empty());
}

#[test]
fn every_request_gets_a_new_id_even_if_the_client_sends_one() {
    let client = shared().live();
    let sent = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    let mut seen = HashSet::from([sent.to_owned()]);
    for _ in 0..20 {
        let answer = client
            .request("GET", "/v1/symptoms")
            .header("X-Request-Id", sent)
            .send()
            .expect(200);
        let id = answer.required_header("x-request-id").to_owned();
        assert!(seen.insert(id), "an id came twice: {answer}");
    }
}

#[test]
fn key_material_is_never_cached() {
    let server = Server::without_limits().start();
    let rotated = server
        .live()
        .post("/v1/keys/rotate", &json!({}))
        .expect(201);
    let policy = rotated.required_header("cache-control");
    assert!(policy.contains("no-store"), "{rotated}");
}

#[test]
fn nosniff_and_the_content_type_are_set() {
    let answer = shared().live().get("/v1/symptoms").expect(200);
    assert_eq!(answer.required_header("x-content-type-options"), "nosniff");
    assert_eq!(answer.required_header("content-type"), "application/json");
}

/// Returns the decompressed answer for a client that accepts this encoding: the content encoding,
/// the body and the compressed size.
fn unpacked(server: &Server, takes: &str, path: &str) -> (Option<String>, Vec<u8>, usize) {
    let answer = server
        .live()
        .with_header("Accept-Encoding", takes)
        .get(path)
        .expect(200);
    let packed = answer.header("content-encoding").map(str::to_owned);
    let sent = answer.body.len();
    let mut body = Vec::new();
    let read = match packed.as_deref() {
        Some("gzip") => GzDecoder::new(answer.body.as_slice()).read_to_end(&mut body),
        Some("br") => brotli_decompressor::Decompressor::new(answer.body.as_slice(), 4096)
            .read_to_end(&mut body),
        _ => answer.body.as_slice().read_to_end(&mut body),
    };
    read.expect("a body packed as its header says");
    (packed, body, sent)
}

#[test]
fn answers_are_compressed_on_request_except_tiny_ones() {
    let server = Server::without_limits().start();
    let path = "/v1/symptoms";
    let (packed, plain, _) = unpacked(&server, "identity", path);
    assert_eq!(packed, None);
    for (takes, expected) in [
        ("gzip", "gzip"),
        ("br", "br"),
        ("br;q=0.5, gzip", "gzip"),
        ("gzip;q=0, br", "br"),
    ] {
        let (packed, body, sent) = unpacked(&server, takes, path);
        assert_eq!(packed.as_deref(), Some(expected), "{takes}");
        assert_eq!(body, plain, "{takes}");
        assert!(
            sent * 2 < plain.len(),
            "{takes}: {sent} of {} bytes",
            plain.len()
        );
    }
    for takes in ["gzip", "br"] {
        assert_eq!(unpacked(&server, takes, "/v1/health").0, None, "{takes}");
    }
    assert_eq!(unpacked(&server, "zstd, deflate", path).0, None);
}
