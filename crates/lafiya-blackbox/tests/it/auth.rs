//! Tests authentication: keys in every state, and suspended tenants. The endpoint used has no side
//! effects.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use lafiya_blackbox::{Answer, Client, Server, eventually, shared};

const KEYED: &str = "/v1/symptoms";

#[test]
fn keys_of_both_environments_are_accepted() {
    let server = shared();
    server.live().get(KEYED).expect(200);
    server.sandbox().get(KEYED).expect(200);
}

#[test]
fn the_bearer_scheme_is_case_insensitive() {
    let server = shared();
    let key = server.key_of_first_start("sk_live_");
    for scheme in ["bearer", "BEARER"] {
        let value = format!("{scheme} {key}");
        let client = server.client().with_header("Authorization", &value);
        client.get(KEYED).expect(200);
    }
}

#[test]
fn a_call_without_a_key_gets_401() {
    let answer = shared().client().get(KEYED);
    answer.expect_error(401, "INVALID_API_KEY");
}

#[test]
fn a_malformed_authorization_gets_401() {
    let server = shared();
    let key = server.key_of_first_start("sk_live_");
    let long = format!("Bearer sk_live_{}", "a".repeat(5000));
    let malformed = [
        "",
        "Bearer",
        "Bearer ",
        key,
        &format!("Basic {key}"),
        &format!("Bearer{key}"),
        &format!("Bearer {key} {key}"),
        "Bearer sk_live_",
        "Bearer sk_live_short",
        "Bearer sk_live_ümläute",
        &long,
    ];
    for value in malformed {
        let client = server.client().with_header("Authorization", value);
        let answer = client.get(KEYED);
        assert_eq!(answer.status, 401, "`{value:.60}` {answer}");
        answer.expect_error(401, "INVALID_API_KEY");
    }
}

#[test]
fn an_unknown_key_gets_401() {
    let server = shared();
    let unknown = changed_at_the_end(server.key_of_first_start("sk_live_"));
    let answer = server.client().with_key(&unknown).get(KEYED);
    answer.expect_error(401, "INVALID_API_KEY");
}

#[test]
fn a_known_secret_under_another_prefix_gets_401() {
    let server = shared();
    let live = server.key_of_first_start("sk_live_");
    for prefix in ["sk_test_", "sk_prod_", "SK_LIVE_", ""] {
        let key = live.replacen("sk_live_", prefix, 1);
        let answer = server.client().with_key(&key).get(KEYED);
        answer.expect_error(401, "INVALID_API_KEY");
    }
}

#[test]
fn two_authorization_headers_get_401() {
    let server = shared();
    let answer = server.live().with_key("sk_live_other").get(KEYED);
    answer.expect_error(401, "INVALID_API_KEY");
}

#[test]
fn a_key_in_the_query_is_not_accepted() {
    let server = shared();
    let key = server.key_of_first_start("sk_live_");
    let answer = server.client().get(&format!("{KEYED}?api_key={key}"));
    answer.expect_error(401, "INVALID_API_KEY");
}

#[test]
fn a_key_revoked_on_the_command_line_gets_401_within_a_second() {
    let server = Server::without_limits().start();
    let (id, key) = server.new_key("demo");
    let client = server.client().with_key(&key);
    client.get(KEYED).expect(200);
    let revoked = server.cli(&["key", "revoke", &id, "--json"]).json();
    assert!(revoked["revoked_at"].is_string(), "{revoked}");
    let refusal = refused_within_a_second(&client);
    refusal.expect_error(401, "INVALID_API_KEY");
}

#[test]
fn a_key_works_until_it_expires_and_not_after() {
    let server = Server::without_limits().start();
    let at = Timestamp::now() + SignedDuration::from_secs(3);
    let arguments = ["key", "create", "--tenant", "demo", "--environment", "live"];
    let expiry = at.to_string();
    let made = server
        .cli(&[&arguments[..], &["--expires-at", &expiry, "--json"]].concat())
        .json();
    let client = server
        .client()
        .with_key(made["key"].as_str().expect("a key"));
    let asked = Timestamp::now();
    let first = client.get(KEYED);
    assert!(
        first.status == 200 || asked + SignedDuration::from_secs(1) > at,
        "{first}"
    );
    let refusal = eventually("the key expires", Duration::from_secs(20), || {
        let asked = Timestamp::now();
        let answer = client.get(KEYED);
        assert!(
            answer.status != 200 || asked < at,
            "used after its end: {answer}"
        );
        (answer.status != 200).then_some(answer)
    });
    refusal.expect_error(401, "INVALID_API_KEY");
}

#[test]
fn a_suspended_tenant_gets_403_until_it_is_resumed() {
    let server = Server::without_limits().start();
    let client = server.live();
    client.get(KEYED).expect(200);
    server.cli(&["tenant", "suspend", "demo", "--json"]).json();
    let refusal = refused_within_a_second(&client);
    refusal.expect_error(403, "PERMISSION_DENIED");
    server.cli(&["tenant", "resume", "demo", "--json"]).json();
    eventually("the tenant may call again", Duration::from_secs(10), || {
        (client.get(KEYED).status == 200).then_some(())
    });
}

#[test]
fn a_suspension_does_not_affect_another_tenant() {
    let server = Server::without_limits().start();
    server
        .cli(&["tenant", "create", "clinic", "--tier", "pilot", "--json"])
        .json();
    let (_, key) = server.new_key("clinic");
    server.cli(&["tenant", "suspend", "demo", "--json"]).json();
    refused_within_a_second(&server.live());
    server.client().with_key(&key).get(KEYED).expect(200);
}

/// Repeats a request until the key is rejected; a request sent more than 1 s from now must be.
#[track_caller]
fn refused_within_a_second(client: &Client) -> Answer {
    let changed = Instant::now();
    loop {
        let sent = changed.elapsed();
        let answer = client.get(KEYED);
        if answer.status != 200 {
            return answer;
        }
        assert!(sent < Duration::from_secs(1), "still served after {sent:?}");
    }
}

fn changed_at_the_end(key: &str) -> String {
    let (front, last) = key.split_at(key.len() - 1);
    format!("{front}{}", if last == "a" { "b" } else { "a" })
}
