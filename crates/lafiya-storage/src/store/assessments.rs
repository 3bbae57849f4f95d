//! The types for recording an assessment, the one billable action, and for reading it back.
//!
//! Documents are opaque bytes here. The other columns are the few facts that the store must count,
//! compare or sort by.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp, civil};
use lafiya_model::{
    AssessmentId, Environment, EventKind, InterviewId, KeyId, TenantId, Tier, TriageLevel,
};
use uuid::Uuid;

use super::{Month, StoreError};

/// How long an interview can be continued after its first turn.
pub const INTERVIEW_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// Shares of the monthly quota, in percent, that are announced once per month each.
pub const QUOTA_THRESHOLDS_PERCENT: [u8; 2] = [80, 100];

/// An assessment with everything that is recorded in the same transaction.
#[derive(Clone, Debug)]
pub struct RecordAssessment {
    /// Its id.
    pub assessment_id: AssessmentId,
    /// Its tenant.
    pub tenant: TenantId,
    /// The API key that requested it.
    pub key: KeyId,
    /// Live or sandbox. The sandbox is never counted.
    pub environment: Environment,
    /// The interview it continues or starts.
    pub interview_id: InterviewId,
    /// The turn of the interview: 1 starts it, any other must follow the stored turn.
    pub turn: u32,
    /// Whether the interview id was generated for this turn, so that nothing can be stored for it
    /// yet.
    pub new_interview: bool,
    /// The assessment of another interview that this one corrects. A further turn replaces the turn
    /// before it without being told.
    pub corrects: Option<AssessmentId>,
    /// The current time.
    pub created_at: Timestamp,
    /// The day in Lagos, which determines the day and the month it is counted under.
    pub lagos_date: civil::Date,
    /// The triage level.
    pub level: TriageLevel,
    /// The top condition.
    pub top_condition: Option<ConditionName>,
    /// The assessment document.
    pub document: Bytes,
    /// The state of the interview after this turn.
    pub interview_document: Bytes,
    /// The digest of the request, used to recognise a repetition.
    pub request_digest: [u8; 32],
    /// The client's idempotency key, if it sent one.
    pub idempotency: Option<IdempotencyRecord>,
    /// Events to write to the outbox.
    pub events: Vec<NewEvent>,
    /// The monthly quota.
    pub quota: QuotaRule,
    /// How to announce that usage has reached a share of the quota, if it should be announced.
    pub threshold_notice: Option<ThresholdNotice>,
    /// Whether it counts towards usage, which is usual for a live assessment.
    pub billable: bool,
}

/// A condition, with its name at the time of recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionName {
    /// Concept id.
    pub id: String,
    /// The display name.
    pub name: String,
}

/// An idempotency key that is taken together with an assessment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The key as the client sent it; unique per API key until it expires.
    pub key_text: String,
    /// The digest of the body, used to recognise a repetition.
    pub body_digest: [u8; 32],
    /// When the key expires and may be used again.
    pub expires_at: Timestamp,
}

/// An event for the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Its id.
    pub id: Uuid,
    /// The kind of event.
    pub kind: EventKind,
    /// The environment; `None` if it concerns the whole tenant.
    pub environment: Option<Environment>,
    /// Its data as JSON.
    pub payload: String,
}

/// Announces, once per month each, that usage has reached a share of the quota. The event is built
/// only when a share is reached, because that is rare.
#[derive(Clone, Copy, Debug)]
pub struct ThresholdNotice {
    /// The tenant's tier.
    pub tier: Tier,
    /// Builds the event.
    pub event: fn(ThresholdReached) -> NewEvent,
}

/// A share of the quota that was reached for the first time in a month.
#[derive(Clone, Copy, Debug)]
pub struct ThresholdReached {
    /// One of [`QUOTA_THRESHOLDS_PERCENT`].
    pub percent: u8,
    /// The month.
    pub month: Month,
    /// The tenant's tier.
    pub tier: Tier,
    /// The monthly quota.
    pub quota: u64,
}

/// The monthly quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaRule {
    /// Included assessments, if there is a limit.
    pub limit: Option<u64>,
    /// What becomes of assessments beyond the limit.
    pub beyond: BeyondQuota,
}

/// What becomes of assessments beyond the monthly quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeyondQuota {
    /// They are recorded and billed.
    Billed,
    /// They are refused.
    Refused,
    /// They are recorded as over quota and never billed: the web app does not refuse the person in
    /// front of it.
    Answered,
}

/// The result of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Assessments counted in the month, including this one; `None` if this one was not counted.
    pub used: Option<u64>,
    /// The largest share of the quota that this assessment was the first to reach, in percent.
    pub crossed: Option<u8>,
}

/// Why an assessment was not recorded. Nothing was written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordRefusal {
    /// The monthly quota is used up.
    #[error("the monthly quota of {limit} is used up ({used})")]
    QuotaExceeded {
        /// The monthly quota.
        limit: u64,
        /// The assessments counted.
        used: u64,
    },
    /// The interview is not at the previous turn: another turn was recorded first, or it expired.
    #[error("the interview has moved on")]
    InterviewMoved,
    /// The idempotency key is taken, for the same body or a different one;
    /// [`super::Store::find_idempotent`] tells which.
    #[error("the idempotency key is taken")]
    IdempotencyConflict,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An assessment as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAssessment {
    /// The facts stored beside the document.
    pub summary: AssessmentSummary,
    /// The assessment document.
    pub document: Vec<u8>,
}

/// The facts about an assessment that are stored beside its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssessmentSummary {
    /// Its id.
    pub assessment_id: AssessmentId,
    /// The API key that requested it.
    pub key: KeyId,
    /// Its interview.
    pub interview_id: InterviewId,
    /// The turn of the interview.
    pub turn: u32,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// The triage level.
    pub level: TriageLevel,
    /// The top condition.
    pub top_condition: Option<ConditionName>,
    /// The assessment that this one replaces.
    pub supersedes: Option<AssessmentId>,
    /// The assessment that replaced this one.
    pub superseded_by: Option<AssessmentId>,
}

/// An interview that can be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInterview {
    /// The last turn recorded.
    pub turn: u32,
    /// The state of the interview.
    pub document: Vec<u8>,
    /// The assessment of the last turn.
    pub last_assessment_id: AssessmentId,
    /// The digest of the last turn's request, used to recognise a repetition.
    pub last_request_digest: [u8; 32],
    /// Whether it was counted.
    pub billed: bool,
    /// Until when it can be continued.
    pub expires_at: Timestamp,
}

/// The stored result of an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotentHit {
    /// The digest of the body, used to recognise a repetition.
    pub body_digest: [u8; 32],
    /// The assessment that was returned.
    pub assessment_id: AssessmentId,
}
