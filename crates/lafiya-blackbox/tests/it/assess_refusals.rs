//! Tests what `POST /assess` rejects, and how it reports the errors: every bound, type and word.

use serde_json::{Value, json};

use crate::requests::{
    ASSESS, absent, assessed, case, clinic, fever, item, measured, named, patient, present, with,
};
use crate::shape::texts;

/// Asserts that one wrong value in a valid request is rejected and reported.
#[track_caller]
fn refuses(pointer: &str, value: Value) {
    refuses_at(pointer, value, pointer);
}

#[track_caller]
fn refuses_at(pointer: &str, value: Value, expected: &str) {
    let answer = clinic().post(ASSESS, &with(fever(), pointer, value));
    assert_eq!(
        named(&answer, 400, "INVALID_REQUEST"),
        [expected],
        "{answer}"
    );
}

#[test]
fn an_age_out_of_bounds_is_refused() {
    for age in [
        json!(-1),
        json!(121),
        json!(30.5),
        json!("30"),
        json!(true),
        json!(1e30),
    ] {
        refuses("/patient/age", age);
    }
    refuses("/patient/age", Value::Null);
    for age in [0, 120] {
        let body = patient(age, "other", &[present("s_fever")]);
        clinic().post(ASSESS, &body).expect(200);
    }
}

#[test]
fn an_undocumented_enum_value_is_refused() {
    for (pointer, words) in [
        ("/patient/sex", ["M", "Female", ""]),
        ("/evidence/0/choice_id", ["yes", "Present", ""]),
        ("/evidence/0/source", ["me", "Initial", ""]),
        ("/evidence/0/severity", ["bad", "Severe", "critical"]),
    ] {
        for word in words {
            refuses(pointer, json!(word));
        }
        refuses(pointer, json!(1));
    }
}

#[test]
fn every_documented_enum_value_is_accepted() {
    for (pointer, words) in [
        ("/patient/sex", ["male", "female", "other"]),
        ("/evidence/0/source", ["suggest", "predefined", "red_flags"]),
        ("/evidence/0/severity", ["mild", "moderate", "severe"]),
    ] {
        for word in words {
            let body = with(fever(), pointer, json!(word));
            clinic().post(ASSESS, &body).expect(200);
        }
    }
}

#[test]
fn a_wrong_type_is_refused() {
    for (pointer, value) in [
        ("/patient", json!([])),
        ("/patient", json!("a woman")),
        ("/patient/location", json!(5)),
        ("/evidence", json!({})),
        ("/evidence", json!("s_fever")),
        ("/evidence/0", json!("s_fever")),
        ("/evidence/0/id", json!(7)),
        ("/evidence/0/value", json!(39.5)),
        ("/evidence/0/value", json!(39)),
        ("/evidence/0/duration_days", json!(-1)),
        ("/evidence/0/duration_days", json!(1.5)),
        ("/evidence/0/duration_days", json!("3")),
        ("/risk_factors", json!("p_pregnancy")),
        ("/previous_evidence", json!({})),
        ("/interview_id", json!(5)),
        ("/evaluated_at", json!("2026-13-01")),
        ("/evaluated_at", json!(20260701)),
    ] {
        refuses(pointer, value);
    }
    refuses_at("/risk_factors", json!([5]), "/risk_factors/0");
    let maybe = json!([{"id": "p_pregnancy", "choice_id": "maybe"}]);
    refuses_at("/risk_factors", maybe, "/risk_factors/0/choice_id");
    let nameless = json!([{"choice_id": "present"}]);
    refuses_at("/risk_factors", nameless, "/risk_factors/0/id");
}

#[test]
fn too_many_items_are_refused() {
    refuses("/evidence", json!(vec![present("s_fever"); 51]));
    refuses("/risk_factors", json!(vec!["p_pregnancy"; 31]));
    refuses("/previous_evidence", json!(vec![present("s_cough"); 31]));
}

#[test]
fn every_missing_field_is_named() {
    let answer = clinic().post(ASSESS, &json!({"patient": {}, "evidence": [{}]}));
    let mut pointers = named(&answer, 400, "INVALID_REQUEST");
    pointers.sort();
    let expected = [
        "/evidence/0/choice_id",
        "/evidence/0/id",
        "/evidence/0/source",
        "/patient/age",
        "/patient/sex",
    ];
    assert_eq!(pointers, expected, "{answer}");
}

#[test]
fn an_invalid_language_or_date_is_refused() {
    refuses("/language", json!(5));
    refuses("/language", json!(""));
    for date in [
        json!("2026-02-30"),
        json!("soon"),
        json!("2026-09-15 maybe"),
        json!(5),
    ] {
        refuses("/evaluated_at", date);
    }
    for good in ["2026-09-15", "2026-09-15T08:30:00Z"] {
        let body = with(fever(), "/evaluated_at", json!(good));
        let body = with(body, "/language", json!("en"));
        clinic().post(ASSESS, &body).expect(200);
    }
}

#[test]
fn an_unknown_concept_is_reported_with_the_other_errors() {
    let body = with(case(&[present("s_fevr")]), "/patient/age", json!(121));
    let body = with(body, "/risk_factors", json!(["p_pregnency"]));
    let answer = clinic().post(ASSESS, &body);
    assert_eq!(
        named(&answer, 400, "INVALID_REQUEST"),
        ["/patient/age", "/evidence/0/id", "/risk_factors/0"]
    );
    let error = answer.json();
    let suggestions = &error["error"]["details"]["fields"][1]["suggestions"];
    assert_eq!(suggestions[0], "s_fever", "{answer}");
}

#[test]
fn all_errors_are_reported_at_once() {
    let body = with(fever(), "/patient/sex", json!("F"));
    let body = with(body, "/evidence/0/choice_id", json!("yes"));
    let body = with(body, "/evidence/0/value", json!(4));
    let body = with(body, "/risk_factors", json!(vec!["x"; 31]));
    let answer = clinic().post(ASSESS, &body);
    assert_eq!(named(&answer, 400, "INVALID_REQUEST").len(), 4, "{answer}");
}

#[test]
fn no_evidence_is_a_validation_error_at_the_list() {
    let none = clinic().post(ASSESS, &case(&[]));
    assert_eq!(named(&none, 400, "VALIDATION_ERROR"), ["/evidence"]);
    let missing = json!({"patient": {"age": 30, "sex": "male"}});
    let answer = clinic().post(ASSESS, &missing);
    assert_eq!(answer.status, 400, "{answer}");
    let nothing = clinic().post(ASSESS, &json!({}));
    let pointers = named(&nothing, 400, "INVALID_REQUEST");
    assert!(pointers.contains(&"/patient".to_owned()), "{nothing}");
    assert!(pointers.contains(&"/evidence".to_owned()), "{nothing}");
}

#[test]
fn without_a_present_symptom_the_data_is_insufficient() {
    let factor = |body: Value| with(body, "/risk_factors", json!(["p_pregnancy"]));
    for body in [
        case(&[absent("s_fever")]),
        case(&[item("s_fever", "unknown")]),
        case(&[present("p_pregnancy")]),
        factor(case(&[absent("s_fever")])),
        with(
            case(&[absent("s_fever")]),
            "/previous_evidence",
            json!([present("s_fever")]),
        ),
    ] {
        let answer = clinic().post(ASSESS, &body);
        answer.expect_error(400, "INSUFFICIENT_DATA");
    }
}

#[test]
fn an_unknown_id_is_refused_with_suggestions() {
    let body = case(&[present("s_fevr"), present("s_headache")]);
    let body = with(body, "/risk_factors", json!(["p_pregnanzy"]));
    let body = with(body, "/previous_evidence", json!([present("s_coughh")]));
    let answer = clinic().post(ASSESS, &body);
    let mut pointers = named(&answer, 400, "INVALID_REQUEST");
    pointers.sort();
    assert_eq!(pointers[0], "/evidence/0/id", "{answer}");
    assert_eq!(pointers[1], "/previous_evidence/0/id", "{answer}");
    assert!(pointers[2].starts_with("/risk_factors/0"), "{answer}");
    let error = answer.json();
    for field in error["error"]["details"]["fields"]
        .as_array()
        .expect("a list")
    {
        let offered = texts(&field["suggestions"]);
        assert!((1..=3).contains(&offered.len()), "{field}");
        let right = ["s_fever", "p_pregnancy", "s_cough"];
        assert!(right.contains(&offered[0]), "{field}");
    }
}

#[test]
fn an_unknown_id_gets_at_most_three_suggestions() {
    for id in ["xqzzy", "🤒", "'; drop table interviews; --", "s_"] {
        let answer = clinic().post(ASSESS, &case(&[present(id)]));
        assert_eq!(named(&answer, 400, "INVALID_REQUEST"), ["/evidence/0/id"]);
        let field = &answer.json()["error"]["details"]["fields"][0];
        let offered = field["suggestions"].as_array().map_or(0, Vec::len);
        assert!(offered <= 3, "{answer}");
    }
}

#[test]
fn a_condition_is_not_evidence() {
    let answer = clinic().post(ASSESS, &case(&[present("c_uncomplicated_malaria")]));
    assert_eq!(named(&answer, 400, "INVALID_REQUEST"), ["/evidence/0/id"]);
}

#[test]
fn a_contradiction_in_one_request_is_refused() {
    let refused = |body: Value, beginning: &str| {
        let answer = clinic().post(ASSESS, &body);
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert!(pointers[0].starts_with(beginning), "{answer}");
    };
    let (yes, no) = (present("s_fever"), absent("s_fever"));
    refused(case(&[yes.clone(), no.clone()]), "/evidence/1");
    refused(case(&[yes.clone(), absent("fever")]), "/evidence/1");
    let previous = with(
        case(&[present("s_cough")]),
        "/previous_evidence",
        json!([yes, no]),
    );
    refused(previous, "/previous_evidence/1");
    let body = case(&[present("s_fever"), absent("p_pregnancy")]);
    let body = with(body, "/risk_factors", json!(["p_pregnancy"]));
    refused(body, "/risk_factors/0");
}

#[test]
fn a_refused_risk_factor_is_pointed_at_precisely() {
    refuses_at("/risk_factors", json!(["p_nope"]), "/risk_factors/0");
    refuses_at("/risk_factors", json!([""]), "/risk_factors/0");
    let object = json!([{"id": "p_nope"}]);
    refuses_at("/risk_factors", object, "/risk_factors/0/id");
}

#[test]
fn a_non_object_body_gets_a_full_sentence() {
    let answer = clinic().post(ASSESS, &json!([]));
    let error = answer.expect_error(400, "INVALID_REQUEST");
    assert_eq!(error["message"], "The request must be a JSON object");
}

#[test]
fn differing_details_are_refused_and_missing_ones_merged() {
    let client = clinic();
    let temperature = |value| measured("s_body_temperature", value);
    for values in [["41.2", "37"], ["37", "41.2"]] {
        let body = case(&[
            present("s_cough"),
            temperature(values[0]),
            temperature(values[1]),
        ]);
        let answer = client.post(ASSESS, &body);
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert_eq!(pointers, ["/evidence/2/value"], "{answer}");
    }
    let (bare, hot) = (present("s_body_temperature"), temperature("41.2"));
    for evidence in [[bare.clone(), hot.clone()], [hot, bare]] {
        let body = assessed(&client, &case(&evidence));
        assert_eq!(body["triage"]["level"], "emergency", "{body}");
    }
}

#[test]
fn duplicate_keys_and_invalid_numbers_are_refused() {
    let evidence = r#"[{"id":"s_fever","choice_id":"present","source":"initial"}]"#;
    for text in [
        format!(r#"{{"patient":{{"age":30,"age":30,"sex":"male"}},"evidence":{evidence}}}"#),
        format!(r#"{{"patient":{{"age":NaN,"sex":"male"}},"evidence":{evidence}}}"#),
        format!(r#"{{"patient":{{"age":1e999,"sex":"male"}},"evidence":{evidence}}}"#),
        format!(
            r#"{{"patient":{{"age":30,"sex":"male"}},"evidence":{evidence},"x":{{"a":1,"a":2}}}}"#
        ),
        r#"{"patient":{"age":30,"sex":"male"},"evidence":[{"id":"s_fever","id":"s_cough","choice_id":"present","source":"initial"}]}"#.to_owned(),
    ] {
        let answer = clinic().request("POST", ASSESS).json_text(text).send();
        answer.expect_error(400, "INVALID_REQUEST");
    }
}

#[test]
fn months_and_days_must_agree_with_the_years() {
    let of = |age: u32, fields: &[(&str, i64)]| {
        let mut body = patient(age, "male", &[present("s_cough")]);
        for (name, number) in fields {
            body = with(body, &format!("/patient/{name}"), json!(number));
        }
        clinic().post(ASSESS, &body)
    };
    of(0, &[("age_months", 0)]).expect(200);
    of(0, &[("age_months", 11)]).expect(200);
    of(1, &[("age_months", 12)]).expect(200);
    of(4, &[("age_months", 59)]).expect(200);
    of(0, &[("age_days", 0)]).expect(200);
    of(0, &[("age_days", 60), ("age_months", 1)]).expect(200);
    for (age, field, number) in [
        (1, "age_months", 11),
        (0, "age_months", 12),
        (5, "age_months", 59),
        (5, "age_months", 60),
        (0, "age_months", -1),
        (1, "age_days", 20),
        (0, "age_days", 61),
        (0, "age_days", -1),
    ] {
        let answer = of(age, &[(field, number)]);
        let expected = format!("/patient/{field}");
        assert_eq!(
            named(&answer, 400, "INVALID_REQUEST"),
            [expected],
            "{answer}"
        );
    }
    of(0, &[("age_days", 10), ("age_months", 3)]).expect_error(400, "INVALID_REQUEST");
}
