//! Writes a stored assessment as a Bundle. A pure function of the record (and of the bindings in
//! the knowledge base): a replay gives the same resources with the same ids.
//!
//! `assessment` writes the conclusions, `concern` the dangers, `plan` the proposed care,
//! `facilities` the nearest facilities.

mod assessment;
mod concern;
mod facilities;
mod plan;

use std::collections::HashMap;
use std::sync::Arc;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{AssessmentDocument, Environment};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::define::profile;
use crate::element::{Element, coding, constant, object, one, reference};
use crate::resource::{Entry, Resource, full_url};
use crate::systems::Systems;

/// Writes the Bundle of an assessment.
pub fn write_bundle<'a>(
    document: &'a AssessmentDocument<'a>,
    base: &'a KnowledgeBase,
    systems: &'a Systems,
) -> Resource<'a> {
    let mut writer = Writer {
        document,
        base,
        systems,
        patient: Arc::default(),
        // Milliseconds, because some readers accept no more digits.
        at: format!("{:.3}", document.created_at).into(),
        evidence: HashMap::new(),
        entries: Vec::new(),
    };
    writer.patient = writer.full_url("patient");
    writer.evidence = writer.evidence_urls();
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
        .with("meta", writer.meta(Some(profile::ANSWER)))
        .with("identifier", identifier)
        .with("type", "collection")
        .with("timestamp", writer.at())
        .with_entries(writer.entries)
}

/// The state of writing a Bundle.
struct Writer<'a> {
    document: &'a AssessmentDocument<'a>,
    base: &'a KnowledgeBase,
    systems: &'a Systems,
    /// The URL of the patient in the Bundle.
    patient: Arc<str>,
    /// The time of the assessment.
    at: Arc<str>,
    /// The URLs of the evidence in the Bundle, by concept; many candidates refer to each.
    evidence: HashMap<&'a str, Arc<str>>,
    entries: Vec<Entry<'a>>,
}

impl<'a> Writer<'a> {
    /// Returns the id of an entry, which depends only on the assessment and the label.
    fn id(&self, label: &str) -> Uuid {
        let mut hash = Sha256::new();
        hash.update(self.document.assessment_id.0.as_bytes());
        hash.update(label.as_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    fn full_url(&self, label: &str) -> Arc<str> {
        full_url(self.id(label))
    }

    fn add(&mut self, resource: Resource<'a>) {
        self.entries.push(Entry {
            full_url: resource.full_url(),
            resource,
        });
    }

    /// Creates a resource with its id, its profile and, in the sandbox, the tag for mock data.
    fn resource(&self, kind: &'static str, label: &str, profile: Option<&str>) -> Resource<'a> {
        Resource::new(kind)
            .known_as(self.id(label))
            .with("meta", self.meta(profile))
    }

    /// Builds the meta element: the profile and, in the sandbox, HL7's tag for test data.
    fn meta(&self, profile: Option<&str>) -> Element<'a> {
        let profile = profile.map(|profile| one(self.systems.structure(profile).into()));
        let tag = (self.document.environment == Environment::Test).then(|| {
            constant!(one(coding(
                "http://terminology.hl7.org/CodeSystem/v3-ActReason",
                "HTEST",
                "test health data",
            )))
        });
        object([
            ("profile", profile.unwrap_or_default()),
            ("tag", tag.unwrap_or_default()),
        ])
    }

    /// Builds an extension; `kind` is the name of its value field, such as `valueCode`.
    fn extension(
        &self,
        name: &str,
        kind: &'static str,
        value: impl Into<Element<'a>>,
    ) -> Element<'a> {
        object([
            ("url", self.systems.structure(name).into()),
            (kind, value.into()),
        ])
    }

    fn patient(&self) -> Element<'a> {
        reference(&self.patient, "")
    }

    fn at(&self) -> &Arc<str> {
        &self.at
    }

    /// Writes the Patient. The case was de-identified before it was stored, so this Patient
    /// contains only the age group.
    fn write_patient(&mut self) {
        let group = self.extension("age-group", "valueCode", self.document.age_group.as_str());
        let patient = self
            .resource("Patient", "patient", None)
            .with("extension", one(group))
            .narrated(&["The patient of this assessment, de-identified."]);
        self.add(patient);
    }

    fn write_provenance(&mut self) {
        let document = self.document;
        let targets: Element = self
            .entries
            .iter()
            .map(|entry| reference(&entry.full_url, ""))
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
            .with("agent", one(agent.into()))
            .with("entity", one(entity.into()))
            .narrated(&[format!(
                "Made by engine {} from the knowledge base {}.",
                document.engine_version, document.knowledge_version
            )]);
        self.add(provenance);
    }
}

#[cfg(test)]
mod tests;
