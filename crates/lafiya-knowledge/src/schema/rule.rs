//! `rules/<group>.toml`: danger rules, and the `when` language that they share with triage and
//! treatment.
//!
//! The language has no `not`: a rule can only detect danger, so more evidence can never switch one
//! off.

use std::collections::BTreeMap;

use lafiya_model::{Age, Phrase, Seriousness, Sex, Timeframe, TriageLevel};
use serde::{Deserialize, Serialize};

use super::measure::Limits;
use super::risk_factor::AgeRange;
use crate::words::{SexLimit, State, age_words};

/// One danger rule, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Group prefix and number, such as `RF-FEVER-03`.
    pub id: String,
    /// The rule as a sentence.
    pub says: Phrase,
    /// When it fires.
    pub when: When,
    /// Its effect.
    pub effect: Effect,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// A patient for whom it must fire.
    #[serde(default)]
    pub example: Option<Example>,
    /// A patient for whom it must not fire.
    #[serde(default)]
    pub not_example: Option<Example>,
}

/// A condition that holds if all its parts do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// All of these are present.
    #[serde(default)]
    pub all: Vec<String>,
    /// At least one of these is present.
    #[serde(default)]
    pub any: Vec<String>,
    /// At least a number of these are present.
    #[serde(default)]
    pub at_least: Option<AtLeast>,
    /// At least one of these holds.
    #[serde(default)]
    pub any_of: Vec<When>,
    /// All of these are present and called severe.
    #[serde(default)]
    pub severe: Vec<String>,
    /// The age is in this range.
    #[serde(default)]
    pub age: Option<AgeRange>,
    /// The sex allowed.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// The woman is in this state.
    #[serde(default)]
    pub state: Option<State>,
    /// All of these values are known and within their limits.
    #[serde(default)]
    pub values: Vec<ValueLimit>,
    /// Something has been present for a number of days.
    #[serde(default)]
    pub days: Option<Days>,
    /// Something was stated as a new complaint.
    #[serde(default)]
    pub fresh: Option<Fresh>,
}

/// A minimum number of concepts in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtLeast {
    /// The number.
    pub count: u8,
    /// The list.
    pub of: Vec<String>,
}

/// A limit on a measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueLimit {
    /// A measure, or a lab test with a unit.
    pub id: String,
    /// Greater than or equal to.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// Greater than.
    #[serde(default)]
    pub above: Option<f64>,
    /// Less than.
    #[serde(default)]
    pub below: Option<f64>,
    /// Less than or equal to.
    #[serde(default)]
    pub at_most: Option<f64>,
}

impl ValueLimit {
    /// Returns the limits on the value.
    pub fn limits(&self) -> Limits {
        Limits {
            at_least: self.at_least,
            above: self.above,
            below: self.below,
            at_most: self.at_most,
        }
    }
}

/// A limit on the duration of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Days {
    /// The finding.
    pub id: String,
    /// For at least this many days.
    #[serde(default)]
    pub at_least: Option<u32>,
    /// For at most this many days: sudden onset can be dangerous too.
    #[serde(default)]
    pub at_most: Option<u32>,
}

/// A complaint that was stated as such, rather than implied by a narrower finding with a meaning of
/// its own, and was not stated to have lasted longer. An unknown duration counts as new, because
/// most complaints are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fresh {
    /// The finding.
    pub id: String,
    /// The maximum number of days for a new complaint.
    pub within_days: u32,
}

/// The effect of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The minimum triage level.
    pub level: TriageLevel,
    /// The seriousness of the red flag shown; without it none is shown.
    #[serde(default)]
    pub seriousness: Option<Seriousness>,
    /// How soon.
    pub timeframe: Timeframe,
    /// The recommended action.
    #[serde(default)]
    pub action: Phrase,
    /// The part of `action` that still applies to a patient who goes to hospital now for another
    /// reason: first aid, but no later visit. An empty text means nothing applies; if left out, all
    /// of `action` applies.
    #[serde(default)]
    pub in_emergency: Option<Phrase>,
    /// Whether a dangerous infection is suspected and the patient must be isolated.
    #[serde(default)]
    pub isolate: bool,
    /// Whom to notify.
    #[serde(default)]
    pub notify: Option<String>,
}

/// A fictitious patient that shows how a rule works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The age; 30 years if it does not matter.
    #[serde(default, with = "age_words")]
    pub age: Option<Age>,
    /// The sex.
    #[serde(default = "other_sex")]
    pub sex: Sex,
    /// The state.
    #[serde(default)]
    pub state: Option<State>,
    /// Present concepts.
    #[serde(default)]
    pub present: Vec<String>,
    /// Absent concepts.
    #[serde(default)]
    pub absent: Vec<String>,
    /// Concepts that are present and called severe.
    #[serde(default)]
    pub severe: Vec<String>,
    /// Measured values.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Days for which a concept has been present.
    #[serde(default)]
    pub days: BTreeMap<String, u32>,
}

fn other_sex() -> Sex {
    Sex::Other
}
