//! The small files: sources, specialists, triage texts, aliases, lay terms, version.

use lafiya_model::{Age, Phrase, Timeframe, TriageLevel};
use serde::{Deserialize, Serialize};

use crate::words::{AgeSpan, age_words};

/// A guideline or paper. Its place in the file is its number in citations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Such as `WHO-MAL-2024`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Who published it.
    pub publisher: String,
    /// When.
    pub year: u16,
    /// Where, when it is on the net.
    #[serde(default)]
    pub url: Option<String>,
}

/// Somebody to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specialist {
    /// Such as `general_practice`.
    pub id: String,
    /// The name for people.
    pub name: String,
}

/// `triage.toml`: the texts of levels and time-frames, and the danger signs that everybody is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriageTexts {
    /// One for each level.
    #[serde(default)]
    pub level: Vec<LevelText>,
    /// One for each time-frame.
    #[serde(default)]
    pub timeframe: Vec<TimeframeText>,
    /// What is asked of everybody, whatever was told, in this order.
    #[serde(default)]
    pub danger_sign: Vec<DangerSign>,
}

/// A finding that is asked for before anything else.
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
    /// Who says that it must be asked.
    pub source: String,
}

impl DangerSign {
    /// The ages at which it is asked.
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
    /// Its name for people.
    pub name: String,
    /// What it means.
    pub description: Phrase,
    /// What to do.
    pub recommended_action: Phrase,
}

/// The words for a time-frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeframeText {
    /// The time-frame.
    pub id: Timeframe,
    /// As a person would say it.
    pub words: String,
}

/// A retired id and the one that lives on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// No longer used.
    pub retired: String,
    /// Used instead.
    pub now: String,
}

/// A phrase people use for a concept, from `lay-terms/<language>.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayTerm {
    /// The name of its file, such as `pcm` or `ha`.
    #[serde(default)]
    pub language: String,
    /// The words.
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
    /// For people, such as `2026.1`.
    pub version: String,
    /// When, as `2026-03-01`.
    #[serde(default)]
    pub date: String,
    /// What changed, in a sentence.
    #[serde(default)]
    pub says: String,
    /// Who reviewed what.
    #[serde(default)]
    pub reviewed: Vec<String>,
}
