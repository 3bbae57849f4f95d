//! Reasoning. Two public functions: [`assess`] thinks about a de-identified case and gives a
//! [`Draft`]; [`review`] checks it against every danger and gives the [`Assessment`], which nothing
//! else can make. Both are pure, total and deterministic: same input, same bytes.
//!
//! The way of a case: `facts` (what is known) → `priors` and `weighing` (what it says about each
//! condition) → `differential` (probabilities) → `danger` (flags, rules, scores) → `triage` →
//! `question` → `plan` (tests, treatment, referral) → `explain` → `safety` (the last gate).
//! No disease is named here: everything clinical comes from the knowledge base.
#![warn(missing_docs)]

mod arithmetic;
mod carried;
mod citations;
mod danger;
mod differential;
mod explain;
mod facts;
mod holding;
mod opinion;
mod parameters;
mod plan;
mod priors;
mod question;
mod ranking;
mod safety;
mod triage;
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

/// Version of the reasoning itself, stored with every assessment: the release, and a hash of this
/// crate's source (`build.rs`). Two assessments with the same engine and knowledge versions were
/// reasoned alike; before 2026-11 every version was `1`.
pub const ENGINE_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("LAFIYA_ENGINE_SOURCE"));

/// Thinks about a case.
pub fn assess<'a>(
    base: &'a KnowledgeBase,
    case: &DeidentifiedCase,
    parameters: &Parameters,
) -> Draft<'a> {
    let facts = PatientFacts::gather(base, case);
    let differential = Differential::of(&facts, case, parameters);
    Draft::new(facts, differential, *parameters)
}

/// The share of visits (0 to 1) that each condition causes in patients like this one, before anything
/// they complain of is known: by age, sex, state, place and month. By `ConditionIx`; 0 is impossible.
pub fn case_mix(base: &KnowledgeBase, case: &DeidentifiedCase) -> Vec<f64> {
    priors::CaseMix::of(&PatientFacts::gather(base, case), case).shares
}

/// Checks a draft against every danger and completes it. `questions_asked` bounds the interview.
pub fn review<'a>(draft: Draft<'a>, questions_asked: usize) -> Assessment<'a> {
    safety::review(draft, questions_asked)
}
