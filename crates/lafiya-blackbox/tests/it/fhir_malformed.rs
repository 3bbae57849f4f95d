//! Tests malformed Bundles: each is rejected with the position of the error, none with a 500.

use serde_json::{Value, json};

use crate::fhir_requests::{bundle, positive, post_fhir};
use crate::requests::{clinic, with};

/// One Bundle: the value, where it is inserted, and the expected position in the outcome.
struct Row {
    at: &'static str,
    put: Value,
    points_to: &'static str,
}

fn row(at: &'static str, put: Value, points_to: &'static str) -> Row {
    Row { at, put, points_to }
}

/// A Bundle with a fever that has a severity, and a temperature.
fn good() -> Value {
    let severity = json!({
        "code": {"coding": [{"system": "http://snomed.info/sct", "code": "246112005"}]},
        "valueCodeableConcept": {"coding": [{"system": "http://snomed.info/sct", "code": "24484000"}]},
    });
    let fever = with(positive("s_fever"), "/component", json!([severity]));
    let mut temperature = positive("s_body_temperature");
    temperature["valueQuantity"] = json!({"value": 39.5, "unit": "C", "code": "Cel"});
    bundle(&[fever, temperature])
}

const PATIENT: &str = "Bundle.entry[0].resource";
const FEVER: &str = "Bundle.entry[1].resource";
const TEMPERATURE: &str = "Bundle.entry[2].resource";

fn rows() -> Vec<Row> {
    let geolocation = |latitude: Value| {
        json!([{"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/geolocation", "extension": [
            {"url": "latitude", "valueDecimal": latitude}, {"url": "longitude", "valueDecimal": 3.4},
        ]}]}])
    };
    let quantity = |value: Value, code: &str| json!({"value": value, "code": code});
    vec![
        row("/implicitRules", json!("http://x"), "Bundle.implicitRules"),
        row(
            "/entry/1/resource/implicitRules",
            json!("http://x"),
            "Bundle.entry[1].resource.implicitRules",
        ),
        row(
            "/entry/1/resource/modifierExtension",
            json!([{"url": "http://x/not", "valueBoolean": true}]),
            "Bundle.entry[1].resource.modifierExtension",
        ),
        row(
            "/entry/1/resource/component/0/modifierExtension",
            json!([{"url": "http://x/not", "valueBoolean": true}]),
            "Bundle.entry[1].resource.component[0].modifierExtension",
        ),
        row("/type", json!("transaction"), "Bundle.type"),
        row("/type", json!("batch"), "Bundle.type"),
        row("/type", json!("document"), "Bundle.type"),
        row("/type", json!(7), "Bundle.type"),
        row("/type", Value::Null, "Bundle.type"),
        row("/entry", Value::Null, "Bundle.entry"),
        row("/entry", json!([]), "Bundle.entry"),
        row("/entry", json!({}), "Bundle.entry"),
        row("/entry", json!("x"), "Bundle.entry"),
        row("/entry/1", json!(7), "Bundle.entry[1]"),
        row("/entry/1", json!({}), "Bundle.entry[1].resource"),
        row("/entry/1/resource", json!([]), FEVER),
        row("/entry/1/resource", json!({}), FEVER),
        row("/entry/1/resource/resourceType", json!(true), FEVER),
        row("/entry/1/resource/resourceType", json!("Patient"), FEVER),
        row(
            "/entry/0/resource/resourceType",
            json!("Person"),
            "Bundle.entry",
        ),
        row("/entry/0/resource/gender", json!("woman"), PATIENT),
        row("/entry/0/resource/gender", Value::Null, PATIENT),
        row("/entry/0/resource/gender", json!(1), PATIENT),
        row("/entry/0/resource/gender", json!(""), PATIENT),
        row("/entry/0/resource/birthDate", Value::Null, PATIENT),
        row("/entry/0/resource/birthDate", json!("31/07/1996"), PATIENT),
        row("/entry/0/resource/birthDate", json!("1996-02-30"), PATIENT),
        row("/entry/0/resource/birthDate", json!("2999-01-01"), PATIENT),
        row("/entry/0/resource/birthDate", json!("1850"), PATIENT),
        row("/entry/0/resource/birthDate", json!(1996), PATIENT),
        row("/entry/0/resource/deceasedBoolean", json!(true), PATIENT),
        row(
            "/entry/0/resource/deceasedDateTime",
            json!("2020-01-01"),
            PATIENT,
        ),
        row("/entry/0/resource/address", json!("lagos"), PATIENT),
        row("/entry/0/resource/address", json!([{"text": 7}]), PATIENT),
        row(
            "/entry/0/resource/address",
            json!([{"text": "x".repeat(201)}]),
            PATIENT,
        ),
        row("/entry/0/resource/address", geolocation(json!(91)), PATIENT),
        row(
            "/entry/0/resource/address",
            geolocation(json!("north")),
            PATIENT,
        ),
        row(
            "/entry/0/resource/address",
            geolocation(Value::Null),
            PATIENT,
        ),
        row("/entry/1/resource/status", Value::Null, FEVER),
        row("/entry/1/resource/status", json!("done"), FEVER),
        row("/entry/1/resource/code", Value::Null, FEVER),
        row("/entry/1/resource/code", json!("fever"), FEVER),
        row("/entry/1/resource/code", json!({"text": "fever"}), FEVER),
        row(
            "/entry/1/resource/code/coding",
            json!([{"code": "s_fevr"}]),
            FEVER,
        ),
        row(
            "/entry/1/resource/code/coding",
            json!([{"system": "http://loinc.org", "code": "0-0"}]),
            FEVER,
        ),
        row(
            "/entry/1/resource/code/coding",
            json!([{"code": "c_uncomplicated_malaria"}]),
            FEVER,
        ),
        row("/entry/1/resource/interpretation", Value::Null, FEVER),
        row("/entry/1/resource/interpretation", json!("POS"), FEVER),
        row(
            "/entry/1/resource/interpretation",
            json!([{"coding": [{"code": "MAYBE"}]}]),
            FEVER,
        ),
        row(
            "/entry/1/resource/interpretation",
            json!([{"coding": [{"code": "H"}]}]),
            FEVER,
        ),
        row(
            "/entry/1/resource/interpretation",
            json!([{"coding": [{"code": "POS"}]}, {"coding": [{"code": "NEG"}]}]),
            FEVER,
        ),
        row("/entry/1/resource/valueBoolean", json!(false), FEVER),
        row("/entry/1/resource/valueBoolean", json!("true"), FEVER),
        row("/entry/1/resource/valueString", json!("a bit"), FEVER),
        row("/entry/1/resource/valueRatio", json!({}), FEVER),
        row(
            "/entry/1/resource/valueQuantity",
            quantity(json!(3), "d"),
            FEVER,
        ),
        row(
            "/entry/1/resource/effectiveDateTime",
            json!("yesterday"),
            FEVER,
        ),
        row(
            "/entry/1/resource/effectiveDateTime",
            json!("2999-01-01"),
            FEVER,
        ),
        row(
            "/entry/1/resource/component/0/valueCodeableConcept",
            json!({"text": "awful"}),
            FEVER,
        ),
        row(
            "/entry/1/resource/component/0",
            json!({"code": {"text": "colour"}, "valueString": "red"}),
            FEVER,
        ),
        row("/entry/1/resource/component", json!({}), FEVER),
        row(
            "/entry/2/resource/valueQuantity",
            json!({"code": "Cel"}),
            TEMPERATURE,
        ),
        row(
            "/entry/2/resource/valueQuantity",
            quantity(json!("39"), "Cel"),
            TEMPERATURE,
        ),
        row(
            "/entry/2/resource/valueQuantity",
            quantity(json!(39), "mm[Hg]"),
            TEMPERATURE,
        ),
        row(
            "/entry/2/resource/valueQuantity",
            quantity(json!(390), "Cel"),
            TEMPERATURE,
        ),
        row(
            "/entry/2/resource/code/coding",
            json!([{"code": "s_fever"}]),
            TEMPERATURE,
        ),
    ]
}

#[test]
fn the_valid_bundle_is_accepted() {
    post_fhir(&clinic(), &good()).expect(200);
}

#[test]
fn every_malformed_bundle_is_refused_with_its_location() {
    let client = clinic();
    let rows = rows();
    assert!(rows.len() >= 50, "{}", rows.len());
    for Row { at, put, points_to } in rows {
        let body = with(good(), at, put.clone());
        let answer = post_fhir(&client, &body);
        assert_eq!(answer.status, 422, "{at} = {put}: {answer}");
        let outcome = answer.json();
        assert_eq!(outcome["resourceType"], "OperationOutcome");
        let issues = outcome["issue"].as_array().expect("issues");
        let places: Vec<&str> = issues
            .iter()
            .filter_map(|issue| issue["expression"][0].as_str())
            .collect();
        assert_eq!(
            places.len(),
            issues.len(),
            "an issue without a place: {answer}"
        );
        assert!(
            places.iter().any(|place| place.starts_with(points_to)),
            "{at} = {put}: {places:?}"
        );
        for issue in issues {
            assert_eq!(issue["severity"], "error");
            assert!(
                issue["details"]["text"]
                    .as_str()
                    .is_some_and(|diagnostics| diagnostics.len() > 5)
            );
            let code = issue["details"]["coding"][0]["code"].as_str();
            assert!(code.is_some_and(|code| !code.is_empty()));
        }
    }
}

#[test]
fn unknown_codes_get_suggestions_and_all_errors_are_listed() {
    let body = with(
        good(),
        "/entry/1/resource/code/coding/0/code",
        json!("s_fevr"),
    );
    let body = with(body, "/entry/0/resource/gender", json!("x"));
    let outcome = post_fhir(&clinic(), &body).expect(422).json();
    let issues = outcome["issue"].as_array().expect("issues");
    assert_eq!(issues.len(), 2, "{outcome}");
    assert!(
        outcome.to_string().contains("s_fever"),
        "no suggestion: {outcome}"
    );
}

#[test]
fn more_than_fifty_evidence_items_are_refused() {
    let listed = clinic().get("/v1/symptoms?limit=50").expect(200).json();
    let mut evidence: Vec<Value> = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|resource| resource["id"].as_str())
        .map(positive)
        .collect();
    evidence.push(positive("lt_malaria_rapid_diagnostic_test"));
    let outcome = post_fhir(&clinic(), &bundle(&evidence)).expect(422).json();
    assert_eq!(outcome["issue"][0]["code"], "too-long", "{outcome}");
}
