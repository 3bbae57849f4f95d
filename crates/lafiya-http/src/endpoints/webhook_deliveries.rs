//! `POST /webhooks/{id}/test`, `GET /webhooks/{id}/deliveries`,
//! `POST /webhooks/{id}/deliveries/{delivery_id}/retry`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_model::DeliveryId;
use lafiya_service::{ServiceError, webhooks};

use super::webhooks::{owner, webhook_id};
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::page::{PageParams, answer_page, read_page};
use crate::wire::path::Named;
use crate::wire::query::Params;
use crate::wire::webhooks::{DeliveryAnswer, read_status};

/// Sends a `webhook.test` event to a webhook, regardless of its subscriptions.
#[utoipa::path(
    post, path = "/webhooks/{id}/test", tag = "webhooks", operation_id = "testWebhook",
    params(("id" = uuid::Uuid, Path, description = "The webhook")),
    responses(
        (status = 202, description = "Queued; the list of deliveries tells what becomes of it", body = DeliveryAnswer),
        (status = 404, description = "No such webhook", body = crate::openapi::ErrorEnvelope),
        (status = 409, description = "The webhook is disabled", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn test(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    Named(id): Named<String>,
) -> Result<(StatusCode, Json<DeliveryAnswer>), ApiError> {
    let queued = webhooks::send_test(&state.context, owner(&call), webhook_id(&id)?).await?;
    Ok((StatusCode::ACCEPTED, Json(queued.into())))
}

/// Lists the deliveries of a webhook, newest first. They are kept for 30 days.
#[utoipa::path(
    get, path = "/webhooks/{id}/deliveries", tag = "webhooks", operation_id = "listWebhookDeliveries",
    params(
        ("id" = uuid::Uuid, Path, description = "The webhook"),
        ("status" = Option<String>, Query, description = "`pending`, `delivered` or `failed`"),
        PageParams,
    ),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<DeliveryAnswer>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
        (status = 404, description = "No such webhook", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    Named(id): Named<String>,
    mut params: Params,
) -> Result<Response, ApiError> {
    let id = webhook_id(&id)?;
    let (page, form) = read_page(&mut params);
    let status = read_status(&mut params);
    let page = params.problems.into_result(|| Some(page))?;
    let listed = webhooks::deliveries(&state.context, owner(&call), id, status, page).await?;
    let answers: Vec<DeliveryAnswer> = listed.items.into_iter().map(Into::into).collect();
    Ok(answer_page(&answers, listed.total, "deliveries", form))
}

/// Sends a delivery again at once.
///
/// A delivery with attempts left continues its schedule afterwards; one without gets this single
/// attempt.
#[utoipa::path(
    post, path = "/webhooks/{id}/deliveries/{delivery_id}/retry", tag = "webhooks", operation_id = "retryWebhookDelivery",
    params(
        ("id" = uuid::Uuid, Path, description = "The webhook"),
        ("delivery_id" = uuid::Uuid, Path, description = "The delivery"),
    ),
    responses(
        (status = 202, description = "Queued", body = DeliveryAnswer),
        (status = 404, description = "No such webhook or delivery", body = crate::openapi::ErrorEnvelope),
        (status = 409, description = "It is being attempted right now, or the webhook is disabled", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn retry(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    Named((id, delivery)): Named<(String, String)>,
) -> Result<(StatusCode, Json<DeliveryAnswer>), ApiError> {
    let id = webhook_id(&id)?;
    let delivery: DeliveryId = delivery
        .parse()
        .map_err(|_| ServiceError::NotFound("a delivery of that id"))?;
    let queued = webhooks::retry(&state.context, owner(&call), id, delivery).await?;
    Ok((StatusCode::ACCEPTED, Json(queued.into())))
}
