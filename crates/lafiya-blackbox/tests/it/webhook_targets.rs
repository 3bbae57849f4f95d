//! Tests the allowed webhook targets: the public internet over https, and no internal addresses.

use std::net::TcpListener;
use std::time::Duration;

use lafiya_blackbox::{Receiver, Server, eventually, shared};
use serde_json::json;

use crate::requests::{named, pilot};
use crate::webhooks::{WEBHOOKS, register, telling};

const EVENTS: [&str; 1] = ["assessment.completed"];

#[test]
fn only_public_https_addresses_can_be_registered() {
    let client = pilot(&shared(), "targets", 5);
    for url in [
        "http://example.org/hooks",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "//example.org",
        "example.org",
        "",
        "https://",
        "https://user:pass@example.org/",
        "https://example.org/#part",
        "https://example.org:0/hooks",
        "https://localhost/",
        "https://localhost:8080/",
        "https://sub.localhost/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0.0.0.0/",
        "https://10.0.0.1/",
        "https://172.16.0.1/",
        "https://192.168.0.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://metadata.google.internal/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fc00::1]/",
        "https://[fd00:ec2::254]/",
        "https://[ff02::1]/",
    ] {
        let body = json!({"url": url, "events": EVENTS});
        let answer = client.post(WEBHOOKS, &body);
        assert_eq!(named(&answer, 400, "INVALID_REQUEST"), ["/url"], "{url}");
    }
    assert_eq!(client.get(WEBHOOKS).expect(200).json(), json!([]));
    for url in [
        "https://example.org",
        "https://example.org:8443/hooks?tenant=1",
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]/",
    ] {
        register(&client, url, &EVENTS);
    }
}

#[test]
fn developers_may_use_localhost_but_not_the_metadata_service() {
    let client = pilot(&telling(), "targets of a developer", 5);
    register(&client, "http://localhost:9/hooks", &EVENTS);
    register(&client, "http://127.0.0.1:9/hooks", &EVENTS);
    for url in [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/latest",
    ] {
        let body = json!({"url": url, "events": EVENTS});
        let answer = client.post(WEBHOOKS, &body);
        assert_eq!(named(&answer, 400, "INVALID_REQUEST"), ["/url"], "{url}");
    }
}

/// Debian's name for this machine; the name itself does not show that it is internal.
#[test]
fn a_name_resolving_inside_is_refused_at_connect_time() {
    let listener = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a free port");
    listener.set_nonblocking(true).expect("a listener");
    let port = listener.local_addr().expect("an address").port();
    let server = Server::without_limits()
        .with("LAFIYA_WEBHOOK_POLL_INTERVAL_MS", "20")
        .with("LAFIYA_WEBHOOK_RETRY_DELAYS_MS", "[]")
        .start();
    let client = server.live();
    let webhook = register(&client, &format!("https://ip6-localhost:{port}/"), &EVENTS);
    let path = format!("{WEBHOOKS}/{}", webhook["id"].as_str().expect("an id"));
    client
        .request("POST", &format!("{path}/test"))
        .send()
        .expect(202);
    let failed = eventually("the delivery fails", Duration::from_secs(30), || {
        let listed = client.get(&format!("{path}/deliveries")).expect(200).json();
        Some(listed[0].clone()).filter(|delivery| delivery["status"] == "failed")
    });
    assert!(failed["error"].is_string(), "{failed}");
    assert!(failed["response_status"].is_null(), "{failed}");
    assert!(listener.accept().is_err(), "a connection was made");
}

#[test]
fn redirects_are_not_followed() {
    let (door, inside) = (Receiver::start(), Receiver::start());
    door.redirect_to(&inside.url());
    let client = pilot(&telling(), "targets that redirect", 5);
    let webhook = register(&client, &door.url(), &EVENTS);
    let path = format!("{WEBHOOKS}/{}", webhook["id"].as_str().expect("an id"));
    client
        .request("POST", &format!("{path}/test"))
        .send()
        .expect(202);
    let failed = eventually("the delivery fails", Duration::from_secs(30), || {
        let listed = client.get(&format!("{path}/deliveries")).expect(200).json();
        Some(listed[0].clone()).filter(|delivery| delivery["status"] == "failed")
    });
    assert_eq!(failed["response_status"], 307);
    assert_eq!(door.got().len(), 4, "every attempt ends at the door");
    assert_eq!(inside.got().len(), 0);
}
