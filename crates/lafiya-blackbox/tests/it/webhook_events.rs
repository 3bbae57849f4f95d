//! Tests events from cause to delivery: once each, without patient data, across replicas, crashes
//! and slow receivers.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lafiya_blackbox::{Client, Delivery, Receiver, at_once, eventually};
use serde_json::{Value, json};

use crate::requests::{ASSESS, assessed, case, fever, pilot, present, with};
use crate::webhooks::{WEBHOOKS, quick, register, telling, verified};

const ALL: [&str; 4] = [
    "assessment.completed",
    "adverse_event.created",
    "usage.threshold_reached",
    "api_key.expiring",
];

fn of_type<'a>(got: &'a [Delivery], kind: &str) -> Vec<&'a Delivery> {
    got.iter()
        .filter(|event| event.json()["type"] == kind)
        .collect()
}

/// Triggers a delivery after everything that was announced before, and waits for it.
#[track_caller]
fn settle(client: &Client, webhook: &Value, receiver: &Receiver) {
    let before = of_type(&receiver.got(), "webhook.test").len();
    let path = format!("{WEBHOOKS}/{}/test", webhook["id"].as_str().expect("an id"));
    client.request("POST", &path).send().expect(202);
    eventually("a test arrives", Duration::from_secs(30), || {
        (of_type(&receiver.got(), "webhook.test").len() > before).then_some(())
    });
}

#[test]
fn a_completed_assessment_is_delivered_without_patient_data() {
    let server = telling();
    let receiver = Receiver::start();
    let client = pilot(&server, "events completed", 50);
    let webhook = register(&client, &receiver.url(), &ALL);
    let body = with(fever(), "/patient/location", json!("Sabon Gari, Kano"));
    let answer = assessed(&client, &body);
    let got = receiver.wait_for(1).remove(0);
    assert!(verified(&got, webhook["secret"].as_str().expect("text")));
    let event = got.json();
    let keys: Vec<&String> = event.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["api_version", "created_at", "data", "id", "type"]);
    assert_eq!(event["type"], "assessment.completed");
    let created: Timestamp = event["created_at"]
        .as_str()
        .and_then(|time| time.parse().ok())
        .expect("a time");
    assert!(created <= Timestamp::now());
    let data = &event["data"];
    assert_eq!(data["assessment_id"], answer["assessment_id"]);
    assert_eq!(data["interview_id"], answer["interview_id"]);
    assert_eq!(data["triage_level"], answer["triage"]["level"]);
    assert_eq!(
        data["escalation_tier"],
        answer["metadata"]["escalation_tier"]
    );
    assert_eq!(data["environment"], "live");
    assert_eq!(data.as_object().expect("an object").len(), 5, "{data}");
    let text = String::from_utf8(got.body).expect("text").to_lowercase();
    for private in ["s_fever", "kano", "sabon", "female", "malaria", "patient"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
}

#[test]
fn every_turn_is_delivered_once_and_a_refused_call_never() {
    let server = telling();
    let receiver = Receiver::start();
    let client = pilot(&server, "events of turns", 50);
    let webhook = register(&client, &receiver.url(), &ALL);
    let mut told = BTreeSet::new();
    for finding in ["s_fever", "s_cough", "s_headache"] {
        let answer = assessed(&client, &case(&[present(finding)]));
        told.insert(answer["assessment_id"].to_string());
        client.post(ASSESS, &case(&[])).expect(400);
    }
    settle(&client, &webhook, &receiver);
    let got = receiver.wait_for(4);
    let got = of_type(&got, "assessment.completed");
    let ids: Vec<String> = got
        .iter()
        .map(|event| event.json()["data"]["assessment_id"].to_string())
        .collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), told);
}

#[test]
fn sandbox_events_reach_only_sandbox_webhooks() {
    let server = telling();
    let (at_live, at_sandbox) = (Receiver::start(), Receiver::start());
    let live = pilot(&server, "events of the sandbox", 5);
    let sandbox = live.with_header("X-Service-Environment", "sandbox");
    let webhook = register(&live, &at_live.url(), &ALL);
    register(&sandbox, &at_sandbox.url(), &ALL);
    assessed(&sandbox, &fever());
    let got = at_sandbox.wait_for(1).remove(0).json();
    assert_eq!(got["data"]["environment"], "test");
    settle(&live, &webhook, &at_live);
    assert_eq!(at_live.got().len(), 1, "only the test event");
}

#[test]
fn two_replicas_deliver_everything_once() {
    let server = quick().start();
    let replica = server.replica();
    let receiver = Receiver::start();
    let client = server.live();
    let webhook = register(&client, &receiver.url(), &["assessment.completed"]);
    let clients = [client.clone(), client.at(replica.address)];
    at_once(10, |number| {
        for _ in 0..4 {
            assessed(&clients[number % 2], &fever());
        }
    });
    receiver.wait_for(40);
    settle(&client, &webhook, &receiver);
    let got = receiver.got();
    let got = of_type(&got, "assessment.completed");
    let ids: BTreeSet<&str> = got.iter().map(|event| event.header("webhook-id")).collect();
    assert_eq!((got.len(), ids.len()), (40, 40));
}

#[test]
fn queued_deliveries_survive_a_crash() {
    let mut server = quick()
        .with("LAFIYA_WEBHOOK_TIMEOUT_MS", "1000")
        .with(
            "LAFIYA_WEBHOOK_RETRY_DELAYS_MS",
            "[400, 400, 400, 400, 400, 400]",
        )
        .start();
    let receiver = Receiver::start();
    receiver.answer(500);
    let client = server.live();
    register(&client, &receiver.url(), &["assessment.completed"]);
    for _ in 0..5 {
        assessed(&client, &fever());
    }
    receiver.wait_for(1);
    server.kill();
    receiver.answer(200);
    let before = receiver.got().len();
    server.restart();
    eventually("all five arrive", Duration::from_secs(60), || {
        let got = receiver.got();
        let taken: BTreeSet<&str> = got[before..]
            .iter()
            .map(|event| event.header("webhook-id"))
            .collect();
        // A delivery in progress when the process ended is retried when its lease expires.
        (taken.len() == 5).then_some(())
    });
}

#[test]
fn a_slow_receiver_does_not_delay_other_tenants() {
    let server = quick()
        .with("LAFIYA_WEBHOOK_CONCURRENCY_MAX", "4")
        .with("LAFIYA_WEBHOOK_TIMEOUT_MS", "20000")
        .start();
    let (slow, swift) = (Receiver::start(), Receiver::start());
    slow.wait_before_answers(Duration::from_secs(15));
    let (ours, theirs) = (pilot(&server, "slow", 50), pilot(&server, "swift", 50));
    register(&ours, &slow.url(), &["assessment.completed"]);
    register(&theirs, &swift.url(), &["assessment.completed"]);
    for _ in 0..10 {
        assessed(&ours, &fever());
    }
    slow.wait_for(1);
    let started = std::time::Instant::now();
    for _ in 0..5 {
        assessed(&theirs, &fever());
    }
    swift.wait_for(5);
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(slow.at_once_max(), 1, "a quarter of the places");
}

#[test]
fn usage_thresholds_are_delivered_once_a_month() {
    let server = quick().start();
    let replica = server.replica();
    let receiver = Receiver::start();
    let client = pilot(&server, "clinic", 10);
    let webhook = register(&client, &receiver.url(), &["usage.threshold_reached"]);
    let clients = [client.clone(), client.at(replica.address)];
    for number in 0..7 {
        assessed(&clients[number % 2], &fever());
    }
    settle(&client, &webhook, &receiver);
    assert_eq!(receiver.got().len(), 1, "below 80 % there is only the test");
    at_once(6, |number| clients[number % 2].post(ASSESS, &fever()));
    receiver.wait_for(3);
    settle(&client, &webhook, &receiver);
    let got = receiver.got();
    let told = of_type(&got, "usage.threshold_reached");
    let mut percent: Vec<u64> = told
        .iter()
        .filter_map(|item| item.json()["data"]["threshold_percent"].as_u64())
        .collect();
    percent.sort_unstable();
    assert_eq!(percent, [80, 100]);
    let data = &told[0].json()["data"];
    assert_eq!(
        (&data["quota"], &data["tier"]),
        (&json!(10), &json!("pilot"))
    );
    assert_eq!(data["month"].as_str().map(str::len), Some(7), "{data}");
}

#[test]
fn a_key_expiring_within_a_week_is_delivered_once() {
    let server = quick().start();
    let replica = server.replica();
    let receiver = Receiver::start();
    let client = server.live();
    let webhook = register(&client, &receiver.url(), &["api_key.expiring"]);
    let make = |days: i64| {
        let at = Timestamp::now() + SignedDuration::from_hours(days * 24);
        let words = ["key", "create", "--tenant", "demo", "--environment", "live"];
        let at = at.to_string();
        let made = server.cli(&[&words[..], &["--expires-at", &at, "--json"]].concat());
        made.json()["id"].clone()
    };
    let (soon, _later) = (make(6), make(8));
    let got = receiver.wait_for(1).remove(0).json();
    assert_eq!(got["type"], "api_key.expiring");
    assert_eq!(got["data"]["key_id"], soon);
    assert!(got["data"]["expires_at"].is_string(), "{got}");
    // By the time a third key is announced, the scheduler has run many more times.
    let third = make(5);
    receiver.wait_for(2);
    drop(replica);
    settle(&client, &webhook, &receiver);
    let got = receiver.got();
    let told: Vec<Value> = of_type(&got, "api_key.expiring")
        .iter()
        .map(|event| event.json()["data"]["key_id"].clone())
        .collect();
    assert_eq!(told, [soon, third]);
    let text = String::from_utf8_lossy(&got[0].body).into_owned();
    let key = server.key_of_first_start("sk_live_");
    assert!(!text.contains(key), "a key is never told");
}

#[test]
fn no_webhook_data_reaches_the_log() {
    let server = quick().with("LAFIYA_LOG_LEVEL", "debug").start();
    let receiver = Receiver::start();
    let client = server.live();
    let url = format!("{}?token=url-marker", receiver.url());
    let webhook = register(&client, &url, &ALL);
    let answer = assessed(&client, &fever());
    receiver.wait_for(1);
    let about = answer["assessment_id"].clone();
    let report =
        json!({"assessment_id": about, "description": "words-marker", "seriousness": "serious"});
    client.post("/v1/adverse-events", &report).expect(201);
    receiver.wait_for(2);
    settle(&client, &webhook, &receiver);
    let log = server.log();
    assert!(!log.contains("-marker"), "{log}");
    let secret = webhook["secret"].as_str().expect("text");
    assert!(!log.contains(secret), "the secret stands in the log");
}
