//! `conditions/<id>.toml`: who can have the condition, how likely it is, its findings and its
//! triage.
//!
//! Treatment and the rest are in `care`.

use std::collections::BTreeMap;

use lafiya_model::{Age, AgeBand, Phrase};
use serde::{Deserialize, Serialize};

use super::care::{
    ConditionTriage, Education, Investigation, Notifiable, Referral, Treatment, WatchFor,
};
use crate::words::{AgeSpan, ConditionSeverity, ReviewStatus, Setting, SexLimit, State, age_words};

/// One condition, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// `c_...`; never changes.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    pub common_name: String,
    /// WHO ICD-10 code.
    pub icd10: String,
    /// SNOMED CT concept, if certain.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// Body system or specialty.
    pub category: String,
    /// The typical severity.
    pub severity: ConditionSeverity,
    /// A short description.
    pub description: Phrase,
    /// Other names.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Source ids, the main one first.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The state of the clinical review.
    #[serde(default)]
    pub review: Option<Review>,
    /// Hard limits on who can have it.
    #[serde(default)]
    pub who: Who,
    /// The prevalence in words.
    pub prevalence: Prevalence,
    /// The prevalence in numbers.
    pub prior: Prior,
    /// Days from the first symptom to the visit.
    pub course: Course,
    /// How often findings occur.
    pub findings: FindingTable,
    /// How often tests are positive.
    #[serde(default)]
    pub lab: LabTable,
    /// Risk factors.
    #[serde(default)]
    pub risk_factors: RiskTable,
    /// What rules the condition out.
    #[serde(default)]
    pub excluded_by: Option<ExcludedBy>,
    /// Set for conditions that can kill or disable but are treatable.
    #[serde(default)]
    pub must_not_miss: Option<MustNotMiss>,
    /// The triage.
    pub triage: ConditionTriage,
    /// Warning signs.
    #[serde(default)]
    pub watch_for: Vec<WatchFor>,
    /// Tests, in order of priority.
    #[serde(default)]
    pub investigation: Vec<Investigation>,
    /// The treatment.
    #[serde(default)]
    pub treatment: Treatment,
    /// When and where to refer.
    #[serde(default)]
    pub referral: Option<Referral>,
    /// Set if the condition must be reported by law.
    #[serde(default)]
    pub notifiable: Option<Notifiable>,
    /// Patient education.
    #[serde(default)]
    pub education: Education,
}

/// The state of the clinical review of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// The status.
    pub status: ReviewStatus,
    /// Who signed it off.
    #[serde(default)]
    pub by: Option<String>,
    /// The date, as `2026-03-01`.
    #[serde(default)]
    pub on: Option<String>,
}

/// Hard limits: outside of them the condition is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Who {
    /// The possible sexes.
    #[serde(default = "any_sex")]
    pub sex: SexLimit,
    /// The youngest possible age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Only below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Only in women in this state.
    #[serde(default)]
    pub state: Option<State>,
}

impl Who {
    /// Returns the ages within the limits.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

impl Default for Who {
    fn default() -> Self {
        Self {
            sex: SexLimit::Any,
            from: None,
            to: None,
            state: None,
        }
    }
}

fn any_sex() -> SexLimit {
    SexLimit::Any
}

/// The prevalence in words, for display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prevalence {
    /// Worldwide.
    pub global: String,
    /// In Africa.
    pub africa: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// The prevalence in numbers, for reasoning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// Cases per 1,000 people of the band who visit with a new complaint. A band left out is
    /// impossible.
    pub per_1000: BTreeMap<AgeBand, f32>,
    /// Multipliers by sex.
    #[serde(default)]
    pub sex: Option<SexFactors>,
    /// The multiplier in pregnancy.
    #[serde(default)]
    pub pregnant: Option<f32>,
    /// Multipliers by place, season and setting.
    #[serde(default)]
    pub times: Vec<Times>,
}

/// Multipliers by sex, with an average of 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SexFactors {
    /// In males.
    pub male: f32,
    /// In females.
    pub female: f32,
}

/// A multiplier that applies if all its conditions do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// In this belt.
    #[serde(default)]
    pub belt: Option<String>,
    /// In these months; empty means all year.
    #[serde(default)]
    pub months: Vec<u8>,
    /// In this setting.
    #[serde(default)]
    pub setting: Option<Setting>,
    /// The multiplier.
    pub by: f32,
}

/// The time from the first symptom to the visit, in days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// The range of the middle 80 % of patients.
    pub usual_days: [f32; 2],
    /// The widest possible range.
    pub possible_days: [f32; 2],
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// How often findings occur.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingTable {
    /// Source id for the whole list.
    #[serde(default)]
    pub source: String,
    /// Most frequent first.
    pub list: Vec<FindingEntry>,
}

/// How often people with the condition have a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingEntry {
    /// Finding id.
    pub id: String,
    /// Percentage at the visit, when asked or examined for it.
    pub of_100: f32,
    /// The percentage under five years.
    #[serde(default)]
    pub under_5: Option<f32>,
    /// The percentage from 65 years.
    #[serde(default)]
    pub over_65: Option<f32>,
    /// The percentage in pregnancy.
    #[serde(default)]
    pub pregnant: Option<f32>,
    /// Whether the diagnosis is difficult to make without it.
    #[serde(default)]
    pub cardinal: bool,
    /// Percentage of those with the finding who call it severe.
    #[serde(default)]
    pub severe_of_100: Option<f32>,
    /// The reason for this figure.
    #[serde(default)]
    pub why: Option<String>,
    /// Source id, if different from that of the list.
    #[serde(default)]
    pub source: Option<String>,
}

/// How often tests are positive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabTable {
    /// Source id for the whole list.
    #[serde(default)]
    pub source: String,
    /// The tests.
    #[serde(default)]
    pub list: Vec<LabEntry>,
}

/// How often a test is positive with and without the condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabEntry {
    /// Lab test id.
    pub id: String,
    /// Percentage positive with the condition.
    pub of_100: f32,
    /// Percentage positive among clinic visitors without it.
    pub without: f32,
    /// The reason for these figures.
    #[serde(default)]
    pub why: Option<String>,
    /// Source id, if different from that of the list.
    #[serde(default)]
    pub source: Option<String>,
}

/// Risk factors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskTable {
    /// Source id for the whole list.
    #[serde(default)]
    pub source: String,
    /// The risk factors.
    #[serde(default)]
    pub list: Vec<RiskEntry>,
}

/// The odds ratio of a risk factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskEntry {
    /// Risk factor id.
    pub id: String,
    /// From 0.1 to 50.
    pub odds_ratio: f32,
    /// The reason for this figure.
    #[serde(default)]
    pub why: Option<String>,
    /// Source id, if different from that of the list.
    #[serde(default)]
    pub source: Option<String>,
}

/// What rules the condition out with certainty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcludedBy {
    /// Findings or risk factors.
    pub list: Vec<String>,
    /// The reason.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// Marks a condition that must not be missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MustNotMiss {
    /// An interview continues while the probability, in percent, is above this.
    pub above_of_100: f32,
    /// The reason.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}
