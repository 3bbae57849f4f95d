//! Reads the clinical content under `knowledge/`, checks it, and builds one immutable, indexed
//! [`KnowledgeBase`].
//!
//! `schema` defines the format of the files, `load` reads them, `checks` validates them, and `base`
//! is what the engine reads. Nothing here reasons, logs, or names a disease.
#![warn(missing_docs)]

pub mod artefact;
pub mod base;
pub mod checks;
pub mod load;
mod remark;
pub mod schema;
pub mod search_terms;
pub mod show;
pub mod stats;
#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "toy"))]
#[path = "tests/toy.rs"]
pub mod toy;
pub mod words;

pub use base::{
    Answer, Asking, BeltIx, ConceptRef, Condition, ConditionIx, Course, Derived, Exposure, Facts,
    Finding, FindingIx, Gate, Group, Interview, KnowledgeBase, LabEffect, LabIx, LabTest,
    Likelihood, Measure, MeasureIx, NotANumber, PROBABILITY_MAX, Pair, Person, PhraseTable, Place,
    PlainFacts, Priors, Quantity, RiskFactor, RiskIx, Rule, RuleIx, Scale, Score, ScoreIx,
    ScoreResult, Screen, Showing, Shown, SourceIx, When, bounded, entropy, normal_unit,
    split_number,
};
pub use checks::{Checked, check, check_dir};
pub use load::SourceFile;
pub use remark::{LoadError, Remark, Weight};
pub use search_terms::{SearchTerm, TermKind};
