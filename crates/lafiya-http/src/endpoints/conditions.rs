//! `GET /conditions` and `GET /conditions/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use lafiya_model::ConceptKind;
use lafiya_service::reference;

use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::path::Named;
use crate::wire::query::Params;
use crate::wire::reference::{ConditionDetail, ConditionItem, ListParams, answer_list};

/// Lists the conditions that the service knows.
#[utoipa::path(
    get, path = "/conditions", tag = "reference", operation_id = "listConditions", params(ListParams),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<ConditionItem<'static>>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    answer_list::<ConditionItem<'_>>(&base, ConceptKind::Condition, "conditions", params)
}

/// Returns one condition.
#[utoipa::path(
    get, path = "/conditions/{id}", tag = "reference", operation_id = "condition",
    params(("id" = String, Path, description = "Concept id", example = "c_uncomplicated_malaria")),
    responses(
        (status = 200, description = "The condition", body = ConditionDetail<'static>),
        (status = 404, description = "No such condition", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn detail(
    State(state): State<Arc<HttpState>>,
    Named(id): Named<String>,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    let condition = reference::condition(&base, &id)?;
    Ok(Json(ConditionDetail::of(&base, condition)).into_response())
}
