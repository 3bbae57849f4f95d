//! An assessment: everything that is answered, as it is stored. Only the engine's review makes one;
//! the API and FHIR render it, the rationale explains it, and nothing is computed again. Most of
//! its words are borrowed from the knowledge base; one that is read back has its own.

use serde::{Deserialize, Serialize};

use crate::evidence::Choice;
use crate::ids::ConceptId;
use crate::text::Text;
use crate::triage::{Seriousness, Timeframe, TriageLevel};

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment<'a> {
    /// Ranked, likeliest first.
    pub conditions: Vec<AssessedCondition<'a>>,
    /// What was weighed in every candidate: how common it is, each piece of evidence, the course, a
    /// second opinion.
    pub weighed: Vec<Weighed<'a>>,
    /// The share of probability that none of our conditions explains.
    pub unexplained: f64,
    /// How urgent, and why.
    pub triage: Triage<'a>,
    /// Whether enough is known.
    pub should_stop: bool,
    /// Why the interview may stop, or why it goes on.
    pub stop_reason: String,
    /// What to ask next.
    pub next_question: Option<Question<'a>>,
    /// Danger signs that are there.
    pub red_flags: Vec<RedFlag<'a>>,
    /// Signs of getting worse to look out for.
    pub watch_for: Vec<WatchFor<'a>>,
    /// Whether the evidence by itself means an emergency: one of the red flags is that serious.
    pub has_emergency_evidence: bool,
    /// What a clinician should know about the answer itself.
    pub warnings: Vec<Warning<'a>>,
    /// Tests worth doing, first things first.
    pub investigations: Vec<Investigation<'a>>,
    /// What to do.
    pub treatment: TreatmentGuidance<'a>,
    /// Where to send the patient.
    pub referral: ReferralPathway<'a>,
    /// Diseases that the law wants reported.
    pub notifiable: Vec<Notifiable<'a>>,
    /// The numbered sources that citations point to.
    pub sources: Vec<Text<'a>>,
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
    /// SNOMED CT concept; empty where none is bound.
    pub snomed_ct: Text<'a>,
    /// What it is.
    pub description: Text<'a>,
    /// Names of what speaks for it.
    pub supporting: Vec<Text<'a>>,
    /// Names of what speaks against it.
    pub against: Vec<Text<'a>>,
    /// `[n] Title, publisher, year`.
    pub citations: Vec<Text<'a>>,
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
pub struct Weighed<'a> {
    /// The concept, or `prior` for how common the condition is.
    pub id: Text<'a>,
    /// Its name.
    pub name: Text<'a>,
    /// Whether it is there; `None` for the prior.
    pub choice: Option<Choice>,
}

/// The weight of one piece of evidence in one condition's log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution<'a> {
    /// What is weighed.
    pub of: &'a Weighed<'a>,
    /// What it weighs: positive speaks for the condition.
    pub weight: f64,
}

impl Assessment<'_> {
    /// What each piece of evidence weighs in a candidate; together they make its score.
    pub fn contributions<'a>(
        &'a self,
        condition: &'a AssessedCondition<'_>,
    ) -> impl Iterator<Item = Contribution<'a>> {
        let weights = condition.weights.iter();
        let pairs = self.weighed.iter().zip(weights);
        pairs.map(|(of, &weight)| Contribution { of, weight })
    }
}

/// How urgent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triage<'a> {
    /// The level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// What the level means.
    pub description: Text<'a>,
    /// What to do now.
    pub recommended_action: Text<'a>,
    /// Whom to see.
    pub specialist: Option<Specialist<'a>>,
    /// How to be seen.
    pub channel: Option<Text<'a>>,
    /// Why this level.
    pub root_cause: Option<Text<'a>>,
    /// Ids of the symptoms that counted most.
    pub contributing_evidence: Vec<ConceptId>,
    /// Whether danger raised the level above what the candidates alone would give.
    pub overridden: bool,
    /// By what.
    pub override_reason: Option<Text<'a>>,
}

/// Whom to see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Specialist<'a> {
    /// Id.
    pub id: Text<'a>,
    /// Name for people.
    pub name: Text<'a>,
    /// Why.
    pub reasoning: Text<'a>,
    /// The next step.
    pub escalate_to: Text<'a>,
    /// When to take it.
    pub escalation_trigger: Text<'a>,
}

/// What to ask next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question<'a> {
    /// The concept to send back as evidence.
    pub id: ConceptId,
    /// The question.
    pub text: Text<'a>,
    /// Why it is asked.
    pub explanation: Text<'a>,
}

/// A danger sign that is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RedFlag<'a> {
    /// Concept or rule id.
    pub id: Text<'a>,
    /// For people.
    pub name: Text<'a>,
    /// How serious.
    pub seriousness: Seriousness,
    /// What it may mean.
    pub root_cause: Text<'a>,
}

/// A sign of getting worse.
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
pub struct Warning<'a> {
    /// What kind.
    pub kind: WarningKind,
    /// How much it matters.
    pub severity: WarningSeverity,
    /// The warning.
    pub message: Text<'a>,
    /// What to do about it.
    pub recommended_action: Text<'a>,
    /// Particulars.
    pub details: Vec<Text<'a>>,
}

/// A test worth doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Investigation<'a> {
    /// 1 is first.
    pub priority: u32,
    /// Lab test id.
    pub test_id: ConceptId,
    /// Its name.
    pub test_name: Text<'a>,
    /// Another name.
    pub alternative_name: Text<'a>,
    /// What for.
    pub purpose: Text<'a>,
    /// Where this comes from.
    pub source: Text<'a>,
    /// How to read the result.
    pub interpretation: Text<'a>,
    /// How soon.
    pub urgency: Text<'a>,
    /// Names of what it tells apart.
    pub differentiates: Vec<Text<'a>>,
    /// The lowest level of care that has it.
    pub available_at: Text<'a>,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreatmentGuidance<'a> {
    /// Now.
    pub immediate_actions: Vec<Text<'a>>,
    /// For each leading candidate, once confirmed.
    pub condition_specific: Vec<ConditionTreatment<'a>>,
    /// Besides medicines.
    pub supportive_care: Vec<Text<'a>>,
    /// What not to give to this patient.
    pub avoid: Vec<Text<'a>>,
}

/// Treatment of one condition, once it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionTreatment<'a> {
    /// Concept id.
    pub condition_id: ConceptId,
    /// Its name.
    pub condition_name: Text<'a>,
    /// First choice.
    pub first_line: Text<'a>,
    /// Second choice; empty where none is given.
    pub alternative: Text<'a>,
    /// Where this comes from.
    pub source: Text<'a>,
}

/// Where to send the patient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferralPathway<'a> {
    /// Where care begins.
    pub current_level: Text<'a>,
    /// Where to send.
    pub refer_to: Text<'a>,
    /// When to send.
    pub criteria: Vec<Text<'a>>,
    /// What to do before.
    pub pre_referral_actions: Vec<Text<'a>>,
    /// Where this comes from.
    pub source: Text<'a>,
}

/// A disease that must be reported when it is suspected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notifiable<'a> {
    /// Concept id.
    pub condition_id: ConceptId,
    /// Its name.
    pub condition_name: Text<'a>,
    /// Under which scheme.
    pub scheme: Text<'a>,
    /// How fast.
    pub how_fast: Text<'a>,
    /// To whom.
    pub to: Text<'a>,
    /// Where this comes from.
    pub source: Text<'a>,
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
