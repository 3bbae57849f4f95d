//! `GET /risk-factors`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lafiya_model::ConceptKind;

use crate::error::ApiError;
use crate::state::HttpState;
use crate::wire::query::Params;
use crate::wire::reference::{ListParams, RiskFactorItem, answer_list};

/// Lists risk factors, exposures and history.
#[utoipa::path(
    get, path = "/risk-factors", tag = "reference", operation_id = "listRiskFactors", params(ListParams),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<RiskFactorItem<'static>>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    answer_list::<RiskFactorItem<'_>>(&base, ConceptKind::RiskFactor, "risk_factors", params)
}
