//! The error table: one row per code, with its status, its sentence and whether a client may retry.
//! The envelope, the OpenAPI responses and `docs/errors.md` derive from it; no other code decides
//! what an error looks like. Causes are logged and never sent to a client.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lafiya_fhir::Problem;
use lafiya_service::{Danger, FieldError, IdempotencyConflict, ServiceError};
use serde::Serialize;

use crate::limits::RateInfo;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorRow {
    /// The value of `error.code`.
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// Whether a retry of the same call may succeed.
    pub retryable: bool,
    /// When the error occurs, for the documentation.
    pub when: &'static str,
}

macro_rules! error_table {
    ($($variant:ident => $code:literal, $status:literal, $retryable:literal, $when:literal;)+) => {
        /// Every error code of the service.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each row of the table says what it is")]
        pub enum ErrorCode { $($variant),+ }

        impl ErrorCode {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the table row of this code.
            pub fn row(self) -> ErrorRow {
                match self {
                    $(Self::$variant => ErrorRow { code: $code, status: $status, retryable: $retryable, when: $when }),+
                }
            }
        }
    };
}

error_table! {
    InvalidRequest => "INVALID_REQUEST", 400, false, "A field has a wrong type, an unknown value or is out of bounds; `details.fields` names every one.";
    ValidationError => "VALIDATION_ERROR", 400, false, "The request as a whole lacks something required, such as any evidence item.";
    InsufficientData => "INSUFFICIENT_DATA", 400, false, "Too little to reason on: at least one symptom with the choice `present` is needed.";
    InvalidApiKey => "INVALID_API_KEY", 401, false, "The key is missing, malformed, unknown, expired or revoked.";
    QuotaExceeded => "QUOTA_EXCEEDED", 403, false, "The monthly assessment quota is used up.";
    PermissionDenied => "PERMISSION_DENIED", 403, false, "The tenant of this key is suspended.";
    ResourceNotFound => "RESOURCE_NOT_FOUND", 404, false, "The endpoint or the resource does not exist.";
    MethodNotAllowed => "METHOD_NOT_ALLOWED", 405, false, "The endpoint exists, but not for this method; `Allow` lists those it has.";
    NotAcceptable => "NOT_ACCEPTABLE", 406, false, "The representation asked for with `Accept` is not offered.";
    RequestTimeout => "REQUEST_TIMEOUT", 408, true, "The body did not arrive in time.";
    Conflict => "CONFLICT", 409, false, "Another call changed the same thing first.";
    IdempotencyConflict => "IDEMPOTENCY_CONFLICT", 409, false, "The idempotency key was used with another body or interview, or its first call still runs; `details.reason` says which.";
    VersionSunset => "VERSION_SUNSET", 410, false, "This version of the API has ended.";
    PayloadTooLarge => "PAYLOAD_TOO_LARGE", 413, false, "The body is larger than the endpoint takes.";
    UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE", 415, false, "The body is not of a content type that the endpoint takes.";
    UnprocessableBundle => "UNPROCESSABLE_BUNDLE", 422, false, "A FHIR Bundle cannot be translated into an assessment; the OperationOutcome names every place.";
    RateLimitExceeded => "RATE_LIMIT_EXCEEDED", 429, true, "Too many requests in the last minute; `Retry-After` says how long to wait.";
    InternalError => "INTERNAL_ERROR", 500, true, "An unexpected error of the service.";
    AiProviderUnavailable => "AI_PROVIDER_UNAVAILABLE", 503, true, "The reasoning provider is required and cannot be reached.";
    ServiceUnavailable => "SERVICE_UNAVAILABLE", 503, true, "Storage is out of reach or the service is full; `Retry-After` says how long to wait.";
    GatewayTimeout => "GATEWAY_TIMEOUT", 504, true, "The assessment took longer than the pipeline may.";
}

impl ErrorCode {
    /// Returns the HTTP status of this code.
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.row().status).expect("the table holds valid statuses")
    }
}

/// An error that becomes a response.
#[derive(Debug)]
pub struct ApiError {
    code: ErrorCode,
    message: String,
    details: Option<Box<Details>>,
    retry_after_seconds: Option<u64>,
    problems: Vec<Problem>,
}

/// The content of an error response, attached to it so that the FHIR edge can render it as an
/// OperationOutcome.
#[derive(Clone, Debug)]
pub(crate) struct Refused(pub(crate) Arc<RefusedParts>);

/// The content of an error.
#[derive(Debug)]
pub(crate) struct RefusedParts {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    /// Pairs of JSON pointer and reason.
    pub(crate) fields: Vec<(String, String)>,
    /// Problems of a Bundle.
    pub(crate) problems: Vec<Problem>,
    /// What to do about the danger in a case that was refused for quota.
    pub(crate) danger: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<FieldDetail>>,
    /// Which of the code's reasons applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<String>,
    #[serde(rename = "retryAfter", skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// The danger in a case that was refused for quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    danger: Option<DangerDetail>,
}

#[derive(Debug, Serialize)]
struct DangerDetail {
    level: &'static str,
    red_flags: Vec<String>,
    action: String,
}

impl From<Danger> for DangerDetail {
    fn from(danger: Danger) -> Self {
        Self {
            level: danger.level.as_str(),
            red_flags: danger.red_flags,
            action: danger.action,
        }
    }
}

#[derive(Debug, Serialize)]
struct FieldDetail {
    pointer: String,
    reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
}

#[derive(Serialize)]
struct Envelope<'a> {
    error: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
}

/// `Retry-After` when the service is full or a database is unavailable, in seconds.
const UNAVAILABLE_RETRY_AFTER_SECONDS: u64 = 2;
/// `Retry-After` while the first call with the same idempotency key is still running, in seconds.
const STILL_RUNNING_RETRY_AFTER_SECONDS: u64 = 1;

impl ApiError {
    /// Creates an error with its own message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
            retry_after_seconds: match code.status() {
                StatusCode::SERVICE_UNAVAILABLE => Some(UNAVAILABLE_RETRY_AFTER_SECONDS),
                _ => None,
            },
            problems: Vec::new(),
        }
    }

    /// Creates a 400 that names the invalid fields.
    pub fn fields(fields: Vec<FieldError>) -> Self {
        let message = match fields.as_slice() {
            [whole] if whole.pointer.is_empty() => format!("The request {}", whole.reason),
            [only] => format!("{} {}", only.pointer, only.reason),
            many => format!(
                "{} fields of the request are not valid; see details.fields.",
                many.len()
            ),
        };
        Self {
            details: Some(Box::new(Details {
                fields: Some(
                    fields
                        .into_iter()
                        .map(|field| FieldDetail {
                            pointer: field.pointer,
                            reason: field.reason,
                            suggestions: field.suggestions,
                        })
                        .collect(),
                ),
                ..Details::default()
            })),
            ..Self::new(ErrorCode::InvalidRequest, message)
        }
    }

    /// Creates a 422 that names every problem of a Bundle.
    pub(crate) fn untranslatable(problems: Vec<Problem>) -> Self {
        Self {
            problems,
            ..Self::new(
                ErrorCode::UnprocessableBundle,
                "The Bundle cannot be translated into an assessment.",
            )
        }
    }

    /// Returns the content that the FHIR edge renders.
    fn parts(&self) -> RefusedParts {
        let fields = self
            .details
            .as_ref()
            .and_then(|detail| detail.fields.as_ref());
        RefusedParts {
            code: self.code,
            message: self.message.clone(),
            fields: fields
                .into_iter()
                .flatten()
                .map(|field| (field.pointer.clone(), field.reason.clone()))
                .collect(),
            problems: self.problems.clone(),
            danger: self.danger_in_words(),
        }
    }

    /// Describes the danger in a case that was refused: its level, its signs and what to do.
    fn danger_in_words(&self) -> Option<String> {
        let danger = self.details.as_ref()?.danger.as_ref()?;
        let (level, signs) = (danger.level, danger.red_flags.join("; "));
        Some(format!(
            "Danger in this case ({level}): {signs}. {}",
            danger.action
        ))
    }

    /// Creates a 429 with the limit, the reset time and the time to wait.
    pub fn rate_limited(rate: RateInfo) -> Self {
        let seconds = rate.retry_after_seconds.max(1);
        Self {
            details: Some(Box::new(Details {
                limit: Some(rate.limit.into()),
                remaining: Some(0),
                reset: Some(rate.reset_timestamp()),
                retry_after: Some(seconds),
                ..Details::default()
            })),
            retry_after_seconds: Some(seconds),
            ..Self::new(
                ErrorCode::RateLimitExceeded,
                format!(
                    "More than {} requests in one minute. Wait {seconds} s and try again.",
                    rate.limit
                ),
            )
        }
    }

    /// Creates a 409 that distinguishes a client's mistake from a call that only has to be retried.
    fn idempotency_conflict(conflict: IdempotencyConflict) -> Self {
        let (message, seconds) = match conflict {
            IdempotencyConflict::DifferentBody => (
                "This Idempotency-Key was used with another body or interview.",
                None,
            ),
            IdempotencyConflict::StillRunning => (
                "The first call with this Idempotency-Key still runs. Send the same call again in a moment to get its answer.",
                Some(STILL_RUNNING_RETRY_AFTER_SECONDS),
            ),
        };
        Self {
            details: Some(Box::new(Details {
                reason: Some(conflict.as_str()),
                retry_after: seconds,
                ..Details::default()
            })),
            retry_after_seconds: seconds,
            ..Self::new(ErrorCode::IdempotencyConflict, message)
        }
    }

    /// Returns the pointers of the invalid fields, for tests.
    #[cfg(test)]
    pub(crate) fn pointers(&self) -> Vec<String> {
        let fields = self
            .details
            .as_ref()
            .and_then(|details| details.fields.as_ref());
        fields
            .into_iter()
            .flatten()
            .map(|field| field.pointer.clone())
            .collect()
    }

    /// Returns the code of this error.
    pub fn code(&self) -> ErrorCode {
        self.code
    }
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::InvalidRequest(fields) => Self::fields(fields),
            ServiceError::InvalidApiKey => Self::new(
                ErrorCode::InvalidApiKey,
                "The API key is missing, malformed, expired or revoked. Send it as `Authorization: Bearer <key>`.",
            ),
            ServiceError::PermissionDenied => Self::new(
                ErrorCode::PermissionDenied,
                "This account is suspended. Ask the operator of the service.",
            ),
            ServiceError::RateLimited(window) => Self::rate_limited(RateInfo::from(window)),
            ServiceError::NotFound(what) => Self::new(
                ErrorCode::ResourceNotFound,
                format!("{} does not exist.", capitalised(what)),
            ),
            ServiceError::NoEvidence => Self {
                code: ErrorCode::ValidationError,
                ..Self::fields(vec![FieldError::new(
                    "/evidence",
                    "must hold at least one item",
                )])
            },
            ServiceError::InsufficientData => Self::new(
                ErrorCode::InsufficientData,
                "At least one symptom with the choice `present` is needed; a risk factor alone is not enough.",
            ),
            ServiceError::QuotaExceeded {
                limit,
                used,
                reset,
                danger,
            } => Self {
                details: Some(Box::new(Details {
                    limit: Some(limit),
                    used: Some(used),
                    remaining: Some(0),
                    reset: Some(reset.to_string()),
                    danger: danger.map(|danger| (*danger).into()),
                    ..Details::default()
                })),
                ..Self::new(
                    ErrorCode::QuotaExceeded,
                    format!("All {limit} assessments of this month are used."),
                )
            },
            ServiceError::OperatorsOnly => Self::new(
                ErrorCode::PermissionDenied,
                "Only an operator may change an operator's account.",
            ),
            ServiceError::IdempotencyConflict(conflict) => Self::idempotency_conflict(conflict),
            ServiceError::DeadlineExceeded => Self::new(
                ErrorCode::GatewayTimeout,
                "The assessment took too long. Nothing was billed.",
            ),
            ServiceError::ProviderUnavailable => Self::new(
                ErrorCode::AiProviderUnavailable,
                "The reasoning provider cannot be reached. Nothing was billed; try again shortly.",
            ),
            ServiceError::Conflict(why) => {
                Self::new(ErrorCode::Conflict, format!("{}.", capitalised(why)))
            }
            ServiceError::StoreUnavailable(cause) => {
                tracing::error!(cause = %cause, "The store is unavailable; answered 503.");
                Self::new(
                    ErrorCode::ServiceUnavailable,
                    "The service cannot reach its storage right now. Nothing was recorded or billed; try again shortly.",
                )
            }
            ServiceError::Internal(cause) => {
                tracing::error!(%cause, "An unexpected error; answered 500.");
                Self::new(
                    ErrorCode::InternalError,
                    "An unexpected error occurred. It has been logged under this request id.",
                )
            }
        }
    }
}

fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let envelope = Envelope {
            error: Body {
                code: self.code.row().code,
                message: &self.message,
                details: self.details.as_deref(),
            },
        };
        let body = serde_json::to_vec(&envelope).expect("an envelope of strings always serialises");
        let mut response = (
            self.code.status(),
            [(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            )],
            body,
        )
            .into_response();
        let refused = Refused(Arc::new(self.parts()));
        response.extensions_mut().insert(refused);
        if let Some(seconds) = self.retry_after_seconds {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code == ErrorCode::InvalidApiKey {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_unique_and_has_a_valid_status() {
        let mut codes: Vec<_> = ErrorCode::ALL.iter().map(|code| code.row().code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            assert!(code.status().is_client_error() || code.status().is_server_error());
        }
    }

    #[test]
    fn the_error_table_matches_the_documentation() {
        let document = include_str!("../../../docs/errors.md");
        for code in ErrorCode::ALL {
            let row = code.row();
            let line = format!(
                "| {} | `{}` | {} | {} |",
                row.status,
                row.code,
                row.when,
                if row.retryable { "yes" } else { "no" }
            );
            assert!(document.contains(&line), "docs/errors.md lacks: {line}");
        }
        let rows = document
            .lines()
            .filter(|line| line.starts_with("| ") && line.contains("| `"))
            .count();
        assert_eq!(
            rows,
            ErrorCode::ALL.len(),
            "docs/errors.md has a row that the table lacks"
        );
    }
}
