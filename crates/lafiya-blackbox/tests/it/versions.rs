//! Tests the life cycle of API versions: current, deprecated, sunset. The table of versions is a
//! setting, so an invented old version shows what will happen to v1 one day.

use lafiya_blackbox::Server;

use crate::headers::check_standard_headers;

const DEPRECATED: &str = r#"[{ name = "v0", deprecated_on = "2026-01-01", sunset_on = "2999-07-01", rate_limit_per_minute = 3 }]"#;
const ENDED: &str = r#"[{ name = "v0", deprecated_on = "2020-01-01", sunset_on = "2020-07-01" }]"#;

#[test]
fn the_current_version_is_not_deprecated() {
    let server = Server::with("LAFIYA_VERSIONS", DEPRECATED).start();
    let answer = server.live().get("/v1/symptoms").expect(200);
    assert_eq!(answer.header("deprecation"), None);
    assert_eq!(answer.header("sunset"), None);
}

#[test]
fn a_deprecated_version_answers_with_deprecation_headers() {
    let server = Server::with("LAFIYA_VERSIONS", DEPRECATED).start();
    let current = server.live().get("/v1/symptoms?limit=3").expect(200);
    let old = server.live().get("/v0/symptoms?limit=3").expect(200);
    assert_eq!(old.json(), current.json());
    for (status, answer) in [
        (200, old),
        (200, server.client().get("/v0/health")),
        (401, server.client().get("/v0/symptoms")),
        (404, server.client().get("/v0/nowhere")),
        (405, server.client().delete("/v0/symptoms")),
    ] {
        let answer = answer.expect(status);
        check_standard_headers(&answer);
        assert_eq!(answer.required_header("deprecation"), "@1767225600");
        let sunset = answer.required_header("sunset");
        assert_eq!(sunset, "Mon, 01 Jul 2999 00:00:00 GMT");
    }
}

#[test]
fn a_deprecated_version_may_have_a_lower_limit() {
    let server = Server::with("LAFIYA_VERSIONS", DEPRECATED).start();
    let first = server.live().get("/v0/symptoms").expect(200);
    assert_eq!(first.number("x-ratelimit-limit"), 3);
    while server.live().get("/v0/symptoms").status == 200 {}
    server
        .live()
        .get("/v0/symptoms")
        .expect_error(429, "RATE_LIMIT_EXCEEDED");
    server.live().get("/v1/symptoms").expect(200);
}

#[test]
fn an_ended_version_is_410_on_every_path() {
    let server = Server::with("LAFIYA_VERSIONS", ENDED).start();
    for path in ["/v0/symptoms", "/v0/health", "/v0/nowhere"] {
        let answer = server.live().get(path);
        answer.expect_error(410, "VERSION_SUNSET");
        assert!(answer.header("sunset").is_some(), "{answer}");
    }
    server.live().get("/v1/symptoms").expect(200);
}

#[test]
fn an_ended_version_is_never_suggested_as_a_replacement() {
    let server = Server::with("LAFIYA_VERSIONS", ENDED).start();
    let old = server.live().get("/v0/symptoms").expect(410);
    assert!(old.text().contains("Use /v1"), "{old:?}");
    let ended = ENDED.replace("v0", "v1");
    let server = Server::with("LAFIYA_VERSIONS", &ended).start();
    let current = server.client().get("/v1/symptoms").expect(410);
    assert!(!current.text().contains("Use /v1"), "{current:?}");
}

#[test]
fn a_410_carries_the_standard_headers() {
    let server = Server::with("LAFIYA_VERSIONS", ENDED).start();
    check_standard_headers(&server.live().get("/v0/symptoms").expect(410));
}

#[test]
fn an_invalid_version_table_is_refused() {
    for table in [
        r#"[{ name = "zero", deprecated_on = "2026-01-01", sunset_on = "2026-07-01" }]"#,
        r#"[{ name = "v0", deprecated_on = "2026-07-01", sunset_on = "2026-01-01" }]"#,
        r#"[{ name = "v0", deprecated_on = "someday", sunset_on = "2026-01-01" }]"#,
        r#"[{ name = "v0" }]"#,
        "[{",
    ] {
        let server = Server::with("LAFIYA_VERSIONS", table).prepare();
        let output = server.cli(&["serve"]);
        assert!(!output.status.success(), "{table} was accepted");
        assert!(
            output.stdout.is_empty(),
            "keys were made before the refusal: {output:?}"
        );
    }
}
