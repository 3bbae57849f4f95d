//! `GET /usage`

use std::sync::Arc;

use axum::extract::State;

use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::query::Params;
use crate::wire::usage::{self, UsageAnswer, UsageParams};

/// Returns what your organisation used between two days, and what it costs.
///
/// Days and months are those of Africa/Lagos. An interview counts once, on the day it was first
/// assessed, under the triage level of its last turn. The sandbox is not counted.
#[utoipa::path(
    get, path = "/usage", tag = "account", operation_id = "usage", params(UsageParams),
    responses(
        (status = 200, description = "The usage", body = UsageAnswer),
        (status = 400, description = "A date is missing or not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn read(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    params: Params,
) -> Result<Json<UsageAnswer>, ApiError> {
    let (start, end) = usage::read(params)?;
    let usage = lafiya_service::usage::report(&state.context, &call.caller, start, end).await?;
    Ok(Json(usage.into()))
}
