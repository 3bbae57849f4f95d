//! `vital-signs.toml`: what is measured, in which unit, and what a value means.

use lafiya_model::Age;
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, SexLimit, State, age_words};

/// One measured value, as its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// `s_...`, forever.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    #[serde(default)]
    pub common_name: String,
    /// To the patient or nurse.
    #[serde(default)]
    pub question: String,
    /// To whoever brings the patient; the question serves where this is empty.
    #[serde(default)]
    pub caregiver_question: String,
    /// Why we ask.
    #[serde(default)]
    pub explanation: String,
    /// The unit values are kept in.
    #[serde(default)]
    pub unit: String,
    /// LOINC code, where sure.
    #[serde(default)]
    pub loinc: Option<String>,
    /// SNOMED CT concept, where sure.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// Other units that are understood.
    #[serde(default)]
    pub other_units: Vec<OtherUnit>,
    /// Outside is a typing error.
    #[serde(default)]
    pub plausible: Option<[f64; 2]>,
    /// What is normal, by age, from youngest.
    #[serde(default)]
    pub normal: Vec<NormalRange>,
    /// What a value makes present.
    #[serde(default)]
    pub derive: Vec<Derivation>,
    /// What a value makes absent, unless it makes it present.
    #[serde(default)]
    pub absent_unless_derived: Vec<String>,
    /// Written as two numbers, such as 120/80: the ids of the two measures they belong to.
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
    /// Its sign.
    pub unit: String,
    /// The factor.
    #[serde(default = "one")]
    pub times: f64,
    /// The shift.
    #[serde(default)]
    pub plus: f64,
}

fn one() -> f64 {
    1.0
}

/// What is normal from an age on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NormalRange {
    /// From this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Lowest and highest normal value.
    pub range: [f64; 2],
}

/// A finding that a value makes present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derivation {
    /// The finding, or the lab test itself (its result counts as positive).
    pub finding: String,
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
    /// The limits on the value.
    pub fn limits(&self) -> Limits {
        Limits {
            at_least: self.at_least,
            above: self.above,
            below: self.below,
            at_most: self.at_most,
        }
    }

    /// The ages it applies to.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

/// Limits on a number; all that are set must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// This much or more.
    pub at_least: Option<f64>,
    /// More than this.
    pub above: Option<f64>,
    /// Less than this.
    pub below: Option<f64>,
    /// This much or less.
    pub at_most: Option<f64>,
}

impl Limits {
    /// Whether a number keeps all limits.
    pub fn hold(&self, value: f64) -> bool {
        self.at_least.is_none_or(|limit| value >= limit)
            && self.above.is_none_or(|limit| value > limit)
            && self.below.is_none_or(|limit| value < limit)
            && self.at_most.is_none_or(|limit| value <= limit)
    }

    /// Whether no limit is set at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
