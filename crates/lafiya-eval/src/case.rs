//! A clinical case: a patient, the input and the expected answer.

use std::path::Path;

use lafiya_knowledge::Condition;
use lafiya_model::{Age, Sex, TriageLevel};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One line of a case file (JSON Lines).
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Unique within its set.
    pub id: String,
    /// The set it belongs to.
    #[serde(default)]
    pub set: String,
    /// Age in `age_unit`.
    pub age: f64,
    /// `year`, `month` or `day`.
    #[serde(default)]
    pub age_unit: Option<String>,
    /// `male`, `female`, or unknown.
    #[serde(default)]
    pub sex: Option<String>,
    /// Region slug.
    #[serde(default)]
    pub location: Option<String>,
    /// Month of the visit.
    #[serde(default)]
    pub month: Option<u8>,
    /// The patient's story.
    #[serde(default)]
    pub text: String,
    /// Present findings, in plain words.
    #[serde(default)]
    pub present: Vec<String>,
    /// Absent findings.
    #[serde(default)]
    pub absent: Vec<String>,
    /// Risk factors.
    #[serde(default)]
    pub risk_factors: Vec<String>,
    /// The correct diagnosis.
    pub diagnosis: String,
    /// ICD-10 prefixes that count as correct.
    #[serde(default)]
    pub accept_icd10: Vec<String>,
    /// Names that count as correct.
    #[serde(default)]
    pub accept_names: Vec<String>,
    /// The correct level.
    #[serde(default)]
    pub triage: Option<TriageLevel>,
    /// Levels that count as correct.
    #[serde(default)]
    pub acceptable_triage: Option<Vec<TriageLevel>>,
}

/// The reason why a case file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The file cannot be read.
    #[error("{file} cannot be read: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// The cause.
        cause: std::io::Error,
    },
    /// A line is not a case.
    #[error("{file}, line {line}: {cause}")]
    NotACase {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The cause.
        cause: serde_json::Error,
    },
}

/// Reads a case file.
pub fn read_cases(path: &Path) -> Result<Vec<Case>, CaseError> {
    read_lines(path)
}

/// Reads a file of JSON lines.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, CaseError> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|cause| CaseError::Unreadable {
        file: file.clone(),
        cause,
    })?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(place, line)| {
            serde_json::from_str(line).map_err(|cause| CaseError::NotACase {
                file: file.clone(),
                line: place + 1,
                cause,
            })
        })
        .collect()
}

impl Case {
    /// Returns the patient's age.
    pub fn age(&self) -> Age {
        let number = self.age.max(0.0) as u32;
        match self.age_unit.as_deref() {
            Some("month") => Age::from_months(number),
            Some("day") => Age::from_days(number),
            _ if number == 0 => Age::from_months(6),
            _ => Age::from_years(number),
        }
    }

    /// Returns the patient's sex.
    pub fn sex(&self) -> Sex {
        self.sex
            .as_deref()
            .and_then(|word| word.parse().ok())
            .unwrap_or(Sex::Other)
    }

    /// Whether a condition counts as the correct answer.
    pub fn accepts(&self, condition: &Condition) -> bool {
        self.accepts_named(
            &condition.text.icd10,
            &[&condition.text.name, &condition.text.common_name],
        )
    }

    /// Whether a code or one of the names counts as the correct answer.
    pub fn accepts_named(&self, icd10: &str, labels: &[&str]) -> bool {
        let code = icd10.to_uppercase();
        if self
            .accept_icd10
            .iter()
            .any(|prefix| !prefix.is_empty() && code.starts_with(&prefix.to_uppercase()))
        {
            return true;
        }
        let wanted: Vec<String> = self
            .accept_names
            .iter()
            .chain([&self.diagnosis])
            .map(|name| plain(name))
            .collect();
        labels.iter().any(|label| {
            let given = plain(label);
            wanted.iter().any(|name| {
                !given.is_empty()
                    && (*name == given || (name.len() > 5 && contains_words(&given, name)))
            })
        })
    }

    /// Returns the lowest and the highest level that count as correct.
    pub fn acceptable(&self) -> Option<(TriageLevel, TriageLevel)> {
        let wanted = self.triage?;
        let others = self
            .acceptable_triage
            .iter()
            .flatten()
            .copied()
            .chain([wanted]);
        Some((
            others.clone().min().unwrap_or(wanted),
            others.max().unwrap_or(wanted),
        ))
    }
}

/// Normalises a text: lower case, letters and digits only, single spaces.
fn plain(text: &str) -> String {
    let lowered = text.to_lowercase();
    lowered
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn contains_words(text: &str, words: &str) -> bool {
    format!(" {text} ").contains(&format!(" {words} "))
}
