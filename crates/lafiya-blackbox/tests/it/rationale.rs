//! Tests `POST /rationale` and `GET /rationale`: an assessment explained from the stored record.

use jiff::Timestamp;
use lafiya_blackbox::{Answer, Client, Server, shared};
use serde_json::{Value, json};

use crate::assess::thought;
use crate::requests::{
    absent, assessed, case, clinic, fever, measured, named, new_uuid, pilot, present, turn,
};
use crate::shape::Kind::{Flag, Number, Object, Text, TextOrNull, Texts, Whole};
use crate::shape::{check_each, check_fields};

const RATIONALE: &str = "/v1/rationale";

#[track_caller]
fn asked(client: &Client, id: &Value) -> Answer {
    client.post(RATIONALE, &json!({"assessment_id": id}))
}

#[track_caller]
fn asked_by_query(client: &Client, id: &str) -> Answer {
    client.get(&format!("{RATIONALE}?assessment_id={id}"))
}

#[test]
fn an_assessment_is_explained_with_every_documented_field() {
    let client = clinic();
    for evidence in [[present("s_fever")], [present("s_unconscious")]] {
        let assessment = assessed(&client, &case(&evidence));
        let answer = asked(&client, &assessment["assessment_id"]).expect(200);
        let body = answer.json();
        check_fields(
            &body,
            &[
                ("assessment_id", Text),
                ("interview_id", Text),
                ("reasoning", Text),
                ("triage", Object),
                ("metadata", Object),
            ],
        );
        assert_eq!(body["assessment_id"], assessment["assessment_id"]);
        assert_eq!(body["interview_id"], assessment["interview_id"]);
        assert_ne!(body["reasoning"], "");
        check_each(
            &body["conditions"],
            &[
                ("id", Text),
                ("name", Text),
                ("probability", Number),
                ("evidence_supporting", Texts),
                ("evidence_against", Texts),
                ("explanation", Text),
            ],
        );
        assert_eq!(thought(&body), thought(&assessment));
        check_triage(&body["triage"], &assessment);
        check_metadata(&body["metadata"]);
        let policy = answer.required_header("cache-control");
        assert!(policy.contains("no-store"), "{answer}");
    }
}

#[track_caller]
fn check_triage(triage: &Value, assessment: &Value) {
    check_fields(
        triage,
        &[
            ("level", Text),
            ("rationale", Text),
            ("overridden", Flag),
            ("override_reason", TextOrNull),
        ],
    );
    assert_eq!(triage["level"], assessment["triage"]["level"]);
    assert_ne!(triage["rationale"], "");
    let overridden = &assessment["metadata"]["triage_overridden"];
    assert_eq!(&triage["overridden"], overridden);
    assert_eq!(triage["override_reason"].is_string(), overridden == true);
}

#[track_caller]
fn check_metadata(metadata: &Value) {
    check_fields(
        metadata,
        &[
            ("model_used", Text),
            ("generated_at", Text),
            ("confidence", Number),
            ("processing_time_ms", Whole),
        ],
    );
    let at = metadata["generated_at"].as_str().expect("a time");
    at.parse::<Timestamp>().expect("an RFC 3339 time");
}

#[test]
fn get_answers_the_same_as_post() {
    let client = clinic();
    let id = assessed(&client, &fever())["assessment_id"].clone();
    let post = asked(&client, &id).expect(200);
    let get = asked_by_query(&client, id.as_str().expect("an id")).expect(200);
    assert_eq!(get.json(), post.json());
}

#[test]
fn every_turn_has_its_own_explanation() {
    let client = clinic();
    let id = new_uuid();
    let first = assessed(&client, &turn(&id, &[present("s_fever")]));
    let second = assessed(&client, &turn(&id, &[present("s_headache")]));
    for assessment in [first, second] {
        let body = asked(&client, &assessment["assessment_id"])
            .expect(200)
            .json();
        assert_eq!(thought(&body), thought(&assessment));
    }
}

#[test]
fn an_unknown_assessment_is_404() {
    let client = clinic();
    let unknown = asked(&client, &json!(new_uuid()));
    unknown.expect_error(404, "RESOURCE_NOT_FOUND");
    let unknown = asked_by_query(&client, &new_uuid());
    unknown.expect_error(404, "RESOURCE_NOT_FOUND");
    // The id of an interview is not the id of an assessment.
    let interview = assessed(&client, &fever())["interview_id"].clone();
    asked(&client, &interview).expect_error(404, "RESOURCE_NOT_FOUND");
}

#[test]
fn another_tenants_assessment_is_404() {
    let server = shared();
    let (ours, theirs) = (pilot(&server, "explained", 5), pilot(&server, "curious", 5));
    let id = assessed(&ours, &fever())["assessment_id"].clone();
    let foreign = asked(&theirs, &id);
    let unknown = asked(&theirs, &json!(new_uuid()));
    assert_eq!(foreign.status, 404);
    assert_eq!(foreign.json(), unknown.json(), "it can be told apart");
    let by_query = asked_by_query(&theirs, id.as_str().expect("an id"));
    assert_eq!(by_query.json(), unknown.json());
}

#[test]
fn a_malformed_id_is_400_and_named() {
    let client = clinic();
    for id in [json!("abc"), json!(""), json!(5), json!(null), json!([])] {
        let answer = asked(&client, &id);
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/assessment_id"]);
    }
    let nothing = client.post(RATIONALE, &json!({}));
    assert_eq!(named(&nothing, 400, "INVALID_REQUEST"), ["/assessment_id"]);
    for path in ["", "?assessment_id=", "?assessment_id=abc", "?id=1"] {
        let answer = client.get(&format!("{RATIONALE}{path}"));
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/assessment_id"], "{path}");
    }
}

#[test]
fn an_explanation_survives_a_crash() {
    let mut server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 1);
    let id = assessed(&client, &fever())["assessment_id"].clone();
    let before = asked(&client, &id).expect(200).json();
    server.kill();
    server.restart();
    let after = asked(&client.at(server.address), &id).expect(200).json();
    assert_eq!(after, before);
}

#[test]
fn an_explanation_keeps_its_evidence_and_names_its_successor() {
    let client = clinic();
    let id = new_uuid();
    let first = assessed(
        &client,
        &turn(&id, &[measured("s_body_temperature", "39.5")]),
    );
    let told = |value: &Value| asked(&client, &value["assessment_id"]).expect(200).json();
    let before = told(&first);
    assert_eq!(before["rests_on"][0]["value"], 39.5, "{before}");
    assert_eq!(before["rests_on"][0]["unit"], "°C", "{before}");
    assert_eq!(before["supersedes"], Value::Null);
    assert_eq!(before["superseded_by"], Value::Null);

    let second = assessed(&client, &turn(&id, &[present("s_neck_stiffness")]));
    let third = assessed(&client, &turn(&id, &[absent("s_headache")]));
    let mut after = told(&first);
    assert_eq!(after["superseded_by"], second["assessment_id"], "{after}");
    after["superseded_by"] = Value::Null;
    assert_eq!(after, before, "nothing else of it has changed");
    let middle = told(&second);
    assert_eq!(middle["supersedes"], first["assessment_id"]);
    assert_eq!(middle["superseded_by"], third["assessment_id"]);
    let ids = |assessment: &Value| -> Vec<String> {
        let rests_on = assessment["rests_on"].as_array().expect("a list");
        let id = |value: &Value| value["id"].as_str().unwrap_or_default().to_owned();
        rests_on.iter().map(id).collect()
    };
    assert_eq!(ids(&middle), ["s_body_temperature", "s_neck_stiffness"]);
    let latest = told(&third);
    assert_eq!(latest["superseded_by"], Value::Null);
    assert_eq!(ids(&latest).len(), 3);
}
