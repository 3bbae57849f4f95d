//! Writes a record of the toy knowledge base as a Bundle: all references resolve, everything is
//! included, and the output is stable.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use lafiya_engine::Parameters;
use lafiya_knowledge::toy;
use lafiya_model::{
    Age, AssessmentDocument, AssessmentId, Choice, ConceptId, DeidentifiedCase, Environment,
    Evidence, EvidenceSource, FacilityLevel, InterviewId, NearestFacility, Sex, Timings,
};
use serde_json::Value;

use super::*;

static BASE: LazyLock<KnowledgeBase> = LazyLock::new(toy::base);

fn document(environment: Environment) -> AssessmentDocument<'static> {
    let base = &*BASE;
    let present = |id: &str| Evidence {
        id: ConceptId::from(id),
        choice: Choice::Present,
        source: EvidenceSource::Initial,
        duration_days: Some(3),
        severity: None,
        value: None,
    };
    let case = DeidentifiedCase {
        age: Age::from_years(30),
        sex: Sex::Female,
        region: None,
        month: Some(9),
        evidence: vec![
            present("s_fever"),
            present("s_headache"),
            present("s_neck_stiffness"),
        ],
    };
    let draft = lafiya_engine::assess(base, &case, &Parameters::default());
    AssessmentDocument {
        form: 1,
        assessment_id: AssessmentId(Uuid::from_u128(7)),
        interview_id: InterviewId(Uuid::from_u128(8)),
        knowledge_version: base.content_hash().to_owned(),
        engine_version: "1".to_owned(),
        created_at: "2026-11-15T10:00:00Z".parse().unwrap(),
        environment,
        age_group: "adult_15_49".to_owned(),
        region: None,
        case: None,
        assessment: lafiya_engine::review(draft, 0),
        facilities: vec![NearestFacility {
            name: "General Hospital".to_owned(),
            address: "Epe".to_owned(),
            phone: None,
            kind: "General or district hospital".to_owned(),
            level: FacilityLevel::Hospital,
            distance_km: 3.2,
            rating: None,
            open_now: None,
            travel_hint: "About 3.2 km.".to_owned(),
            latitude: 6.58,
            longitude: 3.98,
            source: "a list".to_owned(),
        }],
        second_opinion: None,
        model_used: "embedded".to_owned(),
        disclaimer: "Decision support.".to_owned(),
        timings: Timings::default(),
    }
}

fn written(environment: Environment) -> Value {
    let systems = Systems::new("https://lafiya.example");
    write_bundle(&document(environment), &toy::base(), &systems).into_value()
}

fn resources<'a>(bundle: &'a Value, kind: &str) -> Vec<&'a Value> {
    let entries = bundle["entry"].as_array().unwrap();
    let all = entries.iter().map(|entry| &entry["resource"]);
    all.filter(|resource| resource["resourceType"] == kind)
        .collect()
}

#[test]
fn references_resolve_inside_the_bundle_and_ids_are_unique() {
    let bundle = written(Environment::Live);
    let entries = bundle["entry"].as_array().unwrap();
    let urls: BTreeSet<&str> = entries
        .iter()
        .map(|entry| entry["fullUrl"].as_str().unwrap())
        .collect();
    assert_eq!(urls.len(), entries.len());
    let text = bundle.to_string();
    let references: Vec<&str> = text
        .split("\"reference\":\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(references.len() > 10);
    for reference in references {
        assert!(urls.contains(reference), "{reference} leads nowhere");
    }
}

#[test]
fn the_candidates_match_the_record() {
    let document = document(Environment::Live);
    let bundle = written(Environment::Live);
    let conditions = resources(&bundle, "Condition");
    assert_eq!(conditions.len(), document.assessment.conditions.len());
    for (written, condition) in conditions.iter().zip(&document.assessment.conditions) {
        assert_eq!(written["code"]["coding"][0]["code"], condition.id.as_str());
        assert_eq!(
            written["code"]["coding"][1]["code"],
            condition.icd10.as_str()
        );
        assert_eq!(
            written["extension"][0]["valueDecimal"],
            condition.probability
        );
    }
    let predictions = resources(&bundle, "RiskAssessment")[0]["prediction"].clone();
    assert_eq!(predictions.as_array().unwrap().len(), conditions.len());
}

#[test]
fn the_report_carries_triage_and_confidence_and_red_flags_are_issues() {
    let document = document(Environment::Live);
    let bundle = written(Environment::Live);
    let report = resources(&bundle, "DiagnosticReport")[0];
    let level = &report["extension"][0];
    assert_eq!(
        level["url"],
        "https://lafiya.example/fhir/StructureDefinition/triage-level"
    );
    assert_eq!(
        level["valueCodeableConcept"]["coding"][0]["code"],
        "emergency"
    );
    assert_eq!(
        report["extension"][1]["valueDecimal"],
        document.assessment.confidence
    );
    let flags = resources(&bundle, "DetectedIssue")
        .iter()
        .filter(|resource| resource["code"]["coding"][0]["code"] == "red-flag")
        .count();
    assert_eq!(flags, document.assessment.red_flags.len());
    assert!(flags > 0);
}

#[test]
fn the_bundle_is_deterministic_and_marks_the_sandbox() {
    assert_eq!(written(Environment::Live), written(Environment::Live));
    let mock = written(Environment::Test).to_string();
    assert!(mock.contains("HTEST"));
    assert!(!written(Environment::Live).to_string().contains("HTEST"));
}

#[test]
fn nothing_empty_is_written() {
    fn check(value: &Value, path: &str) {
        match value {
            Value::Null => panic!("{path} is null"),
            Value::String(text) => assert!(!text.trim().is_empty(), "{path} is empty"),
            Value::Array(items) => {
                assert!(!items.is_empty(), "{path} is empty");
                items.iter().for_each(|item| check(item, path));
            }
            Value::Object(fields) => {
                assert!(!fields.is_empty(), "{path} is empty");
                fields
                    .iter()
                    .for_each(|(name, value)| check(value, &format!("{path}.{name}")));
            }
            _ => {}
        }
    }
    check(&written(Environment::Live), "Bundle");
    check(&written(Environment::Test), "Bundle");
}

#[test]
fn a_facility_without_a_telephone_gets_none() {
    let bundle = written(Environment::Live);
    let locations = resources(&bundle, "Location");
    assert_eq!(locations.len(), 1);
    assert_eq!(locations[0]["name"], "General Hospital");
    assert_eq!(locations[0]["position"]["latitude"], 6.58);
    assert_eq!(locations[0].get("telecom"), None);
}
