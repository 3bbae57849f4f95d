//! The requests to the service and the limit server: one per row.

use serde_json::json;

const JSON: &str = "application/json";
const FHIR: &str = "application/fhir+json";

/// The request of one row.
pub(super) struct BenchRequest {
    pub(super) name: &'static str,
    /// The path below the API version.
    pub(super) path: String,
    /// The content type and the body; `None` for a GET.
    pub(super) body: Option<(&'static str, String)>,
}

impl BenchRequest {
    fn get(name: &'static str, path: &str) -> Self {
        Self {
            name,
            path: path.to_owned(),
            body: None,
        }
    }

    fn post(name: &'static str, path: &str, kind: &'static str, body: String) -> Self {
        Self {
            name,
            path: path.to_owned(),
            body: Some((kind, body)),
        }
    }
}

/// Returns a request to `/assess` of about 2 KB.
pub(super) fn assess() -> BenchRequest {
    BenchRequest::post("assess", "/assess", JSON, assess_body())
}

/// Returns a request to `/parse` with 2,000 characters.
pub(super) fn parse() -> BenchRequest {
    let story =
        "My son has had fever and vomiting for 3 days, no cough, he convulsed twice this morning. ";
    let text: String = story.chars().cycle().take(2000).collect();
    let body = json!({"text": text, "age": {"value": 4}, "sex": "male"});
    BenchRequest::post("parse", "/parse", JSON, body.to_string())
}

/// Returns a request to `/search` with two typos.
pub(super) fn search() -> BenchRequest {
    BenchRequest::get("search", "/search?phrase=shortnes%20of%20breth")
}

/// Returns a request for one page of a list.
pub(super) fn list() -> BenchRequest {
    BenchRequest::get("list", "/symptoms")
}

pub(super) fn health() -> BenchRequest {
    BenchRequest::get("health", "/health")
}

pub(super) fn fhir() -> BenchRequest {
    BenchRequest::post("fhir", "/fhir/assess", FHIR, fhir_body())
}

/// Returns a request for the rationale of an assessment.
pub(super) fn rationale(assessment: &str) -> BenchRequest {
    BenchRequest::get(
        "rationale",
        &format!("/rationale?assessment_id={assessment}"),
    )
}

/// Returns a request for the usage of a year.
pub(super) fn usage() -> BenchRequest {
    BenchRequest::get("usage", "/usage?start_date=2026-01-01&end_date=2026-12-31")
}

fn assess_body() -> String {
    let present = [
        "s_fever",
        "s_vomiting",
        "s_headache",
        "s_convulsion",
        "s_chills",
        "s_fatigue",
    ];
    let absent = ["s_neck_stiffness", "s_cough", "s_diarrhoea", "s_rash"];
    let item = |id: &str, choice: &str| json!({"id": id, "choice_id": choice, "source": "initial", "duration_days": 2});
    let evidence: Vec<_> = present
        .iter()
        .map(|id| item(id, "present"))
        .chain(absent.iter().map(|id| item(id, "absent")))
        .collect();
    json!({
        "patient": {"age": 4, "sex": "male", "location": "kano"},
        "evidence": evidence,
    })
    .to_string()
}

fn fhir_body() -> String {
    let concept = |id: &str, code: &str| {
        json!({"resource": {
            "resourceType": "Observation", "status": "final",
            "code": {"coding": [{"system": "https://lafiya.example/fhir/CodeSystem/concept", "code": id}]},
            "interpretation": [{"coding": [{
                "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": code,
            }]}],
        }})
    };
    json!({"resourceType": "Bundle", "type": "collection", "entry": [
        {"resource": {"resourceType": "Patient", "gender": "male", "birthDate": "2022-03-01"}},
        concept("s_fever", "POS"), concept("s_vomiting", "POS"), concept("s_headache", "POS"),
        concept("s_convulsion", "POS"), concept("s_neck_stiffness", "NEG"), concept("s_cough", "NEG"),
    ]})
    .to_string()
}
