//! Attempts against real receivers on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use jiff::Timestamp;
use lafiya_model::{DeliveryId, EventKind, TenantId, WebhookId};
use lafiya_storage::store::ClaimedDelivery;
use uuid::Uuid;

use crate::resolver::{LookUp, system};
use crate::sender::{Outcome, Sender};
use crate::signature::Secret;
use crate::target::TargetPolicy;

/// A received request: its headers in lower case, and its body.
struct Received {
    headers: Vec<(String, String)>,
    body: String,
}

impl Received {
    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("no {name}")).1
    }
}

/// Starts a receiver that answers every request with the same bytes and forwards what it received.
fn receiver(answer: &'static str) -> (u16, Receiver<Received>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut headers = Vec::new();
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                match line.trim_end().split_once(": ") {
                    Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
                    None if line.trim_end().is_empty() => break,
                    None => {}
                }
            }
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
            stream.read_exact(&mut body).unwrap();
            let body = String::from_utf8(body).unwrap();
            if sender.send(Received { headers, body }).is_err() {
                return;
            }
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (port, received)
}

const OK: &str = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";

fn delivery(url: String, secrets: &[Secret]) -> ClaimedDelivery {
    ClaimedDelivery {
        id: DeliveryId(Uuid::from_u128(1)),
        tenant: TenantId(Uuid::from_u128(2)),
        webhook: WebhookId(Uuid::from_u128(3)),
        lease: Uuid::from_u128(4),
        url,
        secrets: secrets
            .iter()
            .map(|secret| secret.as_bytes().to_vec())
            .collect(),
        event_id: Uuid::from_u128(5),
        kind: EventKind::AssessmentCompleted,
        event_at: "2026-11-15T09:00:00Z".parse().unwrap(),
        payload: r#"{"assessment_id":"a"}"#.to_owned(),
        attempts: 0,
    }
}

fn sender(policy: TargetPolicy, look_up: LookUp) -> Sender {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Sender::new(policy, Duration::from_millis(500), look_up).unwrap()
}

async fn attempt(answer: &'static str) -> Outcome {
    let (port, _received) = receiver(answer);
    let sender = sender(TargetPolicy::Insecure, system());
    let delivery = delivery(format!("http://127.0.0.1:{port}/"), &[Secret::generate()]);
    sender.attempt(&delivery, Timestamp::now()).await
}

#[tokio::test]
async fn an_independent_library_accepts_the_signatures_of_both_secrets() {
    let (port, received) = receiver(OK);
    let secrets = [Secret::generate(), Secret::generate()];
    let sender = sender(TargetPolicy::Insecure, system());
    let delivery = delivery(format!("http://127.0.0.1:{port}/hooks"), &secrets);
    let outcome = sender.attempt(&delivery, Timestamp::now()).await;
    assert_eq!(outcome, Outcome::Accepted(204));
    let received = received.recv().unwrap();
    let body = r#"{"id":"00000000-0000-0000-0000-000000000005","type":"assessment.completed","created_at":"2026-11-15T09:00:00Z","api_version":"v1","data":{"assessment_id":"a"}}"#;
    assert_eq!(received.body, body);
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let mut headers = reqwest::header::HeaderMap::new();
    for name in names {
        headers.insert(name, received.header(name).parse().unwrap());
    }
    for secret in &secrets {
        let verifier = standardwebhooks::Webhook::new(&secret.reveal()).unwrap();
        verifier.verify(body.as_bytes(), &headers).unwrap();
        assert!(verifier.verify(b"{}", &headers).is_err(), "another body");
    }
    let stranger = standardwebhooks::Webhook::new(&Secret::generate().reveal()).unwrap();
    assert!(stranger.verify(body.as_bytes(), &headers).is_err());
}

#[tokio::test]
async fn the_response_status_decides_the_outcome() {
    assert_eq!(
        attempt("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").await,
        Outcome::Accepted(202)
    );
    assert_eq!(
        attempt("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n").await,
        Outcome::Gone
    );
    let refused = "HTTP/1.1 503 Busy\r\nretry-after: 120\r\ncontent-length: 0\r\n\r\n";
    let Outcome::Failed {
        status,
        reason,
        asked_pause,
    } = attempt(refused).await
    else {
        panic!("not failed");
    };
    assert_eq!((status, reason.as_str()), (Some(503), "answered 503"));
    assert_eq!(asked_pause, Some(Duration::from_secs(120)));
}

#[tokio::test]
async fn a_silent_receiver_times_out() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let sender = sender(TargetPolicy::Insecure, system());
    let outcome = sender.attempt(&delivery(url, &[]), Timestamp::now()).await;
    let Outcome::Failed { reason, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(reason, "no answer within 0.5 s");
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let (inside, reached) = receiver(OK);
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:{inside}/\r\ncontent-length: 0\r\n\r\n"
    );
    let outcome = attempt(answer.leak()).await;
    let Outcome::Failed { status, reason, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(status, Some(307));
    assert_eq!(reason, "answered 307; redirects are not followed");
    assert!(reached.try_recv().is_err(), "the redirect was followed");
}

/// Returns a look-up that gives a public address first and this machine afterwards.
fn rebinding() -> LookUp {
    let asked = Arc::new(AtomicUsize::new(0));
    Arc::new(move |_| {
        let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
        let address = if first {
            [192, 0, 2, 1]
        } else {
            [127, 0, 0, 1]
        };
        Box::pin(async move { Ok(vec![IpAddr::from(address)]) })
    })
}

#[tokio::test]
async fn dns_rebinding_is_refused_at_connect_time() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("https://rebinding.example:{port}/");
    TargetPolicy::PublicHttps.check(&url).unwrap();
    let look_up = rebinding();
    look_up("rebinding.example".to_owned()).await.unwrap();
    let sender = sender(TargetPolicy::PublicHttps, look_up);
    let outcome = sender.attempt(&delivery(url, &[]), Timestamp::now()).await;
    let Outcome::Failed { reason, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert!(reason.contains("public address"), "{reason}");
    assert!(listener.accept().is_err(), "a connection was made");
}

#[tokio::test]
async fn only_the_allowed_addresses_of_a_name_are_called() {
    let (port, received) = receiver(OK);
    let look_up: LookUp = Arc::new(|_| {
        let mixed = [[169, 254, 169, 254], [127, 0, 0, 1]].map(IpAddr::from);
        Box::pin(async move { Ok(mixed.to_vec()) })
    });
    let sender = sender(TargetPolicy::Insecure, look_up);
    let url = format!("http://receiver.example:{port}/");
    let outcome = sender.attempt(&delivery(url, &[]), Timestamp::now()).await;
    assert_eq!(outcome, Outcome::Accepted(204));
    received.recv().unwrap();
}

#[tokio::test]
async fn a_stored_forbidden_address_is_refused_before_connecting() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let sender = sender(TargetPolicy::PublicHttps, system());
    let outcome = sender.attempt(&delivery(url, &[]), Timestamp::now()).await;
    assert!(matches!(outcome, Outcome::Failed { status: None, .. }));
    assert!(listener.accept().is_err(), "a connection was made");
}
