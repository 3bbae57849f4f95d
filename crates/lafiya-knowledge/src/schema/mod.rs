//! The format of every kind of file, as described in `knowledge/FORM.md`: one module per kind.
//!
//! These types hold what was written and do not resolve references. A required field whose absence
//! deserves a message to the clinician (a source, a question) is left empty here and reported by
//! `checks`.

pub mod care;
pub mod condition;
pub mod finding;
pub mod interview;
pub mod lab_test;
pub mod measure;
pub mod medicine;
pub mod pair;
pub mod places;
pub mod risk_factor;
pub mod rule;
pub mod score;
pub mod services;
pub mod texts;

pub use care::{
    Advice, Avoid, ConditionTriage, Education, Higher, Investigation, Notifiable, Referral,
    Resource, SpecialistAdvice, Treatment, WatchFor,
};
pub use condition::{
    Condition, Course, ExcludedBy, FindingEntry, FindingTable, LabEntry, LabTable, MustNotMiss,
    Prevalence, Prior, Review, RiskEntry, RiskTable, SexFactors, Times, Who,
};
pub use finding::Finding;
pub use interview::{Exposure, Gate, Scale, ScaleOption, Screen};
pub use lab_test::LabTest;
pub use measure::{Derivation, Limits, Measure, NormalRange, OtherUnit};
pub use medicine::{
    Caution, DoseRow, DoseSource, DoseWho, MedianWeight, Medicine, MedicineClasses, MedicineDose,
    MedicineForm, Repeat, Requirement, StateRisks, WeightForAge, WeightRange,
};
pub use pair::Pair;
pub use places::{Belt, Country, PopulationShare, Region};
pub use risk_factor::RiskFactor;
pub use rule::{AtLeast, Days, Effect, Example, Fresh, Rule, ValueLimit, When};
pub use score::{ItemPoints, Score, ScoreBand, ScoreExample, ScoreItem, Step};
pub use services::{Asks, Care, FacilityType, Service, Services};
pub use texts::{
    Alias, DangerSign, LayTerm, LevelText, Source, Specialist, TimeframeText, TriageTexts, Version,
};

use serde::{Deserialize, Serialize};

/// The content of all files, in the order of their paths. The embedded artefact packs this type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// SHA-256 over all paths and bytes, in hexadecimal. It identifies the content exactly.
    pub content_hash: String,
    /// `VERSION.toml`.
    pub version: Version,
    /// `conditions/*.toml`.
    pub conditions: Vec<Condition>,
    /// `findings/*.toml`, each with the category that its file is named after.
    pub findings: Vec<Finding>,
    /// `vital-signs.toml`.
    pub measures: Vec<Measure>,
    /// `lab-tests.toml`.
    pub lab_tests: Vec<LabTest>,
    /// `risk-factors/*.toml`.
    pub risk_factors: Vec<RiskFactor>,
    /// `rules/*.toml`.
    pub rules: Vec<Rule>,
    /// `medicines/*.toml`.
    pub medicines: Vec<Medicine>,
    /// `medicine-classes.toml`.
    pub medicine_classes: MedicineClasses,
    /// `weight-for-age.toml`.
    pub weight_for_age: WeightForAge,
    /// `scores.toml`.
    pub scores: Vec<Score>,
    /// Pairs of conditions that often occur together.
    pub pairs: Vec<Pair>,
    /// `screens.toml`.
    pub screens: Vec<Screen>,
    /// `gates.toml`.
    pub gates: Vec<Gate>,
    /// `exposures.toml`.
    pub exposures: Vec<Exposure>,
    /// `scales.toml`.
    pub scales: Vec<Scale>,
    /// `sources.toml`.
    pub sources: Vec<Source>,
    /// `specialists.toml`.
    pub specialists: Vec<Specialist>,
    /// `services.toml`.
    pub services: Services,
    /// `triage.toml`.
    pub triage: TriageTexts,
    /// `belts.toml`.
    pub belts: Vec<Belt>,
    /// `regions/*.toml`.
    pub countries: Vec<Country>,
    /// `population.toml`.
    pub population: Vec<PopulationShare>,
    /// `aliases.toml`.
    pub aliases: Vec<Alias>,
    /// `lay-terms/*.csv`.
    pub lay_terms: Vec<LayTerm>,
    /// `planned.txt`: conditions that files may refer to before they are written.
    pub planned: Vec<String>,
}
