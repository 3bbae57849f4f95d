//! `GET /symptoms`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lafiya_model::ConceptKind;

use crate::error::ApiError;
use crate::state::HttpState;
use crate::wire::query::Params;
use crate::wire::reference::{ListParams, SymptomItem, answer_list};

/// Lists symptoms, signs, vital signs and measurements.
#[utoipa::path(
    get, path = "/symptoms", tag = "reference", operation_id = "listSymptoms", params(ListParams),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<SymptomItem<'static>>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    answer_list::<SymptomItem<'_>>(&base, ConceptKind::Symptom, "symptoms", params)
}
