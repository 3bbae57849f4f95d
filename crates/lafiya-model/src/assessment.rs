//! The assessment: the complete answer, as stored. Only the engine's review makes one. The API and
//! FHIR render it and the rationale explains it; nothing is computed again. Most of its texts are
//! borrowed from the knowledge base; an assessment read from storage owns its texts.

use serde::{Deserialize, Serialize};

use crate::evidence::Choice;
use crate::ids::ConceptId;
use crate::text::Text;
use crate::triage::{Seriousness, Timeframe, TriageLevel};

/// The complete answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment<'a> {
    /// Ranked, most likely first.
    pub conditions: Vec<AssessedCondition<'a>>,
    /// The contributions that count for every candidate: the prior, each piece of evidence, the
    /// course and a second opinion.
    pub weighed: Vec<Weighed<'a>>,
    /// The probability that none of the known conditions is the cause.
    pub unexplained: f64,
    /// The level of urgency and the reasons for it.
    pub triage: Triage<'a>,
    /// Whether the interview may stop.
    pub should_stop: bool,
    /// Why the interview may stop or continues.
    pub stop_reason: String,
    /// The next question.
    pub next_question: Option<Question<'a>>,
    /// Danger signs that are present.
    pub red_flags: Vec<RedFlag<'a>>,
    /// Warning signs to look out for.
    pub watch_for: Vec<WatchFor<'a>>,
    /// Whether the evidence alone means an emergency, because one of the red flags is that serious.
    pub has_emergency_evidence: bool,
    /// Warnings for the clinician about the answer itself.
    pub warnings: Vec<Warning<'a>>,
    /// Recommended tests, in order of priority.
    pub investigations: Vec<Investigation<'a>>,
    /// The recommended treatment.
    pub treatment: TreatmentGuidance<'a>,
    /// Where to refer the patient.
    pub referral: ReferralPathway<'a>,
    /// Diseases that must be reported by law.
    pub notifiable: Vec<Notifiable<'a>>,
    /// The numbered sources that citations refer to.
    pub sources: Vec<Text<'a>>,
    /// The confidence of the answer, 0 to 1.
    pub confidence: f64,
    /// 1: emergency by evidence or danger rule; 2: warnings; 3: neither.
    pub escalation_tier: u8,
    /// The number of excerpts of the knowledge base used in the answer.
    pub chunks_retrieved: usize,
    /// The step-by-step reasoning for a clinician.
    pub reasoning: Reasoning,
}

/// One candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssessedCondition<'a> {
    /// Concept id.
    pub id: ConceptId,
    /// Clinical name.
    pub name: Text<'a>,
    /// Plain name.
    pub common_name: Text<'a>,
    /// 0 to 1.
    pub probability: f64,
    /// `mild`, `moderate`, `severe`, `critical`.
    pub severity: Text<'a>,
    /// ICD-10 code.
    pub icd10: Text<'a>,
    /// SNOMED CT concept; empty if none is bound.
    pub snomed_ct: Text<'a>,
    /// A short description.
    pub description: Text<'a>,
    /// Names of the evidence for it.
    pub supporting: Vec<Text<'a>>,
    /// Names of the evidence against it.
    pub against: Vec<Text<'a>>,
    /// `[n] Title, publisher, year`.
    pub citations: Vec<Text<'a>>,
    /// Why it has this rank.
    pub rationale: String,
    /// Whether there is too little evidence.
    pub insufficient_data: bool,
    /// The weight of each entry of `weighed` for this condition, in log-odds against "something
    /// else". A positive weight supports the condition.
    pub weights: Vec<f64>,
}

/// A contribution that counts in the log-odds of every candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighed<'a> {
    /// The concept, or `prior` for how common the condition is.
    pub id: Text<'a>,
    /// The name.
    pub name: Text<'a>,
    /// Whether it is present; `None` for the prior.
    pub choice: Option<Choice>,
}

/// The weight of one piece of evidence in one condition's log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution<'a> {
    /// What contributes.
    pub of: &'a Weighed<'a>,
    /// The weight; positive supports the condition.
    pub weight: f64,
}

impl Assessment<'_> {
    /// Returns the weight of each contribution for a candidate. They add up to its score.
    pub fn contributions<'a>(
        &'a self,
        condition: &'a AssessedCondition<'_>,
    ) -> impl Iterator<Item = Contribution<'a>> {
        let weights = condition.weights.iter();
        let pairs = self.weighed.iter().zip(weights);
        pairs.map(|(of, &weight)| Contribution { of, weight })
    }
}

/// The triage result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triage<'a> {
    /// The level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// What the level means.
    pub description: Text<'a>,
    /// The recommended action.
    pub recommended_action: Text<'a>,
    /// Whom to see.
    pub specialist: Option<Specialist<'a>>,
    /// How the patient should be seen, such as in person or by video.
    pub channel: Option<Text<'a>>,
    /// The reason for the level.
    pub root_cause: Option<Text<'a>>,
    /// Ids of the symptoms that counted most.
    pub contributing_evidence: Vec<ConceptId>,
    /// Whether a danger sign or a second opinion raised the level above that of the candidates
    /// alone.
    pub overridden: bool,
    /// The reason for the override.
    pub override_reason: Option<Text<'a>>,
}

/// Whom to see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Specialist<'a> {
    /// Id.
    pub id: Text<'a>,
    /// Display name.
    pub name: Text<'a>,
    /// The reason.
    pub reasoning: Text<'a>,
    /// The specialist for escalation.
    pub escalate_to: Text<'a>,
    /// When to escalate.
    pub escalation_trigger: Text<'a>,
}

/// The next question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question<'a> {
    /// The concept to send back as evidence.
    pub id: ConceptId,
    /// The question text.
    pub text: Text<'a>,
    /// Why it is asked.
    pub explanation: Text<'a>,
}

/// A danger sign that is present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RedFlag<'a> {
    /// Concept or rule id.
    pub id: Text<'a>,
    /// Display name.
    pub name: Text<'a>,
    /// How serious.
    pub seriousness: Seriousness,
    /// What it may mean.
    pub root_cause: Text<'a>,
}

/// A warning sign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchFor<'a> {
    /// What to look for.
    pub sign: Text<'a>,
    /// What it would mean.
    pub escalates_to: Text<'a>,
    /// What to do then.
    pub action: Text<'a>,
}

/// Kinds of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Something in the input or the answer is inconsistent.
    ValidationConcern,
    /// The patient's age or state increases every risk.
    AgeVulnerability,
    /// Danger signs or a second opinion give another level than the candidates.
    TriageMismatch,
    /// The answer has low confidence.
    ConfidenceLow,
}

/// The severity of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningSeverity {
    /// High.
    High,
    /// Medium.
    Medium,
    /// Low.
    Low,
}

/// A warning for the clinician about the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning<'a> {
    /// The kind.
    pub kind: WarningKind,
    /// The severity.
    pub severity: WarningSeverity,
    /// The warning.
    pub message: Text<'a>,
    /// What to do about it.
    pub recommended_action: Text<'a>,
    /// Further details.
    pub details: Vec<Text<'a>>,
}

/// A recommended test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Investigation<'a> {
    /// The priority; 1 is highest.
    pub priority: u32,
    /// Lab test id.
    pub test_id: ConceptId,
    /// The name.
    pub test_name: Text<'a>,
    /// An alternative name.
    pub alternative_name: Text<'a>,
    /// The purpose.
    pub purpose: Text<'a>,
    /// The source, as a citation.
    pub source: Text<'a>,
    /// How to interpret the result.
    pub interpretation: Text<'a>,
    /// How soon.
    pub urgency: Text<'a>,
    /// Names of the conditions that it distinguishes.
    pub differentiates: Vec<Text<'a>>,
    /// The lowest level of care where it is available.
    pub available_at: Text<'a>,
}

/// The recommended treatment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreatmentGuidance<'a> {
    /// What to do now.
    pub immediate_actions: Vec<Text<'a>>,
    /// Treatment of each leading candidate, once confirmed.
    pub condition_specific: Vec<ConditionTreatment<'a>>,
    /// Care other than medicines.
    pub supportive_care: Vec<Text<'a>>,
    /// What not to give to this patient.
    pub avoid: Vec<Text<'a>>,
    /// The medicines that the texts of the answer refer to, each with its dose for this patient.
    #[serde(default)]
    pub medicines: Vec<MedicineAdvice<'a>>,
}

/// One dose of one medicine, for this patient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MedicineAdvice<'a> {
    /// Medicine id.
    pub id: Text<'a>,
    /// The name.
    pub name: Text<'a>,
    /// The id of the dose within the medicine.
    pub dose_id: Text<'a>,
    /// What it is given for.
    pub indication: Text<'a>,
    /// How it is given.
    pub route: Text<'a>,
    /// The dose as the texts of the answer say it; why not, if it is not to be given.
    pub dose: Text<'a>,
    /// Whether it may be given: there is a dose for this patient, and no contraindication is known.
    pub is_given: bool,
    /// The amount for this patient, if it could be computed.
    pub computed: Option<ComputedDose<'a>>,
    /// Cautions whose reason is known to be present.
    pub cautions: Vec<MedicineCaution<'a>>,
    /// Cautions whose reason is not known: to be asked about.
    pub ask: Vec<MedicineCaution<'a>>,
    /// What to watch in the patient.
    pub watch: Vec<Text<'a>>,
    /// The source of the dose, as a citation.
    pub source: Text<'a>,
    /// What the figures rest on: `general_knowledge` or `read`.
    pub basis: Text<'a>,
}

/// The amount of one dose for this patient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputedDose<'a> {
    /// The unit of the amounts.
    pub unit: Text<'a>,
    /// The least amount of one dose.
    pub least: f64,
    /// The most of one dose.
    pub most: f64,
    /// The least and most for each kilogram, for a dose by weight.
    pub per_kg: Option<[f64; 2]>,
    /// The weight that was used.
    pub weight_kg: Option<f64>,
    /// Where the weight came from: `measured`, `assumed_from_age`, or empty if none was used.
    pub weight_origin: Text<'a>,
    /// The amount to give in a stocked form, if one fits.
    pub given: Option<GivenAmount<'a>>,
    /// How the amount was worked out.
    pub arithmetic: Text<'a>,
    /// The highest total in 24 hours, if the formulary states one.
    pub in_24_hours_at_most: Option<f64>,
    /// The limit that cut the amount: `highest_single_dose`, `highest_in_24_hours`, or empty.
    pub limited_by: Text<'a>,
}

/// An amount in a stocked form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GivenAmount<'a> {
    /// The form and strength.
    pub form: Text<'a>,
    /// What is counted or measured out, such as `tablet` or `mL`.
    pub per: Text<'a>,
    /// The least number of them.
    pub least: f64,
    /// The most of them.
    pub most: f64,
    /// The same in words, such as "12 mL of suspension 250 mg in 5 mL".
    pub words: Text<'a>,
}

/// A reason not to give a medicine, or to give it with care.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MedicineCaution<'a> {
    /// `contraindicated` or `careful`.
    pub kind: Text<'a>,
    /// The caution.
    pub says: Text<'a>,
    /// What to give instead; empty if nothing is named.
    pub instead: Text<'a>,
    /// The id of its source.
    pub source: Text<'a>,
}

/// The treatment of one condition, once it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionTreatment<'a> {
    /// Concept id.
    pub condition_id: ConceptId,
    /// The name.
    pub condition_name: Text<'a>,
    /// First choice.
    pub first_line: Text<'a>,
    /// Second choice; empty if there is none.
    pub alternative: Text<'a>,
    /// The source, as a citation.
    pub source: Text<'a>,
}

/// Where to refer the patient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferralPathway<'a> {
    /// The level of care where treatment begins.
    pub current_level: Text<'a>,
    /// Where to refer.
    pub refer_to: Text<'a>,
    /// When to refer.
    pub criteria: Vec<Text<'a>>,
    /// What to do before the referral.
    pub pre_referral_actions: Vec<Text<'a>>,
    /// The source, as a citation.
    pub source: Text<'a>,
}

/// A disease that must be reported when suspected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notifiable<'a> {
    /// Concept id.
    pub condition_id: ConceptId,
    /// The name.
    pub condition_name: Text<'a>,
    /// The reporting scheme.
    pub scheme: Text<'a>,
    /// How fast to report.
    pub how_fast: Text<'a>,
    /// Whom to report to.
    pub to: Text<'a>,
    /// The source, as a citation.
    pub source: Text<'a>,
}

/// The reasoning, stored with the assessment so that it can be explained for as long as the
/// assessment is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The reasoning for a clinician, one sentence per step.
    pub steps: Vec<String>,
    /// The reason for the level.
    pub triage_rationale: String,
    /// The smallest changes that would change the level.
    pub what_would_change: Vec<String>,
}
