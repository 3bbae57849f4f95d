//! Writes tests and referral as proposals, and care as a plan. Everything is a draft, because this
//! service proposes and a clinician orders. Medicines are text in the plan, never orders.

use lafiya_model::assessment::{ConditionTreatment, Investigation};

use super::Writer;
use super::assessment::condition_label;
use crate::codes::codings_of;
use crate::element::{
    Element, coded, coding, concept, constant, notes, object, one, reference, words,
};
use crate::resource::Resource;
use crate::systems::SNOMED_CT;

impl<'a> Writer<'a> {
    pub(super) fn write_plan(&mut self) {
        let document = self.document;
        for (position, investigation) in document.assessment.investigations.iter().enumerate() {
            let label = format!("investigation/{position}");
            let request = self.investigation(investigation, &label);
            self.add(request);
        }
        if !document.assessment.referral.refer_to.is_empty() {
            let referral = self.referral();
            self.add(referral);
        }
        if let Some(plan) = self.care_plan() {
            self.add(plan);
        }
    }

    fn proposal(&self, label: &str, text: &str) -> Resource<'a> {
        self.resource("ServiceRequest", label, None)
            .narrated(&[text])
            .with("status", "draft")
            .with("intent", "proposal")
    }

    fn investigation(&self, investigation: &'a Investigation<'a>, label: &str) -> Resource<'a> {
        let priority = match investigation.urgency.as_str() {
            "immediate" => "stat",
            "within_2_hours" => "asap",
            "within_24_hours" => "urgent",
            _ => "routine",
        };
        let codings = codings_of(
            self.base,
            self.systems,
            investigation.test_id.as_str(),
            &investigation.test_name,
        );
        let reasons: Element<'a> = investigation.differentiates.iter().map(words).collect();
        self.proposal(
            label,
            &format!("{}: {}", investigation.test_name, investigation.purpose),
        )
        .with(
            "category",
            constant!(category("386053000", "Evaluation procedure")),
        )
        .with("priority", priority)
        .with("code", concept(codings, &investigation.test_name))
        .with("subject", self.patient())
        .with("authoredOn", self.at())
        .with("reasonCode", reasons)
        .with(
            "note",
            notes([
                investigation.purpose.as_str(),
                investigation.interpretation.as_str(),
                investigation.source.as_str(),
            ]),
        )
    }

    fn referral(&self) -> Resource<'a> {
        let referral = &self.document.assessment.referral;
        let text = format!("Refer to: {}", referral.refer_to);
        let priority = match self.document.assessment.triage.level {
            lafiya_model::TriageLevel::Emergency => "stat",
            lafiya_model::TriageLevel::Urgent => "urgent",
            _ => "routine",
        };
        let reasons: Element<'a> = referral.criteria.iter().map(words).collect();
        let before = referral
            .pre_referral_actions
            .iter()
            .map(|action| action.as_str());
        self.proposal("referral", &text)
            .with(
                "category",
                constant!(category("3457005", "Patient referral")),
            )
            .with("priority", priority)
            .with("code", words(text))
            .with("subject", self.patient())
            .with("authoredOn", self.at())
            .with("reasonCode", reasons)
            .with("note", notes(before.chain([referral.source.as_str()])))
    }

    fn care_plan(&self) -> Option<Resource<'a>> {
        let assessment = &self.document.assessment;
        let actions = &assessment.treatment.immediate_actions;
        let mut activities: Vec<Element<'a>> = actions.iter().map(activity).collect();
        activities.extend(
            assessment
                .treatment
                .condition_specific
                .iter()
                .map(|treatment| self.treatment(treatment)),
        );
        activities.extend(assessment.treatment.supportive_care.iter().map(activity));
        let watch = assessment.watch_for.iter().map(|sign| {
            format!(
                "Watch for {}: {}. {}",
                sign.sign, sign.escalates_to, sign.action
            )
        });
        let avoid = assessment
            .treatment
            .avoid
            .iter()
            .map(|line| format!("Avoid: {line}"));
        let said: Vec<String> = avoid.chain(watch).collect();
        if activities.is_empty() && said.is_empty() {
            return None;
        }
        let addresses: Element<'a> = assessment
            .conditions
            .iter()
            .map(|condition| {
                reference(&self.full_url(&condition_label(condition)), &condition.name)
            })
            .collect();
        let actions = actions.iter().map(|action| action.as_str());
        let mut story: Vec<&str> = actions.chain(said.iter().map(String::as_str)).collect();
        if story.is_empty() {
            story.push(&assessment.triage.recommended_action);
        }
        let plan = self
            .resource("CarePlan", "care-plan", None)
            .narrated(&story)
            .with("status", "draft")
            .with("intent", "proposal")
            .with("title", "Proposed care until a clinician decides")
            .with("subject", self.patient())
            .with("created", self.at())
            .with("addresses", addresses)
            .with("activity", Element::List(activities))
            .with("note", notes(said));
        Some(plan)
    }

    /// Writes the treatment of a candidate in case it is confirmed, always with its source.
    fn treatment(&self, treatment: &ConditionTreatment<'_>) -> Element<'a> {
        let mut text = format!(
            "If {} is confirmed: {}",
            treatment.condition_name, treatment.first_line
        );
        if !treatment.alternative.is_empty() {
            text.push_str(&format!(" Alternative: {}", treatment.alternative));
        }
        text.push_str(&format!(" ({})", treatment.source));
        activity(text)
    }
}

fn category(code: &'static str, display: &'static str) -> Element<'static> {
    one(coded(coding(SNOMED_CT, code, display)))
}

fn activity<'a>(description: impl Into<Element<'a>>) -> Element<'a> {
    let detail = object([
        ("status", "not-started".into()),
        ("description", description.into()),
    ]);
    object([("detail", detail)])
}
