//! `POST /keys/rotate`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use lafiya_service::keys;

use crate::body::require_json;
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::keys::{RotateRequest, RotatedKey};

/// Replaces the key that makes this call with a new one. The old key stops working at once.
///
/// The body may be empty. The new key belongs to the same tenant and environment. It expires when
/// the old one would have, or earlier if `expires_at` says so; never later.
#[utoipa::path(
    post, path = "/keys/rotate", tag = "keys", operation_id = "rotateKey",
    request_body(content = Option<RotateRequest>),
    responses(
        (status = 201, description = "The new key, shown once", body = RotatedKey),
        (status = 400, description = "The body is not valid, or `expires_at` is later than that of the old key", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn rotate(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json<RotatedKey>), ApiError> {
    if !body.is_empty() {
        require_json(&headers)?;
    }
    let expires_at = RotateRequest::read(&body)?;
    let fresh = keys::rotate_own(&state.context, &call.caller, expires_at).await?;
    Ok((StatusCode::CREATED, Json(fresh.into())))
}
