//! `conditions/<id>.toml`: who can have it, how likely it is, what it looks like and how urgent it is.
//!
//! What to do about it stands in `care`.

use std::collections::BTreeMap;

use lafiya_model::{Age, AgeBand, Phrase};
use serde::{Deserialize, Serialize};

use super::care::{
    ConditionTriage, Education, Investigation, Notifiable, Referral, Treatment, WatchFor,
};
use crate::words::{AgeSpan, ConditionSeverity, ReviewStatus, Setting, SexLimit, State, age_words};

/// One condition, as its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// `c_...`, forever.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    pub common_name: String,
    /// WHO ICD-10 code.
    pub icd10: String,
    /// SNOMED CT concept, where sure.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// Body system or specialty.
    pub category: String,
    /// How bad it typically is.
    pub severity: ConditionSeverity,
    /// What it is.
    pub description: Phrase,
    /// Other names.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Source ids, the main one first.
    #[serde(default)]
    pub sources: Vec<String>,
    /// How far clinicians have looked at it.
    #[serde(default)]
    pub review: Option<Review>,
    /// Hard limits.
    #[serde(default)]
    pub who: Who,
    /// In words.
    pub prevalence: Prevalence,
    /// In numbers.
    pub prior: Prior,
    /// How long it lasts before the visit.
    pub course: Course,
    /// What it looks like.
    pub findings: FindingTable,
    /// What tests show.
    #[serde(default)]
    pub lab: LabTable,
    /// What makes it likelier.
    #[serde(default)]
    pub risk_factors: RiskTable,
    /// What rules it out.
    #[serde(default)]
    pub excluded_by: Option<ExcludedBy>,
    /// Set for lethal or maiming and treatable conditions.
    #[serde(default)]
    pub must_not_miss: Option<MustNotMiss>,
    /// How urgent.
    pub triage: ConditionTriage,
    /// Signs of getting worse.
    #[serde(default)]
    pub watch_for: Vec<WatchFor>,
    /// Tests, in order of priority.
    #[serde(default)]
    pub investigation: Vec<Investigation>,
    /// What to do.
    #[serde(default)]
    pub treatment: Treatment,
    /// When to send on.
    #[serde(default)]
    pub referral: Option<Referral>,
    /// Set where the law wants a report.
    #[serde(default)]
    pub notifiable: Option<Notifiable>,
    /// For the patient.
    #[serde(default)]
    pub education: Education,
}

/// How far clinicians have looked at a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// How far.
    pub status: ReviewStatus,
    /// Who signed.
    #[serde(default)]
    pub by: Option<String>,
    /// When, as `2026-03-01`.
    #[serde(default)]
    pub on: Option<String>,
}

/// Hard limits: outside them the condition is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Who {
    /// Possible in which sexes.
    #[serde(default = "any_sex")]
    pub sex: SexLimit,
    /// The youngest age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Only below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Only women in this state.
    #[serde(default)]
    pub state: Option<State>,
}

impl Who {
    /// The ages within the limits.
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

/// How common it is, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prevalence {
    /// In the world.
    pub global: String,
    /// In Africa.
    pub africa: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// How common it is, for reasoning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// Of 1,000 people of the band who come with a new complaint. A band left out is impossible.
    pub per_1000: BTreeMap<AgeBand, f32>,
    /// Multipliers by sex.
    #[serde(default)]
    pub sex: Option<SexFactors>,
    /// Multiplier in pregnancy.
    #[serde(default)]
    pub pregnant: Option<f32>,
    /// Multipliers by place, season and setting.
    #[serde(default)]
    pub times: Vec<Times>,
}

/// Multipliers by sex; their average is 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SexFactors {
    /// In males.
    pub male: f32,
    /// In females.
    pub female: f32,
}

/// A multiplier that applies where all its parts do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// In this belt.
    #[serde(default)]
    pub belt: Option<String>,
    /// In these months; empty is all year.
    #[serde(default)]
    pub months: Vec<u8>,
    /// In this setting.
    #[serde(default)]
    pub setting: Option<Setting>,
    /// The multiplier.
    pub by: f32,
}

/// Days from first symptom to the visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// The middle 80 of 100 patients.
    pub usual_days: [f32; 2],
    /// The outer limits.
    pub possible_days: [f32; 2],
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// What it looks like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingTable {
    /// Source id for the whole list.
    #[serde(default)]
    pub source: String,
    /// Commonest first.
    pub list: Vec<FindingEntry>,
}

/// How often people with the condition show a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingEntry {
    /// Finding id.
    pub id: String,
    /// Of 100 at the visit, when asked or examined for it.
    pub of_100: f32,
    /// The same under five years.
    #[serde(default)]
    pub under_5: Option<f32>,
    /// The same from 65 years.
    #[serde(default)]
    pub over_65: Option<f32>,
    /// The same in pregnancy.
    #[serde(default)]
    pub pregnant: Option<f32>,
    /// The diagnosis is hard to make without it.
    #[serde(default)]
    pub cardinal: bool,
    /// Of 100 who have the finding, how many call it severe.
    #[serde(default)]
    pub severe_of_100: Option<f32>,
    /// Why this figure.
    #[serde(default)]
    pub why: Option<String>,
    /// Source id, where another than the list's.
    #[serde(default)]
    pub source: Option<String>,
}

/// What tests show.
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
    /// Of 100 with the condition.
    pub of_100: f32,
    /// Of 100 clinic visitors without it.
    pub without: f32,
    /// Why these figures.
    #[serde(default)]
    pub why: Option<String>,
    /// Source id, where another than the list's.
    #[serde(default)]
    pub source: Option<String>,
}

/// What makes it likelier.
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

/// How much a risk factor multiplies the odds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskEntry {
    /// Risk factor id.
    pub id: String,
    /// 0.1 to 50.
    pub odds_ratio: f32,
    /// Why this figure.
    #[serde(default)]
    pub why: Option<String>,
    /// Source id, where another than the list's.
    #[serde(default)]
    pub source: Option<String>,
}

/// What rules the condition out for certain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcludedBy {
    /// Findings or risk factors.
    pub list: Vec<String>,
    /// Why.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// The condition must not be missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MustNotMiss {
    /// An interview goes on while its probability is above this.
    pub above_of_100: f32,
    /// Why.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}
