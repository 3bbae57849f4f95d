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
        for (position, it) in document.assessment.investigations.iter().enumerate() {
            let label = format!("investigation/{position}");
            let request = self.investigation(it, &label);
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

    fn investigation(&self, it: &'a Investigation<'a>, label: &str) -> Resource<'a> {
        let priority = match it.urgency.as_str() {
            "immediate" => "stat",
            "within_2_hours" => "asap",
            "within_24_hours" => "urgent",
            _ => "routine",
        };
        let codings = codings_of(self.base, self.systems, it.test_id.as_str(), &it.test_name);
        let reasons: Element<'a> = it.differentiates.iter().map(words).collect();
        self.proposal(label, &format!("{}: {}", it.test_name, it.purpose))
            .with(
                "category",
                constant!(category("386053000", "Evaluation procedure")),
            )
            .with("priority", priority)
            .with("code", concept(codings, &it.test_name))
            .with("subject", self.patient())
            .with("authoredOn", self.at())
            .with("reasonCode", reasons)
            .with(
                "note",
                notes([
                    it.purpose.as_str(),
                    it.interpretation.as_str(),
                    it.source.as_str(),
                ]),
            )
    }

    fn referral(&self) -> Resource<'a> {
        let it = &self.document.assessment.referral;
        let text = format!("Refer to: {}", it.refer_to);
        let priority = match self.document.assessment.triage.level {
            lafiya_model::TriageLevel::Emergency => "stat",
            lafiya_model::TriageLevel::Urgent => "urgent",
            _ => "routine",
        };
        let reasons: Element<'a> = it.criteria.iter().map(words).collect();
        let before = it.pre_referral_actions.iter().map(|action| action.as_str());
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
            .with("note", notes(before.chain([it.source.as_str()])))
    }

    fn care_plan(&self) -> Option<Resource<'a>> {
        let it = &self.document.assessment;
        let actions = &it.treatment.immediate_actions;
        let mut activities: Vec<Element<'a>> = actions.iter().map(activity).collect();
        activities.extend(
            it.treatment
                .condition_specific
                .iter()
                .map(|it| self.treatment(it)),
        );
        activities.extend(it.treatment.supportive_care.iter().map(activity));
        let watch = it
            .watch_for
            .iter()
            .map(|it| format!("Watch for {}: {}. {}", it.sign, it.escalates_to, it.action));
        let avoid = it.treatment.avoid.iter().map(|it| format!("Avoid: {it}"));
        let said: Vec<String> = avoid.chain(watch).collect();
        if activities.is_empty() && said.is_empty() {
            return None;
        }
        let addresses: Element<'a> = it
            .conditions
            .iter()
            .map(|condition| {
                reference(&self.full_url(&condition_label(condition)), &condition.name)
            })
            .collect();
        let actions = actions.iter().map(|action| action.as_str());
        let mut story: Vec<&str> = actions.chain(said.iter().map(String::as_str)).collect();
        if story.is_empty() {
            story.push(&it.triage.recommended_action);
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
    fn treatment(&self, it: &ConditionTreatment<'_>) -> Element<'a> {
        let mut text = format!("If {} is confirmed: {}", it.condition_name, it.first_line);
        if !it.alternative.is_empty() {
            text.push_str(&format!(" Alternative: {}", it.alternative));
        }
        text.push_str(&format!(" ({})", it.source));
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
