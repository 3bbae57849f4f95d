//! Our value sets: what may be sent as evidence, and what a response may contain.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use serde_json::{Value, json};

use super::Definitions;
use crate::resource::Resource;

pub(super) const NAMES: &[&str] = &[
    "concept",
    "evidence",
    "symptom",
    "risk-factor",
    "lab-test",
    "condition",
    "triage-level",
];

/// Returns every concept in index order.
pub(super) fn all_concepts(base: &KnowledgeBase) -> impl Iterator<Item = ConceptRef> + '_ {
    let measures = base
        .measures()
        .iter()
        .filter_map(|measure| base.resolve(&measure.text.id));
    base.finding_indices()
        .map(ConceptRef::Finding)
        .chain(measures)
        .chain(base.risk_indices().map(ConceptRef::Risk))
        .chain(base.lab_indices().map(ConceptRef::Lab))
        .chain(base.condition_indices().map(ConceptRef::Condition))
}

impl Definitions<'_> {
    pub(super) fn value_set(&self, name: &str) -> Option<Resource<'static>> {
        let kinds: &[&str] = match name {
            "concept" => &[],
            "evidence" => &["symptom", "risk_factor", "lab_test"],
            "symptom" => &["symptom"],
            "risk-factor" => &["risk_factor"],
            "lab-test" => &["lab_test"],
            "condition" => &["condition"],
            "triage-level" => return Some(self.levels()),
            _ => return None,
        };
        let system = self.systems.concept();
        let include: Value = if kinds.is_empty() {
            json!([{"system": system}])
        } else {
            kinds
                .iter()
                .map(|kind| {
                    json!({
                        "system": system,
                        "filter": [{"property": "kind", "op": "=", "value": kind}],
                    })
                })
                .collect()
        };
        let (title, says) = match name {
            "evidence" => (
                "Evidence",
                "What an Observation may name by a local code. Codes of SNOMED CT, LOINC and ICD-10 are taken where the knowledge base binds them.",
            ),
            "symptom" => ("Symptoms", "Symptoms, signs and vital signs."),
            "risk-factor" => ("Risk factors", "Exposures, history, habits and states."),
            "lab-test" => ("Lab tests", "Tests, images and bedside measures."),
            "condition" => ("Conditions", "What an assessment can name as a candidate."),
            _ => ("Concepts", "Everything in the knowledge base."),
        };
        Some(
            self.head("ValueSet", name, title, says)
                .with("compose", json!({"include": include})),
        )
    }

    fn levels(&self) -> Resource<'static> {
        let system = self.systems.code_system("triage-level");
        self.head(
            "ValueSet",
            "triage-level",
            "Triage levels",
            "How urgent a patient is.",
        )
        .with("compose", json!({"include": [{"system": system}]}))
    }
}
