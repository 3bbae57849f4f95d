//! Tests SIGTERM: running requests are answered, idle connections are closed, and the process exits
//! properly.

use std::time::{Duration, Instant};

use lafiya_blackbox::{Connection, Server, eventually};

const RUNNING: usize = 20;
const BODY: &[u8] = b"{\"expires_at\": 1}";

#[test]
fn requests_in_flight_at_sigterm_are_answered() {
    let mut server = Server::without_limits().start();
    let mut running: Vec<Connection> = (0..RUNNING)
        .map(|_| request_without_its_body(&server))
        .collect();
    server.ask_to_stop();
    eventually(
        "no new connections are taken",
        Duration::from_secs(10),
        || Connection::open(server.address).is_err().then_some(()),
    );
    for connection in &mut running {
        connection.send(BODY).expect("the connection is still open");
        let answer = connection.answer("POST").expect("an answer");
        answer.expect_error(400, "INVALID_REQUEST");
    }
    assert!(server.wait().success(), "an orderly end");
}

/// Returns a connection with a request in progress: the service has asked for the body.
fn request_without_its_body(server: &Server) -> Connection {
    let mut connection = Connection::open(server.address).expect("a connection");
    let request = server.live().request("POST", "/v1/keys/rotate");
    let head = request
        .header("Expect", "100-continue")
        .json_text(BODY)
        .head("keep-alive");
    connection.send(&head).expect("sent");
    let go_on = connection.answer("POST").expect("an interim answer");
    assert_eq!(go_on.status, 100, "{go_on}");
    connection
}

#[test]
fn idle_connections_do_not_delay_shutdown() {
    let mut server = Server::start();
    let mut idle = Vec::new();
    for _ in 0..10 {
        let mut connection = Connection::open(server.address).expect("a connection");
        let request = server.live().request("GET", "/v1/symptoms");
        connection.send(&request.head("keep-alive")).expect("sent");
        connection.answer("GET").expect("an answer").expect(200);
        idle.push(connection);
    }
    let asked = Instant::now();
    assert!(server.terminate().success(), "an orderly end");
    assert!(
        asked.elapsed() < Duration::from_secs(10),
        "{:?}",
        asked.elapsed()
    );
}

#[test]
fn an_endless_request_is_aborted_after_the_grace_period() {
    let mut server = Server::with("LAFIYA_SHUTDOWN_GRACE_MS", "500").start();
    let _stuck = request_without_its_body(&server);
    let asked = Instant::now();
    assert!(server.terminate().success(), "an orderly end");
    let took = asked.elapsed();
    assert!(
        took >= Duration::from_millis(400),
        "no grace at all: {took:?}"
    );
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn acknowledged_changes_survive_a_crash() {
    let mut server = Server::start();
    let rotated = server
        .live()
        .request("POST", "/v1/keys/rotate")
        .send()
        .expect(201);
    let key = rotated.json()["key"].as_str().expect("a key").to_owned();
    server.kill();
    server.restart();
    server
        .client()
        .with_key(&key)
        .get("/v1/symptoms")
        .expect(200);
}
