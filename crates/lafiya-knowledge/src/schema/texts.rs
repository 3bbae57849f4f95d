//! The small files: sources, specialists, triage texts, aliases, lay terms and version.

use lafiya_model::{Age, Phrase, Timeframe, TriageLevel};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, age_words};

/// A guideline or paper. Its position in the file is its number in citations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Such as `WHO-MAL-2024`.
    pub id: String,
    /// Title.
    pub title: String,
    /// The publisher.
    pub publisher: String,
    /// The year.
    pub year: u16,
    /// The URL, if it is online.
    #[serde(default)]
    pub url: Option<String>,
}

/// A specialist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specialist {
    /// Such as `general_practice`.
    pub id: String,
    /// The display name.
    pub name: String,
}

/// `triage.toml`: the texts of levels and timeframes, and the danger signs that every patient is
/// asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriageTexts {
    /// One for each level.
    #[serde(default)]
    pub level: Vec<LevelText>,
    /// One for each timeframe.
    #[serde(default)]
    pub timeframe: Vec<TimeframeText>,
    /// Danger signs that every patient is asked about, in this order.
    #[serde(default)]
    pub danger_sign: Vec<DangerSign>,
}

/// A finding that is asked about before anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DangerSign {
    /// The finding.
    pub id: String,
    /// Asked from this age on.
    #[serde(default, with = "age_words")]
    pub from: Option<Age>,
    /// Asked below this age.
    #[serde(default, with = "age_words")]
    pub to: Option<Age>,
    /// The source that requires the question.
    pub source: String,
}

impl DangerSign {
    /// Returns the ages at which it is asked.
    pub fn ages(&self) -> AgeSpan {
        AgeSpan {
            from: self.from,
            below: self.to,
        }
    }
}

/// The texts of a triage level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelText {
    /// The level.
    pub id: TriageLevel,
    /// The display name.
    pub name: String,
    /// The description.
    pub description: Phrase,
    /// The recommended action.
    pub recommended_action: Phrase,
    /// The recommended action where isolation is ordered, without what would bring the patient
    /// among people. Without it, the action of the danger rule stands alone.
    #[serde(default)]
    pub in_isolation: Option<Phrase>,
}

/// The wording of a timeframe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeframeText {
    /// The timeframe.
    pub id: Timeframe,
    /// The wording in a sentence.
    pub words: String,
}

/// A retired id and its replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// The retired id.
    pub retired: String,
    /// The replacement.
    pub now: String,
}

/// An everyday phrase for a concept, from `lay-terms/<language>.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayTerm {
    /// The name of its file, such as `pcm` or `ha`.
    #[serde(default)]
    pub language: String,
    /// The phrase.
    pub phrase: String,
    /// Concept id.
    pub concept: String,
    /// 0 to 1.
    pub confidence: f32,
}

/// `VERSION.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// The display version, such as `2026.1`.
    pub version: String,
    /// The date, as `2026-03-01`.
    #[serde(default)]
    pub date: String,
    /// A summary of the changes, in a sentence.
    #[serde(default)]
    pub says: String,
    /// Who reviewed what.
    #[serde(default)]
    pub reviewed: Vec<String>,
}
