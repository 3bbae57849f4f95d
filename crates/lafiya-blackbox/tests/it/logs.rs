//! Tests the log: one self-contained line per request, and never a key, a body or free text.

use std::time::Duration;

use lafiya_blackbox::{Model, Play, Receiver, Server, eventually};
use serde_json::{Value, json};

use crate::ai_provider::asking;
use crate::fhir_requests::post_fhir;
use crate::requests::{assessed, fever};
use crate::webhooks::{quick, register};

#[test]
fn no_key_no_body_and_no_free_text_reaches_the_log() {
    let server = Server::without_limits()
        .with("LAFIYA_LOG_LEVEL", "debug")
        .start();
    let (_, key) = server.new_key("demo");
    let client = server.client().with_key(&key);
    client.get("/v1/symptoms?query=quinine-marker").expect(200);
    client.get("/v1/conditions/c_path_marker").expect(404);
    let body = json!({"expires_at": "body-marker", "note": "note-marker"});
    client.post("/v1/keys/rotate", &body).expect(400);
    client
        .request("POST", "/v1/keys/rotate")
        .json_text("{\"broken-marker")
        .send()
        .expect(400);
    server
        .client()
        .with_key("sk_live_guess-marker")
        .get("/v1/symptoms")
        .expect(401);
    let agent = client.with_header("User-Agent", "agent-marker");
    agent
        .with_header("X-Request-Id", "id-marker")
        .get("/v1/symptoms")
        .expect(200);
    let rotated = client.post("/v1/keys/rotate", &json!({})).expect(201);
    let new_key = rotated.json()["key"].as_str().expect("a key").to_owned();
    let id = rotated.required_header("x-request-id");
    wait_for(&server, id);

    let log = server.log();
    for secret in [key.as_str(), new_key.as_str()] {
        assert!(!log.contains(secret), "a key stands in the log");
    }
    assert!(
        !log.contains("-marker"),
        "text of a client stands in the log:\n{log}"
    );
}

#[test]
fn every_request_is_logged_with_its_id() {
    let server = Server::start();
    let answer = server.live().get("/v1/nowhere").expect(404);
    wait_for(&server, answer.required_header("x-request-id"));
}

#[test]
fn json_logs_have_one_object_per_line() {
    let server = Server::with("LAFIYA_LOG_FORMAT", "json").start();
    let answer = server.live().get("/v1/symptoms").expect(200);
    wait_for(&server, answer.required_header("x-request-id"));
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.starts_with('{')).collect();
    assert!(lines.len() >= 2, "{log}");
    for line in lines {
        let event: Value = serde_json::from_str(line).expect("one JSON object");
        for field in ["timestamp", "level", "message"] {
            assert!(event[field].is_string(), "{field} is missing: {line}");
        }
    }
    let id = answer.required_header("x-request-id");
    let of_request = log.lines().filter(|line| line.contains(id));
    for line in of_request {
        assert_eq!(
            line.matches(id).count(),
            1,
            "the id stands there twice: {line}"
        );
    }
}

#[test]
fn commands_answer_on_stdout_and_log_on_stderr() {
    let server = Server::with("LAFIYA_LOG_LEVEL", "debug").start();
    let output = server.cli(&["key", "list", "--json"]);
    assert!(output.json().is_array(), "{output:?}");
}

#[track_caller]
fn wait_for(server: &Server, id: &str) {
    eventually("the request is logged", Duration::from_secs(10), || {
        server.log().contains(id).then_some(())
    });
}

/// Everything that a client may send about a person, with values that occur nowhere else.
const SAID_OF_THE_PATIENT: &[&str] = &[
    "Ngozi Okonkwoxyz",
    "7 Adesanyaq Close",
    "08031234567",
    "1987-03-29",
    "quartanwords of hers",
    "behind the Zubairuq mosque",
    "worse after Mondayq",
];

#[test]
fn no_patient_data_leaks_to_logs_webhooks_or_the_provider() {
    let model = Model::start(Play::Say("{}".to_owned()));
    let server = asking(quick(), &model.url())
        .with("LAFIYA_LOG_LEVEL", "trace")
        .start();
    let receiver = Receiver::start();
    let client = server.live();
    let events = ["assessment.completed", "adverse_event.created"];
    register(&client, &receiver.url(), &events);
    let [name, street, phone, birth, words, place, report] = SAID_OF_THE_PATIENT else {
        panic!("seven values");
    };

    let mut case = fever();
    case["patient"]["name"] = json!(name);
    case["patient"]["location"] = json!(format!("{street}, Ikeja, Lagos"));
    case["evidence"][0]["value"] = json!(phone);
    case["note"] = json!(place);
    let answer = assessed(&client, &case);
    let text =
        json!({"text": format!("fever, {words}, lives {place}"), "context": {"location": street}});
    client.post("/v1/parse", &text).expect(200);
    let phrase = words.replace(' ', "%20");
    client
        .get(&format!("/v1/search?phrase={phrase}"))
        .expect(200);
    let bundle = json!({"resourceType": "Bundle", "type": "collection", "entry": [
        {"resource": {"resourceType": "Patient", "gender": "female", "birthDate": birth,
            "name": [{"text": name}], "telecom": [{"value": phone}], "address": [{"text": street}]}},
        {"resource": {"resourceType": "Observation", "status": "final", "valueBoolean": true,
            "note": [{"text": words}],
            "code": {"coding": [{"system": "https://x.example/fhir/CodeSystem/concept", "code": "s_fever"}]}}}
    ]});
    post_fhir(&client, &bundle).expect(200);
    let event = json!({"assessment_id": answer["assessment_id"], "description": report, "seriousness": "serious"});
    let last = client.post("/v1/adverse-events", &event).expect(201);
    // Rejected requests too: an error must not be quoted to anyone except its sender.
    client
        .post("/v1/assess", &json!({"patient": name, "evidence": words}))
        .expect(400);

    // A tenant that allows texts to be sent to the model does not allow identifying data.
    let allowed = server.cli(&["tenant", "text-to-provider", "demo", "scrubbed"]);
    assert!(allowed.status.success(), "{allowed:?}");
    let before = model.asked().len();
    let note = format!("My name is {name}, born {birth}, of {street}, call {phone}. I have fever.");
    eventually("the permission is known", Duration::from_secs(10), || {
        let read = client.post("/v1/parse", &json!({"text": note}));
        read.expect(200);
        (model.asked().len() > before).then_some(())
    });

    let told = receiver.wait_for(3);
    wait_for(&server, last.required_header("x-request-id"));
    // One request for each assessment, and one for the text.
    assert!(model.asked().len() >= 3, "the model was not asked");
    let log = server.log();
    for value in SAID_OF_THE_PATIENT {
        assert!(!log.contains(value), "{value} stands in the log");
        for delivery in &told {
            let body = String::from_utf8_lossy(&delivery.body);
            assert!(!body.contains(value), "{value} was told: {body}");
        }
        for question in model.asked() {
            assert!(!question.contains(value), "{value} was asked: {question}");
        }
    }
}
