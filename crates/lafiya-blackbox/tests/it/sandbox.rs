//! Tests the sandbox: mock data in the full format, validated like live requests, never billed, and
//! stored separately.

use lafiya_blackbox::{Client, shared};
use serde_json::{Value, json};

use crate::assess_shape::check_assessment;
use crate::headers::check_standard_headers;
use crate::requests::{ASSESS, absent, assessed, case, fever, named, pilot, present, with};

const ENVIRONMENT: &str = "X-Service-Environment";

fn model(client: &Client) -> Value {
    let body = assessed(client, &fever());
    check_assessment(&body);
    body["metadata"]["model_used"].clone()
}

#[test]
fn the_key_and_the_header_select_the_sandbox() {
    let server = shared();
    let (live, test) = (server.live(), server.sandbox());
    assert_ne!(model(&live), "sandbox");
    assert_ne!(
        model(&live.with_header(ENVIRONMENT, "production")),
        "sandbox"
    );
    assert_eq!(model(&live.with_header(ENVIRONMENT, "sandbox")), "sandbox");
    assert_eq!(model(&test), "sandbox");
    assert_eq!(model(&test.with_header(ENVIRONMENT, "sandbox")), "sandbox");
    assert_eq!(
        model(&test.with_header(ENVIRONMENT, "production")),
        "sandbox"
    );
    for client in [&live, &test] {
        let answer = client
            .with_header(ENVIRONMENT, "staging")
            .post(ASSESS, &fever());
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/headers/X-Service-Environment"]);
    }
}

#[test]
fn a_special_location_simulates_its_error() {
    let server = shared();
    for (place, status, code) in [
        ("sandbox:quota", 403, "QUOTA_EXCEEDED"),
        ("sandbox:timeout", 504, "GATEWAY_TIMEOUT"),
        ("sandbox:provider", 503, "AI_PROVIDER_UNAVAILABLE"),
        ("sandbox:internal", 500, "INTERNAL_ERROR"),
    ] {
        let body = with(fever(), "/patient/location", json!(place));
        let answer = server.sandbox().post(ASSESS, &body);
        answer.expect_error(status, code);
        check_standard_headers(&answer);
        // For a live call it is an ordinary place.
        server.live().post(ASSESS, &body).expect(200);
    }
}

#[test]
fn the_mock_quota_error_has_the_shape_of_a_real_one() {
    let server = shared();
    let body = with(fever(), "/patient/location", json!("sandbox:quota"));
    let mock = server.sandbox().post(ASSESS, &body);
    let client = pilot(&server, "mock quota", 1);
    client.post(ASSESS, &fever()).expect(200);
    let real = client.post(ASSESS, &fever());
    let reset = |answer: &lafiya_blackbox::Answer| {
        let error = answer.expect_error(403, "QUOTA_EXCEEDED");
        error["details"]["reset"].clone()
    };
    assert_eq!(reset(&mock), reset(&real), "the month ends for both alike");
}

#[test]
fn the_sandbox_validates_like_live() {
    let server = shared();
    for body in [
        case(&[]),
        case(&[absent("s_fever")]),
        case(&[present("s_fevr")]),
        case(&[present("s_fever"), absent("s_fever")]),
        with(fever(), "/patient/age", json!(121)),
        with(fever(), "/evidence/0/value", json!(39)),
        with(fever(), "/interview_id", json!("abc")),
    ] {
        let live = server.live().post(ASSESS, &body).expect(400);
        let mock = server.sandbox().post(ASSESS, &body).expect(400);
        assert_eq!(mock.json(), live.json());
    }
}

#[test]
fn the_same_request_gives_the_same_mock_answer() {
    let server = shared();
    let masked = || {
        let mut body = assessed(&server.sandbox(), &fever());
        for name in ["interview_id", "assessment_id"] {
            body[name] = json!("");
        }
        for name in [
            "total_latency",
            "retrieval_time",
            "generation_time",
            "validation_time",
        ] {
            body["metadata"][format!("{name}_ms")] = json!(0);
        }
        body
    };
    let first = masked();
    for _ in 0..3 {
        assert_eq!(masked(), first);
    }
}

#[test]
fn the_sandbox_is_free_and_has_no_quota() {
    let server = shared();
    let live = pilot(&server, "mock costs", 1);
    let sandbox = live.with_header(ENVIRONMENT, "sandbox");
    for _ in 0..5 {
        assessed(&sandbox, &fever());
    }
    assessed(&live, &fever());
    live.post(ASSESS, &fever())
        .expect_error(403, "QUOTA_EXCEEDED");
    assessed(&sandbox, &fever());
}

#[test]
fn only_sandbox_calls_see_a_sandbox_assessment() {
    let server = shared();
    let (live, test) = (server.live(), server.sandbox());
    let header = live.with_header(ENVIRONMENT, "sandbox");
    let id = |body: Value| json!({"assessment_id": body["assessment_id"]});
    let (mock, real) = (id(assessed(&test, &fever())), id(assessed(&live, &fever())));
    let why = "/v1/rationale";
    test.post(why, &mock).expect(200);
    header.post(why, &mock).expect(200);
    live.post(why, &mock)
        .expect_error(404, "RESOURCE_NOT_FOUND");
    live.post(why, &real).expect(200);
    test.post(why, &real)
        .expect_error(404, "RESOURCE_NOT_FOUND");
    header
        .post(why, &real)
        .expect_error(404, "RESOURCE_NOT_FOUND");
}
