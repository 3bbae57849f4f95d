//! `risk-factors/<group>.toml`: exposures, history, habits and states.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, AskedOf, Burden, SexLimit, State, age_words};

/// One risk factor, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskFactor {
    /// `p_...`; never changes.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    #[serde(default)]
    pub common_name: String,
    /// The group it belongs to.
    pub category: String,
    /// The kind of history, such as `exposure` or `medication`.
    pub kind: String,
    /// The question to the patient.
    #[serde(default)]
    pub question: Phrase,
    /// The question to the caregiver.
    #[serde(default)]
    pub caregiver_question: Phrase,
    /// Why the question is asked.
    #[serde(default)]
    pub explanation: Phrase,
    /// Only asked if one of these is present: what the question presupposes.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Not asked if one of these is present.
    #[serde(default)]
    pub not_with: Vec<String>,
    /// Who can answer; anyone if not stated.
    #[serde(default)]
    pub asked_of: Option<AskedOf>,
    /// What the answerer would take for the same question. One answer, even "I don't know", is
    /// enough for the whole family.
    #[serde(default)]
    pub family: Option<String>,
    /// What makes the question costly for the answerer.
    #[serde(default)]
    pub burden: Vec<Burden>,
    /// Percentage of clinic visitors.
    pub background_of_100: f32,
    /// The possible sexes.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Applies from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Applies below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Ages at which it is present without being asked.
    #[serde(default)]
    pub implied_by_age: Option<AgeRange>,
    /// The state that it implies for a woman.
    #[serde(default)]
    pub state: Option<State>,
    /// Further risk factors that are present whenever this one is.
    #[serde(default)]
    pub implies: Vec<String>,
    /// Clinical words.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Everyday words.
    #[serde(default)]
    pub lay: Vec<String>,
    /// SNOMED CT concept, if certain.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// ICD-10 codes for it in a patient's history; a block such as `E11` covers all codes within.
    #[serde(default)]
    pub icd10: Vec<String>,
}

impl RiskFactor {
    /// Returns the ages at which it applies.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

/// A span of ages, as written in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgeRange {
    /// The youngest age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Only below this age.
    #[serde(default, alias = "below", with = "age_words")]
    pub to: Option<Age>,
}

impl AgeRange {
    /// Returns it as an [`AgeSpan`].
    pub fn span(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}
