//! Clients that are slow, silent or too many. They get what the bounds say, and nobody else notices.

use std::time::{Duration, Instant};

use lafiya_blackbox::{Connection, Server, at_once, eventually};

const SLOW: usize = 500;
const SERVED: usize = 500;
const AT_A_TIME: usize = 10;

#[test]
fn among_1000_connections_of_which_half_are_slow_the_others_are_served_within_a_second() {
    let server = Server::without_limits().start();
    let _slow: Vec<Connection> = (0..SLOW)
        .map(|number| slow_connection(&server, number))
        .collect();
    let request = server.live().request("GET", "/v1/symptoms?limit=1");
    let rounds = at_once(AT_A_TIME, |_| {
        let mut open = Vec::new();
        let mut slowest = Duration::ZERO;
        for _ in 0..SERVED / AT_A_TIME {
            let started = Instant::now();
            let mut connection = Connection::open(server.address).expect("a connection");
            connection.send(&request.head("keep-alive")).expect("sent");
            connection.answer("GET").expect("an answer").expect(200);
            slowest = slowest.max(started.elapsed());
            open.push(connection);
        }
        (slowest, open)
    });
    let slowest = rounds.iter().map(|(slowest, _)| *slowest).max();
    let slowest = slowest.expect("some rounds");
    assert!(
        slowest < Duration::from_secs(1),
        "the slowest took {slowest:?}"
    );
}

/// One that says nothing, one that stops in the head, or one that stops in the body.
fn slow_connection(server: &Server, number: usize) -> Connection {
    let mut connection = Connection::open(server.address).expect("a connection");
    let request = server.live().request("POST", "/v1/keys/rotate");
    let bytes = match number % 3 {
        0 => Vec::new(),
        1 => b"GET /v1/symptoms HTTP/1.1\r\nHost: x\r\nX-Slow: ".to_vec(),
        _ => request.json_text(vec![b' '; 100]).head("keep-alive"),
    };
    connection.send(&bytes).expect("sent");
    connection
}

#[test]
fn a_head_that_does_not_come_ends_the_connection() {
    let server = Server::with("LAFIYA_HEADER_TIMEOUT_MS", "300").start();
    let mut connection = Connection::open(server.address).expect("a connection");
    connection
        .send(b"GET /v1/health HTTP/1.1\r\nX-Slow")
        .expect("sent");
    let started = Instant::now();
    if let Ok(answer) = connection.answer("half a head") {
        assert!((400..500).contains(&answer.status), "{answer}");
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "the connection was kept"
    );
}

#[test]
fn a_body_that_does_not_come_is_408() {
    let server = Server::with("LAFIYA_BODY_TIMEOUT_MS", "300").start();
    let mut connection = Connection::open(server.address).expect("a connection");
    let request = server.live().request("POST", "/v1/keys/rotate");
    let head = request.json_text(vec![b' '; 100]).head("close");
    connection.send(&head).expect("sent");
    let answer = connection.answer("half a body").expect("an answer");
    answer.expect_error(408, "REQUEST_TIMEOUT");
    server.live().get("/v1/symptoms").expect(200);
}

#[test]
fn connections_beyond_the_bound_get_503_and_a_place_comes_free_again() {
    let server = Server::with("LAFIYA_CONNECTIONS_MAX", "5").start();
    // The connection of the harness may still be closing.
    let mut held: Vec<Connection> = Vec::new();
    let refused = eventually("the service is full", Duration::from_secs(10), || {
        held.push(Connection::open(server.address).ok()?);
        let answer = server
            .client()
            .request("GET", "/v1/health")
            .try_send()
            .ok()?;
        (answer.status == 503).then_some(answer)
    });
    refused.expect_error(503, "SERVICE_UNAVAILABLE");
    assert!(refused.number("retry-after") >= 1);
    drop(held);
    eventually("a place comes free", Duration::from_secs(10), || {
        let answer = server
            .client()
            .request("GET", "/v1/health")
            .try_send()
            .ok()?;
        (answer.status == 200).then_some(())
    });
}
