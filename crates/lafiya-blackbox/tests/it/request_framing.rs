//! Tests request smuggling: heads that a proxy and the service could interpret differently, sent
//! over a raw socket. They are rejected, and nothing that follows on the same connection is treated
//! as a request.

use std::time::{Duration, Instant};

use lafiya_blackbox::{Answer, Connection, shared};

/// A complete request, which must not be answered after an ambiguous one.
const SMUGGLED: &str = "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n";

fn open() -> Connection {
    Connection::open(shared().address).expect("a connection")
}

/// Sends the bytes and a second request after them. Returns the answer to the first.
#[track_caller]
fn refused(bytes: &str) -> Option<Answer> {
    let mut connection = open();
    let _ = connection.send(format!("{bytes}{SMUGGLED}").as_bytes());
    let answer = connection.answer(bytes).ok();
    if let Some(answer) = &answer {
        assert_eq!(answer.status, 400, "{bytes:?}: {answer}");
    }
    assert!(
        connection.is_closed(),
        "{bytes:?}: the next one is answered"
    );
    answer
}

fn post(headers: &str, body: &str) -> String {
    let service = shared();
    let key = service.key_of_first_start("sk_test_");
    format!(
        "POST /v1/parse HTTP/1.1\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\n{headers}\r\n{body}"
    )
}

#[test]
fn only_plain_chunked_encoding_is_accepted() {
    let chunks = "0\r\n\r\n";
    for coding in [
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    ] {
        let answer = refused(&post(&format!("Host: x\r\n{coding}"), chunks));
        let answer = answer.unwrap_or_else(|| panic!("{coding:?} got no answer"));
        answer.expect_error(400, "INVALID_REQUEST");
    }
    // The parser itself closes these connections, with or without an answer.
    for coding in ["gzip", "identity", "chunked, gzip", "xchunked"] {
        refused(&post(
            &format!("Host: x\r\nTransfer-Encoding: {coding}\r\n"),
            "",
        ));
    }
}

#[test]
fn exactly_one_valid_host_is_required() {
    for headers in [
        "",
        "Host: a\r\nHost: a\r\n",
        "Host: a\r\nHost: b\r\n",
        "Host: a/b\r\n",
    ] {
        let answer = refused(&format!("GET /v1/health HTTP/1.1\r\n{headers}\r\n"));
        let answer = answer.unwrap_or_else(|| panic!("{headers:?} got no answer"));
        answer.expect_error(400, "INVALID_REQUEST");
    }
    let mut connection = open();
    let old = b"GET /v1/health HTTP/1.0\r\n\r\n";
    connection.send(old).expect("sent");
    connection
        .answer("HTTP/1.0")
        .expect("an answer")
        .expect(200);
}

#[test]
fn contradictory_lengths_end_the_connection() {
    let body = "{\"text\": \"fever\"}";
    let length = body.len();
    for headers in [
        format!("Content-Length: {length}\r\nContent-Length: 0\r\n"),
        format!("Content-Length: 0\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: {length}, 0\r\n"),
        format!("Content-Length: +{length}\r\n"),
        "Content-Length: 0x10\r\n".to_owned(),
        "Content-Length : 3\r\n".to_owned(),
        format!("Content-Length:\r\n {length}\r\n"),
        format!("X-Folded: a\r\n b\r\nContent-Length: {length}\r\n"),
    ] {
        refused(&post(&format!("Host: x\r\n{headers}"), body));
    }
}

/// With both a length and chunks, the chunks count, as in the HTTP standard, and nothing after them
/// is read.
#[test]
fn a_length_with_chunks_does_not_smuggle_a_second_request() {
    let body = "{\"text\": \"fever\"}";
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for headers in [
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
    ] {
        let mut connection = open();
        let bytes = post(&format!("Host: x\r\n{headers}"), &chunks);
        let sent = connection.send(format!("{bytes}{SMUGGLED}").as_bytes());
        sent.expect("sent");
        let answer = connection.answer("both").expect("an answer");
        assert!([200, 400].contains(&answer.status), "{answer}");
        assert!(
            connection.is_closed(),
            "{headers:?}: the next one is answered"
        );
    }
}

#[test]
fn an_oversized_content_length_is_refused_before_the_body() {
    for bytes in [300 * 1024, 10 * 1024 * 1024, 1_u64 << 40] {
        let mut connection = open();
        let head = post(&format!("Host: x\r\nContent-Length: {bytes}\r\n"), "");
        connection.send(head.as_bytes()).expect("sent");
        let started = Instant::now();
        let answer = connection.answer("too large").expect("an answer");
        answer.expect_error(413, "PAYLOAD_TOO_LARGE");
        assert!(started.elapsed() < Duration::from_secs(5), "it waited");
    }
}

#[test]
fn a_client_that_sends_too_much_still_gets_the_answer() {
    for bytes in [300 * 1024, 10 * 1024 * 1024] {
        let request = shared().sandbox().request("POST", "/v1/parse");
        let answer = request.json_text(vec![b' '; bytes]).send();
        answer.expect_error(413, "PAYLOAD_TOO_LARGE");
    }
}
