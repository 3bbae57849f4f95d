//! One piece of evidence: a concept, whether it is present, and its details.

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
    /// Asked, but not known. Only affects which questions are still open.
    Unknown,
}

word_enum!(Choice { Present => "present", Absent => "absent", Unknown => "unknown" });

/// The severity in the patient's own judgement.
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

/// How the evidence was collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSource {
    /// Stated at the start.
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

/// One piece of evidence whose id is known to be a concept of the knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The concept.
    pub id: ConceptId,
    /// Whether the patient has it.
    pub choice: Choice,
    /// How it was collected.
    pub source: EvidenceSource,
    /// Duration in days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_days: Option<u32>,
    /// Severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// A measured number in the concept's own unit. Free text is never stored here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}
