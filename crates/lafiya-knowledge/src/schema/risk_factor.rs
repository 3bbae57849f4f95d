//! `risk-factors/<group>.toml`: exposures, history, habits and states.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, SexLimit, State, age_words};

/// One risk factor, as its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskFactor {
    /// `p_...`, forever.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    #[serde(default)]
    pub common_name: String,
    /// The group it belongs to.
    pub category: String,
    /// What sort of history it is, such as `exposure` or `medication`.
    pub kind: String,
    /// To the patient.
    #[serde(default)]
    pub question: Phrase,
    /// To whoever brings the patient.
    #[serde(default)]
    pub caregiver_question: Phrase,
    /// Why we ask.
    #[serde(default)]
    pub explanation: Phrase,
    /// Of 100 clinic visitors.
    pub background_of_100: f32,
    /// Only possible in.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Makes sense from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Makes sense below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// Present by age alone, never asked.
    #[serde(default)]
    pub implied_by_age: Option<AgeRange>,
    /// Says that the woman is in this state.
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
    /// SNOMED CT concept, where sure.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// ICD-10 codes that mean it in a patient's history; a block such as `E11` covers all within.
    #[serde(default)]
    pub icd10: Vec<String>,
}

impl RiskFactor {
    /// The ages at which it makes sense.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

/// A span of ages as files write it.
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
    /// The same as a span.
    pub fn span(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}
