//! Tests `Idempotency-Key`: one key, one body, one record, however often and to whichever replica
//! it is sent.

use std::collections::HashSet;

use lafiya_blackbox::{Answer, Client, Server, at_once, shared};
use serde_json::{Value, json};

use crate::requests::{ASSESS, case, clinic, fever, named, new_uuid, pilot, present};

const REPLAYED: &str = "idempotent-replayed";

#[track_caller]
fn keyed(client: &Client, key: &str, body: &Value) -> Answer {
    client
        .with_header("Idempotency-Key", key)
        .post(ASSESS, body)
}

fn cough() -> Value {
    case(&[present("s_cough")])
}

#[test]
fn the_same_key_and_body_give_the_stored_answer() {
    let client = clinic();
    let first = keyed(&client, "same answer", &fever()).expect(200);
    assert_eq!(first.header(REPLAYED), None, "{first}");
    for _ in 0..2 {
        let again = keyed(&client, "same answer", &fever()).expect(200);
        assert_eq!(again.required_header(REPLAYED), "true");
        assert_eq!(again.json(), first.json());
        // A replayed answer has its own request id.
        let id = again.required_header("x-request-id");
        assert_ne!(again.json()["assessment_id"], id);
    }
}

#[test]
fn the_same_key_with_another_body_is_a_conflict() {
    let client = clinic();
    let first = keyed(&client, "another body", &fever()).expect(200);
    let other = keyed(&client, "another body", &cough());
    let error = other.expect_error(409, "IDEMPOTENCY_CONFLICT");
    assert_eq!(error["details"]["reason"], "different_body");
    assert_eq!(other.header("retry-after"), None);
    assert_eq!(other.header(REPLAYED), None);
    let again = keyed(&client, "another body", &fever()).expect(200);
    assert_eq!(again.json(), first.json(), "the conflict changed nothing");
}

#[test]
fn the_same_key_with_another_interview_is_a_conflict() {
    let client = clinic();
    let say = |interview: &str| {
        let client = client.with_header("X-Interview-Id", interview);
        keyed(&client, "another interview", &fever())
    };
    let (ours, theirs) = (new_uuid(), new_uuid());
    let first = say(&ours).expect(200);
    say(&theirs).expect_error(409, "IDEMPOTENCY_CONFLICT");
    keyed(&client, "another interview", &fever()).expect_error(409, "IDEMPOTENCY_CONFLICT");
    let again = say(&ours).expect(200);
    assert_eq!(again.required_header(REPLAYED), "true");
    assert_eq!(again.json(), first.json());
}

#[test]
fn without_the_header_every_call_is_separate() {
    let client = clinic();
    let ids: HashSet<String> = (0..3)
        .map(|_| client.post(ASSESS, &fever()).expect(200).json())
        .map(|body| body["assessment_id"].to_string())
        .collect();
    assert_eq!(ids.len(), 3);
}

#[test]
fn one_of_many_parallel_calls_is_recorded() {
    let client = pilot(&shared(), "one of sixteen", 2);
    let answers = at_once(16, |_| keyed(&client, "at once", &fever()));
    let mut ids = HashSet::new();
    for answer in &answers {
        if answer.status == 200 {
            ids.insert(answer.json()["assessment_id"].to_string());
        } else {
            let error = answer.expect_error(409, "IDEMPOTENCY_CONFLICT");
            assert_eq!(error["details"]["reason"], "still_running", "{answer}");
            assert!(answer.number("retry-after") >= 1);
        }
    }
    assert_eq!(ids.len(), 1, "{} were recorded", ids.len());
    keyed(&client, "at once", &fever()).expect(200);
    // One of two was billed, so one more is accepted.
    client.post(ASSESS, &cough()).expect(200);
    client
        .post(ASSESS, &cough())
        .expect_error(403, "QUOTA_EXCEEDED");
    let replayed = keyed(&client, "at once", &fever()).expect(200);
    assert_eq!(replayed.required_header(REPLAYED), "true");
}

#[test]
fn a_refused_call_does_not_store_the_key() {
    let client = clinic();
    let refused = keyed(&client, "refused first", &case(&[]));
    refused.expect_error(400, "VALIDATION_ERROR");
    let mended = keyed(&client, "refused first", &fever()).expect(200);
    assert_eq!(mended.header(REPLAYED), None, "{mended}");
}

#[test]
fn the_idempotency_key_is_scoped_to_the_api_key() {
    let server = shared();
    let client = pilot(&server, "holder", 5);
    let colleague = server.client().with_key(&server.new_key("holder").1);
    let stranger = pilot(&server, "other holder", 5);
    let first = keyed(&client, "1", &fever()).expect(200);
    for other in [&colleague, &stranger] {
        let answer = keyed(other, "1", &cough()).expect(200);
        assert_eq!(answer.header(REPLAYED), None, "{answer}");
    }
    let again = keyed(&client, "1", &fever()).expect(200);
    assert_eq!(again.json(), first.json());
}

#[test]
fn the_stored_answer_survives_a_crash_and_reaches_replicas() {
    let mut server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 1);
    let first = keyed(&client, "kept", &fever()).expect(200);
    let replica = server.replica();
    let there = keyed(&client.at(replica.address), "kept", &fever()).expect(200);
    assert_eq!(there.json(), first.json());
    server.kill();
    server.restart();
    let later = keyed(&client.at(server.address), "kept", &fever()).expect(200);
    assert_eq!(later.required_header(REPLAYED), "true");
    assert_eq!(later.json(), first.json());
}

#[test]
fn the_sandbox_stores_keys_separately() {
    let live = clinic();
    let sandbox = live.with_header("X-Service-Environment", "sandbox");
    let first = keyed(&sandbox, "apart", &fever()).expect(200);
    let again = keyed(&sandbox, "apart", &fever()).expect(200);
    assert_eq!(again.required_header(REPLAYED), "true");
    assert_eq!(again.json(), first.json());
    let real = keyed(&live, "apart", &fever()).expect(200);
    assert_ne!(real.json()["metadata"]["model_used"], json!("sandbox"));
}

/// A client that sends the nil UUID as the key for every patient would get the answer of the first
/// patient.
#[test]
fn a_nil_or_max_uuid_is_not_a_key() {
    for key in [
        "00000000-0000-0000-0000-000000000000",
        "ffffffffffffffffffffffffffffffff",
    ] {
        let answer = keyed(&clinic(), key, &fever());
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/headers/Idempotency-Key"]);
    }
}

#[test]
fn an_empty_or_overlong_key_is_refused() {
    let endless = "x".repeat(4000);
    for key in ["", &endless] {
        let answer = keyed(&clinic(), key, &fever());
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/headers/Idempotency-Key"]);
    }
}
