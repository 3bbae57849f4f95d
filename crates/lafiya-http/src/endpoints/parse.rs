//! `POST /parse`

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;

use crate::body::AnnouncedAsJson;
use crate::caller::AuthenticatedCall;
use crate::error::ApiError;
use crate::json::respond;
use crate::state::HttpState;
use crate::wire::parse::{self, ParseAnswer, ParseBody};

/// Buffer capacity of a response without mentions, and of one mention in both variants, in bytes.
const BYTES: usize = 128;
const BYTES_A_MENTION: usize = 384;

/// Reads free text: symptoms, signs, measurements and risk factors in everyday words.
///
/// Recognises negation, whose symptom it is, history, durations, severity, numbers with units and
/// clinical shorthand, in English, Nigerian Pidgin and the most common words of other languages. If
/// the tenant allows it, a language model may find words that the lexicon does not know
/// (`found_by`).
#[utoipa::path(
    post, path = "/parse", tag = "text", operation_id = "parse",
    request_body = ParseBody<'static>,
    responses(
        (status = 200, description = "What the text says", body = ParseAnswer<'static>),
        (status = 400, description = "The body is not valid", body = crate::openapi::ErrorEnvelope),
        (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn parse(
    State(state): State<Arc<HttpState>>,
    call: AuthenticatedCall,
    _: AnnouncedAsJson,
    body: Bytes,
) -> Result<Response, ApiError> {
    let request = parse::read(&body)?;
    // `load_full`, because an `ArcSwap` guard must not be held while a language model answers.
    let library = state.context.knowledge.load_full();
    let read = lafiya_service::parse::read(
        &state.context,
        &library,
        &call.caller,
        call.environment,
        &request.text,
        &request.context,
    )
    .await;
    let answer = ParseAnswer::of(library.base(), &read);
    let about_bytes =
        BYTES + (read.parsed.mentions.len() + read.parsed.tests.len()) * BYTES_A_MENTION;
    Ok(respond(&answer, about_bytes))
}
