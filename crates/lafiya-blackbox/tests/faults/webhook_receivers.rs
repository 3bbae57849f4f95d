//! Faults of webhook receivers: down, slow, or pointing to internal addresses. Assessments do not
//! wait for them, and missed events are delivered when they are back.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lafiya_blackbox::{Receiver, Server, Start, eventually};
use serde_json::json;

use crate::fleet::Fleet;
use crate::record::Record;

#[track_caller]
fn check(
    (test, fault, done): (&str, &'static str, &'static str),
    break_it: impl FnOnce(&Receiver),
    mend_it: impl FnOnce(&Receiver),
) {
    let fleet = Fleet::alone(telling_at_once());
    let receiver = registered(&fleet);
    let load = fleet.load();
    let in_flight = load.in_flight();
    break_it(&receiver);
    load.wait_for_more(16);
    let before = receiver.got().len();
    let outcome = load.end();
    assert_eq!(outcome.repeated, 0, "{fault}: a call was refused");
    mend_it(&receiver);
    let mended = Instant::now();
    wait_for_every_event(&fleet, &receiver);
    assert!(receiver.got().len() > before, "{fault}: nothing came later");
    Record {
        group: "6 Webhook receivers",
        fault,
        done,
        in_flight,
        truthful_after: None,
        recovered_after: mended.elapsed(),
        outcome,
    }
    .settle(test);
}

/// Configures a service that delivers events immediately and retries often.
pub(crate) fn telling_at_once() -> Start {
    let pauses = format!("[{}]", ["200"; 500].join(","));
    Server::without_limits()
        .with("LAFIYA_WEBHOOK_ALLOW_INSECURE_TARGETS", "true")
        .with("LAFIYA_WEBHOOK_POLL_INTERVAL_MS", "50")
        .with("LAFIYA_WEBHOOK_TIMEOUT_MS", "1000")
        .with("LAFIYA_WEBHOOK_RETRY_DELAYS_MS", &pauses)
}

/// Returns a receiver registered for every assessment of the clinic.
#[track_caller]
pub(crate) fn registered(fleet: &Fleet) -> Receiver {
    let receiver = Receiver::start();
    let hook = json!({"url": receiver.url(), "events": ["assessment.completed"]});
    fleet.client.post("/v1/webhooks", &hook).expect(201);
    receiver
}

/// Waits until the receiver has an event for everything that is stored.
#[track_caller]
pub(crate) fn wait_for_every_event(fleet: &Fleet, receiver: &Receiver) {
    let stored = ids(&fleet.replicas[0]);
    assert!(!stored.is_empty(), "nothing was stored");
    eventually("every event arrives", Duration::from_secs(30), || {
        let told: HashSet<String> = receiver.got().iter().map(assessment_of).collect();
        told.is_superset(&stored).then_some(())
    });
}

fn assessment_of(delivery: &lafiya_blackbox::Delivery) -> String {
    let body = delivery.json();
    body["data"]["assessment_id"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Returns every assessment of the tenant; those of the sandbox cause no events here.
fn ids(server: &Server) -> HashSet<String> {
    let export = server.cli(&["tenant", "export", "clinic"]);
    export
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|record| record["kind"] == "assessment" && record["environment"] == "live")
        .filter_map(|record| record["id"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn down() {
    let words = (
        "webhook_receivers::down",
        "receiver down",
        "answers 500 to everything, then 204; recovery is the time until every event has arrived",
    );
    check(
        words,
        |receiver| receiver.answer(500),
        |receiver| receiver.answer(204),
    );
}

#[test]
fn slow() {
    let words = (
        "webhook_receivers::slow",
        "receiver slow",
        "takes five seconds for every answer (one is allowed), then none",
    );
    check(
        words,
        |receiver| receiver.wait_before_answers(Duration::from_secs(5)),
        |receiver| receiver.wait_before_answers(Duration::ZERO),
    );
}

#[test]
fn redirecting_inwards() {
    let inside = Receiver::start();
    let target = inside.url();
    let words = (
        "webhook_receivers::redirecting_inwards",
        "receiver redirects inwards",
        "answers 307 to another address of this machine, which is never called; then 204",
    );
    check(
        words,
        |receiver| receiver.redirect_to(&target),
        |receiver| receiver.answer(204),
    );
    assert!(inside.got().is_empty(), "a redirect was followed");
}
