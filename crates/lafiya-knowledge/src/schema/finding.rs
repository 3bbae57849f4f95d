//! `findings/<category>.toml`: symptoms, signs and thresholds of vital signs.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, FindingKind, RedFlag, SexLimit, age_words};

/// One finding, as its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// `s_...`, forever.
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
    /// Where in the body.
    #[serde(default)]
    pub body_region: String,
    /// The broader finding that is present whenever this one is.
    #[serde(default)]
    pub parent: Option<String>,
    /// Further findings that are present whenever this one is.
    #[serde(default)]
    pub implies: Vec<String>,
    /// Present when what it is a kind of has lasted so many days.
    #[serde(default)]
    pub when_days: Option<u32>,
    /// Present when what it is a kind of is called severe.
    #[serde(default)]
    pub when_severe: bool,
    /// Only possible in.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Makes sense from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Makes sense below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// To the patient.
    #[serde(default)]
    pub question: Phrase,
    /// To whoever brings the patient.
    #[serde(default)]
    pub caregiver_question: Phrase,
    /// Why we ask.
    #[serde(default)]
    pub explanation: Phrase,
    /// Of 100 clinic visitors whose illness does not explain it.
    pub background_of_100: f32,
    /// How dangerous by itself.
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
    /// SNOMED CT concept, where sure.
    #[serde(default)]
    pub snomed_ct: Option<String>,
    /// LOINC code, where sure.
    #[serde(default)]
    pub loinc: Option<String>,
}

impl Finding {
    /// Whether it follows from how long or how bad a broader finding is.
    pub fn follows(&self) -> bool {
        self.when_days.is_some() || self.when_severe
    }

    /// The ages at which it makes sense.
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
