//! `POST /rationale` and `GET /rationale?assessment_id=`

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use lafiya_model::AssessmentId;
use lafiya_service::assess;

use crate::body::AnnouncedAsJson;
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::query::Params;
use crate::wire::rationale::{RationaleAnswer, RationaleRequest, read_id};

const ID_CHARACTERS_MAX: usize = 100;

/// Explains an assessment: what supports and contradicts each condition, and why this triage level.
#[utoipa::path(
    post, path = "/rationale", tag = "assessment", operation_id = "rationale",
    request_body = RationaleRequest,
    responses(
        (status = 200, description = "The reasons", body = RationaleAnswer<'static>),
        (status = 400, description = "The id is not a UUID", body = crate::openapi::ErrorEnvelope),
        (status = 404, description = "No such assessment", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn by_body(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    _: AnnouncedAsJson,
    body: Bytes,
) -> Result<Response, ApiError> {
    answer(&state, &call, RationaleRequest::read(&body)?).await
}

/// The same as `POST /rationale`, as a link.
#[utoipa::path(
    get, path = "/rationale", tag = "assessment", operation_id = "rationaleByQuery",
    params(("assessment_id" = uuid::Uuid, Query, description = "The `assessment_id` of an answer")),
    responses(
        (status = 200, description = "The reasons", body = RationaleAnswer<'static>),
        (status = 400, description = "The id is not a UUID", body = crate::openapi::ErrorEnvelope),
        (status = 404, description = "No such assessment", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn by_query(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    mut params: Params,
) -> Result<Response, ApiError> {
    let text = params.text("assessment_id", ID_CHARACTERS_MAX);
    answer(&state, &call, read_id(text.as_deref(), params.problems)?).await
}

async fn answer(
    state: &HttpState,
    call: &AuthenticatedCall,
    id: AssessmentId,
) -> Result<Response, ApiError> {
    let caller = &call.caller;
    let filed = assess::find_filed(&state.context, caller, call.environment, id).await?;
    Ok(Json(RationaleAnswer::from(&filed)).into_response())
}
