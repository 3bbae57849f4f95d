//! The log: one line per request that stands alone, and never a key, a body or free text.

use std::time::Duration;

use lafiya_blackbox::{Server, eventually};
use serde_json::{Value, json};

#[test]
fn no_key_no_body_and_no_free_text_reaches_the_log() {
    let server = Server::without_limits()
        .with("LAFIYA_LOG_LEVEL", "debug")
        .start();
    let (_, key) = server.new_key("demo");
    let client = server.client().with_key(&key);
    client.get("/v1/symptoms?query=quinine-marker").expect(200);
    client.get("/v1/conditions/c_path_marker").expect(404);
    let body = json!({"expires_at": "body-marker", "note": "note-marker"});
    client.post("/v1/keys/rotate", &body).expect(400);
    client
        .request("POST", "/v1/keys/rotate")
        .json_text("{\"broken-marker")
        .send()
        .expect(400);
    server
        .client()
        .with_key("sk_live_guess-marker")
        .get("/v1/symptoms")
        .expect(401);
    let agent = client.with_header("User-Agent", "agent-marker");
    agent
        .with_header("X-Request-Id", "id-marker")
        .get("/v1/symptoms")
        .expect(200);
    let rotated = client.post("/v1/keys/rotate", &json!({})).expect(201);
    let new_key = rotated.json()["key"].as_str().expect("a key").to_owned();
    let id = rotated.required_header("x-request-id");
    wait_for(&server, id);

    let log = server.log();
    for secret in [key.as_str(), new_key.as_str()] {
        assert!(!log.contains(secret), "a key stands in the log");
    }
    assert!(
        !log.contains("-marker"),
        "text of a client stands in the log:\n{log}"
    );
}

#[test]
fn every_request_leaves_a_line_with_its_id() {
    let server = Server::start();
    let answer = server.live().get("/v1/nowhere").expect(404);
    wait_for(&server, answer.required_header("x-request-id"));
}

#[test]
fn as_json_every_line_is_one_object() {
    let server = Server::with("LAFIYA_LOG_FORMAT", "json").start();
    let answer = server.live().get("/v1/symptoms").expect(200);
    wait_for(&server, answer.required_header("x-request-id"));
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.starts_with('{')).collect();
    assert!(lines.len() >= 2, "{log}");
    for line in lines {
        let event: Value = serde_json::from_str(line).expect("one JSON object");
        for field in ["timestamp", "level", "message"] {
            assert!(event[field].is_string(), "{field} is missing: {line}");
        }
    }
}

#[test]
fn commands_answer_on_stdout_and_log_on_stderr() {
    let server = Server::with("LAFIYA_LOG_LEVEL", "debug").start();
    let output = server.cli(&["key", "list", "--json"]);
    assert!(output.json().is_array(), "{output:?}");
}

#[track_caller]
fn wait_for(server: &Server, id: &str) {
    eventually("the request is logged", Duration::from_secs(10), || {
        server.log().contains(id).then_some(())
    });
}
