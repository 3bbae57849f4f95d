//! The reasoning engine. It has two main functions: [`assess`] turns a de-identified case into a
//! [`Draft`]; [`review`] checks the draft against every danger sign and is the only way to make an
//! [`Assessment`]. Both are pure, total and deterministic: the same input gives the same bytes.
//!
//! A case passes through these modules: `facts` (what is known) → `priors` and `weighing` (what it
//! says about each condition) → `differential` (probabilities) → `danger` (flags, rules, scores) →
//! `triage` → `explain` → `question` → `plan` (tests, treatment, referral) → `safety` (the final
//! checks). No disease is named here: all clinical content comes from the knowledge base.
#![warn(missing_docs)]

mod arithmetic;
mod candidate_level;
mod citations;
mod danger;
mod differential;
mod doses;
mod dosing;
mod explain;
mod facts;
mod hypotheses_by_level;
mod misfit;
mod opinion;
mod parameters;
mod plan;
mod priors;
mod question;
mod ranking;
mod safety;
mod triage;
mod warnings;
mod weighing;
mod weights;

#[cfg(test)]
mod tests;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Assessment, DeidentifiedCase};

pub use differential::Differential;
pub use facts::{Concern, PatientFacts, Status};
pub use opinion::Refusal;
pub use parameters::Parameters;
pub use question::NextStep;
pub use safety::Draft;

/// The engine version, stored with every assessment: the release and a hash of this crate's source
/// (`build.rs`). Two assessments with the same engine and knowledge versions were computed by the
/// same logic. Before 2026-11 every version was `1`.
pub const ENGINE_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("LAFIYA_ENGINE_SOURCE"));

/// Assesses a case and returns the draft.
///
/// # Example
///
/// ```
/// use lafiya_engine::{Parameters, assess, review};
/// use lafiya_model::{Age, DeidentifiedCase, Sex, TriageLevel};
///
/// let base = lafiya_content::load()?;
/// let well = DeidentifiedCase {
///     age: Age::from_years(30),
///     sex: Sex::Female,
///     region: Some("kano".to_owned()),
///     month: Some(9),
///     evidence: Vec::new(),
/// };
/// let draft = assess(&base, &well, &Parameters::default());
/// let answer = review(draft, 0);
/// assert!(answer.triage.level < TriageLevel::Emergency);
/// # Ok::<(), lafiya_knowledge::LoadError>(())
/// ```
pub fn assess<'a>(
    base: &'a KnowledgeBase,
    case: &DeidentifiedCase,
    parameters: &Parameters,
) -> Draft<'a> {
    let facts = PatientFacts::gather(base, case);
    let differential = Differential::of(&facts, case, parameters);
    Draft::new(facts, differential, *parameters)
}

/// Returns the share of visits (0 to 1) that each condition causes in patients like this one, by
/// age, sex, state, place and month, before any complaint is known. Indexed by `ConditionIx`; 0
/// means impossible.
pub fn case_mix(base: &KnowledgeBase, case: &DeidentifiedCase) -> Vec<f64> {
    priors::CaseMix::of(&PatientFacts::gather(base, case), case).shares
}

/// Checks a draft against every danger sign and completes it. `questions_asked` limits the length
/// of the interview.
pub fn review<'a>(draft: Draft<'a>, questions_asked: usize) -> Assessment<'a> {
    safety::review(draft, questions_asked)
}
