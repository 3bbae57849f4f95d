//! `POST /adverse-events` and `GET /adverse-events`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use lafiya_service::adverse_events;

use crate::body::AnnouncedAsJson;
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::adverse_events::{AdverseEventAnswer, AdverseEventRequest, read_filter};
use crate::wire::page::{PageParams, answer_page, read_page};
use crate::wire::query::Params;

/// Reports something that went wrong after an assessment, for review.
///
/// Webhooks subscribed to `adverse_event.created` receive its ids and its seriousness, never the
/// text.
#[utoipa::path(
    post, path = "/adverse-events", tag = "assessment", operation_id = "createAdverseEvent",
    request_body = AdverseEventRequest,
    responses(
        (status = 201, description = "Recorded", body = AdverseEventAnswer),
        (status = 400, description = "A field is not valid", body = crate::openapi::ErrorEnvelope),
        (status = 404, description = "No such assessment", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn create(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    _: AnnouncedAsJson,
    body: Bytes,
) -> Result<(StatusCode, Json<AdverseEventAnswer>), ApiError> {
    let report = AdverseEventRequest::read(&body)?;
    let caller = &call.caller;
    let created = adverse_events::create(
        &state.context,
        caller.tenant_id,
        call.environment,
        report,
        &format!("key {}", caller.key_id),
    )
    .await?;
    Ok((StatusCode::CREATED, Json(created.into())))
}

/// Lists adverse events, newest first.
#[utoipa::path(
    get, path = "/adverse-events", tag = "assessment", operation_id = "listAdverseEvents",
    params(
        ("assessment_id" = Option<uuid::Uuid>, Query, description = "Only those about this assessment"),
        PageParams,
    ),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<AdverseEventAnswer>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    mut params: Params,
) -> Result<Response, ApiError> {
    let (page, form) = read_page(&mut params);
    let about = read_filter(&mut params);
    let page = params.problems.into_result(|| Some(page))?;
    let listed = adverse_events::list(
        &state.context,
        call.caller.tenant_id,
        call.environment,
        about,
        page,
    )
    .await?;
    let answers: Vec<AdverseEventAnswer> = listed.items.into_iter().map(Into::into).collect();
    Ok(answer_page(&answers, listed.total, "adverse_events", form))
}
