//! Writes the report, the candidates, their evidence and the risk assessment.

use std::collections::HashMap;
use std::sync::Arc;

use lafiya_model::Choice;
use lafiya_model::assessment::{AssessedCondition, Contribution, Weighed};
use serde_json::json;

use super::Writer;
use crate::codes::codings_of;
use crate::define::profile;
use crate::element::{
    Element, coded, coding, concept, constant, notes, object, one, reference, words,
};
use crate::resource::Resource;
use crate::systems::{ICD10, INTERPRETATION, SNOMED_CT};

/// Minimum probabilities of a high and of a moderate likelihood.
const HIGH_FROM: f64 = 0.6;
const MODERATE_FROM: f64 = 0.25;

const CLINICAL: &str = "http://terminology.hl7.org/CodeSystem/condition-clinical";
const CATEGORY: &str = "http://terminology.hl7.org/CodeSystem/condition-category";
const VERIFICATION: &str = "http://terminology.hl7.org/CodeSystem/condition-ver-status";

impl<'a> Writer<'a> {
    pub(super) fn write_report(&mut self) {
        let document = self.document;
        let assessment = &document.assessment;
        let triage = &assessment.triage;
        let level = triage.level.as_str();
        let level_code = concept(
            vec![coding(
                self.systems.code_system("triage-level"),
                level,
                crate::define::level_display(triage.level),
            )],
            &triage.description,
        );
        let mut extensions = vec![
            self.extension("triage-level", "valueCodeableConcept", level_code),
            self.extension(
                "assessment-confidence",
                "valueDecimal",
                assessment.confidence,
            ),
            self.extension("triage-timeframe", "valueCode", triage.timeframe.as_str()),
            self.extension(
                "escalation-tier",
                "valuePositiveInt",
                assessment.escalation_tier,
            ),
            self.extension("should-stop", "valueBoolean", assessment.should_stop),
            self.extension(
                "emergency-evidence",
                "valueBoolean",
                assessment.has_emergency_evidence,
            ),
            self.extension("disclaimer", "valueString", document.disclaimer.as_str()),
        ];
        extensions.extend(self.next_question());
        let identifiers = json!([
            {"system": self.systems.identifier("assessment"), "value": document.assessment_id.to_string()},
            {"system": self.systems.identifier("interview"), "value": document.interview_id.to_string()},
        ]);
        let conclusion = [
            triage.description.as_str(),
            triage.recommended_action.as_str(),
            triage.root_cause.as_deref().unwrap_or_default(),
        ];
        let mut conclusion = conclusion.to_vec();
        conclusion.retain(|text| !text.is_empty());
        let mut story = conclusion.clone();
        story.extend(
            assessment
                .conditions
                .iter()
                .map(|condition| condition.rationale.as_str()),
        );
        story.push(&document.disclaimer);
        let results: Element = self
            .told()
            .iter()
            .map(|told| reference(self.evidence_url(told), &told.name))
            .collect();
        let report = self
            .resource("DiagnosticReport", "report", Some(profile::REPORT))
            .narrated(&story)
            .with("extension", Element::List(extensions))
            .with("identifier", identifiers)
            .with("status", "final")
            .with("code", words("Clinical decision support assessment"))
            .with("subject", self.patient())
            .with("effectiveDateTime", self.at())
            .with("issued", self.at())
            .with("result", results)
            .with("conclusion", conclusion.join(" "));
        self.add(report);
    }

    /// Writes the next question, so that an interview can continue over FHIR.
    fn next_question(&self) -> Option<Element<'a>> {
        let question = self.document.assessment.next_question.as_ref()?;
        let concept = coding(self.systems.concept(), question.id.as_str(), "");
        let mut parts = vec![object([
            ("url", "concept".into()),
            ("valueCoding", concept),
        ])];
        for (url, text) in [
            ("text", &question.text),
            ("explanation", &question.explanation),
        ] {
            if !text.is_empty() {
                let text = text.as_str().into();
                parts.push(object([("url", url.into()), ("valueString", text)]));
            }
        }
        Some(object([
            ("url", self.systems.structure("next-question").into()),
            ("extension", Element::List(parts)),
        ]))
    }

    pub(super) fn write_conditions(&mut self) {
        let document = self.document;
        for condition in &document.assessment.conditions {
            let resource = self.condition(condition);
            self.add(resource);
        }
    }

    fn condition(&self, condition: &'a AssessedCondition<'a>) -> Resource<'a> {
        let evidence: Element = self
            .behind(condition)
            .map(|Contribution { of: told, .. }| {
                let detail = reference(self.evidence_url(told), "");
                object([("code", one(words(&told.name))), ("detail", one(detail))])
            })
            .collect();
        let mut extensions = vec![self.extension(
            "condition-probability",
            "valueDecimal",
            condition.probability,
        )];
        extensions.push(self.extension(
            "insufficient-data",
            "valueBoolean",
            condition.insufficient_data,
        ));
        let against = if condition.against.is_empty() {
            Element::default()
        } else {
            ["Against: ", &condition.against.join(", "), "."]
                .concat()
                .into()
        };
        let said = [
            Element::from(condition.rationale.as_str()),
            against,
            condition.citations.join("; ").into(),
        ];
        self.resource(
            "Condition",
            &condition_label(condition),
            Some(profile::CONDITION),
        )
        .narrated(&[
            &format!(
                "{} ({:.1} %)",
                condition.name,
                condition.probability * 100.0
            ),
            &condition.rationale,
        ])
        .with("extension", Element::List(extensions))
        .with(
            "clinicalStatus",
            constant!(coded(coding(CLINICAL, "active", ""))),
        )
        .with(
            "verificationStatus",
            constant!(coded(coding(VERIFICATION, "differential", ""))),
        )
        .with(
            "category",
            constant!(one(coded(coding(
                CATEGORY,
                "encounter-diagnosis",
                "Encounter Diagnosis",
            )))),
        )
        .with("severity", severity(&condition.severity))
        .with("code", self.condition_code(condition))
        .with("subject", self.patient())
        .with("recordedDate", self.at())
        .with("evidence", evidence)
        .with("note", notes(said))
    }

    /// Writes the local code, ICD-10, and SNOMED CT if it is bound.
    fn condition_code(&self, condition: &'a AssessedCondition<'a>) -> Element<'a> {
        let mut codings = vec![coding(
            self.systems.concept(),
            condition.id.as_str(),
            &condition.name,
        )];
        for (system, code) in [(ICD10, &condition.icd10), (SNOMED_CT, &condition.snomed_ct)] {
            if !code.is_empty() {
                codings.push(coding(system, code, ""));
            }
        }
        concept(codings, &condition.name)
    }

    pub(super) fn write_risk(&mut self) {
        let assessment = &self.document.assessment;
        let predictions: Element = assessment
            .conditions
            .iter()
            .map(|condition| {
                object([
                    ("outcome", self.condition_code(condition)),
                    ("probabilityDecimal", condition.probability.into()),
                    ("qualitativeRisk", qualitative(condition.probability)),
                    ("rationale", condition.rationale.as_str().into()),
                ])
            })
            .collect();
        let basis: Element = self
            .told()
            .iter()
            .map(|told| reference(self.evidence_url(told), &told.name))
            .collect();
        let steps: Vec<&str> = assessment
            .reasoning
            .steps
            .iter()
            .map(String::as_str)
            .collect();
        let risk = self
            .resource("RiskAssessment", "risk", None)
            .narrated(&assessment.reasoning.steps)
            .with("status", "final")
            .with(
                "method",
                words("Bayesian ranking over the knowledge base, reviewed by danger rules"),
            )
            .with("subject", self.patient())
            .with("occurrenceDateTime", self.at())
            .with("basis", basis)
            .with("prediction", predictions)
            .with("note", notes(steps));
        self.add(risk);
    }

    /// Writes the evidence that counted as Observations, so that references within the Bundle
    /// resolve.
    pub(super) fn write_evidence(&mut self) {
        for told in self.told() {
            let observation = self.observation(told);
            self.add(observation);
        }
    }

    fn observation(&self, told: &'a Weighed<'a>) -> Resource<'a> {
        let id = &told.id;
        let (result, said) = match told.choice {
            Some(Choice::Present) => (constant!(interpretation("POS", "Positive")), "positive"),
            Some(Choice::Absent) => (constant!(interpretation("NEG", "Negative")), "negative"),
            Some(Choice::Unknown) | None => (
                constant!(interpretation("IND", "Indeterminate")),
                "indeterminate",
            ),
        };
        let codings = codings_of(self.base, self.systems, id, &told.name);
        self.resource("Observation", &evidence_label(id), None)
            .narrated(&[[told.name.as_str(), ": ", said].concat()])
            .with("status", "final")
            .with("code", concept(codings, &told.name))
            .with("subject", self.patient())
            .with("effectiveDateTime", self.at())
            .with("interpretation", result)
    }

    /// Returns the URL of each piece of evidence in the Bundle.
    pub(super) fn evidence_urls(&self) -> HashMap<&'a str, Arc<str>> {
        let told = self.told().into_iter();
        told.map(|item| (item.id.as_str(), self.full_url(&evidence_label(&item.id))))
            .collect()
    }

    fn evidence_url(&self, told: &Weighed) -> Element<'a> {
        let url = self.evidence.get(told.id.as_str());
        url.map(Element::from).unwrap_or_default()
    }

    /// Returns the weighed evidence, sorted by id.
    fn told(&self) -> Vec<&'a Weighed<'a>> {
        let weighed = self.document.assessment.weighed.iter();
        let mut told: Vec<_> = weighed
            .filter(|contribution| contribution.choice.is_some())
            .collect();
        told.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        told
    }

    /// Returns the evidence that supports a candidate.
    fn behind(
        &self,
        condition: &'a AssessedCondition<'a>,
    ) -> impl Iterator<Item = Contribution<'a>> + use<'a> {
        let contributions = self.document.assessment.contributions(condition);
        contributions
            .filter(|contribution| contribution.of.choice.is_some() && contribution.weight > 0.0)
    }
}

pub(super) fn condition_label(condition: &AssessedCondition) -> String {
    format!("condition/{}", condition.id)
}

fn evidence_label(id: &str) -> String {
    format!("evidence/{id}")
}

/// Writes the severity of a condition in SNOMED CT, with the record's own word as text.
fn severity(word: &str) -> Element<'_> {
    let code = match word {
        "mild" => "255604002",
        "moderate" => "6736007",
        "severe" => "24484000",
        "critical" => "442452003",
        _ => return words(word),
    };
    concept(vec![coding(SNOMED_CT, code, "")], word)
}

fn interpretation(code: &'static str, display: &'static str) -> Element<'static> {
    one(coded(coding(INTERPRETATION, code, display)))
}

/// Writes a likelihood as a code. "Negligible" is never used, so that a rare danger is not
/// dismissed by a word.
fn qualitative<'a>(probability: f64) -> Element<'a> {
    match probability {
        it if it >= HIGH_FROM => constant!(likelihood("high", "High likelihood")),
        it if it >= MODERATE_FROM => constant!(likelihood("moderate", "Moderate likelihood")),
        _ => constant!(likelihood("low", "Low likelihood")),
    }
}

fn likelihood(code: &'static str, display: &'static str) -> Element<'static> {
    let system = "http://terminology.hl7.org/CodeSystem/risk-probability";
    concept(vec![coding(system, code, display)], code)
}
