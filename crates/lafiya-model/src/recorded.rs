//! The stored form of an assessment. The `/assess` answer, the `/rationale` answer and the FHIR
//! answer are functions of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::assessment::Assessment;
use crate::evidence::{Choice, EvidenceSource, Severity};
use crate::facility::NearestFacility;
use crate::ids::{AssessmentId, ConceptId, ConceptKind, InterviewId};
use crate::opinion::SecondOpinion;
use crate::patient::{Age, Sex};
use crate::tenant::Environment;
use crate::text::Text;

/// One assessment, as stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AssessmentDocument<'a> {
    /// The format version of this document.
    pub form: u16,
    /// The assessment's id.
    pub assessment_id: AssessmentId,
    /// The interview that it belongs to.
    pub interview_id: InterviewId,
    /// The content hash of the knowledge base used.
    pub knowledge_version: String,
    /// The version of the engine used.
    pub engine_version: String,
    /// The time of the assessment.
    pub created_at: Timestamp,
    /// Live or sandbox.
    pub environment: Environment,
    /// The generalised age group.
    pub age_group: String,
    /// The region, if known.
    pub region: Option<String>,
    /// What was known when it was made; `None` in documents that are older than this field.
    #[serde(default)]
    pub case: Option<RecordedCase<'a>>,
    /// The answer.
    pub assessment: Assessment<'a>,
    /// Facilities near the patient that can help, nearest first.
    #[serde(default)]
    pub facilities: Vec<NearestFacility>,
    /// The record of a second opinion; `None` if none was requested.
    #[serde(default)]
    pub second_opinion: Option<SecondOpinion>,
    /// The model that produced the answer.
    pub model_used: String,
    /// The disclaimer, the same in every answer.
    pub disclaimer: String,
    /// The time spent per step.
    pub timings: Timings,
}

impl AssessmentDocument<'_> {
    /// What the answer rests on, as it was known then. An older document tells it from what was
    /// weighed, which has no values.
    pub fn rests_on(&self) -> Vec<RestsOn<'_>> {
        match &self.case {
            Some(case) => case
                .evidence
                .iter()
                .map(RecordedEvidence::as_told)
                .collect(),
            None => {
                let weighed = self.assessment.weighed.iter();
                weighed
                    .filter_map(|contribution| {
                        Some(RestsOn {
                            id: &contribution.id,
                            name: &contribution.name,
                            kind: None,
                            choice: contribution.choice?,
                            duration_days: None,
                            severity: None,
                            measured: None,
                        })
                    })
                    .collect()
            }
        }
    }
}

/// The case as an assessment knew it. Later turns of the interview change nothing here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCase<'a> {
    /// The age.
    pub age: Age,
    /// The sex.
    pub sex: Sex,
    /// Everything told up to then.
    pub evidence: Vec<RecordedEvidence<'a>>,
}

/// One piece of evidence, with the name it had then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvidence<'a> {
    /// The concept.
    pub id: ConceptId,
    /// Its plain name.
    pub name: Text<'a>,
    /// What kind of concept it is.
    pub kind: ConceptKind,
    /// Whether it was there.
    pub choice: Choice,
    /// How it came in.
    pub source: EvidenceSource,
    /// For how many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_days: Option<u32>,
    /// How bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

impl RecordedEvidence<'_> {
    fn as_told(&self) -> RestsOn<'_> {
        RestsOn {
            id: self.id.as_str(),
            name: &self.name,
            kind: Some(self.kind),
            choice: self.choice,
            duration_days: self.duration_days,
            severity: self.severity,
            measured: self.measured.as_ref(),
        }
    }
}

/// A measured number and its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The number.
    pub value: f64,
    /// The unit.
    pub unit: String,
}

/// One thing that an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestsOn<'a> {
    /// The concept.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// What kind of concept it is; not known of an older document.
    pub kind: Option<ConceptKind>,
    /// Whether it was there.
    pub choice: Choice,
    /// For how many days.
    pub duration_days: Option<u32>,
    /// How bad.
    pub severity: Option<Severity>,
    /// What was measured.
    pub measured: Option<&'a Measured>,
}

/// Time spent, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Timings {
    /// From the request to the stored record.
    pub total_ms: u64,
    /// Resolving concepts and the interview.
    pub retrieval_ms: u64,
    /// Reasoning.
    pub generation_ms: u64,
    /// Review.
    pub validation_ms: u64,
}
