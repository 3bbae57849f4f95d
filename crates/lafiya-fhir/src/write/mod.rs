//! A stored assessment becomes a Bundle. A pure function of the record (and of the bindings of the
//! knowledge base): a replay gives the same resources with the same ids.
//!
//! `assessment` writes what was concluded, `concern` what is dangerous, `plan` what to do, `facilities` where to go.

mod assessment;
mod concern;
mod facilities;
mod plan;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{AssessmentDocument, Environment};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::define::profile;
use crate::element::{Resource, coding, reference};
use crate::systems::Systems;

/// Writes the Bundle of an assessment.
pub fn write_bundle(
    document: &AssessmentDocument,
    base: &KnowledgeBase,
    systems: &Systems,
) -> Resource {
    let mut writer = Writer {
        document,
        base,
        systems,
        entries: Vec::new(),
    };
    writer.write_report();
    writer.write_patient();
    writer.write_conditions();
    writer.write_risk();
    writer.write_evidence();
    writer.write_concerns();
    writer.write_plan();
    writer.write_facilities();
    writer.write_provenance();
    let identifier = json!({
        "system": systems.identifier("assessment"),
        "value": document.assessment_id.to_string(),
    });
    Resource::new("Bundle")
        .with("id", document.assessment_id.to_string())
        .with("meta", writer.meta(profile::ANSWER))
        .with("identifier", identifier)
        .with("type", "collection")
        .with("timestamp", writer.at())
        .with("entry", Value::Array(writer.entries))
}

/// What the parts of the Bundle are written with.
struct Writer<'a> {
    document: &'a AssessmentDocument,
    base: &'a KnowledgeBase,
    systems: &'a Systems,
    entries: Vec<Value>,
}

impl Writer<'_> {
    /// The id of an entry: the same for the same assessment and label.
    fn id(&self, label: &str) -> Uuid {
        let mut hash = Sha256::new();
        hash.update(self.document.assessment_id.0.as_bytes());
        hash.update(label.as_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    fn full_url(&self, label: &str) -> String {
        format!("urn:uuid:{}", self.id(label))
    }

    fn add(&mut self, label: &str, resource: Resource) {
        let entry = json!({"fullUrl": self.full_url(label), "resource": resource.into_value()});
        self.entries.push(entry);
    }

    /// A resource with its id, its profile and, in the sandbox, the mark of mock data.
    fn resource(&self, kind: &'static str, label: &str, profile: Option<&str>) -> Resource {
        let mut meta = json!({});
        if let Some(profile) = profile {
            meta["profile"] = json!([self.systems.structure(profile)]);
        }
        self.mark(&mut meta);
        Resource::new(kind)
            .with("id", self.id(label).to_string())
            .with("meta", meta)
    }

    fn meta(&self, profile: &str) -> Value {
        let mut meta = json!({"profile": [self.systems.structure(profile)]});
        self.mark(&mut meta);
        meta
    }

    /// HL7's own mark for data that is not about a patient.
    fn mark(&self, meta: &mut Value) {
        if self.document.environment == Environment::Test {
            meta["tag"] = json!([coding(
                "http://terminology.hl7.org/CodeSystem/v3-ActReason",
                "HTEST",
                "test health data",
            )]);
        }
    }

    fn extension(&self, name: &str, kind: &str, value: impl Into<Value>) -> Value {
        let mut extension = json!({"url": self.systems.structure(name)});
        extension[format!("value{kind}")] = value.into();
        extension
    }

    fn patient(&self) -> Value {
        reference(&self.full_url("patient"), "")
    }

    /// When, to the millisecond: some readers take no more digits.
    fn at(&self) -> String {
        format!("{:.3}", self.document.created_at)
    }

    /// The person was taken out before anything was stored: this Patient stands for the one asked
    /// about and knows no more than the record does.
    fn write_patient(&mut self) {
        let group = self.extension("age-group", "Code", self.document.age_group.as_str());
        let patient = self
            .resource("Patient", "patient", None)
            .with("extension", json!([group]))
            .narrated(&["The patient of this assessment, de-identified.".to_owned()]);
        self.add("patient", patient);
    }

    fn write_provenance(&mut self) {
        let document = self.document;
        let targets: Value = self
            .entries
            .iter()
            .map(|entry| json!({"reference": entry["fullUrl"]}))
            .collect();
        let agent = json!({
            "type": {"coding": [coding(
                "http://terminology.hl7.org/CodeSystem/provenance-participant-type",
                "assembler",
                "Assembler",
            )]},
            "who": {
                "identifier": {
                    "system": self.systems.identifier("engine"),
                    "value": document.engine_version,
                },
                "display": format!("Lafiya, {}", document.model_used),
            },
        });
        let entity = json!({
            "role": "source",
            "what": {
                "identifier": {
                    "system": self.systems.identifier("knowledge"),
                    "value": document.knowledge_version,
                },
                "display": "Knowledge base, by the SHA-256 of its content",
            },
        });
        let provenance = self
            .resource("Provenance", "provenance", None)
            .with("target", targets)
            .with("occurredDateTime", self.at())
            .with("recorded", self.at())
            .with("agent", json!([agent]))
            .with("entity", json!([entity]))
            .narrated(&[format!(
                "Made by engine {} from the knowledge base {}.",
                document.engine_version, document.knowledge_version
            )]);
        self.add("provenance", provenance);
    }
}

#[cfg(test)]
mod tests;
