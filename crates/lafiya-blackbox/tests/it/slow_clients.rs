//! Tests clients that are slow, silent or too many. They are limited as documented, and nobody else
//! is affected.

use std::time::{Duration, Instant};

use lafiya_blackbox::{Connection, Server, at_once, eventually};

const SLOW: usize = 500;
const SERVED: usize = 500;
const AT_A_TIME: usize = 10;

#[test]
fn slow_connections_do_not_delay_the_other_connections() {
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

/// Returns a connection that sends nothing, one that stops in the head, or one that stops in the
/// body.
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
fn a_missing_request_head_ends_the_connection() {
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
fn a_missing_body_is_408() {
    let server = Server::with("LAFIYA_BODY_TIMEOUT_MS", "300").start();
    let mut connection = Connection::open(server.address).expect("a connection");
    let request = server.live().request("POST", "/v1/keys/rotate");
    let head = request.json_text(vec![b' '; 100]).head("close");
    connection.send(&head).expect("sent");
    let answer = connection.answer("half a body").expect("an answer");
    answer.expect_error(408, "REQUEST_TIMEOUT");
    server.live().get("/v1/symptoms").expect(200);
}

/// The largest file that is available without a key.
const LARGE_FILE: &str = "/docs/api/swagger-ui-bundle.js";

#[test]
fn clients_that_do_not_read_are_disconnected() {
    const CONNECTIONS: usize = 20;
    let server = Server::without_limits()
        .with("LAFIYA_CONNECTIONS_MAX", &CONNECTIONS.to_string())
        .with("LAFIYA_WRITE_TIMEOUT_MS", "5000")
        .start();
    let request = server.client().request("GET", LARGE_FILE);
    let pipelined = request.head("keep-alive").repeat(50);
    let mut held = Vec::new();
    eventually("the service is full", Duration::from_secs(30), || {
        let mut connection = Connection::open(server.address).ok()?;
        // A rejected connection may be closed before everything is sent.
        let _ = connection.send(&pipelined);
        held.push(connection);
        let answer = server.client().request("GET", "/v1/health").try_send();
        answer.ok().filter(|answer| answer.status == 503)
    });
    // While no connection is free, clients that do not read get a tenth of the timeout.
    let started = Instant::now();
    for round in 0..3 {
        eventually("others are served", Duration::from_secs(10), || {
            let request = server.live().request("GET", "/v1/symptoms?limit=1");
            let answer = request.try_send().ok()?;
            (answer.status == 200).then_some(())
        });
        if round == 0 {
            assert!(
                started.elapsed() < Duration::from_secs(5),
                "others waited {:?}",
                started.elapsed()
            );
        }
    }
}

#[test]
fn a_slow_reader_gets_the_whole_file() {
    let server = Server::with("LAFIYA_WRITE_TIMEOUT_MS", "1000").start();
    let request = server.client().request("GET", LARGE_FILE);
    let whole = request.send().expect(200);
    let mut connection = Connection::open(server.address).expect("a connection");
    connection.send(&request.head("close")).expect("sent");
    // Several times the timeout in total, but never that long without reading.
    let read = connection
        .read_slowly(whole.body.len() / 8, Duration::from_millis(400))
        .expect("everything");
    assert!(
        read > whole.body.len(),
        "{read} bytes of {}",
        whole.body.len()
    );
}

#[test]
fn connections_per_address_are_limited() {
    let server = Server::with("LAFIYA_CONNECTIONS_PER_ADDRESS_MAX", "5")
        .with("LAFIYA_CONNECTIONS_PER_ADDRESS_EXEMPT", "[]")
        .start();
    let mut held: Vec<Connection> = Vec::new();
    let refused = eventually("the address is full", Duration::from_secs(10), || {
        held.push(Connection::open(server.address).ok()?);
        let health = server.client().request("GET", "/v1/health");
        let answer = health.try_send().ok()?;
        (answer.status == 503).then_some(answer)
    });
    let error = refused.expect_error(503, "SERVICE_UNAVAILABLE");
    assert!(error.to_string().contains("your address"), "{error}");
    drop(held);
    eventually("a place comes free", Duration::from_secs(10), || {
        let health = server.client().request("GET", "/v1/health");
        (health.try_send().ok()?.status == 200).then_some(())
    });
}

#[test]
fn asset_requests_are_limited_per_address() {
    let server = Server::with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "1").start();
    let as_browser = server.client().with_header("Accept", "text/html");
    let mut answers = Vec::new();
    for _ in 0..21 {
        let path = "/assets/any/icon.svg";
        answers.push(as_browser.request("GET", path).send().status);
    }
    assert_eq!(answers[..20], [200; 20]);
    assert_eq!(answers[20], 429);
    // A page itself is still served.
    as_browser.get("/docs").expect(200);
}

#[test]
fn connections_beyond_the_limit_get_503_until_one_closes() {
    let server = Server::with("LAFIYA_CONNECTIONS_MAX", "5").start();
    // The connection of the test harness may still be closing.
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
