//! The response cache of the knowledge base endpoints. These responses contain no tenant data and
//! are the same for every caller until another knowledge base is loaded.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use lafiya_service::ServiceError;
use moka::sync::Cache;

use crate::error::ApiError;
use crate::state::HttpState;

/// Maximum size of the cache, in bytes.
const CACHE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Longer addresses are not cached: they are unlikely to be requested twice.
const ADDRESS_BYTES_MAX: usize = 300;
/// Larger responses are not cached; a page or a condition is far smaller.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;

/// Cached responses, keyed by the knowledge base hash and the path with its query.
pub(crate) struct ResponseCache(Cache<String, CachedResponse>);

#[derive(Clone)]
struct CachedResponse {
    headers: HeaderMap,
    body: Bytes,
}

impl Default for ResponseCache {
    fn default() -> Self {
        let weight = |address: &String, kept: &CachedResponse| {
            u32::try_from(address.len() + kept.body.len()).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder()
            .max_capacity(CACHE_BYTES_MAX)
            .weigher(weight);
        Self(cache.build())
    }
}

/// Returns the cached response for this address.
pub(crate) fn find(state: &HttpState, request: &Request) -> Option<Response> {
    let address = address_of(state, request)?;
    let CachedResponse { headers, body } = state.response_cache.0.get(&address)?;
    Some((headers, body).into_response())
}

/// Returns the cache key: the knowledge base hash and the path with its query. `None` for an
/// address that is too long.
fn address_of(state: &HttpState, request: &Request) -> Option<String> {
    let address = request.uri().path_and_query()?.as_str();
    if address.len() > ADDRESS_BYTES_MAX {
        return None;
    }
    let base = state.context.knowledge.load();
    Some([base.content_hash(), " ", address].concat())
}

/// Layer of the reference endpoints that runs on a cache miss and stores the response.
pub(crate) async fn cache_response(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    // Before the handler runs: if the knowledge base is reloaded meanwhile, the response is kept
    // under the old one and never found.
    let address = address_of(&state, &request);
    let response = next.run(request).await;
    let Some(address) = address else {
        return response;
    };
    // A streamed body has no exact size; it is not cached.
    let bytes = response.body().size_hint().exact();
    if response.status() != StatusCode::OK || bytes.is_none_or(|byte| byte > ANSWER_BYTES_MAX) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return ApiError::from(ServiceError::Internal(
            "a rendered answer could not be read".to_owned(),
        ))
        .into_response();
    };
    let mut headers = parts.headers.clone();
    // Set again from the body of each response.
    headers.remove(header::CONTENT_LENGTH);
    let kept = CachedResponse {
        headers,
        body: body.clone(),
    };
    state.response_cache.0.insert(address, kept);
    Response::from_parts(parts, Body::from(body))
}
