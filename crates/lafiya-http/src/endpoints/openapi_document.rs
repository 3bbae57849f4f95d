//! `GET /openapi.json`

use std::sync::LazyLock;

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;

static DOCUMENT: LazyLock<String> = LazyLock::new(crate::openapi::document_text);

/// Returns this document.
#[utoipa::path(
    get, path = "/openapi.json", tags = ["service", "public"], operation_id = "openapiDocument",
    responses((status = 200, description = "The OpenAPI 3.1 description of this API", body = serde_json::Value)),
)]
pub(crate) async fn read() -> impl IntoResponse {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=300"),
        ),
    ];
    (headers, DOCUMENT.as_str())
}
