//! `GET /medicines` and `GET /medicines/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use lafiya_service::medicines;

use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::medicines::{MedicineDetail, MedicineItem};
use crate::wire::path::Named;
use crate::wire::query::Params;
use crate::wire::reference::{ListParams, read_list_request};

/// Lists the medicines that the service knows doses of. `category` is the class of the medicine.
#[utoipa::path(
    get, path = "/medicines", tag = "reference", operation_id = "listMedicines", params(ListParams),
    responses(
        (status = 200, description = "One page; `X-Total-Count` tells how many there are in all", body = Vec<MedicineItem<'static>>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    let (request, envelope) = read_list_request(params)?;
    let page = medicines::list(&base, &request);
    let items = page.items.iter().map(|ix| base.medicine(*ix));
    let items: Vec<MedicineItem<'_>> = items.map(MedicineItem::of).collect();
    let mut response = if envelope {
        Json(serde_json::json!({ "medicines": items, "total": page.total })).into_response()
    } else {
        Json(items).into_response()
    };
    let headers = response.headers_mut();
    headers.insert("x-total-count", HeaderValue::from(page.total));
    Ok(response)
}

/// Returns one medicine: its forms, doses for every group of patients, and cautions.
#[utoipa::path(
    get, path = "/medicines/{id}", tag = "reference", operation_id = "medicine",
    params(("id" = String, Path, description = "Medicine id, with or without `m_`", example = "m_amoxicillin")),
    responses(
        (status = 200, description = "The medicine", body = MedicineDetail<'static>),
        (status = 404, description = "No such medicine", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn detail(
    State(state): State<Arc<HttpState>>,
    Named(id): Named<String>,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    let medicine = medicines::find(&base, &id)?;
    Ok(Json(MedicineDetail::of(&base, medicine)).into_response())
}
