//! `POST /assess`

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use lafiya_model::{AssessmentId, IdRefusal, SubmittedEvidence, uuid_from_client};
use lafiya_service::assess::Assessed;
use lafiya_service::buffers::Buffers;
use lafiya_service::{FieldError, RequestOrigin, assess, concepts};

use crate::body::require_json;
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json;
use crate::state::HttpState;
use crate::wire::assess_answer::AssessAnswer;
use crate::wire::assess_request::{self, AssessBody, Envelope};
use crate::wire::body_digest;
use crate::wire::contributions::PreserializedContributions;

/// Buffer capacity in bytes, large enough for nearly all responses.
static BUFFERS: Buffers = Buffers::new(48 * 1024);
const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 255;

/// Assesses a patient: ranked conditions, triage, red flags, tests, treatment, referral and the
/// next best question.
///
/// Billable. An interview is billed once, at its first successful assessment; send its
/// `interview_id` again to continue it. `Idempotency-Key` makes a repeated call safe.
#[utoipa::path(
    post, path = "/assess", tag = "assessment", operation_id = "assess",
    request_body = AssessBody,
    params(
        ("X-Interview-Id" = Option<uuid::Uuid>, Header, description = "Continues an interview"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gets the stored answer for 24 hours"),
        ("X-Service-Environment" = Option<String>, Header, description = "`sandbox` or `production`"),
    ),
    responses(
        (status = 200, description = "The assessment", body = AssessAnswer<'static>),
        (status = 400, description = "The body is not valid, or holds too little", body = crate::openapi::ErrorEnvelope),
        (status = 403, description = "The monthly quota is used up; if there is danger in the case, `details.danger` says which and what to do", body = crate::openapi::ErrorEnvelope),
        (status = 409, description = "The idempotency key stands for another body or interview (`details.reason` is `different_body`), or its first call still runs (`still_running`, with `Retry-After`)", body = crate::openapi::ErrorEnvelope),
        (status = 413, description = "The body is too large", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorEnvelope),
        (status = 504, description = "The assessment took too long", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn assess(
    State(state): State<Arc<HttpState>>,
    Extension(origin): Extension<RequestOrigin>,
    call: AuthenticatedCall,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    require_json(&headers)?;
    let library = state.context.knowledge.load_full();
    let weights = library.weights().measure;
    let envelope = Envelope {
        weight_measure: weights.map(|ix| library.measure(ix).text.id.clone()),
        interview_header: header_text(&headers, "X-Interview-Id")?,
        idempotency_key: idempotency_key(&headers)?,
        digest: body_digest::digest(&body),
        assessment_id: AssessmentId(origin.request.0),
    };
    let unknown = |claim: &SubmittedEvidence| concepts::problem_of(&library, claim);
    let request = assess_request::read(&body, envelope, unknown)?;
    let answered = assess::assess(
        &state.context,
        &call.caller,
        call.environment,
        request,
        respond,
    );
    Ok(answered.await?)
}

fn respond(answer: &Assessed) -> Response {
    let pieces = match PreserializedContributions::of(&answer.document.assessment.weighed) {
        Ok(pieces) => pieces,
        Err(error) => return error.into_response(),
    };
    let mut response = json::respond_in(&AssessAnswer::of(answer, &pieces), &BUFFERS);
    if answer.replayed {
        response
            .headers_mut()
            .insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    response
}

pub(crate) fn header_text(
    headers: &HeaderMap,
    name: &'static str,
) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(name) else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(_) => Err(ApiError::fields(vec![FieldError::new(
            format!("/headers/{name}"),
            "must be plain text",
        )])),
    }
}

pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(key) = header_text(headers, "Idempotency-Key")? else {
        return Ok(None);
    };
    let refuse = |reason: String| {
        let pointer = "/headers/Idempotency-Key";
        Err(ApiError::fields(vec![FieldError::new(pointer, reason)]))
    };
    if key.is_empty() || key.len() > IDEMPOTENCY_KEY_CHARACTERS_MAX {
        return refuse(format!(
            "must have 1 to {IDEMPOTENCY_KEY_CHARACTERS_MAX} characters"
        ));
    }
    // A placeholder key shared by several requests would return one patient's response to another.
    match uuid_from_client(&key) {
        Err(refusal @ IdRefusal::Placeholder) => refuse(refusal.to_string()),
        _ => Ok(Some(key)),
    }
}
