//! `scores.toml`: points for measured values and findings, and the meaning of their sum.

use std::collections::BTreeMap;

use lafiya_model::{Age, Phrase, Sex, Timeframe, TriageLevel};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::risk_factor::AgeRange;
use crate::words::{State, age_words};

/// One score, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Such as `SCORE-TEWS-ADULT`.
    pub id: String,
    /// The score as a sentence.
    pub says: Phrase,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// The ages for which it is used.
    #[serde(default)]
    pub age: Option<AgeRange>,
    /// Only in women in this state.
    #[serde(default)]
    pub state: Option<State>,
    /// The items that give points.
    pub item: Vec<ScoreItem>,
    /// The meaning of a sum.
    pub band: Vec<ScoreBand>,
    /// A patient and the expected sum.
    #[serde(default)]
    pub example: Option<ScoreExample>,
    /// A patient who must not reach any band.
    #[serde(default)]
    pub not_example: Option<ScoreExample>,
}

/// An item that gives points: a measured value in steps, or any of several findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreItem {
    /// The measured value.
    #[serde(default)]
    pub measure: Option<String>,
    /// Any of these is present.
    #[serde(default)]
    pub any: Vec<String>,
    /// The points.
    pub points: ItemPoints,
}

/// Points by steps of a value, or a fixed number for presence.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemPoints {
    /// For presence.
    Flat(i32),
    /// For values.
    Steps(Vec<Step>),
}

/// Points for values in a range that includes `from` and excludes `below`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// From this value.
    #[serde(default, alias = "at_least")]
    pub from: Option<f64>,
    /// Below this value.
    #[serde(default)]
    pub below: Option<f64>,
    /// The points.
    pub points: i32,
}

/// The meaning of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreBand {
    /// From this sum.
    pub at_least: i32,
    /// The minimum triage level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
}

/// A fictitious patient that shows how a score works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreExample {
    /// The age.
    #[serde(default, with = "age_words")]
    pub age: Option<Age>,
    /// The sex.
    #[serde(default = "other_sex")]
    pub sex: Sex,
    /// The state.
    #[serde(default)]
    pub state: Option<State>,
    /// Measured values.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Present concepts.
    #[serde(default)]
    pub present: Vec<String>,
    /// Absent concepts.
    #[serde(default)]
    pub absent: Vec<String>,
    /// The expected sum.
    pub points: i32,
}

fn other_sex() -> Sex {
    Sex::Other
}

/// The form in the artefact, which is not self-describing: a number and a list need a tag.
#[derive(Serialize, Deserialize)]
enum Packed {
    Flat(i32),
    Steps(Vec<Step>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "points must be a number, or a list of steps")]
enum Written {
    Flat(i32),
    Steps(Vec<Step>),
}

impl Serialize for ItemPoints {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.clone() {
            Self::Flat(points) => Packed::Flat(points),
            Self::Steps(steps) => Packed::Steps(steps),
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for ItemPoints {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            return Ok(match Written::deserialize(from)? {
                Written::Flat(points) => Self::Flat(points),
                Written::Steps(steps) => Self::Steps(steps),
            });
        }
        Ok(match Packed::deserialize(from)? {
            Packed::Flat(points) => Self::Flat(points),
            Packed::Steps(steps) => Self::Steps(steps),
        })
    }
}
