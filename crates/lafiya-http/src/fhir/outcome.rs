//! Renders errors of the table as an OperationOutcome. A 422 is always rendered so; other errors
//! only if the client accepts FHIR.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use lafiya_fhir::outcome::{Issue, of_issues, of_problems};
use lafiya_fhir::{Resource, Systems};

use super::FhirFormat;
use crate::error::{ErrorCode, Refused, RefusedParts};

impl FhirFormat {
    /// Returns the response with its error rendered as an OperationOutcome, if that is required.
    pub(crate) fn render_error(self, mut response: Response, systems: &Systems) -> Response {
        let Some(Refused(refused)) = response.extensions().get::<Refused>().cloned() else {
            return response;
        };
        if !self.outcome && refused.code != ErrorCode::UnprocessableBundle {
            return response;
        }
        let text = self.text(&outcome(&refused, systems));
        let headers = response.headers_mut();
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::CONTENT_ENCODING);
        headers.remove(header::TRANSFER_ENCODING);
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/fhir+json"),
        );
        *response.body_mut() = Body::from(text);
        response
    }
}

fn outcome(refused: &RefusedParts, systems: &Systems) -> Resource<'static> {
    if !refused.problems.is_empty() {
        return of_problems(&refused.problems, systems);
    }
    let code = ("error", refused.code.row().code);
    let issue_type = issue_type(refused.code);
    if refused.fields.is_empty() {
        let issue = Issue {
            issue_type,
            code,
            says: &refused.message,
            expression: None,
        };
        // A client that reads nothing else of a refusal must see the danger.
        let danger = refused.danger.as_deref().map(|says| Issue {
            issue_type,
            code,
            says,
            expression: None,
        });
        let issues: Vec<Issue<'_>> = std::iter::once(issue).chain(danger).collect();
        return of_issues(&issues, systems);
    }
    let places: Vec<String> = refused
        .fields
        .iter()
        .map(|(pointer, _)| place(pointer))
        .collect();
    let issues: Vec<Issue<'_>> = refused
        .fields
        .iter()
        .zip(&places)
        .map(|((_, reason), place)| Issue {
            issue_type,
            code,
            says: reason,
            expression: Some(place),
        })
        .collect();
    of_issues(&issues, systems)
}

/// Returns the location of an error as FHIR names it: headers and parameters by name, elements of
/// the Bundle as FHIRPath.
fn place(pointer: &str) -> String {
    match pointer.strip_prefix("/headers/") {
        Some(name) => format!("http.{name}"),
        None if pointer == "/resourceType" => "Bundle.resourceType".to_owned(),
        None => format!("http.{}", pointer.trim_start_matches('/').replace('/', ".")),
    }
}

/// Returns the FHIR issue type of an error code.
fn issue_type(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidRequest | ErrorCode::UnprocessableBundle => "invalid",
        ErrorCode::ValidationError => "required",
        ErrorCode::InsufficientData | ErrorCode::QuotaExceeded => "business-rule",
        ErrorCode::InvalidApiKey => "login",
        ErrorCode::PermissionDenied => "forbidden",
        ErrorCode::ResourceNotFound => "not-found",
        ErrorCode::MethodNotAllowed
        | ErrorCode::NotAcceptable
        | ErrorCode::VersionSunset
        | ErrorCode::UnsupportedMediaType => "not-supported",
        ErrorCode::RequestTimeout | ErrorCode::GatewayTimeout => "timeout",
        ErrorCode::Conflict | ErrorCode::IdempotencyConflict => "conflict",
        ErrorCode::PayloadTooLarge => "too-long",
        ErrorCode::RateLimitExceeded => "throttled",
        ErrorCode::AiProviderUnavailable | ErrorCode::ServiceUnavailable => "transient",
        // A fallback for codes that another part of the service adds.
        #[allow(unreachable_patterns, reason = "the table grows elsewhere")]
        _ => "exception",
    }
}
