//! The CapabilityStatement: exactly what this server supports.

use serde_json::{Value, json};

use crate::FHIR_VERSION;
use crate::define::{KINDS, profile};
use crate::resource::Resource;
use crate::systems::Systems;

/// The facts about the running server that the statement contains.
pub struct Server<'a> {
    /// Our FHIR URLs.
    pub systems: &'a Systems,
    /// The path of the FHIR endpoints, such as `/v1/fhir`.
    pub path: &'a str,
    /// The version of the software.
    pub version: &'a str,
    /// The hash of the knowledge base.
    pub knowledge_version: &'a str,
    /// The date of the clinical content. It does not change on restart, so the statement can be
    /// cached.
    pub date: &'a str,
}

/// Resources in the request or response of an assessment; none of them is stored or can be read on
/// its own.
const CARRIED: &[(&str, &str)] = &[
    (
        "Bundle",
        "Sent to and answered by POST assess, type collection.",
    ),
    (
        "Patient",
        "One in every request: gender, birthDate, address. De-identified in the answer.",
    ),
    (
        "Observation",
        "Evidence in the request; what counted, in the answer.",
    ),
    (
        "Condition",
        "History in the request; the candidates, in the answer.",
    ),
    (
        "DiagnosticReport",
        "The conclusion with triage level and confidence.",
    ),
    (
        "DetectedIssue",
        "Red flags, warnings and notifiable diseases.",
    ),
    ("RiskAssessment", "The candidates with their probabilities."),
    ("ServiceRequest", "Proposed tests and referral."),
    ("CarePlan", "Proposed care."),
    ("Location", "The nearest facilities."),
    ("Provenance", "Engine and knowledge base behind an answer."),
    ("OperationOutcome", "What was wrong with a request."),
];

/// Returns the statement of a server.
pub fn capability_statement(server: &Server<'_>) -> Resource<'static> {
    let systems = server.systems;
    let address = format!("{}{}", systems.base(), server.path);
    let says = "Clinical decision support: POST a Bundle of type collection to assess; everything else is reading definitions.";
    Resource::new("CapabilityStatement")
        .with("id", "lafiya")
        .narrated(&[says])
        .with("url", format!("{address}/metadata"))
        .with("version", server.version.to_owned())
        .with("name", "Lafiya")
        .with("title", "Lafiya clinical decision support")
        .with("status", "active")
        .with("experimental", false)
        .with("date", server.date.to_owned())
        .with("publisher", "Lafiya")
        .with("description", says)
        .with("kind", "instance")
        .with(
            "software",
            json!({"name": "Lafiya", "version": server.version}),
        )
        .with(
            "implementation",
            json!({
                "description": format!("Knowledge base {}", server.knowledge_version),
                "url": address,
            }),
        )
        .with("fhirVersion", FHIR_VERSION)
        .with("format", json!(["json", "application/fhir+json"]))
        .with("rest", json!([rest(systems)]))
}

fn rest(systems: &Systems) -> Value {
    json!({
        "mode": "server",
        "documentation": "POST assess is the one operation that assesses. It takes the headers X-Interview-Id, Idempotency-Key and X-Service-Environment.",
        "security": {
            "cors": false,
            "service": [{
                "text": "Bearer token: an API key in the Authorization header",
            }],
            "description": "Authorization: Bearer <API key>. metadata and the definitions are public.",
        },
        "resource": resources(systems),
        "operation": [{
            "name": "assess",
            "definition": format!("{}/fhir/OperationDefinition/assess", systems.base()),
            "documentation": "POST [base]/assess or [base]/$assess with a Bundle; answers a Bundle.",
        }],
    })
}

fn resources(systems: &Systems) -> Vec<Value> {
    let carried = CARRIED.iter().map(|(kind, says)| {
        let mut resource = json!({"type": kind, "documentation": says});
        let profiles: &[&str] = match *kind {
            "Bundle" => &[profile::REQUEST, profile::ANSWER],
            "DiagnosticReport" => &[profile::REPORT],
            "Condition" => &[profile::CONDITION],
            _ => &[],
        };
        if !profiles.is_empty() {
            let urls: Vec<String> = profiles
                .iter()
                .map(|profile| systems.structure(profile))
                .collect();
            resource["supportedProfile"] = json!(urls);
        }
        resource
    });
    let defined = KINDS.iter().map(|kind| {
        json!({
            "type": kind,
            "documentation": "The definitions behind our URLs, by id.",
            "interaction": [{"code": "read"}, {"code": "search-type"}],
            "versioning": "no-version",
            "searchParam": [{"name": "url", "type": "uri"}],
        })
    });
    carried.chain(defined).collect()
}
