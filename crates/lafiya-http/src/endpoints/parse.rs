//! `POST /parse`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use crate::body::require_json;
use crate::error::ApiError;
use crate::state::HttpState;
use crate::wire::parse::{self, ParseAnswer, ParseBody};

/// Reads free text: symptoms, signs, measurements and risk factors in the words people use.
///
/// Understands negation, whose symptom it is, history, durations, severity, numbers with units and
/// clinical shorthand, in English, Nigerian Pidgin and the commonest words of other languages.
#[utoipa::path(
    post, path = "/parse", tag = "text", operation_id = "parse",
    request_body = ParseBody,
    responses(
        (status = 200, description = "What the text says", body = ParseAnswer<'static>),
        (status = 400, description = "The body is not valid", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn parse(
    State(state): State<Arc<HttpState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    require_json(&headers)?;
    let request = parse::read(&body)?;
    let library = state.context.knowledge.load();
    let parsed = library
        .parser
        .parse(library.base(), &request.text, &request.context);
    Ok(Json(ParseAnswer::of(library.base(), &parsed)).into_response())
}
