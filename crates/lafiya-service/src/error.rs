//! Errors in domain terms. Library errors are converted where they enter this crate; the HTTP crate
//! maps each error to a status, a code and a message.

use std::fmt;

use lafiya_storage::cache::WindowState;
use lafiya_storage::store::StoreError;

use crate::danger::Danger;

/// An invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The location, as a JSON pointer (`/evidence/1/duration_days`).
    pub pointer: String,
    /// What is wrong with it, as a sentence that helps to fix it.
    pub reason: String,
    /// Likely alternatives (unknown concept ids only).
    pub suggestions: Vec<String>,
}

impl FieldError {
    /// Creates a field error without suggestions.
    pub fn new(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            reason: reason.into(),
            suggestions: Vec::new(),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.reason)
    }
}

/// Why an idempotency key is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdempotencyConflict {
    /// It was used with a different body or interview.
    DifferentBody,
    /// The first call with the same body is still running; a retry will return its response.
    StillRunning,
}

impl IdempotencyConflict {
    /// Returns the value used in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DifferentBody => "different_body",
            Self::StillRunning => "still_running",
        }
    }
}

/// The error of a use case.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A field has the wrong type, value or size.
    #[error("the request has {} invalid field(s)", .0.len())]
    InvalidRequest(Vec<FieldError>),
    /// The key is missing, malformed, unknown, revoked or expired.
    #[error("the API key is missing or not valid")]
    InvalidApiKey,
    /// The tenant is suspended.
    #[error("the tenant may not call the service")]
    PermissionDenied,
    /// Only operators may change an operator's account.
    #[error("only an operator may change an operator's account")]
    OperatorsOnly,
    /// Too many requests in the rate limit window.
    #[error("the rate limit is exceeded")]
    RateLimited(WindowState),
    /// It does not exist, or belongs to another tenant.
    #[error("{0} does not exist")]
    NotFound(&'static str),
    /// The request contains no evidence.
    #[error("the request holds no evidence")]
    NoEvidence,
    /// No symptom is present.
    #[error("there is too little to reason on")]
    InsufficientData,
    /// The monthly quota is used up.
    #[error("the monthly quota of {limit} is used up ({used})")]
    QuotaExceeded {
        /// Assessments included.
        limit: u64,
        /// Assessments made.
        used: u64,
        /// When the next month begins.
        reset: jiff::Timestamp,
        /// The danger in the case that was refused, if there is any.
        danger: Option<Box<Danger>>,
    },
    /// The idempotency key is taken.
    #[error("the idempotency key is taken: {}", .0.as_str())]
    IdempotencyConflict(IdempotencyConflict),
    /// The assessment exceeded its timeout.
    #[error("the deadline has passed")]
    DeadlineExceeded,
    /// The required AI provider is unavailable.
    #[error("the reasoning provider is unavailable")]
    ProviderUnavailable,
    /// A concurrent change was made first.
    #[error("{0}")]
    Conflict(&'static str),
    /// The database is unavailable or cannot write.
    #[error("the store is unavailable")]
    StoreUnavailable(#[source] StoreError),
    /// An unexpected error.
    #[error("{0}")]
    Internal(String),
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::StoreUnavailable(error),
            StoreError::NotFound => Self::NotFound("the record"),
            StoreError::Conflict => Self::Conflict("another call changed it first"),
            other => Self::Internal(other.to_string()),
        }
    }
}
