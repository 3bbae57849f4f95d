//! Tests `POST /keys/rotate`, and its effect on other replicas.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use lafiya_blackbox::{Answer, Server, at_once, eventually};
use serde_json::{Value, json};

const KEYED: &str = "/v1/symptoms";
const ROTATE: &str = "/v1/keys/rotate";

#[track_caller]
fn key_of(rotated: &Answer) -> String {
    rotated.json()["key"].as_str().expect("a key").to_owned()
}

#[test]
fn rotating_gives_a_new_key_with_every_documented_field() {
    let server = Server::start();
    let rotated = server.live().request("POST", ROTATE).send().expect(201);
    let body = rotated.json();
    let key = key_of(&rotated);
    assert!(
        key.starts_with("sk_live_") && key.len() > "sk_live_".len() + 40,
        "{rotated}"
    );
    assert_eq!(body["prefix"], "sk_live_");
    assert_eq!(body["environment"], "live");
    assert_eq!(body["expires_at"], Value::Null);
    assert!(body["id"].is_string(), "{rotated}");
    assert_ne!(body["id"], body["rotated_from"]);
    assert!(body["rotated_from"].is_string(), "{rotated}");
    let created = body["created_at"].as_str().expect("a time");
    created.parse::<Timestamp>().expect("an RFC 3339 time");
}

#[test]
fn rotation_replaces_the_key_at_once() {
    let server = Server::start();
    let old = server.live();
    old.get(KEYED).expect(200);
    let key = key_of(&old.post(ROTATE, &json!({})).expect(201));
    old.get(KEYED).expect_error(401, "INVALID_API_KEY");
    old.post(ROTATE, &json!({}))
        .expect_error(401, "INVALID_API_KEY");
    server.client().with_key(&key).get(KEYED).expect(200);
}

#[test]
fn a_sandbox_key_is_replaced_by_a_sandbox_key() {
    let server = Server::start();
    let rotated = server.sandbox().post(ROTATE, &json!({})).expect(201);
    assert!(key_of(&rotated).starts_with("sk_test_"), "{rotated}");
    assert_eq!(rotated.json()["environment"], "test");
    // The tenant's other key stays valid.
    server.live().get(KEYED).expect(200);
}

#[test]
fn the_new_key_expires_at_the_requested_time() {
    let server = Server::without_limits().start();
    let at = Timestamp::now() + SignedDuration::from_secs(3);
    let rotated = server
        .live()
        .post(ROTATE, &json!({"expires_at": at.to_string()}))
        .expect(201);
    let shown = rotated.json()["expires_at"].as_str().map(str::to_owned);
    let shown: Timestamp = shown.expect("a time").parse().expect("an RFC 3339 time");
    assert!(shown.duration_since(at).abs() < SignedDuration::from_secs(1));
    let client = server.client().with_key(&key_of(&rotated));
    eventually("the new key expires", Duration::from_secs(20), || {
        (client.get(KEYED).status == 401).then_some(())
    });
    assert!(Timestamp::now() >= shown, "the key ended before its time");
}

#[test]
fn an_invalid_expiry_is_400_and_nothing_is_rotated() {
    let server = Server::start();
    for expires_at in [
        json!("2020-01-01T00:00:00Z"),
        json!("soon"),
        json!(5),
        json!(""),
    ] {
        let answer = server
            .live()
            .post(ROTATE, &json!({"expires_at": expires_at}));
        let error = answer.expect_error(400, "INVALID_REQUEST");
        assert_eq!(error["details"]["fields"][0]["pointer"], "/expires_at");
    }
    server.live().get(KEYED).expect(200);
}

/// Creates a live key of the demo tenant that expires at `expires_at`.
fn expiring_key(server: &Server, expires_at: &str) -> String {
    let words = ["key", "create", "--tenant", "demo", "--environment", "live"];
    let made = server.cli(&[&words[..], &["--expires-at", expires_at, "--json"]].concat());
    made.json()["key"].as_str().expect("a key").to_owned()
}

/// A holder of an expiring key must not be able to create one that expires later.
#[test]
fn the_new_key_never_outlives_the_old_one() {
    let server = Server::without_limits().start();
    let ends = "2099-01-31T12:00:00Z";
    let moment = |shown: &Value| -> Timestamp {
        let text = shown.as_str().expect("a time");
        text.parse().expect("an RFC 3339 time")
    };
    let end: Timestamp = ends.parse().unwrap();
    let mut client = server.client().with_key(&expiring_key(&server, ends));
    for later in ["2099-01-31T12:00:01Z", "2199-01-01T00:00:00Z"] {
        let answer = client.post(ROTATE, &json!({"expires_at": later}));
        let error = answer.expect_error(400, "INVALID_REQUEST");
        assert_eq!(error["details"]["fields"][0]["pointer"], "/expires_at");
        client.get(KEYED).expect(200);
    }
    let empty = client.request("POST", ROTATE).send().expect(201);
    assert_eq!(moment(&empty.json()["expires_at"]), end);
    client = server.client().with_key(&key_of(&empty));
    for body in [
        json!({}),
        json!({"expires_at": null}),
        json!({"expires_at": ends}),
    ] {
        let rotated = client.post(ROTATE, &body).expect(201);
        assert_eq!(moment(&rotated.json()["expires_at"]), end, "{body}");
        client = server.client().with_key(&key_of(&rotated));
    }
    let sooner = json!({"expires_at": "2098-01-01T00:00:00Z"});
    let rotated = client.post(ROTATE, &sooner).expect(201);
    assert!(moment(&rotated.json()["expires_at"]) < end);
    client = server.client().with_key(&key_of(&rotated));
    let back = client.post(ROTATE, &json!({"expires_at": ends}));
    back.expect_error(400, "INVALID_REQUEST");
}

#[test]
fn the_command_line_may_choose_the_expiry_of_the_new_key() {
    let server = Server::start();
    let words = ["key", "create", "--tenant", "demo", "--environment", "live"];
    let made = server.cli(&[&words[..], &["--expires-at", "2099-01-31", "--json"]].concat());
    let made = made.json();
    let rotate = |id: &Value, more: &[&str]| {
        let id = id.as_str().expect("an id");
        server
            .cli(&[&["key", "rotate", id, "--json"], more].concat())
            .json()
    };
    let kept = rotate(&made["id"], &[]);
    assert_eq!(kept["expires_at"], made["expires_at"]);
    let later = rotate(&kept["id"], &["--expires-at", "2199-01-01T00:00:00Z"]);
    assert_eq!(later["expires_at"], "2199-01-01T00:00:00Z");
    let never = rotate(&later["id"], &["--never-expires"]);
    assert_eq!(never["expires_at"], Value::Null);
}

#[test]
fn one_of_twenty_concurrent_rotations_succeeds() {
    let server = Server::start();
    let client = server.live();
    let answers = at_once(20, |_| client.post(ROTATE, &json!({})));
    let made: Vec<&Answer> = answers
        .iter()
        .filter(|answer| answer.status == 201)
        .collect();
    assert_eq!(made.len(), 1, "{} keys were made", made.len());
    for answer in &answers {
        assert!(matches!(answer.status, 201 | 401 | 409), "{answer}");
    }
    server
        .client()
        .with_key(&key_of(made[0]))
        .get(KEYED)
        .expect(200);
    client.get(KEYED).expect(401);
    let listed = server
        .cli(&["key", "list", "--tenant", "demo", "--json"])
        .json();
    let active = listed.as_array().expect("a list").iter();
    let active = active.filter(|key| key["revoked_at"].is_null()).count();
    assert_eq!(active, 2, "one live and one test key: {listed}");
}

#[test]
fn a_rotated_key_ends_on_other_replicas_within_a_second() {
    let server = Server::without_limits().start();
    let replica = server.replica();
    let there = server.live().at(replica.address);
    there.get(KEYED).expect(200);
    let key = key_of(&server.live().post(ROTATE, &json!({})).expect(201));
    let rotated = Instant::now();
    loop {
        let sent = rotated.elapsed();
        let answer = there.get(KEYED);
        if answer.status != 200 {
            answer.expect_error(401, "INVALID_API_KEY");
            break;
        }
        assert!(sent < Duration::from_secs(1), "still served after {sent:?}");
    }
    let client = replica.client().with_key(&key);
    client.get(KEYED).expect(200);
}

#[test]
fn keys_survive_a_crash_and_restart() {
    let mut server = Server::start();
    let key = key_of(&server.live().post(ROTATE, &json!({})).expect(201));
    server.kill();
    server.restart();
    server.client().with_key(&key).get(KEYED).expect(200);
    server
        .live()
        .get(KEYED)
        .expect_error(401, "INVALID_API_KEY");
}

#[test]
fn the_use_of_a_key_is_counted_and_shown() {
    let server = Server::without_limits().start();
    let (id, key) = server.new_key("demo");
    let client = server.client().with_key(&key);
    for _ in 0..7 {
        client.get(KEYED).expect(200);
    }
    eventually("the calls are counted", Duration::from_secs(20), || {
        let listed = server.cli(&["key", "list", "--json"]).json();
        let keys = listed.as_array().expect("a list");
        let mine = keys.iter().find(|key| key["id"] == id.as_str())?;
        (mine["requests"] == 7 && mine["last_used_at"].is_string()).then_some(())
    });
}
