//! Tests the operator's listener: off by default, separate from the API, and without patient data.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use lafiya_blackbox::{Client, Server, eventually, shared};

fn free_address() -> SocketAddr {
    let probe = TcpListener::bind("127.0.0.1:0").expect("a free port");
    probe.local_addr().expect("an address")
}

fn with_operator() -> (Server, Client) {
    let address = free_address();
    let server = Server::with("LAFIYA_ADMIN_LISTEN", &address.to_string()).start();
    let operator = Client::new(address);
    eventually(
        "the operator's listener is up",
        Duration::from_secs(10),
        || operator.request("GET", "/livez").try_send().ok(),
    );
    (server, operator)
}

#[test]
fn the_api_listener_serves_no_metrics() {
    let server = shared();
    for path in ["/metrics", "/v1/metrics", "/livez", "/readyz"] {
        server.client().get(path).expect(404);
    }
}

#[test]
fn the_operator_listener_serves_prometheus_metrics() {
    let (server, operator) = with_operator();
    for _ in 0..3 {
        server.live().get("/v1/symptoms").expect(200);
    }
    let answer = operator.get("/metrics").expect(200);
    let kind = answer.required_header("content-type");
    assert!(kind.starts_with("text/plain"), "{kind}");
    let text = answer.text();
    let counted = text.lines().find(|line| {
        line.contains("_requests_total{") && line.contains("/v1/symptoms") && line.contains("200")
    });
    let counted = counted.unwrap_or_else(|| panic!("no count of /v1/symptoms:\n{text}"));
    assert!(counted.ends_with(" 3"), "{counted}");
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let value = line.rsplit(' ').next().unwrap_or_default();
        assert!(value.parse::<f64>().is_ok(), "not a sample: {line}");
    }
}

#[test]
fn unknown_paths_do_not_become_labels() {
    let (server, operator) = with_operator();
    server.client().get("/v1/invented-by-a-client").expect(404);
    server.live().get("/v1/conditions/c_invented").expect(404);
    let text = operator.get("/metrics").expect(200).text();
    assert!(!text.contains("invented"), "{text}");
}

#[test]
fn a_running_service_is_live_and_ready() {
    let (_server, operator) = with_operator();
    operator.get("/livez").expect(200);
    operator.get("/readyz").expect(200);
}
