//! `GET /danger-signs`

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use lafiya_knowledge::FindingIx;

use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::danger_signs::{self, DangerSignItem, DangerSignParams};
use crate::wire::query::Params;

/// Lists the danger signs to ask about for this age and sex, regardless of what was reported: a
/// sign that is not mentioned or not understood must not be missed. Send those that are present as
/// evidence to `/assess`.
#[utoipa::path(
    get, path = "/danger-signs", tag = "reference", operation_id = "listDangerSigns", params(DangerSignParams),
    responses(
        (status = 200, description = "In the order to ask", body = Vec<DangerSignItem<'static>>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let (ages, sex) = danger_signs::read(params)?;
    let base = state.context.knowledge.load();
    let mut signs: Vec<FindingIx> = Vec::new();
    for sign in ages.into_iter().flat_map(|age| base.danger_signs(age, sex)) {
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    }
    let signs = signs.into_iter();
    let signs: Vec<DangerSignItem<'_>> = signs.map(|ix| DangerSignItem::of(&base, ix)).collect();
    Ok(Json(signs).into_response())
}
