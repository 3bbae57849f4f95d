//! `POST /fhir/assess`: the same use case as `/assess`, with a Bundle as request and response.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use lafiya_fhir::{Problem, ProblemKind, Refusal, read_bundle, write_bundle};
use lafiya_model::{AssessmentId, Case};
use lafiya_service::assess::{AssessRequest, Assessed};
use lafiya_service::buffers::Buffers;
use lafiya_service::clock::lagos_date;
use lafiya_service::{FieldError, Library, RequestOrigin, ServiceError, assess, concepts};
use sha2::{Digest, Sha256};

use super::assess::{header_text, idempotency_key};
use crate::body::{require_fhir_json, strict_value};
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::fhir::FhirFormat;
use crate::state::HttpState;
use crate::wire::assess_request::read_interview_header;

/// Buffer capacity in bytes, large enough for nearly all Bundles.
static BUFFERS: Buffers = Buffers::new(192 * 1024);

/// Assesses the patient of a FHIR R4 Bundle.
///
/// Billable, exactly as `/assess`: the same engine, interviews, idempotency keys and sandbox. The
/// Bundle is of type `collection` with one Patient, Observations, and history as Conditions. The
/// response is a Bundle of the same type; the interview id is in the header `X-Interview-Id` and
/// among the identifiers of the DiagnosticReport.
#[utoipa::path(
    post, path = "/fhir/assess", tag = "fhir", operation_id = "fhirAssess",
    request_body(content = serde_json::Value, content_type = "application/fhir+json", description = "A Bundle of type `collection`"),
    params(
        ("X-Interview-Id" = Option<uuid::Uuid>, Header, description = "Continues an interview"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gets the stored answer for 24 hours"),
        ("X-Service-Environment" = Option<String>, Header, description = "`sandbox` or `production`"),
    ),
    responses(
        (status = 200, description = "A Bundle with the assessment", body = serde_json::Value, content_type = "application/fhir+json"),
        (status = 400, description = "Not JSON, not a Bundle, or too little to reason on", body = crate::openapi::ErrorEnvelope),
        (status = 403, description = "The monthly quota is used up; if there is danger in the case, `details.danger` (or an issue of the OperationOutcome) says which and what to do", body = crate::openapi::ErrorEnvelope),
        (status = 406, description = "XML is not offered", body = crate::openapi::ErrorEnvelope),
        (status = 409, description = "The idempotency key stands for another body or interview (`details.reason` is `different_body`), or its first call still runs (`still_running`, with `Retry-After`)", body = crate::openapi::ErrorEnvelope),
        (status = 413, description = "The body is larger than 1 MiB", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not FHIR JSON", body = crate::openapi::ErrorEnvelope),
        (status = 422, description = "The Bundle cannot be translated; an OperationOutcome names every place", body = serde_json::Value, content_type = "application/fhir+json"),
        (status = 504, description = "The assessment took too long", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn assess(
    State(state): State<Arc<HttpState>>,
    Extension(origin): Extension<RequestOrigin>,
    call: AuthenticatedCall,
    format: FhirFormat,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    require_fhir_json(&headers)?;
    let interview_id = read_interview_header(header_text(&headers, "X-Interview-Id")?)?;
    let idempotency_key = idempotency_key(&headers)?;
    let library = state.context.knowledge.load_full();
    let case = read_case(&state, &library, &body)?;
    let request = AssessRequest {
        case,
        interview_id,
        digest: Sha256::digest(&body).into(),
        idempotency_key,
        assessment_id: AssessmentId(origin.request.0),
        corrects: None,
        corrects_patient: false,
    };
    let respond = |answer: &Assessed| {
        let bundle = write_bundle(&answer.document, &library, &state.fhir.systems);
        let mut response = format.answer_in(&bundle, &BUFFERS);
        let headers = response.headers_mut();
        if let Ok(interview) = HeaderValue::from_str(&answer.document.interview_id.to_string()) {
            headers.insert("x-interview-id", interview);
        }
        if answer.replayed {
            headers.insert("idempotent-replayed", HeaderValue::from_static("true"));
        }
        response
    };
    let answered = assess::assess(
        &state.context,
        &call.caller,
        call.environment,
        request,
        respond,
    );
    answered.await.map_err(in_bundle_terms)
}

fn read_case(state: &HttpState, library: &Library, body: &[u8]) -> Result<Case, ApiError> {
    let value = strict_value(body)?;
    let today = lagos_date(state.context.clock.now());
    read_bundle(&value, library, &state.fhir.systems, today).map_err(|refusal| match refusal {
        Refusal::NotABundle(problem) => {
            ApiError::fields(vec![FieldError::new("/resourceType", problem.says)])
        }
        Refusal::Untranslatable(problems) => ApiError::untranslatable(
            problems
                .into_iter()
                .map(|problem| with_suggestions(problem, library))
                .collect(),
        ),
    })
}

fn with_suggestions(mut problem: Problem, library: &Library) -> Problem {
    if let Some(code) = &problem.unknown_code {
        let meant = concepts::suggestions(library, code);
        if !meant.is_empty() {
            problem
                .says
                .push_str(&format!("; perhaps {}", meant.join(" or ")));
        }
    }
    problem
}

/// Translates the use case's field errors into locations of the Bundle. Errors in a header stay a
/// 400, as in `/assess`.
fn in_bundle_terms(error: ServiceError) -> ApiError {
    let ServiceError::InvalidRequest(fields) = error else {
        return error.into();
    };
    if fields.iter().any(|field| field.pointer == "/interview_id") {
        return ApiError::fields(fields);
    }
    let problem = |field: FieldError| {
        let (place, part) = field
            .pointer
            .split_once('/')
            .unwrap_or((&field.pointer, ""));
        let expression = match (place, part) {
            ("", "patient") => "Bundle.entry.resource.ofType(Patient)".to_owned(),
            ("", _) => "Bundle.entry".to_owned(),
            (place, "id") => format!("{place}.code"),
            (place, _) => place.to_owned(),
        };
        let reason = field.reason.replace("/choice_id", "");
        Problem {
            kind: ProblemKind::Conflict,
            expression,
            says: reason,
            unknown_code: None,
        }
    };
    ApiError::untranslatable(fields.into_iter().map(problem).collect())
}
