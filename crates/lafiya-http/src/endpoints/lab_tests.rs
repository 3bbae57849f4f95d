//! `GET /lab-tests`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lafiya_model::ConceptKind;

use crate::error::ApiError;
use crate::state::HttpState;
use crate::wire::query::Params;
use crate::wire::reference::{LabTestItem, ListParams, answer_list};

/// Lists laboratory tests, imaging and bedside tests.
#[utoipa::path(
    get, path = "/lab-tests", tag = "reference", operation_id = "listLabTests", params(ListParams),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<LabTestItem<'static>>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    answer_list::<LabTestItem<'_>>(&base, ConceptKind::LabTest, "lab_tests", params)
}
