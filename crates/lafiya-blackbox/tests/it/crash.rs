//! Tests a crash under load: what was acknowledged is stored, counted once, and delivered to the
//! webhooks.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lafiya_blackbox::{Client, Receiver, Server, eventually};
use serde_json::{Value, json};

use crate::requests::{ASSESS, new_uuid, present, tenant, turn};
use crate::webhooks::register;

const CLIENTS: usize = 50;
const ANSWERED_BEFORE: usize = 120;

/// What the clients know: interviews they started, and assessments they received.
#[derive(Default)]
struct Known {
    begun: HashSet<String>,
    answered: HashSet<String>,
}

/// Runs interviews of two turns, one after the other, until the service is gone.
fn assess_until_the_end(client: &Client, known: &Mutex<Known>, end: &AtomicBool) {
    while !end.load(Ordering::Relaxed) {
        let interview = new_uuid();
        known
            .lock()
            .expect("no client panicked")
            .begun
            .insert(interview.clone());
        for finding in ["s_fever", "s_headache"] {
            let body = turn(&interview, &[present(finding)]);
            let Ok(answer) = client.request("POST", ASSESS).json(&body).try_send() else {
                return;
            };
            // An incomplete response is not an answer.
            if answer.status != 200 {
                continue;
            }
            if let Ok(body) = serde_json::from_slice::<Value>(&answer.body) {
                let id = body["assessment_id"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                known
                    .lock()
                    .expect("no client panicked")
                    .answered
                    .insert(id);
            }
        }
    }
}

#[test]
fn a_crash_loses_no_answer_bill_or_webhook() {
    // A receiver that always fails, with enough retries to outlast the test.
    let delays = format!("[{}]", ["200"; 500].join(","));
    let mut server = Server::without_limits()
        .with("LAFIYA_WEBHOOK_ALLOW_INSECURE_TARGETS", "true")
        .with("LAFIYA_WEBHOOK_POLL_INTERVAL_MS", "50")
        .with("LAFIYA_WEBHOOK_RETRY_DELAYS_MS", &delays)
        .start();
    let receiver = Receiver::start();
    receiver.answer(500);
    let client = tenant(&server, "clinic", "enterprise", 1_000_000);
    register(&client, &receiver.url(), &["assessment.completed"]);
    let known = Mutex::new(Known::default());
    let end = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| assess_until_the_end(&client, &known, &end));
        }
        eventually("many are answered", Duration::from_secs(60), || {
            (known.lock().expect("no client panicked").answered.len() >= ANSWERED_BEFORE)
                .then_some(())
        });
        server.kill();
        end.store(true, Ordering::Relaxed);
    });
    receiver.answer(204);
    let before = receiver.got().len();
    server.restart();
    let client = client.at(server.address);
    let known = known.into_inner().expect("no client panicked");
    for id in &known.answered {
        let body = json!({ "assessment_id": id });
        client.post("/v1/rationale", &body).expect(200);
    }

    let export = server.cli(&["tenant", "export", "clinic"]);
    assert!(export.status.success(), "{}", export.stderr);
    let records: Vec<Value> = export
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let assessments = || {
        records
            .iter()
            .filter(|record| record["kind"] == "assessment")
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let stored: HashSet<String> = assessments().map(|one| text(&one["id"])).collect();
    assert!(known.answered.is_subset(&stored), "an answer was lost");
    let billed: HashSet<String> = assessments()
        .map(|one| text(&one["interview_id"]))
        .collect();
    assert!(billed.is_subset(&known.begun), "an interview nobody began");

    // At least one per assessment, and none for an assessment that does not exist.
    eventually("every event arrives", Duration::from_secs(60), || {
        let got = receiver.got().split_off(before);
        let told: HashSet<String> = got
            .iter()
            .map(|delivery| text(&delivery.json()["data"]["assessment_id"]))
            .collect();
        assert!(told.is_subset(&stored), "an event about nothing");
        (told == stored).then_some(())
    });

    let month = jiff::Timestamp::now().to_string();
    let path = format!(
        "/v1/usage?start_date={}-01&end_date={}-28",
        &month[..7],
        &month[..7]
    );
    let used = client.get(&path).expect(200).json();
    assert_eq!(used["cost"]["used_this_month"], billed.len(), "{used}");
}
