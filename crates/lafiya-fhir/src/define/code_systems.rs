//! Our code systems: the concepts of the knowledge base, and small closed lists.

use lafiya_model::TriageLevel;
use serde_json::{Value, json};

use super::{Definitions, level_display};
use crate::problem::ProblemKind;
use crate::resource::Resource;

pub(super) const NAMES: &[&str] = &["concept", "triage-level", "issue", "problem", "error"];

const LEVELS: [TriageLevel; 4] = [
    TriageLevel::Emergency,
    TriageLevel::Urgent,
    TriageLevel::Routine,
    TriageLevel::SelfCare,
];

/// Kinds of DetectedIssue.
const ISSUES: &[(&str, &str)] = &[
    ("red-flag", "Danger sign that the patient presents"),
    (
        "validation-concern",
        "Something in the input or the answer does not fit",
    ),
    (
        "age-vulnerability",
        "Age or state makes everything more dangerous",
    ),
    (
        "triage-mismatch",
        "Danger and candidates disagree about the level",
    ),
    ("confidence-low", "The answer is not sure of itself"),
    (
        "notifiable",
        "A disease that must be reported when suspected",
    ),
];

/// Returns the display of a kind of DetectedIssue.
pub(crate) fn issue_display(code: &str) -> &'static str {
    let found = ISSUES.iter().find(|(known, _)| *known == code);
    found.map_or("", |(_, display)| display)
}

impl Definitions<'_> {
    pub(super) fn code_system(&self, name: &str) -> Option<Resource<'static>> {
        let system = match name {
            "concept" => self.concepts(),
            "triage-level" => self.closed_list(
                name,
                "Triage levels",
                "How urgent a patient is, most urgent first.",
                LEVELS
                    .map(|level| json!({"code": level.as_str(), "display": level_display(level)}))
                    .to_vec(),
            ),
            "issue" => self.closed_list(
                name,
                "Kinds of detected issue",
                "What a DetectedIssue of an assessment is about.",
                pairs(ISSUES.iter().copied()),
            ),
            "problem" => self.closed_list(
                name,
                "Problems of a Bundle",
                "Why a Bundle could not be translated into an assessment.",
                pairs(
                    ProblemKind::ALL
                        .iter()
                        .map(|kind| (kind.code(), kind.display())),
                ),
            ),
            // The HTTP edge defines these codes in its error table.
            "error" => self
                .head(
                    "CodeSystem",
                    name,
                    "Errors",
                    "The permanent error codes of the API; docs/errors.md lists them.",
                )
                .with("caseSensitive", true)
                .with("content", "not-present"),
            _ => return None,
        };
        Some(system)
    }

    fn closed_list(
        &self,
        name: &str,
        title: &str,
        says: &str,
        concepts: Vec<Value>,
    ) -> Resource<'static> {
        self.head("CodeSystem", name, title, says)
            .with("caseSensitive", true)
            .with("content", "complete")
            .with("count", concepts.len())
            .with("concept", Value::Array(concepts))
    }

    /// Returns the code system of every concept of the knowledge base, with its kind as a property.
    fn concepts(&self) -> Resource<'static> {
        let base = self.base;
        let concepts: Vec<Value> = super::value_sets::all_concepts(base)
            .map(|concept| {
                json!({
                    "code": base.id_of(concept),
                    "display": base.name_of(concept),
                    "property": [{"code": "kind", "valueCode": concept.kind().as_str()}],
                })
            })
            .collect();
        self.head(
            "CodeSystem",
            "concept",
            "Concepts of the knowledge base",
            "Symptoms, signs, vital signs, risk factors, lab tests and conditions, by their permanent ids.",
        )
        .with("caseSensitive", true)
        .with("valueSet", self.systems.value_set("concept"))
        .with("content", "complete")
        .with("count", concepts.len())
        .with(
            "filter",
            json!([{"code": "kind", "operator": ["="], "value": "symptom, risk_factor, lab_test or condition"}]),
        )
        .with(
            "property",
            json!([{"code": "kind", "type": "code", "description": "What the concept is"}]),
        )
        .with("concept", Value::Array(concepts))
    }
}

fn pairs<'a>(list: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Value> {
    list.map(|(code, display)| json!({"code": code, "display": display}))
        .collect()
}
