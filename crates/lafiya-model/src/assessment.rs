//! An assessment: everything that is answered, as it is stored. Only the engine's review makes one;
//! the API and FHIR render it, the rationale explains it, and nothing is computed again. What several
//! candidates say in the same words is one shared text.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::evidence::Choice;
use crate::ids::ConceptId;
use crate::triage::{Seriousness, Timeframe, TriageLevel};

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Ranked, likeliest first.
    pub conditions: Vec<AssessedCondition>,
    /// What was weighed in every candidate: how common it is, each piece of evidence, the course, a
    /// second opinion.
    pub weighed: Vec<Weighed>,
    /// The share of probability that none of our conditions explains.
    pub unexplained: f64,
    /// How urgent, and why.
    pub triage: Triage,
    /// Whether enough is known.
    pub should_stop: bool,
    /// Why the interview may stop, or why it goes on.
    pub stop_reason: String,
    /// What to ask next.
    pub next_question: Option<Question>,
    /// Danger signs that are there.
    pub red_flags: Vec<RedFlag>,
    /// Signs of getting worse to look out for.
    pub watch_for: Vec<WatchFor>,
    /// Whether a piece of evidence by itself means an emergency.
    pub has_emergency_evidence: bool,
    /// What a clinician should know about the answer itself.
    pub warnings: Vec<Warning>,
    /// Tests worth doing, first things first.
    pub investigations: Vec<Investigation>,
    /// What to do.
    pub treatment: TreatmentGuidance,
    /// Where to send the patient.
    pub referral: ReferralPathway,
    /// Diseases that the law wants reported.
    pub notifiable: Vec<Notifiable>,
    /// The numbered sources that citations point to.
    pub sources: Vec<Arc<str>>,
    /// How sure the answer is of itself, 0 to 1.
    pub confidence: f64,
    /// 1: emergency by evidence or danger rule; 2: warnings; 3: all clear.
    pub escalation_tier: u8,
    /// Passages of the knowledge base that went into the answer.
    pub chunks_retrieved: usize,
    /// The reasoning for a doctor, step by step.
    pub reasoning: Reasoning,
}

/// One candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssessedCondition {
    /// Concept id.
    pub id: ConceptId,
    /// Clinical name.
    pub name: String,
    /// Plain name.
    pub common_name: String,
    /// 0 to 1.
    pub probability: f64,
    /// `mild`, `moderate`, `severe`, `critical`.
    pub severity: String,
    /// ICD-10 code.
    pub icd10: String,
    /// SNOMED CT concept; empty where none is bound.
    pub snomed_ct: String,
    /// What it is.
    pub description: String,
    /// Names of what speaks for it.
    pub supporting: Vec<Arc<str>>,
    /// Names of what speaks against it.
    pub against: Vec<Arc<str>>,
    /// `[n] Title, publisher, year`.
    pub citations: Vec<Arc<str>>,
    /// Why it stands where it stands.
    pub rationale: String,
    /// Whether the evidence is too thin to say.
    pub insufficient_data: bool,
    /// What each of the `weighed` weighs in this one: log-odds against "something else", positive speaks
    /// for the condition.
    pub weights: Vec<f64>,
}

/// Something that counts in every candidate's log-odds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighed {
    /// The concept, or `prior` for how common the condition is.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it is there; `None` for the prior.
    pub choice: Option<Choice>,
}

/// The weight of one piece of evidence in one condition's log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution<'a> {
    /// What is weighed.
    pub of: &'a Weighed,
    /// What it weighs: positive speaks for the condition.
    pub weight: f64,
}

impl Assessment {
    /// What each piece of evidence weighs in a candidate; together they make its score.
    pub fn contributions<'a>(
        &'a self,
        condition: &'a AssessedCondition,
    ) -> impl Iterator<Item = Contribution<'a>> {
        let weights = condition.weights.iter();
        let pairs = self.weighed.iter().zip(weights);
        pairs.map(|(of, &weight)| Contribution { of, weight })
    }
}

/// How urgent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triage {
    /// The level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// What the level means.
    pub description: String,
    /// What to do now.
    pub recommended_action: String,
    /// Whom to see.
    pub specialist: Option<Specialist>,
    /// How to be seen.
    pub channel: Option<String>,
    /// Why this level.
    pub root_cause: Option<String>,
    /// Ids of what counted most.
    pub contributing_evidence: Vec<ConceptId>,
    /// Whether danger raised the level above what the candidates alone would give.
    pub overridden: bool,
    /// By what.
    pub override_reason: Option<String>,
}

/// Whom to see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Specialist {
    /// Id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Why.
    pub reasoning: String,
    /// The next step.
    pub escalate_to: String,
    /// When to take it.
    pub escalation_trigger: String,
}

/// What to ask next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The concept to send back as evidence.
    pub id: ConceptId,
    /// The question.
    pub text: String,
    /// Why it is asked.
    pub explanation: String,
}

/// A danger sign that is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RedFlag {
    /// Concept or rule id.
    pub id: String,
    /// For people.
    pub name: String,
    /// How serious.
    pub seriousness: Seriousness,
    /// What it may mean.
    pub root_cause: String,
}

/// A sign of getting worse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchFor {
    /// What to look for.
    pub sign: String,
    /// What it would mean.
    pub escalates_to: String,
    /// What to do then.
    pub action: String,
}

/// Kinds of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Something in the input or the answer does not fit.
    ValidationConcern,
    /// The patient's age or state makes everything more dangerous.
    AgeVulnerability,
    /// Danger and candidates disagree about the level.
    TriageMismatch,
    /// The answer is not sure of itself.
    ConfidenceLow,
}

/// How much a warning matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningSeverity {
    /// Much.
    High,
    /// Some.
    Medium,
    /// Little.
    Low,
}

/// What a clinician should know about the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind.
    pub kind: WarningKind,
    /// How much it matters.
    pub severity: WarningSeverity,
    /// The warning.
    pub message: String,
    /// What to do about it.
    pub recommended_action: String,
    /// Particulars.
    pub details: Vec<String>,
}

/// A test worth doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Investigation {
    /// 1 is first.
    pub priority: u32,
    /// Lab test id.
    pub test_id: ConceptId,
    /// Its name.
    pub test_name: String,
    /// Another name.
    pub alternative_name: String,
    /// What for.
    pub purpose: String,
    /// Where this comes from.
    pub source: String,
    /// How to read the result.
    pub interpretation: String,
    /// How soon.
    pub urgency: String,
    /// Names of what it tells apart.
    pub differentiates: Vec<String>,
    /// The lowest level of care that has it.
    pub available_at: String,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreatmentGuidance {
    /// Now.
    pub immediate_actions: Vec<String>,
    /// For each leading candidate, once confirmed.
    pub condition_specific: Vec<ConditionTreatment>,
    /// Besides medicines.
    pub supportive_care: Vec<String>,
    /// What not to give to this patient.
    pub avoid: Vec<String>,
}

/// Treatment of one condition, once it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionTreatment {
    /// Concept id.
    pub condition_id: ConceptId,
    /// Its name.
    pub condition_name: String,
    /// First choice.
    pub first_line: String,
    /// Second choice; empty where none is given.
    pub alternative: String,
    /// Where this comes from.
    pub source: String,
}

/// Where to send the patient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferralPathway {
    /// Where care begins.
    pub current_level: String,
    /// Where to send.
    pub refer_to: String,
    /// When to send.
    pub criteria: Vec<String>,
    /// What to do before.
    pub pre_referral_actions: Vec<String>,
    /// Where this comes from.
    pub source: String,
}

/// A disease that must be reported when it is suspected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notifiable {
    /// Concept id.
    pub condition_id: ConceptId,
    /// Its name.
    pub condition_name: String,
    /// Under which scheme.
    pub scheme: String,
    /// How fast.
    pub how_fast: String,
    /// To whom.
    pub to: String,
    /// Where this comes from.
    pub source: String,
}

/// The reasoning, kept with the assessment so that it can be explained as long as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The chain of thought a doctor can follow, one sentence a step.
    pub steps: Vec<String>,
    /// Why this level.
    pub triage_rationale: String,
    /// The smallest changes that would move the level.
    pub what_would_change: Vec<String>,
}
