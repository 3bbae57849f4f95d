//! Tests `/webhooks`: registration, listing, test events, removal, and deliveries.

use std::time::Duration;

use lafiya_blackbox::{
    Answer, Client, Delivery, Receiver, Server, SharedServer, Sharing, Start, at_once, eventually,
    shared,
};
use serde_json::{Value, json};

use crate::headers::check_standard_headers;
use crate::requests::{assessed, clinic, fever, named, pilot};
use crate::shape::{Kind, check_fields, is_uuid};

pub(crate) const WEBHOOKS: &str = "/v1/webhooks";
const PATIENCE: Duration = Duration::from_secs(30);

/// Configures a service that delivers to this machine, with short delays.
pub(crate) fn quick() -> Start {
    Server::without_limits()
        .with("LAFIYA_WEBHOOK_ALLOW_INSECURE_TARGETS", "true")
        .with("LAFIYA_WEBHOOK_POLL_INTERVAL_MS", "20")
        .with("LAFIYA_WEBHOOK_RETRY_DELAYS_MS", "[50, 50, 50]")
        .with("LAFIYA_CHORES_INTERVAL_MS", "50")
}

/// Returns a service of that kind, shared by tests with their own tenant.
pub(crate) fn telling() -> SharedServer {
    static TELLING: Sharing = Sharing::new();
    TELLING.server(quick)
}

/// Registers a webhook and returns the answer's body.
#[track_caller]
pub(crate) fn register(client: &Client, url: &str, events: &[&str]) -> Value {
    let body = json!({"url": url, "events": events});
    client.post(WEBHOOKS, &body).expect(201).json()
}

fn path_of(webhook: &Value) -> String {
    format!("{WEBHOOKS}/{}", webhook["id"].as_str().expect("an id"))
}

#[track_caller]
fn deliveries(client: &Client, webhook: &Value) -> Vec<Value> {
    let path = format!("{}/deliveries", path_of(webhook));
    let listed = client.get(&path).expect(200).json();
    listed.as_array().expect("a list").clone()
}

/// Waits until the only delivery of a webhook satisfies a predicate.
#[track_caller]
fn wait_for_delivery(client: &Client, webhook: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
    eventually("the delivery ends as it should", PATIENCE, || {
        deliveries(client, webhook)
            .into_iter()
            .next()
            .filter(|delivery| wanted(delivery))
    })
}

/// Whether an independent library accepts the signature of a delivery.
pub(crate) fn verified(delivery: &Delivery, secret: &str) -> bool {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, delivery.header(name).parse().expect("a value"));
    }
    let verifier = standardwebhooks::Webhook::new(secret).expect("a secret");
    verifier.verify(&delivery.body, &headers).is_ok()
}

fn secret_of(webhook: &Value) -> &str {
    webhook["secret"].as_str().expect("a secret")
}

#[test]
fn a_webhook_is_registered_read_listed_and_removed() {
    let server = telling();
    let client = pilot(&server, "hooks registered", 50);
    let body = json!({"url": "https://example.org/hooks", "events": ["api_key.expiring", "assessment.completed", "api_key.expiring"], "description": "our EHR"});
    let made = client.post(WEBHOOKS, &body).expect(201);
    check_standard_headers(&made);
    assert_eq!(made.required_header("cache-control"), "no-store");
    let made = made.json();
    let fields = [
        ("id", Kind::Text),
        ("url", Kind::Text),
        ("events", Kind::Texts),
        ("description", Kind::Text),
        ("status", Kind::Text),
        ("environment", Kind::Text),
        ("created_at", Kind::Text),
        ("disabled_at", Kind::TextOrNull),
        ("previous_secret_valid_until", Kind::TextOrNull),
    ];
    check_fields(&made, &fields);
    assert!(is_uuid(made["id"].as_str().expect("an id")));
    assert!(secret_of(&made).starts_with("whsec_"), "{made}");
    assert_eq!(made["url"], "https://example.org/hooks");
    assert_eq!(
        made["events"],
        json!(["assessment.completed", "api_key.expiring"])
    );
    assert_eq!(
        (&made["status"], &made["environment"]),
        (&json!("active"), &json!("live"))
    );

    let read = client.get(&path_of(&made)).expect(200).json();
    check_fields(&read, &fields);
    assert!(read.get("secret").is_none(), "the secret is shown once");
    let listed = client.get(WEBHOOKS).expect(200);
    assert_eq!(listed.number("x-total-count"), 1);
    assert_eq!(listed.json(), json!([read]));
    let envelope = client.get("/v1/webhooks?envelope=true").expect(200).json();
    assert_eq!(envelope, json!({"webhooks": [read], "total": 1}));

    let removed = client.delete(&path_of(&made)).expect(204);
    assert!(removed.body.is_empty());
    check_standard_headers(&removed);
    for answer in [
        client.get(&path_of(&made)),
        client.delete(&path_of(&made)),
        client.get("/v1/webhooks/not-an-id"),
    ] {
        answer.expect_error(404, "RESOURCE_NOT_FOUND");
    }
}

#[test]
fn every_mistake_of_a_registration_is_named_at_once() {
    let server = shared();
    let client = clinic();
    let refused = |body: Value| named(&client.post(WEBHOOKS, &body), 400, "INVALID_REQUEST");
    assert_eq!(refused(json!({})), ["/url", "/events"]);
    assert_eq!(
        refused(json!({"url": 3, "events": ["fever.began", 7], "description": {}})),
        ["/url", "/events/0", "/events/1", "/description"]
    );
    assert_eq!(
        refused(json!({"url": "http://example.org", "events": [], "description": "x".repeat(201)})),
        ["/url", "/events", "/description"]
    );
    client
        .request("POST", WEBHOOKS)
        .body("url=https://example.org")
        .send()
        .expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    server
        .client()
        .get(WEBHOOKS)
        .expect_error(401, "INVALID_API_KEY");
}

#[test]
fn at_most_twenty_webhooks_are_allowed() {
    let server = telling();
    let client = pilot(&server, "hooks twenty", 50);
    let body = json!({"url": "https://example.org", "events": ["assessment.completed"]});
    let answers = at_once(24, |_| client.post(WEBHOOKS, &body));
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 20);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.expect_error(409, "CONFLICT");
    }
    let sandbox = client.with_header("X-Service-Environment", "sandbox");
    register(&sandbox, "https://example.org", &["assessment.completed"]);
}

#[test]
fn webhooks_are_hidden_from_other_tenants_and_the_sandbox() {
    let server = telling();
    let receiver = Receiver::start();
    let client = pilot(&server, "hooks of ours", 50);
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    client
        .post(&format!("{}/test", path_of(&webhook)), &json!({}))
        .expect(202);
    receiver.wait_for(1);
    let delivery = deliveries(&client, &webhook)[0]["id"].clone();
    let retry = format!(
        "{}/deliveries/{}/retry",
        path_of(&webhook),
        delivery.as_str().expect("an id")
    );
    let sandbox = client.with_header("X-Service-Environment", "sandbox");
    for stranger in [pilot(&server, "hooks of theirs", 5), sandbox] {
        assert_eq!(stranger.get(WEBHOOKS).expect(200).json(), json!([]));
        let path = path_of(&webhook);
        for answer in [
            stranger.get(&path),
            stranger.delete(&path),
            stranger.post(&format!("{path}/test"), &json!({})),
            stranger.post(&format!("{path}/rotate-secret"), &json!({})),
            stranger.get(&format!("{path}/deliveries")),
            stranger.post(&retry, &json!({})),
        ] {
            answer.expect_error(404, "RESOURCE_NOT_FOUND");
        }
    }
    client.get(&path_of(&webhook)).expect(200);
}

#[test]
fn a_test_event_is_delivered_signed_and_listed() {
    let server = telling();
    let receiver = Receiver::start();
    let client = pilot(&server, "hooks tried", 50);
    let webhook = register(&client, &receiver.url(), &["api_key.expiring"]);
    let path = format!("{}/test", path_of(&webhook));
    let queued = client.request("POST", &path).send().expect(202).json();
    assert_eq!(queued["event_type"], "webhook.test");
    let got = receiver.wait_for(1).remove(0);
    assert!(verified(&got, secret_of(&webhook)));
    assert_eq!(got.header("content-type"), "application/json");
    let body = got.json();
    assert_eq!(body["type"], "webhook.test");
    assert_eq!(body["id"], got.header("webhook-id"));
    assert_eq!(body["id"], queued["event_id"]);
    assert_eq!(body["api_version"], "v1");
    assert_eq!(body["data"]["webhook_id"], webhook["id"]);

    let shown = wait_for_delivery(&client, &webhook, |delivery| {
        delivery["status"] == "delivered"
    });
    check_fields(
        &shown,
        &[
            ("id", Kind::Text),
            ("webhook_id", Kind::Text),
            ("event_id", Kind::Text),
            ("event_type", Kind::Text),
            ("attempts", Kind::Whole),
            ("created_at", Kind::Text),
            ("next_attempt_at", Kind::TextOrNull),
            ("last_attempt_at", Kind::Text),
            ("delivered_at", Kind::Text),
            ("response_status", Kind::Whole),
            ("error", Kind::TextOrNull),
            ("duration_ms", Kind::Whole),
        ],
    );
    assert_eq!(
        (&shown["attempts"], &shown["response_status"]),
        (&json!(1), &json!(204))
    );
    let filtered = format!("{}/deliveries?status=failed", path_of(&webhook));
    assert_eq!(client.get(&filtered).expect(200).json(), json!([]));
    let wrong = format!("{}/deliveries?status=lost&limit=51", path_of(&webhook));
    assert_eq!(
        named(&client.get(&wrong), 400, "INVALID_REQUEST"),
        ["/limit", "/status"]
    );
}

#[test]
fn a_failed_delivery_is_retried_until_accepted() {
    let server = telling();
    let receiver = Receiver::start();
    receiver.answer(500);
    let client = pilot(&server, "hooks failing", 50);
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    assessed(&client, &fever());
    receiver.wait_for(2);
    receiver.answer(200);
    let shown = wait_for_delivery(&client, &webhook, |delivery| {
        delivery["status"] == "delivered"
    });
    let attempts = shown["attempts"].as_u64().expect("a number");
    assert!((2..=4).contains(&attempts), "{shown}");
    let got = receiver.got();
    assert_eq!(got.len() as u64, attempts);
    for attempt in &got {
        assert_eq!(attempt.body, got[0].body, "the same bytes");
        assert_eq!(attempt.header("webhook-id"), got[0].header("webhook-id"));
        assert!(verified(attempt, secret_of(&webhook)));
    }
}

#[test]
fn a_finally_failed_delivery_can_be_resent_by_hand() {
    let server = telling();
    let receiver = Receiver::start();
    receiver.answer(503);
    let client = pilot(&server, "hooks failed", 50);
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    assessed(&client, &fever());
    let failed = wait_for_delivery(&client, &webhook, |delivery| delivery["status"] == "failed");
    assert_eq!(failed["attempts"], 4);
    assert_eq!(failed["response_status"], 503);
    assert_eq!(failed["error"], "answered 503");
    assert_eq!(failed["next_attempt_at"], Value::Null);
    receiver.answer(200);
    let id = failed["id"].as_str().expect("an id");
    let retry = |id: &str| -> Answer {
        let path = format!("{}/deliveries/{id}/retry", path_of(&webhook));
        client.request("POST", &path).send()
    };
    assert_eq!(retry(id).expect(202).json()["status"], "pending");
    wait_for_delivery(&client, &webhook, |delivery| {
        delivery["status"] == "delivered"
    });
    assert_eq!(receiver.got().len(), 5);
    for unknown in ["6f1d2c3b-5a49-4e8f-9b7a-000000000000", "x"] {
        retry(unknown).expect_error(404, "RESOURCE_NOT_FOUND");
    }
}

#[test]
fn a_receiver_that_answers_410_is_disabled() {
    let server = telling();
    let receiver = Receiver::start();
    receiver.answer(410);
    let client = pilot(&server, "hooks gone", 50);
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    assessed(&client, &fever());
    eventually("the webhook is disabled", PATIENCE, || {
        let now = client.get(&path_of(&webhook)).expect(200).json();
        (now["status"] == "disabled" && now["disabled_at"].is_string()).then_some(())
    });
    assessed(&client, &fever());
    client
        .post(&format!("{}/test", path_of(&webhook)), &json!({}))
        .expect_error(409, "CONFLICT");
    // Another webhook receives the second event; by then the first would have received it too.
    let other = Receiver::start();
    let second = register(&client, &other.url(), &["assessment.completed"]);
    assessed(&client, &fever());
    wait_for_delivery(&client, &second, |delivery| {
        delivery["status"] == "delivered"
    });
    assert_eq!(receiver.got().len(), 1);
}

#[test]
fn both_secrets_are_valid_for_a_day_after_rotation() {
    let server = telling();
    let receiver = Receiver::start();
    let client = pilot(&server, "hooks rotated", 50);
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    let path = format!("{}/rotate-secret", path_of(&webhook));
    let rotated = client.request("POST", &path).send().expect(200).json();
    let (old, new) = (secret_of(&webhook), secret_of(&rotated));
    assert_ne!(old, new);
    let until: jiff::Timestamp = rotated["previous_secret_valid_until"]
        .as_str()
        .and_then(|text| text.parse().ok())
        .expect("a time");
    let hours = until.duration_since(jiff::Timestamp::now()).as_secs_f64() / 3600.0;
    assert!((23.9..=24.0).contains(&hours), "{hours} hours");
    assessed(&client, &fever());
    let got = receiver.wait_for(1).remove(0);
    assert!(verified(&got, old) && verified(&got, new));
    let stranger = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    assert!(!verified(&got, stranger));
}

#[test]
fn the_python_library_accepts_the_signature() {
    let Ok(python) = std::env::var("LAFIYA_BLACKBOX_PYTHON") else {
        eprintln!("LAFIYA_BLACKBOX_PYTHON is not set; `cargo xtask test` sets it");
        return;
    };
    let server = telling();
    let receiver = Receiver::start();
    let client = pilot(&server, "hooks of python", 50);
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    assessed(&client, &fever());
    let got = receiver.wait_for(1).remove(0);
    let script = "import json, sys\n\
                  from standardwebhooks.webhooks import Webhook\n\
                  given = json.load(sys.stdin)\n\
                  event = Webhook(given['secret']).verify(given['body'], given['headers'])\n\
                  print(event['type'])\n\
                  try:\n    \
                      Webhook(given['secret']).verify(given['body'] + ' ', given['headers'])\n    \
                      print('forgery accepted')\n\
                  except Exception:\n    \
                      print('forgery refused')\n";
    let headers: serde_json::Map<String, Value> = got
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let body = String::from_utf8(got.body).expect("text");
    let given = json!({"secret": secret_of(&webhook), "body": body, "headers": headers});
    let file = server.folder().join("delivery-for-python.json");
    std::fs::write(&file, given.to_string()).expect("a file");
    let output = std::process::Command::new(python)
        .args(["-c", script])
        .stdin(std::fs::File::open(&file).expect("the file"))
        .output()
        .expect("python can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        said, "assessment.completed\nforgery refused\n",
        "{output:?}"
    );
}
