//! `screens.toml`, `gates.toml`, `exposures.toml` and `scales.toml`: what an interview asks before
//! it compares the candidates.

use lafiya_model::{Age, Phrase};
use serde::{Deserialize, Serialize};

use super::rule::When;
use crate::words::{AgeSpan, ScaleKind, SexLimit, age_words};

/// A danger screen: the danger signs to ask about in one question, for a complaint and an age.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    /// Such as `SCREEN-CHEST`.
    pub id: String,
    /// What it screens for, in a few words.
    pub says: String,
    /// The complaints and ages that open it.
    pub when: When,
    /// The danger signs, in the order in which they are asked.
    pub items: Vec<String>,
    /// The question to the patient, before the list.
    #[serde(default)]
    pub question: Phrase,
    /// The question to the caregiver.
    #[serde(default)]
    pub caregiver_question: Phrase,
    /// The question to a clinician, if it differs.
    #[serde(default)]
    pub clinician_question: Phrase,
    /// Why it is asked.
    #[serde(default)]
    pub explanation: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// A state, such as pregnancy, that must be known before certain complaints are judged or a
/// medicine is advised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Such as `GATE-PREGNANCY`.
    pub id: String,
    /// The complaints for which it is asked first.
    pub complaints: Vec<String>,
    /// Whether it is also asked before a medicine is advised.
    #[serde(default)]
    pub before_medicine: bool,
    /// The possible sexes.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Asked from this age.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Asked below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// The risk factors to ask about, in order. A present one ends the gate.
    pub ask: Vec<String>,
    /// The reason.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

impl Gate {
    /// Returns the ages at which it is asked.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

/// Exposures that must be asked about for a complaint, an age and a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exposure {
    /// Such as `EXPOSURE-LASSA`.
    pub id: String,
    /// For whom it is asked.
    pub when: When,
    /// The risk factors, or findings about other people, in the order in which they are asked.
    pub ask: Vec<String>,
    /// The reason.
    #[serde(default)]
    pub why: String,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// A question whose answer is a value: how long, how bad, how fast it began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Such as `SCALE-ONSET`.
    pub id: String,
    /// What the value is.
    pub kind: ScaleKind,
    /// The complaints for which it is asked; empty means any.
    #[serde(default)]
    pub of: Vec<String>,
    /// The question to the patient. `{complaint}` stands for the name of the complaint.
    #[serde(default)]
    pub question: Phrase,
    /// The question to the caregiver.
    #[serde(default)]
    pub caregiver_question: Phrase,
    /// Why it is asked.
    #[serde(default)]
    pub explanation: Phrase,
    /// The possible answers, for `kind = "onset"`.
    #[serde(default)]
    pub option: Vec<ScaleOption>,
}

/// One answer of a scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleOption {
    /// The answer in words.
    pub label: Phrase,
    /// The finding that it makes present; the findings of all other options become absent. Without
    /// it, all of them become absent.
    #[serde(default)]
    pub finding: Option<String>,
}
