//! What is stored of an assessment, and all that an answer is rendered from: `/assess`, `/rationale`
//! and FHIR are functions of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::assessment::Assessment;
use crate::facility::NearestFacility;
use crate::ids::{AssessmentId, InterviewId};
use crate::opinion::SecondOpinion;
use crate::tenant::Environment;

/// One assessment as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AssessmentDocument<'a> {
    /// Form of this document.
    pub form: u16,
    /// The assessment's id.
    pub assessment_id: AssessmentId,
    /// The interview it belongs to.
    pub interview_id: InterviewId,
    /// Content hash of the knowledge base that answered.
    pub knowledge_version: String,
    /// Version of the engine that answered.
    pub engine_version: String,
    /// When.
    pub created_at: Timestamp,
    /// Live or sandbox.
    pub environment: Environment,
    /// The generalised age group.
    pub age_group: String,
    /// The region, where known.
    pub region: Option<String>,
    /// The answer.
    pub assessment: Assessment<'a>,
    /// Facilities near the patient that can help, the nearest first.
    #[serde(default)]
    pub facilities: Vec<NearestFacility>,
    /// What came of asking for a second opinion; `None` where nobody was asked.
    #[serde(default)]
    pub second_opinion: Option<SecondOpinion>,
    /// What reasoned.
    pub model_used: String,
    /// What every answer says.
    pub disclaimer: String,
    /// How long the parts took.
    pub timings: Timings,
}

/// Milliseconds spent.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Timings {
    /// From the request to the record.
    pub total_ms: u64,
    /// Finding concepts and the interview.
    pub retrieval_ms: u64,
    /// Thinking.
    pub generation_ms: u64,
    /// Reviewing.
    pub validation_ms: u64,
}
