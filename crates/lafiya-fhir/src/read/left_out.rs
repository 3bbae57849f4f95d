//! What a Bundle contains besides the case and is not used. It is counted and never quoted: a
//! client may send any text, and these sentences are stored with the assessment.

use std::collections::{BTreeMap, BTreeSet};

/// FHIR R4 resources that a clinician may expect to be read. Others are counted without their name.
const CLINICAL: &[&str] = &[
    "AllergyIntolerance",
    "CarePlan",
    "ClinicalImpression",
    "DetectedIssue",
    "DiagnosticReport",
    "DocumentReference",
    "FamilyMemberHistory",
    "Flag",
    "Goal",
    "Immunization",
    "ImmunizationRecommendation",
    "Media",
    "Medication",
    "MedicationAdministration",
    "MedicationDispense",
    "MedicationRequest",
    "MedicationStatement",
    "NutritionOrder",
    "Procedure",
    "QuestionnaireResponse",
    "RiskAssessment",
    "ServiceRequest",
    "Specimen",
];

/// Counts and names from the knowledge base, but no text of the client.
#[derive(Default)]
pub(super) struct LeftOut<'a> {
    resources: BTreeMap<&'static str, usize>,
    other_resources: usize,
    unbound_conditions: usize,
    ended: BTreeSet<&'a str>,
}

impl<'a> LeftOut<'a> {
    /// Counts a resource of a type that is not read.
    pub(super) fn resource(&mut self, kind: &str) {
        match CLINICAL.iter().find(|known| **known == kind) {
            Some(name) => *self.resources.entry(name).or_default() += 1,
            None => self.other_resources += 1,
        }
    }

    /// Counts a Condition whose code is not bound to a risk factor.
    pub(super) fn unbound_condition(&mut self) {
        self.unbound_conditions += 1;
    }

    /// Adds a risk factor that has ended, by its name in the knowledge base.
    pub(super) fn ended(&mut self, name: &'a str) {
        self.ended.insert(name);
    }

    /// Returns one sentence per kind.
    pub(super) fn sentences(self) -> Vec<String> {
        let only = "only Patient, Observation and Condition are read.";
        let mut sentences: Vec<String> = self
            .resources
            .into_iter()
            .map(|(kind, count)| format!("{count} of {kind}: {only}"))
            .collect();
        if self.other_resources > 0 {
            let count = self.other_resources;
            sentences.push(format!("{count} of other resources: {only}"));
        }
        match self.unbound_conditions {
            0 => {}
            1 => sentences.push("1 Condition that names no risk factor known here.".to_owned()),
            count => sentences.push(format!(
                "{count} Conditions that name no risk factor known here."
            )),
        }
        let ended = self.ended.into_iter();
        sentences.extend(ended.map(|name| format!("\"{name}\" has ended.")));
        sentences
    }
}
