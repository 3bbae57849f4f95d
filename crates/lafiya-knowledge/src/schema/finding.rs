//! `findings/<category>.toml`: symptoms, signs and thresholds of vital signs.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, AskedOf, Burden, FindingKind, RedFlag, SexLimit, age_words};

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
    /// Only asked if one of these is present: what the question presupposes.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Not asked if one of these is present.
    #[serde(default)]
    pub not_with: Vec<String>,
    /// Who can answer. Without it, a symptom is asked of anyone, a sign and a threshold of a vital
    /// sign of a clinician.
    #[serde(default)]
    pub asked_of: Option<AskedOf>,
    /// What the answerer would take for the same question. One answer, even "I don't know", is
    /// enough for the whole family.
    #[serde(default)]
    pub family: Option<String>,
    /// What makes the question costly for the answerer.
    #[serde(default)]
    pub burden: Vec<Burden>,
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

    /// Returns who can answer a question about it.
    pub fn answerer(&self) -> AskedOf {
        self.asked_of.unwrap_or(match self.kind {
            FindingKind::Symptom => AskedOf::Anyone,
            FindingKind::Sign | FindingKind::Vital => AskedOf::Clinician,
        })
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
