//! Tests how `POST /assess` handles evidence: danger signs, measurements, tests, contradictory
//! pairs.

use std::fs;
use std::path::Path;

use lafiya_blackbox::{Client, Server};
use serde_json::{Value, json};

use crate::requests::{
    absent, assessed, case, clinic, fever, item, measured, patient, present, with,
};
use crate::shape::{column, texts};

/// Returns probabilities by condition, in order: the result without ids and times.
pub(crate) fn thought(body: &Value) -> Vec<(String, String)> {
    let conditions = body["conditions"].as_array().expect("a list");
    let pair = |value: &Value| (value["id"].to_string(), value["probability"].to_string());
    conditions.iter().map(pair).collect()
}

#[track_caller]
fn concerns(body: &Value) -> Vec<Value> {
    let warnings = body["clinical_warnings"].as_array().expect("a list");
    let concern = |value: &&Value| value["type"] == "validation_concern";
    warnings.iter().filter(concern).cloned().collect()
}

/// Asserts that two cases get the same result.
#[track_caller]
fn check_same(client: &Client, one: &Value, other: &Value) {
    let (one, other) = (assessed(client, one), assessed(client, other));
    assert_eq!(thought(&one), thought(&other));
    assert_eq!(one["triage"], other["triage"]);
}

fn probability(body: &Value, id: &str) -> f64 {
    let conditions = body["conditions"].as_array().expect("a list");
    let found = conditions.iter().find(|condition| condition["id"] == id);
    found.map_or(0.0, |condition| {
        condition["probability"].as_f64().unwrap_or(0.0)
    })
}

#[test]
fn an_emergency_sign_is_an_emergency_in_any_context() {
    for evidence in [
        vec![present("s_unconscious")],
        vec![present("s_convulsion")],
        vec![
            present("s_headache"),
            absent("s_fever"),
            absent("s_cough"),
            absent("s_vomiting"),
            present("s_unconscious"),
        ],
    ] {
        let body = assessed(&clinic(), &case(&evidence));
        assert_eq!(body["triage"]["level"], "emergency");
        assert_eq!(body["metadata"]["escalation_tier"], 1);
        assert_eq!(body["has_emergency_evidence"], true);
        assert!(!texts(&body["red_flags_present"]).is_empty());
        let grave = column(&body["red_flags_structured"], "seriousness");
        assert!(grave.iter().any(|word| word.starts_with("emergency")));
        assert!(body["triage"]["root_cause"].is_string());
    }
}

#[test]
fn an_emergency_value_is_emergency_evidence() {
    let shocked = measured("s_systolic_blood_pressure", "50");
    let body = assessed(
        &clinic(),
        &patient(30, "male", &[present("s_cough"), shocked]),
    );
    let grave = column(&body["red_flags_structured"], "seriousness");
    assert!(grave.iter().any(|word| word.starts_with("emergency")));
    assert_eq!(body["has_emergency_evidence"], true, "{body}");
}

#[test]
fn a_harmless_case_is_no_emergency() {
    let body = assessed(&clinic(), &case(&[present("s_sneezing")]));
    assert_ne!(body["triage"]["level"], "emergency");
    assert_eq!(body["has_emergency_evidence"], false);
    assert_ne!(body["metadata"]["escalation_tier"], 1);
}

#[test]
fn a_fever_in_the_first_weeks_of_life_is_an_emergency() {
    let baby = patient(0, "female", &[present("s_fever")]);
    let body = assessed(&clinic(), &with(baby, "/patient/age_days", json!(12)));
    assert_eq!(body["triage"]["level"], "emergency");
    assert_eq!(body["metadata"]["escalation_tier"], 1);
    assert_eq!(body["has_emergency_evidence"], true);
}

#[test]
fn a_measurement_in_the_value_is_used() {
    let client = clinic();
    let saturation =
        |value: &str| assessed(&client, &case(&[measured("s_oxygen_saturation", value)]));
    assert_eq!(saturation("80")["triage"]["level"], "emergency");
    assert_ne!(saturation("98")["triage"]["level"], "emergency");
    let temperature = |value: &str| {
        let body = assessed(&client, &case(&[measured("s_body_temperature", value)]));
        assert!(concerns(&body).is_empty(), "{value}");
        thought(&body)
    };
    assert_ne!(temperature("39.5"), temperature("36.8"));
    assert_eq!(temperature("39.5"), temperature("39.5 C"));
    assert_eq!(temperature("39.5"), temperature(" 39.5 "));
}

#[test]
fn an_impossible_value_is_ignored_with_a_high_concern() {
    let client = clinic();
    for (id, value, severity) in [
        ("s_body_temperature", "very hot", "high"),
        ("s_body_temperature", "39.5.1", "high"),
        ("s_body_temperature", "", "high"),
        ("s_body_temperature", "NaN", "high"),
        ("s_body_temperature", "40 mmHg", "high"),
        ("s_body_temperature", "398", "high"),
        ("s_oxygen_saturation", "9", "high"),
        ("s_blood_pressure", "80/120", "high"),
        ("s_glasgow_coma_score", "99", "high"),
        ("s_blood_glucose", "2 bananas", "high"),
        // A concept without a number has no dangerous value.
        ("s_headache", "7", "low"),
    ] {
        let answer = assessed(&client, &case(&[present("s_cough"), measured(id, value)]));
        let concerns = concerns(&answer);
        assert_eq!(concerns.len(), 1, "{id} = `{value}`");
        assert_eq!(concerns[0]["severity"], severity, "{id} = `{value}`");
        assert!(!answer.to_string().contains("very hot"), "it is repeated");
    }
    let coughing = assessed(&client, &case(&[present("s_cough")]));
    let saturation = measured("s_oxygen_saturation", "9");
    let answer = assessed(&client, &case(&[present("s_cough"), saturation]));
    assert_eq!(
        thought(&answer),
        thought(&coughing),
        "nothing follows from it"
    );
    let said = concerns(&answer)[0].to_string();
    assert!(
        said.contains("30 to 100 %") && said.contains("again now"),
        "{said}"
    );
}

#[test]
fn contradictory_numbers_are_reported() {
    let client = clinic();
    let upper = measured("s_systolic_blood_pressure", "80");
    let lower = measured("s_diastolic_blood_pressure", "120");
    let answer = assessed(&client, &case(&[present("s_cough"), upper, lower]));
    assert_eq!(concerns(&answer)[0]["severity"], "high");
}

#[test]
fn a_factor_impossible_for_age_or_sex_is_ignored_with_a_concern() {
    let client = clinic();
    let man = patient(30, "male", &[present("s_runny_nose")]);
    let girl = patient(8, "female", &[present("s_fever")]);
    for (plain, impossible) in [(man, "p_pregnancy"), (girl, "p_enlarged_prostate_known")] {
        let body = with(plain.clone(), "/risk_factors", json!([impossible]));
        let answer = assessed(&client, &body);
        assert_eq!(concerns(&answer).len(), 1, "{impossible}");
        assert_eq!(thought(&answer), thought(&assessed(&client, &plain)));
        for condition in answer["conditions"].as_array().expect("a list") {
            assert!(!column(&condition["contributions"], "id").contains(&impossible));
        }
    }
}

#[test]
fn a_test_result_is_positive_when_present_and_negative_when_absent() {
    let client = clinic();
    let with_test = |choice: &str| {
        let test = item("lt_malaria_rapid_diagnostic_test", choice);
        let body = assessed(&client, &case(&[present("s_fever"), test]));
        probability(&body, "c_uncomplicated_malaria")
    };
    let untested = with_test("unknown");
    assert!(with_test("present") > untested);
    assert!(with_test("absent") < untested);
}

#[test]
fn unknown_changes_nothing() {
    let unknown = case(&[present("s_fever"), item("s_cough", "unknown")]);
    check_same(&clinic(), &fever(), &unknown);
}

#[test]
fn the_order_of_evidence_changes_nothing() {
    let (one, two) = (present("s_fever"), present("s_headache"));
    let forwards = case(&[one.clone(), two.clone()]);
    check_same(&clinic(), &forwards, &case(&[two, one]));
}

#[test]
fn a_bare_slug_resolves_to_the_concept() {
    let slugs = with(
        case(&[present("fever")]),
        "/risk_factors",
        json!(["pregnancy"]),
    );
    let ids = with(fever(), "/risk_factors", json!(["p_pregnancy"]));
    check_same(&clinic(), &slugs, &ids);
}

#[test]
fn a_retired_id_resolves_to_its_successor() {
    let knowledge = tempfile::tempdir().expect("a folder");
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../knowledge");
    copy_folder(&ours, knowledge.path());
    let alias = "[[alias]]\nretired = \"s_word_of_last_year\"\nnow = \"s_fever\"\n";
    fs::write(knowledge.path().join("aliases.toml"), alias).expect("a file");
    let path = knowledge.path().to_string_lossy().into_owned();
    let server = Server::with("LAFIYA_KNOWLEDGE_DIR", &path).start();
    let retired = case(&[present("s_word_of_last_year")]);
    check_same(&server.live(), &retired, &fever());
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the knowledge base").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

#[test]
fn a_risk_factor_is_a_string_or_an_object() {
    let of = |factor: Value| with(fever(), "/risk_factors", json!([factor]));
    let string = of(json!("p_pregnancy"));
    let object = of(json!({"id": "p_pregnancy", "choice_id": "present"}));
    check_same(&clinic(), &string, &object);
    let not = assessed(
        &clinic(),
        &of(json!({"id": "p_pregnancy", "choice_id": "absent"})),
    );
    assert_eq!(probability(&not, "c_malaria_in_pregnancy"), 0.0);
}

#[test]
fn duplicate_items_count_once() {
    let twice = case(&[present("s_fever"), present("s_fever"), present("fever")]);
    check_same(&clinic(), &fever(), &twice);
}

#[test]
fn evidence_overrides_previous_evidence() {
    let client = clinic();
    let both = case(&[present("s_headache"), present("s_fever")]);
    let previous = with(
        case(&[present("s_headache")]),
        "/previous_evidence",
        json!([present("s_fever")]),
    );
    check_same(&client, &both, &previous);
    let denied = case(&[present("s_headache"), absent("s_fever")]);
    let revised = with(
        denied.clone(),
        "/previous_evidence",
        json!([present("s_fever")]),
    );
    check_same(&client, &denied, &revised);
}

#[test]
fn unknown_fields_are_ignored() {
    let strange = with(fever(), "/colour", json!({"deep": [1, 2]}));
    let strange = with(strange, "/patient/name", json!("x"));
    let strange = with(strange, "/evidence/0/note", json!(null));
    check_same(&clinic(), &fever(), &strange);
}

#[test]
fn optional_fields_may_be_null() {
    let mut body = fever();
    for pointer in [
        "/risk_factors",
        "/previous_evidence",
        "/interview_id",
        "/patient/location",
        "/evidence/0/severity",
        "/evidence/0/duration_days",
        "/evidence/0/value",
    ] {
        body = with(body, pointer, Value::Null);
    }
    check_same(&clinic(), &fever(), &body);
}

#[test]
fn the_largest_allowed_request_is_assessed() {
    let body = case(&vec![present("s_fever"); 50]);
    let body = with(body, "/risk_factors", json!(vec!["p_pregnancy"; 30]));
    let previous = json!(vec![present("s_cough"); 30]);
    assessed(&clinic(), &with(body, "/previous_evidence", previous));
}
