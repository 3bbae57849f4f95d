//! The wire types of `/rationale`: the explanation of a stored assessment.

use lafiya_model::opinion::Verdict;
use lafiya_model::{AssessmentDocument, AssessmentId, RestsOn, Severity, Text};
use lafiya_service::assess::Filed;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiError;
use crate::wire::assess_answer::opinion_status;
use crate::wire::fields::{Field, Problems, read_object};

#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct RationaleRequest {
    /// The `assessment_id` of an answer
    #[schema(value_type = Uuid)]
    #[serde(default)]
    assessment_id: Field<String>,
}

impl RationaleRequest {
    pub(crate) fn read(bytes: &[u8]) -> Result<AssessmentId, ApiError> {
        let request: Self = read_object(bytes)?;
        let mut problems = Problems::default();
        let text = problems.optional("/assessment_id", request.assessment_id);
        read_id(text.as_deref(), problems)
    }
}

/// Parses a UUID, or notes a problem.
pub(crate) fn read_id(
    text: Option<&str>,
    mut problems: Problems,
) -> Result<AssessmentId, ApiError> {
    let id = text.map(AssessmentId::from_client);
    match &id {
        None => problems.require("/assessment_id"),
        Some(Err(refusal)) => problems.note("/assessment_id", refusal.to_string()),
        Some(Ok(_)) => {}
    }
    problems.into_result(|| id?.ok())
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RationaleAnswer<'a> {
    assessment_id: Uuid,
    interview_id: Uuid,
    /// What the answer rests on, as it was known when it was made
    rests_on: Vec<RestsOnAnswer<'a>>,
    /// The earlier assessment of the same patient that this one replaces
    supersedes: Option<Uuid>,
    /// The later assessment that replaced this one: a further turn of the interview, or a corrected
    /// case
    superseded_by: Option<Uuid>,
    /// The chain of reasoning, one sentence per step
    reasoning: String,
    conditions: Vec<ConditionRationale<'a>>,
    triage: TriageRationale<'a>,
    /// The outcome of asking a language model for a second opinion
    second_opinion: OpinionRationale<'a>,
    metadata: RationaleMetadata<'a>,
}

/// One thing that an answer rests on.
#[derive(Serialize, ToSchema)]
pub(crate) struct RestsOnAnswer<'a> {
    id: &'a str,
    name: &'a str,
    /// `present`, `absent` or `unknown`
    choice: &'static str,
    /// For how many days
    duration_days: Option<u32>,
    /// `mild`, `moderate` or `severe`
    severity: Option<&'static str>,
    /// The measured number, in `unit`
    value: Option<f64>,
    unit: Option<&'a str>,
}

impl<'a> From<RestsOn<'a>> for RestsOnAnswer<'a> {
    fn from(item: RestsOn<'a>) -> Self {
        Self {
            id: item.id,
            name: item.name,
            choice: item.choice.as_str(),
            duration_days: item.duration_days,
            severity: item.severity.map(Severity::as_str),
            value: item.measured.map(|measured| measured.value),
            unit: item.measured.map(|measured| measured.unit.as_str()),
        }
    }
}

/// The outcome of asking a language model.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpinionRationale<'a> {
    /// `not_asked`, `used`, `used_in_part`, `refused` or `unavailable`
    status: &'static str,
    /// Empty if no model was asked
    model: &'a str,
    /// Why there is no answer, such as `timeout`; empty if there is one
    failure: &'a str,
    /// SHA-256 of the request as sent; empty if nothing was sent
    request_sha256: &'a str,
    attempts: u32,
    latency_ms: u64,
    /// What was decided about each claim; the model's own words are not repeated
    verdicts: Vec<VerdictRationale<'a>>,
}

/// What was decided about one claim.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerdictRationale<'a> {
    /// `condition`, `triage`, `reason` or `field`
    claim: &'a str,
    /// The condition it is about; empty if it is about no known condition
    about: &'a str,
    accepted: bool,
    /// Why it was rejected; empty if it was accepted
    reason: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConditionRationale<'a> {
    id: &'a str,
    name: &'a str,
    probability: f64,
    #[schema(value_type = Vec<String>)]
    evidence_supporting: &'a [Text<'a>],
    #[schema(value_type = Vec<String>)]
    evidence_against: &'a [Text<'a>],
    explanation: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TriageRationale<'a> {
    level: &'static str,
    rationale: &'a str,
    overridden: bool,
    override_reason: Option<&'a str>,
    /// The smallest changes that would change the triage level
    what_would_change: &'a [String],
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RationaleMetadata<'a> {
    model_used: &'a str,
    #[schema(format = DateTime)]
    generated_at: String,
    confidence: f64,
    processing_time_ms: u64,
    knowledge_version: &'a str,
}

impl<'a> From<&'a Filed> for RationaleAnswer<'a> {
    fn from(filed: &'a Filed) -> Self {
        let document = &filed.document;
        let assessment = &document.assessment;
        Self {
            assessment_id: document.assessment_id.0,
            interview_id: document.interview_id.0,
            rests_on: document.rests_on().into_iter().map(Into::into).collect(),
            supersedes: filed.supersedes.map(|id| id.0),
            superseded_by: filed.superseded_by.map(|id| id.0),
            reasoning: assessment.reasoning.steps.join("\n"),
            conditions: assessment
                .conditions
                .iter()
                .map(|condition| ConditionRationale {
                    id: condition.id.as_str(),
                    name: &condition.name,
                    probability: condition.probability,
                    evidence_supporting: &condition.supporting,
                    evidence_against: &condition.against,
                    explanation: &condition.rationale,
                })
                .collect(),
            triage: TriageRationale {
                level: assessment.triage.level.as_str(),
                rationale: &assessment.reasoning.triage_rationale,
                overridden: assessment.triage.overridden,
                override_reason: assessment.triage.override_reason.as_deref(),
                what_would_change: &assessment.reasoning.what_would_change,
            },
            second_opinion: OpinionRationale::of(document),
            metadata: RationaleMetadata {
                model_used: &document.model_used,
                generated_at: document.created_at.to_string(),
                confidence: assessment.confidence,
                processing_time_ms: document.timings.total_ms,
                knowledge_version: &document.knowledge_version,
            },
        }
    }
}

impl<'a> OpinionRationale<'a> {
    fn of(document: &'a AssessmentDocument<'_>) -> Self {
        let opinion = document.second_opinion.as_ref();
        let verdict = |verdict: &'a Verdict| VerdictRationale {
            claim: &verdict.claim,
            about: verdict.about.as_ref().map_or("", |id| id.as_str()),
            accepted: verdict.accepted,
            reason: &verdict.reason,
        };
        Self {
            status: opinion_status(document),
            model: opinion.map_or("", |opinion| &opinion.model),
            failure: opinion.map_or("", |opinion| &opinion.failure),
            request_sha256: opinion.map_or("", |opinion| &opinion.request_sha256),
            attempts: opinion.map_or(0, |opinion| opinion.attempts),
            latency_ms: opinion.map_or(0, |opinion| opinion.latency_ms),
            verdicts: opinion.map_or(Vec::new(), |opinion| {
                opinion.verdicts.iter().map(verdict).collect()
            }),
        }
    }
}
