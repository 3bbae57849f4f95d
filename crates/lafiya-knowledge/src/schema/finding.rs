//! `findings/<category>.toml`: symptoms, signs and thresholds of vital signs.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, FindingKind, RedFlag, SexLimit, age_words};

/// One finding, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// `s_...`; never changes.
    pub id: String,
    /// Clinical name.
    pub name: String,
    /// The name a patient would use.
    #[serde(default)]
    pub common_name: String,
    /// Symptom, sign or vital.
    pub kind: FindingKind,
    /// The name of its file; not written in it.
    #[serde(default)]
    pub category: String,
    /// The body region.
    #[serde(default)]
    pub body_region: String,
    /// The broader finding, which is present whenever this one is.
    #[serde(default)]
    pub parent: Option<String>,
    /// Further findings that are present whenever this one is.
    #[serde(default)]
    pub implies: Vec<String>,
    /// Present if the broader finding has lasted this many days.
    #[serde(default)]
    pub when_days: Option<u32>,
    /// Present if the broader finding is called severe.
    #[serde(default)]
    pub when_severe: bool,
    /// The possible sexes.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Applies from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Applies below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// The question to the patient.
    #[serde(default)]
    pub question: Phrase,
    /// The question to the caregiver.
    #[serde(default)]
    pub caregiver_question: Phrase,
    /// Why the question is asked.
    #[serde(default)]
    pub explanation: Phrase,
    /// The background rate: percentage of clinic visitors whose illness does not explain it.
    pub background_of_100: f32,
    /// How dangerous it is by itself.
    #[serde(default = "no_flag")]
    pub red_flag: RedFlag,
    /// What it may mean.
    #[serde(default)]
    pub danger: Option<Phrase>,
    /// Clinical words.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Everyday words.
    #[serde(default)]
    pub lay: Vec<String>,
    /// SNOMED CT concept, if certain.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// LOINC code, if certain.
    #[serde(default)]
    pub loinc: Option<String>,
}

impl Finding {
    /// Whether it follows from the duration or severity of a broader finding.
    pub fn follows(&self) -> bool {
        self.when_days.is_some() || self.when_severe
    }

    /// Returns the ages at which it applies.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

fn no_flag() -> RedFlag {
    RedFlag::None
}
