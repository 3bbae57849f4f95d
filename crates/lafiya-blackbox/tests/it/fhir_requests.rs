//! Builds Bundles from `/assess` bodies, following the documentation and independent of our reader.

use jiff::civil::Date;
use jiff::{Span, Timestamp};
use lafiya_blackbox::{Answer, Client};
use serde_json::{Value, json};

pub(crate) const FHIR_ASSESS: &str = "/v1/fhir/assess";
pub(crate) const FHIR_JSON: &str = "application/fhir+json";

/// The code system of local codes: any host is accepted, only the path matters.
const CONCEPT: &str = "https://lafiya.example/fhir/CodeSystem/concept";
const SNOMED_CT: &str = "http://snomed.info/sct";
const UCUM: &str = "http://unitsofmeasure.org";
const INTERPRETATION: &str = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation";

/// Sends a Bundle as FHIR JSON.
#[track_caller]
pub(crate) fn post_fhir(client: &Client, bundle: &Value) -> Answer {
    client
        .request("POST", FHIR_ASSESS)
        .header("Content-Type", FHIR_JSON)
        .header("Accept", FHIR_JSON)
        .body(bundle.to_string())
        .send()
}

/// Sends a Bundle and asserts that it is assessed.
#[track_caller]
pub(crate) fn fhir_assessed(client: &Client, bundle: &Value) -> Value {
    let answer = post_fhir(client, bundle).expect(200);
    assert_eq!(answer.required_header("content-type"), FHIR_JSON);
    answer.json()
}

/// Returns the resources of one type.
pub(crate) fn resources<'a>(bundle: &'a Value, kind: &str) -> Vec<&'a Value> {
    let entries = bundle["entry"].as_array().expect("entries");
    let all = entries.iter().map(|entry| &entry["resource"]);
    all.filter(|resource| resource["resourceType"] == kind)
        .collect()
}

/// Returns the value of one of our extensions.
pub(crate) fn extension<'a>(resource: &'a Value, name: &str) -> &'a Value {
    let list = resource["extension"].as_array().expect("extensions");
    let end = format!("/fhir/StructureDefinition/{name}");
    let found = list.iter().find(|extension| {
        extension["url"]
            .as_str()
            .is_some_and(|url| url.ends_with(&end))
    });
    found.unwrap_or_else(|| panic!("no extension {name}"))
}

/// Returns a coded Observation without a value.
pub(crate) fn observation(id: &str) -> Value {
    json!({
        "resourceType": "Observation",
        "status": "final",
        "code": {"coding": [{"system": CONCEPT, "code": id}]},
    })
}

/// Returns a present finding.
pub(crate) fn positive(id: &str) -> Value {
    interpreted(id, "POS")
}

pub(crate) fn interpreted(id: &str, code: &str) -> Value {
    let mut observation = observation(id);
    observation["interpretation"] = json!([{"coding": [{"system": INTERPRETATION, "code": code}]}]);
    observation
}

/// Returns a Bundle of a woman of 30 with these resources.
pub(crate) fn bundle(resources: &[Value]) -> Value {
    let patient = json!({
        "resourceType": "Patient", "gender": "female", "birthDate": birth_date(30),
    });
    of(&patient, resources)
}

fn of(patient: &Value, resources: &[Value]) -> Value {
    let entries: Vec<Value> = std::iter::once(patient)
        .chain(resources)
        .map(|resource| json!({"resource": resource}))
        .collect();
    json!({"resourceType": "Bundle", "type": "collection", "entry": entries})
}

/// Converts an `/assess` body to a Bundle.
pub(crate) fn as_bundle(body: &Value) -> Value {
    let patient = &body["patient"];
    let mut written = json!({"resourceType": "Patient", "gender": patient["sex"]});
    let years = patient["age"].as_i64().expect("an age");
    written["birthDate"] = json!(match patient["age_months"].as_i64() {
        Some(months) => before(Span::new().months(months)).to_string(),
        // "0 years" means the middle of the first year.
        None if years == 0 => before(Span::new().months(6)).to_string(),
        None => birth_date(years),
    });
    if let Some(place) = patient["location"].as_str() {
        written["address"] = json!([{"text": place}]);
    }
    let mut resources: Vec<Value> = list(&body["evidence"]).iter().map(evidence).collect();
    resources.extend(list(&body["risk_factors"]).iter().map(|risk| match risk {
        Value::String(id) => positive(id),
        object => evidence(object),
    }));
    of(&written, &resources)
}

fn evidence(item: &Value) -> Value {
    let id = item["id"].as_str().expect("an id");
    let code = match item["choice_id"].as_str() {
        Some("absent") => "NEG",
        Some("unknown") => "IND",
        _ => "POS",
    };
    let mut written = interpreted(id, code);
    if let Some(value) = item["value"].as_str() {
        let number: f64 = value.parse().expect("a number");
        written["valueQuantity"] = json!({"value": number});
    }
    let mut components = Vec::new();
    if let Some(severity) = item["severity"].as_str() {
        let code = match severity {
            "mild" => "255604002",
            "moderate" => "6736007",
            _ => "24484000",
        };
        components.push(json!({
            "code": {"coding": [{"system": SNOMED_CT, "code": "246112005"}]},
            "valueCodeableConcept": {"coding": [{"system": SNOMED_CT, "code": code}]},
        }));
    }
    if let Some(days) = item["duration_days"].as_u64() {
        components.push(json!({
            "code": {"text": "Duration"},
            "valueQuantity": {"value": days, "unit": "days", "system": UCUM, "code": "d"},
        }));
    }
    if !components.is_empty() {
        written["component"] = json!(components);
    }
    written
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// Returns the birth date of a person whose birthday is today, in the time zone of the service.
fn birth_date(years: i64) -> String {
    before(Span::new().years(years)).to_string()
}

fn before(span: Span) -> Date {
    let today = Timestamp::now()
        .in_tz("Africa/Lagos")
        .expect("a time zone")
        .date();
    today.checked_sub(span).expect("a date")
}
