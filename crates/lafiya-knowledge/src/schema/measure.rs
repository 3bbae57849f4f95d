//! `vital-signs.toml`: the measures, their units, and the meaning of their values.

use lafiya_model::Age;
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, SexLimit, State, age_words};

/// One measure, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// `s_...`; never changes.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    #[serde(default)]
    pub common_name: String,
    /// The question to the patient or nurse.
    #[serde(default)]
    pub question: String,
    /// The question to the caregiver; `question` is used if this is empty.
    #[serde(default)]
    pub caregiver_question: String,
    /// Why the question is asked.
    #[serde(default)]
    pub explanation: String,
    /// The unit in which values are stored.
    #[serde(default)]
    pub unit: String,
    /// LOINC code, if certain.
    #[serde(default)]
    pub loinc: Option<String>,
    /// SNOMED CT concept, if certain.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// Other accepted units.
    #[serde(default)]
    pub other_units: Vec<OtherUnit>,
    /// Values outside this range are typing errors.
    #[serde(default)]
    pub plausible: Option<[f64; 2]>,
    /// The normal ranges by age, youngest first.
    #[serde(default)]
    pub normal: Vec<NormalRange>,
    /// The findings that a value makes present.
    #[serde(default)]
    pub derive: Vec<Derivation>,
    /// The findings that a value makes absent unless it makes them present.
    #[serde(default)]
    pub absent_unless_derived: Vec<String>,
    /// For a value of two numbers, such as 120/80: the ids of the two measures.
    #[serde(default)]
    pub pair: Option<[String; 2]>,
    /// Clinical words.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Everyday words.
    #[serde(default)]
    pub lay: Vec<String>,
}

/// Another unit: `value_in_unit = value * times + plus`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherUnit {
    /// The unit symbol.
    pub unit: String,
    /// The factor.
    #[serde(default = "one")]
    pub times: f64,
    /// The offset.
    #[serde(default)]
    pub plus: f64,
}

fn one() -> f64 {
    1.0
}

/// A normal range that applies from an age on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NormalRange {
    /// From this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// The lowest and highest normal value.
    pub range: [f64; 2],
}

/// A finding that a value makes present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derivation {
    /// The finding, or the lab test itself (its result then counts as positive).
    pub finding: String,
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
    /// From this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Only in this sex.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Only in women in this state.
    #[serde(default)]
    pub state: Option<State>,
}

impl Derivation {
    /// Returns the limits on the value.
    pub fn limits(&self) -> Limits {
        Limits {
            at_least: self.at_least,
            above: self.above,
            below: self.below,
            at_most: self.at_most,
        }
    }

    /// Returns the ages to which it applies.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

/// Limits on a number. All limits that are set must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Greater than or equal to.
    pub at_least: Option<f64>,
    /// Greater than.
    pub above: Option<f64>,
    /// Less than.
    pub below: Option<f64>,
    /// Less than or equal to.
    pub at_most: Option<f64>,
}

impl Limits {
    /// Whether a number satisfies all limits.
    pub fn hold(&self, value: f64) -> bool {
        self.at_least.is_none_or(|limit| value >= limit)
            && self.above.is_none_or(|limit| value > limit)
            && self.below.is_none_or(|limit| value < limit)
            && self.at_most.is_none_or(|limit| value <= limit)
    }

    /// Whether no limit is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
