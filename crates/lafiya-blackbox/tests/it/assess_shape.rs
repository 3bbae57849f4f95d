//! Tests the answer of `POST /assess`: every documented field, its type, its allowed words, and the
//! consistency of the parts.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::headers::check_standard_headers;
use crate::requests::{ASSESS, assessed, case, clinic, fever, measured, patient, present, with};
use crate::shape::Kind::{
    Flag, FlagOrNull, List, Number, NumberOrNull, Object, ObjectOrNull, Text, TextOrNull, Texts,
    TextsOrNull, Whole,
};
use crate::shape::{Kind, check_each, check_fields, check_word, column, is_uuid, texts};

const ANSWER: &[(&str, Kind)] = &[
    ("interview_id", Text),
    ("assessment_id", Text),
    ("conditions", List),
    ("triage", Object),
    ("should_stop", Flag),
    ("next_question", ObjectOrNull),
    ("red_flags", Texts),
    ("red_flags_structured", List),
    ("red_flags_present", Texts),
    ("red_flags_watch_for", Texts),
    ("red_flags_watch_for_structured", List),
    ("has_emergency_evidence", Flag),
    ("clinical_warnings", List),
    ("recommended_investigations", List),
    ("treatment_guidance", Object),
    ("referral_pathway", Object),
    ("nearest_facilities", List),
    ("metadata", Object),
    ("disclaimer", Text),
    ("sources", List),
];
const CONDITION: &[(&str, Kind)] = &[
    ("id", Text),
    ("name", Text),
    ("probability", Number),
    ("severity", Text),
    ("common_name", Text),
    ("icd10", Text),
    ("snomed_ct", Text),
    ("description", Text),
    ("evidence_supporting", Texts),
    ("evidence_against", Texts),
    ("source_citations", Texts),
    ("rationale_one_line", Text),
    ("insufficient_data", Flag),
    ("contributions", List),
];
const TRIAGE: &[(&str, Kind)] = &[
    ("level", Text),
    ("description", Text),
    ("recommended_action", Text),
    ("timeframe", Text),
    ("recommended_specialist", ObjectOrNull),
    ("recommended_channel", TextOrNull),
    ("root_cause", TextOrNull),
    ("contributing_evidence", TextsOrNull),
];
const SPECIALIST: &[(&str, Kind)] = &[
    ("id", Text),
    ("name", Text),
    ("reasoning", Text),
    ("escalate_to", Text),
    ("escalation_trigger", Text),
];
const WARNING: &[(&str, Kind)] = &[
    ("type", Text),
    ("severity", Text),
    ("message", Text),
    ("recommended_action", Text),
    ("details", Texts),
];
const INVESTIGATION: &[(&str, Kind)] = &[
    ("priority", Whole),
    ("test_name", Text),
    ("alternative_name", Text),
    ("purpose", Text),
    ("source", Text),
    ("interpretation", Text),
    ("urgency", Text),
    ("differentiates", Texts),
];
const REFERRAL: &[(&str, Kind)] = &[
    ("current_level", Text),
    ("refer_to", Text),
    ("source", Text),
    ("referral_criteria", Texts),
    ("pre_referral_actions", Texts),
];
const FACILITY: &[(&str, Kind)] = &[
    ("name", Text),
    ("address", Text),
    ("phone", TextOrNull),
    ("type", Text),
    ("distance_km", Number),
    ("rating", NumberOrNull),
    ("open_now", FlagOrNull),
    ("level", Text),
    ("travel_hint", Text),
    ("latitude", Number),
    ("longitude", Number),
    ("source", Text),
];
const METADATA: &[(&str, Kind)] = &[
    ("model_used", Text),
    ("confidence", Number),
    ("total_latency_ms", Whole),
    ("retrieval_time_ms", Whole),
    ("generation_time_ms", Whole),
    ("validation_time_ms", Whole),
    ("validation_passed", Flag),
    ("triage_overridden", Flag),
    ("chunks_retrieved", Whole),
    ("cache_hit", Flag),
    ("escalation_tier", Whole),
    ("phi_tokenized", Flag),
    ("phi_age_group", Text),
    ("phi_region", TextOrNull),
    ("second_opinion", Text),
];

/// Asserts the complete documented format.
#[track_caller]
pub(crate) fn check_assessment(body: &Value) {
    check_fields(body, ANSWER);
    assert!(is_uuid(body["interview_id"].as_str().unwrap_or_default()));
    assert!(is_uuid(body["assessment_id"].as_str().unwrap_or_default()));
    assert_ne!(body["disclaimer"], "");
    check_conditions(&body["conditions"]);
    check_triage(&body["triage"]);
    check_question(&body["next_question"]);
    check_red_flags(body);
    check_plan(body);
    check_fields(&body["metadata"], METADATA);
    let tier = body["metadata"]["escalation_tier"].as_u64();
    assert!(matches!(tier, Some(1..=3)), "tier {tier:?}");
    if body["triage"]["level"] != "emergency" {
        let warned = body["clinical_warnings"] != json!([]);
        assert_eq!(tier, Some(if warned { 2 } else { 3 }), "the tier");
    }
}

#[track_caller]
fn check_conditions(conditions: &Value) {
    let mut last = 1.0;
    for condition in check_each(conditions, CONDITION) {
        check_word(
            &condition["severity"],
            &["mild", "moderate", "severe", "critical"],
        );
        let probability = condition["probability"].as_f64().unwrap_or(-1.0);
        assert!((0.0..=1.0).contains(&probability), "{condition:.300}");
        assert!(probability <= last, "not ranked: {condition:.300}");
        last = probability;
        check_each(
            &condition["contributions"],
            &[("id", Text), ("weight", Number)],
        );
    }
    let ids: HashSet<&str> = column(conditions, "id").into_iter().collect();
    assert_eq!(Some(ids.len()), conditions.as_array().map(Vec::len));
}

#[track_caller]
fn check_triage(triage: &Value) {
    check_fields(triage, TRIAGE);
    check_word(
        &triage["level"],
        &["emergency", "urgent", "routine", "self-care"],
    );
    check_word(
        &triage["timeframe"],
        &[
            "immediately",
            "within_2_hours",
            "within_24_hours",
            "within_72_hours",
            "within_2_weeks",
            "when_convenient",
        ],
    );
    if triage["recommended_specialist"].is_object() {
        check_fields(&triage["recommended_specialist"], SPECIALIST);
    }
    if triage["recommended_channel"].is_string() {
        check_word(
            &triage["recommended_channel"],
            &[
                "personal_visit",
                "video_teleconsultation",
                "audio_teleconsultation",
                "text_teleconsultation",
            ],
        );
    }
}

#[track_caller]
fn check_question(question: &Value) {
    if question.is_null() {
        return;
    }
    check_fields(
        question,
        &[("id", Text), ("text", Text), ("explanation", Text)],
    );
    check_each(&question["options"], &[("id", Text), ("label", Text)]);
    let choices = column(&question["options"], "id");
    assert_eq!(choices, ["present", "absent", "unknown"]);
    assert!(!column(&question["options"], "label").contains(&""));
}

#[track_caller]
fn check_red_flags(body: &Value) {
    let flag = [
        ("id", Text),
        ("name", Text),
        ("seriousness", Text),
        ("root_cause", Text),
    ];
    for flag in check_each(&body["red_flags_structured"], &flag) {
        let words = ["serious", "emergency", "emergency_ambulance"];
        check_word(&flag["seriousness"], &words);
    }
    let sign = [("sign", Text), ("escalates_to", Text), ("action", Text)];
    check_each(&body["red_flags_watch_for_structured"], &sign);
    let flat = texts(&body["red_flags"]);
    let present = texts(&body["red_flags_present"]);
    let watched = texts(&body["red_flags_watch_for"]);
    for flag in present.iter().chain(&watched) {
        assert!(flat.contains(flag), "`{flag}` is not among the flat ones");
    }
    for sign in column(&body["red_flags_watch_for_structured"], "sign") {
        assert!(watched.contains(&sign), "`{sign}` only in the new form");
    }
}

#[track_caller]
fn check_plan(body: &Value) {
    for warning in check_each(&body["clinical_warnings"], WARNING) {
        let types = [
            "validation_concern",
            "age_vulnerability",
            "triage_mismatch",
            "confidence_low",
        ];
        check_word(&warning["type"], &types);
        check_word(&warning["severity"], &["high", "medium", "low"]);
    }
    for test in check_each(&body["recommended_investigations"], INVESTIGATION) {
        let urgencies = [
            "immediate",
            "within_2_hours",
            "within_24_hours",
            "if_negative_for_primary",
            // In patients who may wait longer.
            "within_72_hours",
            "within_2_weeks",
            "when_convenient",
        ];
        check_word(&test["urgency"], &urgencies);
        assert_ne!(test["priority"], 0, "1 is the highest priority");
    }
    let guidance = &body["treatment_guidance"];
    let lists = [
        ("immediate_actions", Texts),
        ("condition_specific", List),
        ("supportive_care", Texts),
    ];
    check_fields(guidance, &lists);
    let specific = [("condition_name", Text), ("if_confirmed", Object)];
    for treatment in check_each(&guidance["condition_specific"], &specific) {
        let lines = [
            ("first_line", Text),
            ("alternative", Text),
            ("source", Text),
        ];
        check_fields(&treatment["if_confirmed"], &lines);
    }
    check_fields(&body["referral_pathway"], REFERRAL);
    check_each(&body["nearest_facilities"], FACILITY);
}

#[test]
fn every_answer_has_the_full_documented_shape() {
    let live = clinic();
    let sandbox = live.with_header("X-Service-Environment", "sandbox");
    let baby = patient(0, "male", &[present("s_fever"), present("s_convulsion")]);
    for body in [
        fever(),
        patient(70, "other", &[present("s_cough"), present("s_headache")]),
        case(&[present("s_unconscious")]),
        case(&[measured("s_oxygen_saturation", "80")]),
        with(fever(), "/patient/location", json!("lagos")),
        with(
            fever(),
            "/patient/location",
            json!("Ikeja, near the market"),
        ),
        with(fever(), "/risk_factors", json!(["p_pregnancy"])),
        with(baby, "/patient/age_months", json!(3)),
    ] {
        check_assessment(&assessed(&live, &body));
        check_assessment(&assessed(&sandbox, &body));
    }
}

#[test]
fn the_assessment_id_is_the_request_id_and_is_never_cached() {
    let answer = clinic().post(ASSESS, &fever()).expect(200);
    check_standard_headers(&answer);
    let id = answer.required_header("x-request-id");
    assert_eq!(answer.json()["assessment_id"], id);
    let policy = answer.required_header("cache-control");
    assert!(policy.contains("no-store"), "{answer}");
}

#[test]
fn citations_are_numbered_and_appear_in_the_sources() {
    let body = assessed(&clinic(), &fever());
    let sources = texts(&body["sources"]);
    assert!(!sources.is_empty());
    for (index, source) in sources.iter().enumerate() {
        let number = format!("[{}] ", index + 1);
        assert!(source.starts_with(&number), "{source}");
        let year = source.rsplit(", ").next().unwrap_or_default();
        assert!(year.len() == 4 && year.parse::<u16>().is_ok(), "{source}");
    }
    for condition in body["conditions"].as_array().expect("a list") {
        let cited = texts(&condition["source_citations"]);
        assert!(!cited.is_empty(), "{condition:.300}");
        for citation in cited {
            assert!(sources.contains(&citation), "{citation}");
        }
    }
}

#[test]
fn texts_use_names_and_structured_fields_use_ids() {
    let body = assessed(
        &clinic(),
        &case(&[present("s_fever"), present("s_headache")]),
    );
    let first = &body["conditions"][0];
    for name in texts(&first["evidence_supporting"]) {
        assert!(["Fever", "Headache"].contains(&name), "{name}");
    }
    let weighed = column(&first["contributions"], "id");
    for id in ["s_fever", "s_headache"] {
        assert!(weighed.contains(&id), "{id} has no weight: {weighed:?}");
    }
    for id in texts(&body["triage"]["contributing_evidence"]) {
        assert!(["s_fever", "s_headache"].contains(&id), "{id}");
    }
}

#[test]
fn the_age_is_returned_as_a_group_and_the_place_as_a_region() {
    let sandbox = clinic().with_header("X-Service-Environment", "sandbox");
    for (age, group) in [
        (0, "child_0_4"),
        (4, "child_0_4"),
        (5, "child_5_14"),
        (14, "child_5_14"),
        (15, "adult_15_49"),
        (49, "adult_15_49"),
        (50, "adult_50_64"),
        (64, "adult_50_64"),
        (65, "adult_65_120"),
        (120, "adult_65_120"),
    ] {
        let body = assessed(&sandbox, &patient(age, "male", &[present("s_fever")]));
        assert_eq!(body["metadata"]["phi_age_group"], group, "{age} years");
        assert_eq!(body["metadata"]["phi_region"], Value::Null);
    }
    let placed = with(fever(), "/patient/location", json!("lagos"));
    let body = assessed(&sandbox, &placed);
    assert_eq!(body["metadata"]["phi_region"], "lagos");
}

#[test]
fn the_patient_is_not_repeated_in_the_answer() {
    let place = "House 7, Sugar-Cane Close";
    let body = with(fever(), "/patient/location", json!(place));
    let body = with(body, "/patient/name", json!("Ngozi Example"));
    let answer = clinic().post(ASSESS, &body).expect(200);
    for word in ["Sugar-Cane", "Ngozi"] {
        assert!(!answer.text().contains(word), "{answer}");
    }
}
