//! What can go wrong, in the words of the product. Library errors become one of these where they
//! enter the crate; the HTTP crate turns each into a status, a code and a sentence.

use std::fmt;

use lafiya_storage::cache::WindowState;
use lafiya_storage::store::StoreError;

/// One offending field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Where, as a JSON pointer (`/evidence/1/duration_days`).
    pub pointer: String,
    /// What is wrong with it, as a sentence that helps.
    pub reason: String,
    /// What may have been meant (unknown concept ids only).
    pub suggestions: Vec<String>,
}

impl FieldError {
    /// A field error without suggestions.
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
    /// It was used with another body or interview.
    DifferentBody,
    /// The first call with the same body still runs; its answer can be had in a moment.
    StillRunning,
}

impl IdempotencyConflict {
    /// The word for it in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DifferentBody => "different_body",
            Self::StillRunning => "still_running",
        }
    }
}

/// Why a use case did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A field has the wrong type, word or size.
    #[error("the request has {} invalid field(s)", .0.len())]
    InvalidRequest(Vec<FieldError>),
    /// The key is missing, malformed, unknown, revoked or expired.
    #[error("the API key is missing or not valid")]
    InvalidApiKey,
    /// The tenant is suspended.
    #[error("the tenant may not call the service")]
    PermissionDenied,
    /// The account is an operator's, and who wants to change it is not.
    #[error("only an operator may change an operator's account")]
    OperatorsOnly,
    /// Too many calls in the window.
    #[error("the rate limit is exceeded")]
    RateLimited(WindowState),
    /// Nothing of that name, or nothing that this tenant may know of.
    #[error("{0} does not exist")]
    NotFound(&'static str),
    /// No evidence at all.
    #[error("the request holds no evidence")]
    NoEvidence,
    /// No symptom is present.
    #[error("there is too little to reason on")]
    InsufficientData,
    /// The month's assessments are used up.
    #[error("the monthly quota of {limit} is used up ({used})")]
    QuotaExceeded {
        /// Assessments included.
        limit: u64,
        /// Assessments made.
        used: u64,
        /// When the next month begins.
        reset: jiff::Timestamp,
    },
    /// The idempotency key is taken.
    #[error("the idempotency key is taken: {}", .0.as_str())]
    IdempotencyConflict(IdempotencyConflict),
    /// The pipeline took too long.
    #[error("the deadline has passed")]
    DeadlineExceeded,
    /// The required reasoning provider cannot be reached.
    #[error("the reasoning provider is unavailable")]
    ProviderUnavailable,
    /// Somebody else was first.
    #[error("{0}")]
    Conflict(&'static str),
    /// The database cannot be reached or cannot write.
    #[error("the store is unavailable")]
    StoreUnavailable(#[source] StoreError),
    /// Anything that should not happen.
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
