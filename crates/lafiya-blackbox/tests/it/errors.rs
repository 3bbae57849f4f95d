//! Tests errors: they have one envelope and leak nothing, and malformed requests affect nobody
//! else.

use lafiya_blackbox::{Answer, Connection, Request, Server, shared};
use serde_json::json;

const BODY_BYTES_MAX: usize = 256 * 1024;

/// A request to an endpoint that reads a JSON body; an invalid body has no effect.
fn rotate(server: &Server) -> Request {
    server.live().request("POST", "/v1/keys/rotate")
}

#[test]
fn every_unknown_path_is_404() {
    let server = shared();
    for path in [
        "/v1/nowhere",
        "/v1",
        "/v1/",
        "/v2/symptoms",
        "/nowhere",
        "/v1/symptoms/",
        "/v1/symptoms/extra",
        "/V1/symptoms",
        "/v1//symptoms",
        "/v1/%2e%2e/symptoms",
    ] {
        let answer = server.live().get(path);
        answer.expect_error(404, "RESOURCE_NOT_FOUND");
        let stranger = server.client().get(path);
        stranger.expect_error(404, "RESOURCE_NOT_FOUND");
    }
}

#[test]
fn invalid_utf8_in_a_path_is_404() {
    let server = shared();
    for (method, path) in [
        ("GET", "/v1/conditions/%ff"),
        ("GET", "/v1/conditions/%ff/education"),
        ("GET", "/v1/webhooks/%ff"),
        ("DELETE", "/v1/webhooks/%ff"),
        ("GET", "/v1/webhooks/%ff/deliveries"),
        ("GET", "/v1/fhir/CodeSystem/%ff"),
        ("GET", "/v1/fhir/%ff"),
    ] {
        let answer = server.live().request(method, path).send();
        answer.expect_error(404, "RESOURCE_NOT_FOUND");
    }
    let outcome = server
        .client()
        .request("GET", "/v1/fhir/CodeSystem/%ff")
        .header("Accept", "application/fhir+json")
        .send()
        .expect(404);
    assert_eq!(outcome.json()["resourceType"], "OperationOutcome");
}

#[test]
fn a_wrong_method_is_405_with_the_allowed_ones() {
    let server = shared();
    for (method, path, allowed) in [
        ("DELETE", "/v1/symptoms", "GET"),
        ("POST", "/v1/symptoms", "GET"),
        ("PUT", "/v1/health", "GET"),
        ("GET", "/v1/keys/rotate", "POST"),
        ("BREW", "/v1/symptoms", "GET"),
    ] {
        let answer = server.live().request(method, path).send();
        answer.expect_error(405, "METHOD_NOT_ALLOWED");
        let allow = answer.required_header("allow");
        assert!(allow.contains(allowed), "{answer}");
    }
}

#[test]
fn a_body_that_is_not_strict_json_is_400() {
    let server = Server::without_limits().start();
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_in_field = format!("{{\"x\": {deep}}}");
    let bodies: &[&[u8]] = &[
        b"{",
        b"{\"expires_at\": }",
        b"not json",
        b"{} {}",
        b"{\"a\": NaN}",
        b"{\"a\": 1e999}",
        b"{\"a\": 1, \"a\": 1}",
        b"{\"a\": {\"b\": 1, \"b\": 2}}",
        b"{\"a\": \"\xff\xfe\"}",
        b"{'a': 1}",
        b"{\"a\": \"\\ud800\"}",
        deep.as_bytes(),
        deep_in_field.as_bytes(),
    ];
    for body in bodies {
        let answer = rotate(&server).json_text(*body).send();
        answer.expect_error(400, "INVALID_REQUEST");
    }
    server.live().get("/v1/symptoms").expect(200);
}

#[test]
fn a_json_body_of_the_wrong_type_is_400() {
    let server = Server::without_limits().start();
    for body in [json!([]), json!("text"), json!(1), json!(true)] {
        let answer = rotate(&server).json(&body).send();
        answer.expect_error(400, "INVALID_REQUEST");
    }
}

#[test]
fn every_offending_field_is_named_by_its_pointer() {
    let server = Server::without_limits().start();
    let answer = rotate(&server).json(&json!({"expires_at": 12})).send();
    let error = answer.expect_error(400, "INVALID_REQUEST");
    assert_eq!(error["details"]["fields"][0]["pointer"], "/expires_at");
    let reason = &error["details"]["fields"][0]["reason"];
    assert!(
        reason.as_str().is_some_and(|text| !text.is_empty()),
        "{answer}"
    );
    let answer = server.live().get("/v1/symptoms?limit=51&offset=-1");
    let error = answer.expect_error(400, "INVALID_REQUEST");
    let fields = error["details"]["fields"].as_array().expect("a list");
    assert_eq!(fields.len(), 2, "{answer}");
}

#[test]
fn a_body_without_a_json_content_type_is_415() {
    let server = Server::without_limits().start();
    for kind in [
        "text/plain",
        "application/xml",
        "multipart/form-data",
        "json",
    ] {
        let answer = rotate(&server)
            .header("Content-Type", kind)
            .body("{}")
            .send();
        answer.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    let unannounced = rotate(&server).body("{}").send();
    unannounced.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
}

#[test]
fn a_compressed_body_is_415_with_a_reason() {
    let server = Server::without_limits().start();
    let answer = rotate(&server)
        .header("Content-Type", "application/json")
        .header("Content-Encoding", "gzip")
        .body("{}")
        .send();
    let error = answer.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("Content-Encoding"), "{answer}");
}

#[test]
fn content_type_parameters_are_ignored() {
    let server = Server::without_limits().start();
    let answer = rotate(&server)
        .header("Content-Type", "Application/JSON; charset=utf-8")
        .body("{}")
        .send();
    answer.expect(201);
}

#[test]
fn a_body_above_256_kib_is_413() {
    let server = Server::without_limits().start();
    let padded = |length: usize| {
        let frame = "{\"padding\": \"\"}".len();
        format!("{{\"padding\": \"{}\"}}", "x".repeat(length - frame))
    };
    let answer = rotate(&server).json_text(padded(BODY_BYTES_MAX + 1)).send();
    answer.expect_error(413, "PAYLOAD_TOO_LARGE");
    rotate(&server)
        .json_text(padded(BODY_BYTES_MAX))
        .send()
        .expect(201);
}

#[test]
fn an_endless_chunked_body_is_413() {
    let server = Server::without_limits().start();
    let mut connection = Connection::open(server.address).expect("a connection");
    let head = rotate(&server)
        .header("Content-Type", "application/json")
        .header("Transfer-Encoding", "chunked")
        .head("close");
    connection.send(&head).expect("the head is taken");
    let chunk = format!("{:x}\r\n{}\r\n", 16 * 1024, "x".repeat(16 * 1024));
    for _ in 0..40 {
        if connection.send(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let _ = connection.send(b"0\r\n\r\n");
    let answer = connection.answer("POST in chunks").expect("an answer");
    answer.expect_error(413, "PAYLOAD_TOO_LARGE");
}

#[test]
fn an_unknown_environment_is_400_and_named() {
    let client = shared().live();
    for value in ["staging", "", "Sandbox", "production,sandbox"] {
        let answer = client
            .with_header("X-Service-Environment", value)
            .get("/v1/symptoms");
        let error = answer.expect_error(400, "INVALID_REQUEST");
        let pointer = &error["details"]["fields"][0]["pointer"];
        assert_eq!(pointer, "/headers/X-Service-Environment");
    }
    for value in ["sandbox", "production"] {
        client
            .with_header("X-Service-Environment", value)
            .get("/v1/symptoms")
            .expect(200);
    }
}

#[test]
fn no_error_reveals_internals() {
    let server = Server::without_limits().start();
    let live = server.live();
    let hostile = [
        "/v1/conditions/'; drop table tenants; --",
        "/v1/conditions/%27%20or%201=1",
        "/v1/conditions/..%2f..%2fetc%2fpasswd",
        "/v1/conditions/%00",
        "/v1/conditions/%ff%fe",
        "/v1/symptoms?query=%ff",
        "/v1/symptoms?limit=99999999999999999999",
        "/v1/symptoms?category=%27%22%3Cscript%3E",
        "/docs/..%2f..%2fetc/passwd",
    ];
    for path in hostile {
        let path = path.replace(' ', "%20");
        check_discretion(&live.get(&path));
    }
    check_discretion(&rotate(&server).json_text("{\"a\": <script>").send());
    check_discretion(&live.delete("/v1/symptoms"));
}

#[track_caller]
fn check_discretion(answer: &Answer) {
    assert!(answer.status < 500, "{answer}");
    let text = answer.text().to_lowercase();
    for word in [
        "sqlite", "postgres", "select ", "panicked", ".rs", "/src/", "root:", "stack", "<script>",
    ] {
        assert!(!text.contains(word), "the answer says `{word}`: {answer}");
    }
}

#[test]
fn non_http_input_is_dropped_or_400_without_affecting_others() {
    let server = shared();
    let garbage: &[&[u8]] = &[
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /v1/symptoms HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v1/keys/rotate HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/keys/rotate HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"GET /v1/symptoms HTTP/1.1\r\nBad Header: x\r\n\r\n",
    ];
    for bytes in garbage {
        let mut connection = Connection::open(server.address).expect("a connection");
        connection
            .set_patience(std::time::Duration::from_millis(500))
            .expect("a time-out");
        let _ = connection.send(bytes);
        if let Ok(answer) = connection.answer("garbage") {
            assert!((400..500).contains(&answer.status), "{answer}");
        }
        server.live().get("/v1/symptoms").expect(200);
    }
}

#[test]
fn an_oversized_request_head_is_refused() {
    let server = shared();
    let huge = "x".repeat(200 * 1024);
    let request = server
        .live()
        .request("GET", "/v1/symptoms")
        .header("X-Huge", &huge);
    if let Ok(answer) = request.try_send() {
        assert!((400..500).contains(&answer.status), "{answer}");
    }
    let long_path = format!("/v1/conditions/{}", "x".repeat(60 * 1024));
    if let Ok(answer) = server.live().request("GET", &long_path).try_send() {
        assert!((400..500).contains(&answer.status), "{answer}");
    }
    server.live().get("/v1/symptoms").expect(200);
}
