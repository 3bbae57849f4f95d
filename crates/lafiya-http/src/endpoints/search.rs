//! `GET /search`

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use lafiya_service::medicines;
use lafiya_text::SearchOptions;

use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::query::Params;
use crate::wire::search::{self, SearchAnswer, SearchParams};

/// Fuzzy search over symptoms, conditions, risk factors, lab tests and medicines: names, plain
/// names, synonyms, everyday phrases, brands and codes.
#[utoipa::path(
    get, path = "/search", tag = "text", operation_id = "search", params(SearchParams),
    responses(
        (status = 200, description = "Best first", body = SearchAnswer<'static>),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn search(
    State(state): State<Arc<HttpState>>,
    params: Params,
) -> Result<Response, ApiError> {
    let request = search::read(params)?;
    let library = state.context.knowledge.load();
    let options = SearchOptions {
        sex: request.sex,
        kinds: None,
        max_results: request.max_results,
    };
    let hits = library
        .search
        .find(library.base(), &request.phrase, &options);
    let medicines = medicines::search(library.base(), &request.phrase, request.max_results);
    Ok(Json(SearchAnswer::of(
        library.base(),
        (&hits, &medicines),
        request.max_results,
        &request.phrase,
        state.context.clock.now(),
    ))
    .into_response())
}
