//! Our extensions and profiles, as differentials of FHIR R4.

use serde_json::{Value, json};

use super::{Definitions, profile};
use crate::FHIR_VERSION;
use crate::resource::Resource;

/// A simple extension: its name, its value type, the resource it extends and its description.
struct Extension {
    name: &'static str,
    value: &'static str,
    on: &'static str,
    says: &'static str,
}

const EXTENSIONS: &[Extension] = &[
    extension(
        "triage-level",
        "CodeableConcept",
        "DiagnosticReport",
        "How urgent the patient is.",
    ),
    extension(
        "assessment-confidence",
        "decimal",
        "DiagnosticReport",
        "How sure the assessment is of itself, 0 to 1.",
    ),
    extension(
        "triage-timeframe",
        "code",
        "DiagnosticReport",
        "How soon, such as within_24_hours.",
    ),
    extension(
        "escalation-tier",
        "positiveInt",
        "DiagnosticReport",
        "1: emergency by evidence or danger rule; 2: warnings; 3: all clear.",
    ),
    extension(
        "should-stop",
        "boolean",
        "DiagnosticReport",
        "Whether enough is known to stop asking.",
    ),
    extension(
        "emergency-evidence",
        "boolean",
        "DiagnosticReport",
        "Whether a piece of evidence by itself means an emergency.",
    ),
    extension(
        "disclaimer",
        "string",
        "DiagnosticReport",
        "What every answer says.",
    ),
    extension(
        "condition-probability",
        "decimal",
        "Condition",
        "The probability of the candidate, 0 to 1.",
    ),
    extension(
        "insufficient-data",
        "boolean",
        "Condition",
        "Whether the evidence is too thin to say.",
    ),
    extension(
        "red-flag-seriousness",
        "code",
        "DetectedIssue",
        "serious, emergency or emergency_ambulance.",
    ),
    extension(
        "age-group",
        "code",
        "Patient",
        "The generalised age group, such as adult_15_49.",
    ),
];

const NEXT_QUESTION: &str = "next-question";

const fn extension(
    name: &'static str,
    value: &'static str,
    on: &'static str,
    says: &'static str,
) -> Extension {
    Extension {
        name,
        value,
        on,
        says,
    }
}

pub(super) fn names() -> Vec<&'static str> {
    let profiles = [
        NEXT_QUESTION,
        profile::REQUEST,
        profile::ANSWER,
        profile::REPORT,
        profile::CONDITION,
    ];
    EXTENSIONS
        .iter()
        .map(|extension| extension.name)
        .chain(profiles)
        .collect()
}

impl Definitions<'_> {
    pub(super) fn structure(&self, name: &str) -> Option<Resource<'static>> {
        if let Some(extension) = EXTENSIONS.iter().find(|extension| extension.name == name) {
            return Some(self.simple_extension(extension));
        }
        let structure = match name {
            NEXT_QUESTION => self.next_question(),
            profile::REQUEST => self.profile(
                name,
                "Bundle",
                "What is sent to be assessed: one Patient, Observations, and history as Conditions.",
                &json!([
                    {"id": "Bundle.type", "path": "Bundle.type", "min": 1, "fixedCode": "collection"},
                    {"id": "Bundle.entry", "path": "Bundle.entry", "min": 2},
                ]),
            ),
            profile::ANSWER => self.profile(
                name,
                "Bundle",
                "An assessment: the report, the candidates, the evidence, the dangers and the plan.",
                &json!([
                    {"id": "Bundle.identifier", "path": "Bundle.identifier", "min": 1},
                    {"id": "Bundle.type", "path": "Bundle.type", "min": 1, "fixedCode": "collection"},
                    {"id": "Bundle.timestamp", "path": "Bundle.timestamp", "min": 1},
                    {"id": "Bundle.entry", "path": "Bundle.entry", "min": 1},
                ]),
            ),
            profile::REPORT => self.profile(
                name,
                "DiagnosticReport",
                "The conclusion of an assessment, with its triage level and confidence.",
                &self.with_extensions("DiagnosticReport", &["triage-level", "assessment-confidence"]),
            ),
            profile::CONDITION => self.profile(
                name,
                "Condition",
                "A candidate of the differential, with its probability.",
                &self.with_extensions("Condition", &["condition-probability"]),
            ),
            _ => return None,
        };
        Some(structure)
    }

    fn definition(&self, name: &str, kind: &'static str, says: &str) -> Resource<'static> {
        self.head("StructureDefinition", name, name, says)
            .with("fhirVersion", FHIR_VERSION)
            .with("kind", kind)
            .with("abstract", false)
    }

    fn extension_definition(
        &self,
        name: &str,
        on: &str,
        says: &str,
        elements: &Value,
    ) -> Resource<'static> {
        self.definition(name, "complex-type", says)
            .with("context", json!([{"type": "element", "expression": on}]))
            .with("type", "Extension")
            .with(
                "baseDefinition",
                "http://hl7.org/fhir/StructureDefinition/Extension",
            )
            .with("derivation", "constraint")
            .with("differential", json!({"element": elements}))
    }

    fn simple_extension(&self, extension: &Extension) -> Resource<'static> {
        let mut value = json!({
            "id": "Extension.value[x]",
            "path": "Extension.value[x]",
            "min": 1,
            "type": [{"code": extension.value}],
        });
        if extension.name == "triage-level" {
            value["binding"] = json!({
                "strength": "required",
                "valueSet": self.systems.value_set("triage-level"),
            });
        }
        let elements = json!([
            {"id": "Extension", "path": "Extension", "short": extension.says, "definition": extension.says, "max": "1"},
            {"id": "Extension.extension", "path": "Extension.extension", "max": "0"},
            {"id": "Extension.url", "path": "Extension.url", "fixedUri": self.systems.structure(extension.name)},
            value,
        ]);
        self.extension_definition(extension.name, extension.on, extension.says, &elements)
    }

    fn next_question(&self) -> Resource<'static> {
        let says = "What to ask next: the concept to send back as an Observation, and the words.";
        let mut elements = vec![json!({
            "id": "Extension", "path": "Extension", "short": says, "definition": says, "max": "1",
        })];
        for (part, kind, min) in [
            ("concept", "Coding", 1),
            ("text", "string", 1),
            ("explanation", "string", 0),
        ] {
            let id = format!("Extension.extension:{part}");
            elements.push(json!({
                "id": id, "path": "Extension.extension", "sliceName": part, "min": min, "max": "1",
            }));
            elements.push(json!({
                "id": format!("{id}.url"), "path": "Extension.extension.url", "fixedUri": part,
            }));
            elements.push(json!({
                "id": format!("{id}.value[x]"), "path": "Extension.extension.value[x]",
                "min": 1, "type": [{"code": kind}],
            }));
        }
        elements.push(json!({
            "id": "Extension.url", "path": "Extension.url",
            "fixedUri": self.systems.structure(NEXT_QUESTION),
        }));
        elements.push(json!({
            "id": "Extension.value[x]", "path": "Extension.value[x]", "max": "0",
        }));
        self.extension_definition(NEXT_QUESTION, "DiagnosticReport", says, &elements.into())
    }

    /// Builds the elements for the extensions that a profile requires.
    fn with_extensions(&self, kind: &str, names: &[&str]) -> Value {
        let mut elements = vec![json!({"id": kind, "path": kind})];
        elements.extend(names.iter().map(|name| {
            json!({
                "id": format!("{kind}.extension:{name}"),
                "path": format!("{kind}.extension"),
                "sliceName": name,
                "min": 1,
                "max": "1",
                "type": [{"code": "Extension", "profile": [self.systems.structure(name)]}],
            })
        }));
        Value::Array(elements)
    }

    fn profile(
        &self,
        name: &str,
        kind: &'static str,
        says: &str,
        elements: &Value,
    ) -> Resource<'static> {
        self.definition(name, "resource", says)
            .with("type", kind)
            .with(
                "baseDefinition",
                format!("http://hl7.org/fhir/StructureDefinition/{kind}"),
            )
            .with("derivation", "constraint")
            .with("differential", json!({"element": elements}))
    }
}
