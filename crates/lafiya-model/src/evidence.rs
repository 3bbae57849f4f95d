//! One piece of evidence: a concept, whether it is there, and what was said about it.

use serde::{Deserialize, Serialize};

use crate::ids::ConceptId;
use crate::tenant::word_enum;

/// Whether the patient has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Yes.
    Present,
    /// No.
    Absent,
    /// Asked, not known. Changes nothing but the questions still open.
    Unknown,
}

word_enum!(Choice { Present => "present", Absent => "absent", Unknown => "unknown" });

/// How bad the patient calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Mild.
    Mild,
    /// Moderate.
    Moderate,
    /// Severe.
    Severe,
}

word_enum!(Severity { Mild => "mild", Moderate => "moderate", Severe => "severe" });

/// How the evidence came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSource {
    /// Volunteered at the start.
    Initial,
    /// An answer to a suggested question.
    Suggest,
    /// From a record or a form.
    Predefined,
    /// From a list of red flags.
    RedFlags,
}

word_enum!(EvidenceSource {
    Initial => "initial",
    Suggest => "suggest",
    Predefined => "predefined",
    RedFlags => "red_flags",
});

/// One piece of evidence, already known to name a concept of the knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The concept.
    pub id: ConceptId,
    /// Whether it is there.
    pub choice: Choice,
    /// How it came in.
    pub source: EvidenceSource,
    /// For how many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_days: Option<u32>,
    /// How bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// A measured number in the concept's own unit. Free text never gets this far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}
