//! `rules/<group>.toml`: danger rules, and the language of `when` they share with triage and treatment.
//!
//! The language has no `not`: a rule can only look for danger, so more evidence can never switch one off.

use std::collections::BTreeMap;

use lafiya_model::{Age, Phrase, Seriousness, Sex, Timeframe, TriageLevel};
use serde::{Deserialize, Serialize};

use super::measure::Limits;
use super::risk_factor::AgeRange;
use crate::words::{SexLimit, State, age_words};

/// One danger rule, as its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Group prefix and number, such as `RF-FEVER-03`.
    pub id: String,
    /// The rule in a sentence.
    pub says: Phrase,
    /// When it fires.
    pub when: When,
    /// What it does.
    pub effect: Effect,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// A patient in whom it must fire.
    #[serde(default)]
    pub example: Option<Example>,
    /// A patient in whom it must not.
    #[serde(default)]
    pub not_example: Option<Example>,
}

/// When something holds: all parts that are written must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// All of these are present.
    #[serde(default)]
    pub all: Vec<String>,
    /// At least one of these is present.
    #[serde(default)]
    pub any: Vec<String>,
    /// At least so many of these are present.
    #[serde(default)]
    pub at_least: Option<AtLeast>,
    /// At least one of these holds.
    #[serde(default)]
    pub any_of: Vec<When>,
    /// All of these are present and called severe.
    #[serde(default)]
    pub severe: Vec<String>,
    /// The age lies within.
    #[serde(default)]
    pub age: Option<AgeRange>,
    /// The sex is.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// The woman is.
    #[serde(default)]
    pub state: Option<State>,
    /// All of these values are known and within their limits.
    #[serde(default)]
    pub values: Vec<ValueLimit>,
    /// Present for so many days.
    #[serde(default)]
    pub days: Option<Days>,
    /// Told as a new complaint.
    #[serde(default)]
    pub fresh: Option<Fresh>,
}

/// At least `count` of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtLeast {
    /// How many.
    pub count: u8,
    /// Of which.
    pub of: Vec<String>,
}

/// A limit on a measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueLimit {
    /// A measure, or a lab test with a unit.
    pub id: String,
    /// This much or more.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// More than this.
    #[serde(default)]
    pub above: Option<f64>,
    /// Less than this.
    #[serde(default)]
    pub below: Option<f64>,
    /// This much or less.
    #[serde(default)]
    pub at_most: Option<f64>,
}

impl ValueLimit {
    /// The limits on the value.
    pub fn limits(&self) -> Limits {
        Limits {
            at_least: self.at_least,
            above: self.above,
            below: self.below,
            at_most: self.at_most,
        }
    }
}

/// A limit on how long something has been there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Days {
    /// The finding.
    pub id: String,
    /// For so many days or more.
    #[serde(default)]
    pub at_least: Option<u32>,
    /// For so many days or fewer: sudden onset is danger too.
    #[serde(default)]
    pub at_most: Option<u32>,
}

/// A complaint told as such (not one that merely follows from a narrower finding with a meaning of its own), and not
/// told to have lasted longer. A duration that nobody told counts as new: most complaints that are brought are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fresh {
    /// The finding.
    pub id: String,
    /// New means so many days at most.
    pub within_days: u32,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// A floor under the triage level.
    pub level: TriageLevel,
    /// How the red flag is shown; none is shown where this is left out.
    #[serde(default)]
    pub seriousness: Option<Seriousness>,
    /// How soon.
    pub timeframe: Timeframe,
    /// What to do.
    #[serde(default)]
    pub action: Phrase,
    /// What of `action` is still to be done by who goes to hospital now for another reason: first aid, but no later
    /// visit. Empty is nothing; all of it where this is left out.
    #[serde(default)]
    pub in_emergency: Option<Phrase>,
    /// Suspected dangerous contagion: keep apart.
    #[serde(default)]
    pub isolate: bool,
    /// Whom to tell.
    #[serde(default)]
    pub notify: Option<String>,
}

/// A patient made up to show a rule at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// How old; 30 years where it does not matter.
    #[serde(default, with = "age_words")]
    pub age: Option<Age>,
    /// Of which sex.
    #[serde(default = "other_sex")]
    pub sex: Sex,
    /// In which state.
    #[serde(default)]
    pub state: Option<State>,
    /// What is there.
    #[serde(default)]
    pub present: Vec<String>,
    /// What is not.
    #[serde(default)]
    pub absent: Vec<String>,
    /// What is there and called severe.
    #[serde(default)]
    pub severe: Vec<String>,
    /// What was measured.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// For how many days something has been there.
    #[serde(default)]
    pub days: BTreeMap<String, u32>,
}

fn other_sex() -> Sex {
    Sex::Other
}
