//! Reads the clinical content under `knowledge/`, checks it, and builds one immutable, indexed
//! [`KnowledgeBase`].
//!
//! `schema` defines the format of the files, `load` reads them, `checks` validates them, and `base`
//! is what the engine reads. Nothing here reasons, logs, or names a disease.
#![warn(missing_docs)]

pub mod artefact;
pub mod base;
pub mod checks;
pub mod dose_words;
pub mod load;
mod patient_group;
pub mod prose;
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
    Answer, Asking, BeltIx, Caution, ConceptRef, Condition, ConditionIx, Course, Derived, Dose,
    DoseIx, Exposure, Facts, Finding, FindingIx, Gate, Group, Interview, KnowledgeBase, LabEffect,
    LabIx, LabTest, Likelihood, Measure, MeasureIx, Medicine, MedicineIx, NotANumber,
    PROBABILITY_MAX, Pair, Person, PhraseTable, Place, PlainFacts, Priors, Quantity, Reason,
    RiskFactor, RiskIx, Rule, RuleIx, Scale, Score, ScoreIx, ScoreResult, Screen, Segment, Showing,
    Shown, SourceIx, Weights, When, bounded, capitalise, entropy, normal_unit, segment_words,
    split_number,
};
pub use checks::{Checked, check, check_dir};
pub use load::SourceFile;
pub use remark::{LoadError, Remark, Weight};
pub use search_terms::{SearchTerm, TermKind};
