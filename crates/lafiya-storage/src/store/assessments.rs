//! Recording an assessment and reading it back: the values of the one billable act.
//!
//! Documents are opaque bytes here; what stands beside them are the few facts that the store
//! itself must count, compare or sort by.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp, civil};
use lafiya_model::{
    AssessmentId, Environment, EventKind, InterviewId, KeyId, TenantId, Tier, TriageLevel,
};
use uuid::Uuid;

use super::{Month, StoreError};

/// How long an interview can be continued, from its first turn.
pub const INTERVIEW_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// Shares of the monthly quota, in percent, whose reaching is announced once a month each.
pub const QUOTA_THRESHOLDS_PERCENT: [u8; 2] = [80, 100];

/// One assessment with everything that must become true together with it, or not at all.
#[derive(Clone, Debug)]
pub struct RecordAssessment {
    /// Its id.
    pub assessment_id: AssessmentId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The key that asked for it.
    pub key: KeyId,
    /// Live or sandbox. Sandbox is never counted.
    pub environment: Environment,
    /// The interview it continues or begins.
    pub interview_id: InterviewId,
    /// Which turn of the interview: 1 begins it, anything else must follow the stored turn.
    pub turn: u32,
    /// The id of the interview was made for this very turn: nothing of it can be stored yet.
    pub new_interview: bool,
    /// The assessment of another interview that this one corrects. A further turn replaces the turn before it
    /// without being told.
    pub corrects: Option<AssessmentId>,
    /// Now.
    pub created_at: Timestamp,
    /// The day in Lagos, which decides the day and the month it is counted under.
    pub lagos_date: civil::Date,
    /// How urgent.
    pub level: TriageLevel,
    /// The leading condition.
    pub top_condition: Option<ConditionName>,
    /// The assessment as it shall be read back.
    pub document: Bytes,
    /// What the interview knows after this turn.
    pub interview_document: Bytes,
    /// Recognises the same request sent again.
    pub request_digest: [u8; 32],
    /// The client's idempotency key, if it sent one.
    pub idempotency: Option<IdempotencyRecord>,
    /// Events to announce.
    pub events: Vec<NewEvent>,
    /// What the month allows.
    pub quota: QuotaRule,
    /// How it is announced that usage has reached a share of the quota, where it is.
    pub threshold_notice: Option<ThresholdNotice>,
    /// Whether it counts at all (a live one usually does).
    pub billable: bool,
}

/// A condition with the name it had when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionName {
    /// Concept id.
    pub id: String,
    /// Name for people.
    pub name: String,
}

/// An idempotency key to be taken together with an assessment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// What the client sent as key; unique per API key while it lives.
    pub key_text: String,
    /// Recognises the same body.
    pub body_digest: [u8; 32],
    /// From when on the key may be used anew.
    pub expires_at: Timestamp,
}

/// An event for the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Its id.
    pub id: Uuid,
    /// What happened.
    pub kind: EventKind,
    /// Which world it lives in; `None` when it concerns the tenant as a whole.
    pub environment: Option<Environment>,
    /// Its data, JSON.
    pub payload: String,
}

/// How it is announced, once a month each, that usage has reached a share of the quota. Hardly any assessment
/// reaches one, so the event is written when one does.
#[derive(Clone, Copy, Debug)]
pub struct ThresholdNotice {
    /// What the tenant has bought.
    pub tier: Tier,
    /// Writes the event.
    pub event: fn(ThresholdReached) -> NewEvent,
}

/// A share of the quota that usage has reached for the first time in a month.
#[derive(Clone, Copy, Debug)]
pub struct ThresholdReached {
    /// One of [`QUOTA_THRESHOLDS_PERCENT`].
    pub percent: u8,
    /// The month.
    pub month: Month,
    /// What the tenant has bought.
    pub tier: Tier,
    /// What the month allows.
    pub quota: u64,
}

/// What the month allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaRule {
    /// Assessments included, if there is a figure.
    pub limit: Option<u64>,
    /// Whether further ones are refused (rather than billed).
    pub refuse_beyond: bool,
}

/// What recording did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Assessments counted in the month, this one included; `None` when this one was not counted.
    pub used: Option<u64>,
    /// The greatest share of the quota first reached by this one, in percent.
    pub crossed: Option<u8>,
}

/// Why an assessment was not recorded. Nothing of it has happened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordRefusal {
    /// The month's quota is used up.
    #[error("the monthly quota of {limit} is used up ({used})")]
    QuotaExceeded {
        /// What the month allows.
        limit: u64,
        /// What has been counted.
        used: u64,
    },
    /// The interview is not at the turn before this one: another turn came first, or it expired.
    #[error("the interview has moved on")]
    InterviewMoved,
    /// The idempotency key is taken, by the same body or another: ask
    /// [`super::Store::find_idempotent`] which.
    #[error("the idempotency key is taken")]
    IdempotencyConflict,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An assessment as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAssessment {
    /// What is known about it beside the document.
    pub summary: AssessmentSummary,
    /// The document, as given.
    pub document: Vec<u8>,
}

/// The facts about an assessment that stand beside its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssessmentSummary {
    /// Its id.
    pub assessment_id: AssessmentId,
    /// The key that asked for it.
    pub key: KeyId,
    /// Its interview.
    pub interview_id: InterviewId,
    /// Which turn of it.
    pub turn: u32,
    /// When.
    pub created_at: Timestamp,
    /// How urgent.
    pub level: TriageLevel,
    /// The leading condition.
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
    /// What the interview knows, as given.
    pub document: Vec<u8>,
    /// The assessment of the last turn.
    pub last_assessment_id: AssessmentId,
    /// Recognises the request of the last turn.
    pub last_request_digest: [u8; 32],
    /// Whether it has been counted.
    pub billed: bool,
    /// Until when it can be continued.
    pub expires_at: Timestamp,
}

/// What an idempotency key stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotentHit {
    /// Recognises the same body.
    pub body_digest: [u8; 32],
    /// The assessment it was answered with.
    pub assessment_id: AssessmentId,
}
