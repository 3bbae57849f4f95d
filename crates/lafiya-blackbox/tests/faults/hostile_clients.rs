//! Hostile clients: one hundred at once send what no client should, while others are served.

use std::process::Command;

use lafiya_blackbox::{Client, Connection, Server, at_once};

use crate::fleet::Fleet;
use crate::load::body;
use crate::record::Record;

const HOSTILE: usize = 100;

/// Runs one hundred misbehaving clients at once. Asserts that each gets the right response and that
/// the load continues without a single rejection.
#[track_caller]
fn check(
    (test, fault, done): (&str, &'static str, &'static str),
    misbehave: impl Fn(&Server, &Client) + Sync,
) {
    let fleet = Fleet::alone(Server::without_limits());
    let load = fleet.load();
    let in_flight = load.in_flight();
    at_once(HOSTILE, |_| misbehave(&fleet.replicas[0], &fleet.client));
    let recovered_after = fleet.until_recovered();
    let outcome = fleet.settle(load);
    assert_eq!(outcome.repeated, 0, "{fault}: an innocent call was refused");
    Record {
        group: "7 Hostile clients",
        fault,
        done,
        in_flight,
        truthful_after: None,
        recovered_after,
        outcome,
    }
    .settle(test);
}

#[track_caller]
fn refused(client: &Client, content: (&str, &str), sent: &[u8], status: &[u16]) {
    let request = client.request("POST", "/v1/assess");
    let request = request.header(content.0, content.1).body(sent);
    let answer = request.header("X-Sent", "hostile").send();
    assert!(status.contains(&answer.status), "{answer}");
}

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn slow_loris() {
    let words = (
        "hostile_clients::slow_loris",
        "slow-loris",
        "100 connections that send half a head, or half a body, and wait",
    );
    check(words, |server, client| {
        let mut half = Connection::open(server.address).expect("a connection");
        half.send(b"POST /v1/assess HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            .expect("sent");
        let mut unfinished = Connection::open(server.address).expect("a connection");
        let request = client.request("POST", "/v1/assess").json(&body());
        unfinished.send(&request.head("close")).expect("sent");
        // Both are kept open until the others have been served.
        std::mem::forget((half, unfinished));
    });
}

#[test]
fn huge_headers() {
    let words = (
        "hostile_clients::huge_headers",
        "huge headers",
        "100 requests with a megabyte of headers: refused, the connection closed",
    );
    check(words, |server, _| {
        let mut connection = Connection::open(server.address).expect("a connection");
        let _ = connection.send(b"GET /v1/health HTTP/1.1\r\nHost: x\r\n");
        let line = format!("X-Filler: {}\r\n", "a".repeat(8_000));
        for _ in 0..128 {
            if connection.send(line.as_bytes()).is_err() {
                return;
            }
        }
        if let Ok(answer) = connection.answer("huge headers") {
            assert_eq!(answer.status, 431, "{answer}");
        }
    });
}

#[test]
fn deep_json() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let nested = format!("{{\"patient\":{deep}}}");
    let words = (
        "hostile_clients::deep_json",
        "JSON 10,000 deep",
        "100 bodies nested 10,000 deep: 400",
    );
    check(words, |_, client| {
        refused(client, JSON, deep.as_bytes(), &[400]);
        refused(client, JSON, nested.as_bytes(), &[400]);
    });
}

#[test]
fn invalid_utf8() {
    let words = (
        "hostile_clients::invalid_utf8",
        "invalid UTF-8",
        "100 bodies with bytes that are no text: 400",
    );
    check(words, |_, client| {
        refused(client, JSON, b"{\"patient\": \"\xff\xfe\xc0\"}", &[400]);
        refused(client, JSON, &[0x80; 4_096], &[400]);
    });
}

#[test]
fn compressed_bombs() {
    let packed = Command::new("sh")
        .args(["-c", "head -c 100000000 /dev/zero | gzip --fast"])
        .output();
    let bomb = packed.expect("gzip can be started").stdout;
    assert!(bomb.len() > 10_000, "{} bytes", bomb.len());
    // The part of it that the service reads at most.
    let bomb = &bomb[..bomb.len().min(200_000)];
    let words = (
        "hostile_clients::compressed_bombs",
        "compressed bombs",
        "100 bodies announced as gzip that would grow a thousandfold: nothing is unpacked, 4xx",
    );
    check(words, |_, client| {
        let client = client.with_header("Content-Encoding", "gzip");
        refused(&client, JSON, bomb, &[400, 415]);
    });
}
