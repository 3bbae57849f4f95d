//! `POST /webhooks`, `GET /webhooks`, `GET /webhooks/{id}`, `DELETE /webhooks/{id}`,
//! `POST /webhooks/{id}/rotate-secret`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use lafiya_model::WebhookId;
use lafiya_service::ServiceError;
use lafiya_service::webhooks::{self, Owner};

use crate::body::AnnouncedAsJson;
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::page::{answer_page, read_form};
use crate::wire::path::Named;
use crate::wire::query::Params;
use crate::wire::webhooks::{WebhookAnswer, WebhookRequest, WebhookWithSecret};

/// Registers an address for events, signed according to Standard Webhooks.
///
/// A webhook registered with a sandbox key receives the sandbox's events, one registered with a
/// live key the live ones.
#[utoipa::path(
    post, path = "/webhooks", tag = "webhooks", operation_id = "registerWebhook",
    request_body = WebhookRequest,
    responses(
        (status = 201, description = "The webhook with its secret, shown once", body = WebhookWithSecret),
        (status = 400, description = "A field is not valid, or the address is not public", body = crate::openapi::ErrorEnvelope),
        (status = 409, description = "There are too many already", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn register(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    _: AnnouncedAsJson,
    body: Bytes,
) -> Result<(StatusCode, Json<WebhookWithSecret>), ApiError> {
    let wanted = WebhookRequest::read(&body, call.environment)?;
    let tenant = call.caller.tenant_id;
    let actor = actor(&call);
    let made = webhooks::register(&state.context, tenant, wanted, &actor).await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Lists the webhooks of this environment, newest first.
#[utoipa::path(
    get, path = "/webhooks", tag = "webhooks", operation_id = "listWebhooks",
    params(("envelope" = Option<bool>, Query, description = "`true` wraps the list in an object with `total`")),
    responses(
        (status = 200, description = "All of them; `X-Total-Count` tells how many", body = Vec<WebhookAnswer>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    mut params: Params,
) -> Result<Response, ApiError> {
    let form = read_form(&mut params);
    let form = params.problems.into_result(|| Some(form))?;
    let listed = webhooks::list(&state.context, owner(&call)).await?;
    let answers: Vec<WebhookAnswer> = listed.into_iter().map(Into::into).collect();
    let total = answers.len() as u64;
    Ok(answer_page(&answers, total, "webhooks", form))
}

/// Returns one webhook.
#[utoipa::path(
    get, path = "/webhooks/{id}", tag = "webhooks", operation_id = "webhook",
    params(("id" = uuid::Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "The webhook", body = WebhookAnswer),
        (status = 404, description = "No such webhook", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn read(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    Named(id): Named<String>,
) -> Result<Json<WebhookAnswer>, ApiError> {
    let found = webhooks::find(&state.context, owner(&call), webhook_id(&id)?).await?;
    Ok(Json(found.into()))
}

/// Removes a webhook and its deliveries. Pending deliveries are no longer made.
#[utoipa::path(
    delete, path = "/webhooks/{id}", tag = "webhooks", operation_id = "removeWebhook",
    params(("id" = uuid::Uuid, Path, description = "The webhook")),
    responses(
        (status = 204, description = "Removed"),
        (status = 404, description = "No such webhook", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn remove(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    Named(id): Named<String>,
) -> Result<StatusCode, ApiError> {
    let id = webhook_id(&id)?;
    webhooks::remove(&state.context, owner(&call), id, &actor(&call)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Creates a new secret for a webhook. For 24 hours deliveries are also signed with the old one.
#[utoipa::path(
    post, path = "/webhooks/{id}/rotate-secret", tag = "webhooks", operation_id = "rotateWebhookSecret",
    params(("id" = uuid::Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "The webhook with its new secret, shown once", body = WebhookWithSecret),
        (status = 404, description = "No such webhook", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn rotate_secret(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    Named(id): Named<String>,
) -> Result<Json<WebhookWithSecret>, ApiError> {
    let (owner, actor) = (owner(&call), actor(&call));
    let rotated = webhooks::rotate_secret(&state.context, owner, webhook_id(&id)?, &actor).await?;
    Ok(Json(rotated.into()))
}

pub(crate) fn owner(call: &AuthenticatedCall) -> Owner {
    Owner {
        tenant: call.caller.tenant_id,
        environment: Some(call.environment),
    }
}

/// Parses a webhook id. Text that is not a UUID is an unknown webhook.
pub(crate) fn webhook_id(text: &str) -> Result<WebhookId, ApiError> {
    let id = text.parse();
    id.map_err(|_| ServiceError::NotFound("a webhook of that id").into())
}

fn actor(call: &AuthenticatedCall) -> String {
    format!("key {}", call.caller.key_id)
}
