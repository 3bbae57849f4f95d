//! `GET /`: a page for whoever opens the address in a browser.

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse};

/// Says what this is and where things are.
pub(crate) async fn page() -> impl IntoResponse {
    let policy = HeaderValue::from_static(
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
    (
        [(header::CONTENT_SECURITY_POLICY, policy)],
        Html(include_str!("welcome.html")),
    )
}
