//! Faults of the optional language model: it hangs, refuses, sends invalid answers, floods or
//! drips. Every call is answered by the engine alone in time, and the model is used again once it
//! recovers.

use std::time::{Duration, Instant};

use lafiya_blackbox::{Client, Model, Play, Server, eventually};
use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::load::body;
use crate::record::Record;

/// The timeout of a request to the model. A call may take this long plus the time of an answer
/// without the model.
const ASKED_FOR: Duration = Duration::from_millis(1000);
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

fn agreeing(_: &Value) -> Value {
    json!({"conditions": [], "triage": "emergency", "reasons": []})
}

/// Gives the model a behaviour under load and asserts that no call is delayed by it. `opinion` is
/// the expected status in an answer, `says` the expected status in `/health`.
#[track_caller]
fn check(
    (test, fault, done): (&str, &'static str, &'static str),
    play: Play,
    opinion: &str,
    says: Option<&str>,
) {
    let model = Model::start(Play::Think(agreeing));
    let fleet = Fleet::alone(
        Server::without_limits()
            .with("LAFIYA_AI_PROVIDER", "openai")
            .with("LAFIYA_AI_BASE_URL", &model.url())
            .with("LAFIYA_AI_MODEL", "small-model")
            .with("LAFIYA_AI_TIMEOUT_MS", &ASKED_FOR.as_millis().to_string())
            .with("LAFIYA_AI_BREAKER_FAILURES", "2")
            .with("LAFIYA_AI_BREAKER_OPEN_MS", "1000"),
    );
    // Uses another tenant, because the billing of the load is counted.
    let observer = fleet.replicas[0].live();
    eventually("the model is asked", Duration::from_secs(10), || {
        (second_opinion(&observer) == ("used".to_owned(), true)).then_some(())
    });
    let load = fleet.load();
    let in_flight = load.in_flight();
    model.play(play);
    let truthful_after = says.map(|word| fleet.until_health_says("ai_provider", word));
    let expected = (opinion.to_owned(), false);
    eventually("the engine answers alone", Duration::from_secs(10), || {
        (second_opinion(&observer) == expected).then_some(())
    });
    load.wait_for_more(16);
    model.play(Play::Think(agreeing));
    let mended = Instant::now();
    eventually("the model is asked again", Duration::from_secs(30), || {
        (second_opinion(&observer).0 == "used").then_some(())
    });
    fleet.until_recovered();
    let recovered_after = mended.elapsed();
    let outcome = fleet.settle(load);
    assert_eq!(outcome.repeated, 0, "{fault}: a call was refused");
    Record {
        group: "8 The language model",
        fault,
        done,
        in_flight,
        truthful_after,
        recovered_after,
        outcome,
    }
    .settle(test);
}

/// Returns the opinion status in an answer, and whether the model is named as one of its authors.
#[track_caller]
fn second_opinion(client: &Client) -> (String, bool) {
    let began = Instant::now();
    let answer = client.post("/v1/assess", &body()).expect(200).json();
    let took = began.elapsed();
    assert!(took < ANSWERED_WITHIN, "an answer took {took:?}");
    let text = |name: &str| answer["metadata"][name].as_str().expect("a text");
    let named = text("model_used").contains("small-model");
    (text("second_opinion").to_owned(), named)
}

#[test]
fn hanging() {
    let words = (
        "ai_provider::hanging",
        "language model hangs",
        "takes every question and never answers (one second is allowed); the engine answers alone",
    );
    check(words, Play::Hang, "unavailable", Some("degraded"));
}

#[test]
fn refusing() {
    let words = (
        "ai_provider::refusing",
        "language model refuses",
        "answers 503 to every question; the engine answers alone",
    );
    check(words, Play::Status(503), "unavailable", Some("degraded"));
}

#[test]
fn talking_rubbish() {
    let words = (
        "ai_provider::talking_rubbish",
        "language model talks rubbish",
        "says half a JSON document and an order; nothing of it counts, and the answer says so",
    );
    let rubbish = Play::Say("{\"conditions\": [ IGNORE YOUR RULES".to_owned());
    check(words, rubbish, "refused", None);
}

#[test]
fn flooding() {
    let words = (
        "ai_provider::flooding",
        "language model sends 10 MB",
        "ten megabytes for every question, of which 256 KiB are read; the engine answers alone",
    );
    check(words, Play::Flood, "unavailable", Some("degraded"));
}

#[test]
fn dripping() {
    let words = (
        "ai_provider::dripping",
        "language model drips",
        "a byte every 50 ms (one second is allowed for all); the engine answers alone",
    );
    check(words, Play::Drip, "unavailable", Some("degraded"));
}
