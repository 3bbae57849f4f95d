//! Tests `POST /parse`: both formats, both ways to state the patient, the bounds, and basic
//! recognition. The quality of recognition is tested elsewhere.

use lafiya_blackbox::Answer;
use serde_json::{Value, json};

use crate::requests::{clinic, named};
use crate::shape::Kind::{Flag, List, Number, Text, WholeOrNull};
use crate::shape::{check_each, check_fields, check_word, column};

#[track_caller]
fn parse(body: &Value) -> Answer {
    clinic().post("/v1/parse", body)
}

#[track_caller]
fn read(text: &str) -> Value {
    parse(&json!({"text": text})).expect(200).json()
}

#[track_caller]
fn mention(body: &Value, id: &str) -> Value {
    let mentions = body["mentions"].as_array().expect("a list");
    let found = mentions.iter().find(|mention| mention["id"] == id);
    found.unwrap_or_else(|| panic!("no {id}: {body}")).clone()
}

#[track_caller]
fn refuses(body: &Value, pointer: &str) {
    let answer = parse(body);
    assert_eq!(
        named(&answer, 400, "INVALID_REQUEST"),
        [pointer],
        "{answer}"
    );
}

#[test]
fn the_answer_has_mentions_and_assess_fields() {
    let text = "I am pregnant. Severe headache and fever for three days, no cough";
    let body = read(text);
    check_fields(
        &body,
        &[
            ("mentions", List),
            ("obvious", Flag),
            ("symptoms", List),
            ("risk_factors", List),
            ("lab_tests", List),
        ],
    );
    let mention = [
        ("id", Text),
        ("orth", Text),
        ("name", Text),
        ("common_name", Text),
        ("choice_id", Text),
        ("type", Text),
        ("severity", Text),
        ("duration_days", WholeOrNull),
    ];
    for mention in check_each(&body["mentions"], &mention) {
        check_word(&mention["choice_id"], &["present", "absent", "unknown"]);
        check_word(&mention["type"], &["symptom", "risk_factor"]);
        check_word(&mention["severity"], &["", "mild", "moderate", "severe"]);
        let words = mention["orth"].as_str().unwrap_or_default();
        assert!(text.contains(words), "not the patient's words: {mention}");
    }
    let symptom = [
        ("id", Text),
        ("name", Text),
        ("confidence", Number),
        ("duration_days", WholeOrNull),
    ];
    for symptom in check_each(&body["symptoms"], &symptom) {
        let confidence = symptom["confidence"].as_f64().unwrap_or(-1.0);
        assert!((0.0..=1.0).contains(&confidence), "{symptom}");
    }
    assert!(column(&body["symptoms"], "id").contains(&"s_fever"));
    assert!(
        !column(&body["symptoms"], "id").contains(&"s_cough"),
        "denied"
    );
    assert!(column(&body["risk_factors"], "id").contains(&"p_pregnancy"));
}

#[test]
fn denied_findings_are_absent_and_doubted_ones_unknown() {
    let body = read("I have fever but no cough. Not sure about headache.");
    for (id, choice) in [
        ("s_fever", "present"),
        ("s_cough", "absent"),
        ("s_headache", "unknown"),
    ] {
        assert_eq!(mention(&body, id)["choice_id"], choice, "{id}");
    }
}

#[test]
fn an_age_in_the_text_is_returned_in_the_assess_fields() {
    for (text, age, told) in [
        (
            "5 day old baby with fever",
            json!(0),
            json!({"age": 0, "age_days": 5}),
        ),
        (
            "my 7 month old has a cough",
            json!(null),
            json!({"age": 0, "age_months": 7}),
        ),
        ("4 year old boy with fever", json!(null), json!({"age": 4})),
        ("4 year old boy with fever", json!(30), json!(null)),
        ("fever for 3 days", json!(0), json!(null)),
    ] {
        let body = parse(&json!({"text": text, "age": age})).expect(200).json();
        assert_eq!(body["patient"], told, "{text}");
    }
    let body = parse(&json!({"text": "5 day old baby with fever", "age": 0}))
        .expect(200)
        .json();
    let mut patient = body["patient"].clone();
    patient["sex"] = json!("male");
    let evidence = json!([{"id": "s_fever", "choice_id": "present", "source": "initial"}]);
    let request = json!({"patient": patient, "evidence": evidence});
    let answer = clinic().post("/v1/assess", &request).expect(200).json();
    assert_eq!(answer["triage"]["level"], "emergency", "fever of a newborn");
}

#[test]
fn test_results_are_listed_separately_and_are_evidence() {
    const TEST: &str = "lt_malaria_rapid_diagnostic_test";
    let chance = |text: &str, tests: &[(&str, &str)]| {
        let body = read(text);
        let told = &body["lab_tests"];
        let choices = column(told, "choice_id");
        let told_tests: Vec<_> = column(told, "id").into_iter().zip(choices).collect();
        assert_eq!(told_tests, tests, "{text}");
        let list = |name: &str| body[name].as_array().expect("a list").clone();
        let evidence: Vec<Value> = list("mentions")
            .iter()
            .chain(&list("lab_tests"))
            .map(|item| json!({"id": item["id"], "choice_id": item["choice_id"], "source": "initial"}))
            .collect();
        let patient = json!({"age": 30, "sex": "male", "location": "kano"});
        let request = json!({"patient": patient, "evidence": evidence});
        let answer = clinic().post("/v1/assess", &request).expect(200).json();
        let conditions = answer["conditions"].as_array().expect("a list").clone();
        let malaria = conditions
            .iter()
            .find(|condition| condition["id"] == "c_uncomplicated_malaria");
        malaria.map_or(0.0, |condition| {
            condition["probability"].as_f64().unwrap_or(0.0)
        })
    };
    let untold = chance("fever and headache for two days", &[]);
    let positive = chance(
        "fever and headache for two days, RDT positive",
        &[(TEST, "present")],
    );
    let negative = chance(
        "fever and headache for two days, RDT -ve",
        &[(TEST, "absent")],
    );
    assert!(
        negative < untold && untold < positive,
        "{negative} {untold} {positive}"
    );
}

#[test]
fn a_duration_is_converted_to_days() {
    for (text, days) in [
        ("fever for three days", 3),
        ("fever for 3 days", 3),
        ("fever since yesterday", 1),
        ("fever for two weeks", 14),
    ] {
        let body = read(text);
        assert_eq!(body["mentions"][0]["duration_days"], days, "{text}");
        assert_eq!(body["symptoms"][0]["duration_days"], days, "{text}");
    }
    let timeless = read("fever");
    assert_eq!(mention(&timeless, "s_fever")["duration_days"], Value::Null);
}

#[test]
fn a_weekday_needs_the_evaluation_date() {
    let since = |today: Value| {
        let body = json!({"text": "fever since Sunday", "evaluated_at": today});
        let body = parse(&body).expect(200).json();
        mention(&body, "s_fever")["duration_days"].clone()
    };
    assert_eq!(since(json!("2026-09-16")), 3, "a Wednesday");
    assert_eq!(since(Value::Null), Value::Null);
    refuses(
        &json!({"text": "fever", "evaluated_at": "never"}),
        "/evaluated_at",
    );
}

#[test]
fn text_without_findings_is_empty_and_not_obvious() {
    let body = read("The weather in Kano is fine today.");
    assert_eq!(body["mentions"], json!([]));
    assert_eq!(body["symptoms"], json!([]));
    assert_eq!(body["risk_factors"], json!([]));
    assert_eq!(body["obvious"], false);
}

#[test]
fn text_may_have_2000_characters_of_any_byte_length() {
    for letter in ["x", "é", "ọ", "🤒"] {
        let longest = letter.repeat(2000);
        parse(&json!({"text": longest})).expect(200);
        refuses(&json!({"text": longest + letter}), "/text");
    }
}

#[test]
fn empty_or_non_string_text_is_refused() {
    for text in [
        json!(""),
        json!("  \n\t"),
        json!(null),
        json!(5),
        json!(["fever"]),
    ] {
        refuses(&json!({"text": text}), "/text");
    }
    refuses(&json!({}), "/text");
}

#[test]
fn age_and_sex_are_accepted_in_three_forms() {
    for about in [
        json!({"age": {"value": 30}, "sex": "female"}),
        json!({"age": 30, "sex": "female"}),
        json!({"context": {"age": 30, "sex": "female", "location": "kano"}}),
        json!({"context": {}}),
        json!({"age": 30, "sex": "female", "context": {"age": 30, "sex": "female"}}),
        json!({"age": {"value": 0}, "sex": "other"}),
        json!({"age": 120, "sex": "male"}),
    ] {
        let mut body = about;
        body["text"] = json!("fever");
        let answer = parse(&body).expect(200).json();
        assert_eq!(mention(&answer, "s_fever")["choice_id"], "present");
    }
}

#[test]
fn an_invalid_age_or_sex_is_refused() {
    for (about, pointer) in [
        (json!({"age": 121}), "/age"),
        (json!({"age": -1}), "/age"),
        (json!({"age": "30"}), "/age"),
        (json!({"age": 30.5}), "/age"),
        (json!({"age": {"value": 121}}), "/age/value"),
        (json!({"age": {"value": "30"}}), "/age/value"),
        (json!({"sex": "F"}), "/sex"),
        (json!({"sex": 1}), "/sex"),
        (json!({"context": 5}), "/context"),
        (json!({"context": {"age": 121}}), "/context/age"),
        (json!({"context": {"sex": "F"}}), "/context/sex"),
        (json!({"context": {"location": 5}}), "/context/location"),
    ] {
        let mut body = about;
        body["text"] = json!("fever");
        refuses(&body, pointer);
    }
}

#[test]
fn an_age_may_be_given_in_months_or_days() {
    // A five-day-old baby that does not suck well is in danger; a five-year-old child does not
    // suck.
    let sucks_badly = |age: Value| {
        let body = json!({"text": "not sucking well", "age": age});
        let body = parse(&body).expect(200).json();
        let ids = column(&body["mentions"], "id").into_iter();
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    let days = sucks_badly(json!({"value": 5, "unit": "day"}));
    assert_eq!(days, ["s_poor_feeding_in_infant"]);
    assert_eq!(sucks_badly(json!({"value": 5, "unit": "month"})), days);
    assert_eq!(sucks_badly(json!({"value": 5, "unit": "year"})), [""; 0]);
    assert_eq!(sucks_badly(json!({"value": 5})), [""; 0]);
    refuses(
        &json!({"text": "fever", "age": {"value": 5, "unit": "week"}}),
        "/age/unit",
    );
    refuses(
        &json!({"text": "fever", "age": {"value": 1441, "unit": "month"}}),
        "/age/value",
    );
}

#[test]
fn an_age_without_a_value_is_refused() {
    let of = |name: &str, value: Value| json!({"text": "fever", name: value});
    refuses(&of("age", json!({})), "/age/value");
    refuses(&of("context", json!({"age": {}})), "/context/age/value");
}

#[test]
fn a_contradictory_context_is_refused() {
    for (about, field) in [
        (json!({"age": 30, "context": {"age": 31}}), "age"),
        (json!({"age": {"value": 30}, "context": {"age": 31}}), "age"),
        (json!({"sex": "male", "context": {"sex": "female"}}), "sex"),
    ] {
        let mut body = about;
        body["text"] = json!("fever");
        let answer = parse(&body);
        let pointers = named(&answer, 400, "INVALID_REQUEST");
        assert!(pointers[0].ends_with(field), "{answer}");
    }
}

#[test]
fn hostile_text_is_treated_as_plain_text() {
    for text in [
        "'; drop table tenants; --",
        "<script>fever</script>",
        "\u{0}\u{202e}fever",
        "{{7*7}}",
    ] {
        parse(&json!({"text": text})).expect(200);
    }
}

#[test]
fn free_text_is_never_cached() {
    let answer = parse(&json!({"text": "fever"})).expect(200);
    let policy = answer.required_header("cache-control");
    assert!(policy.contains("no-store"), "{answer}");
}
