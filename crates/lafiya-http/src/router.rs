//! All routes, and the order of the layers around them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use utoipa::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::caller::{
    answer_counted, limit_health, limit_programs, limit_public, prefers_html, require_key,
};
use crate::endpoints;
use crate::error::{ApiError, ErrorCode};
use crate::openapi::{self, ApiDocument};
use crate::response_cache::cache_response;
use crate::state::HttpState;
use crate::versions::CURRENT;

/// The HTML pages, mounted beside the API.
pub struct Pages {
    /// The routes of all pages.
    pub router: Router,
    /// Renders the page for an unknown path.
    pub not_found: fn(&Request) -> Response,
}

/// The routes of the API with their documentation, without layers.
struct Routes {
    reference: OpenApiRouter<Arc<HttpState>>,
    keyed: OpenApiRouter<Arc<HttpState>>,
    health: OpenApiRouter<Arc<HttpState>>,
    public: OpenApiRouter<Arc<HttpState>>,
}

fn routes() -> Routes {
    Routes {
        reference: OpenApiRouter::new()
            .routes(versioned(routes!(endpoints::symptoms::list)))
            .routes(versioned(routes!(endpoints::risk_factors::list)))
            .routes(versioned(routes!(endpoints::lab_tests::list)))
            .routes(versioned(routes!(endpoints::danger_signs::list)))
            .routes(versioned(routes!(endpoints::conditions::list)))
            .routes(versioned(routes!(endpoints::conditions::detail)))
            .routes(versioned(routes!(endpoints::medicines::list)))
            .routes(versioned(routes!(endpoints::medicines::detail)))
            .routes(versioned(routes!(endpoints::education::read))),
        keyed: OpenApiRouter::new()
            .routes(versioned(routes!(endpoints::assess::assess)))
            .routes(versioned(routes!(endpoints::fhir_assess::assess)))
            // The FHIR name of the same operation.
            .route(
                &under_version("/fhir/$assess"),
                post(endpoints::fhir_assess::assess),
            )
            .routes(versioned(routes!(
                endpoints::rationale::by_body,
                endpoints::rationale::by_query
            )))
            .routes(versioned(routes!(endpoints::parse::parse)))
            .routes(versioned(routes!(endpoints::search::search)))
            .routes(versioned(routes!(endpoints::usage::read)))
            .routes(versioned(routes!(endpoints::keys_rotate::rotate)))
            .routes(versioned(routes!(
                endpoints::adverse_events::create,
                endpoints::adverse_events::list
            )))
            .routes(versioned(routes!(
                endpoints::webhooks::register,
                endpoints::webhooks::list
            )))
            .routes(versioned(routes!(
                endpoints::webhooks::read,
                endpoints::webhooks::remove
            )))
            .routes(versioned(routes!(endpoints::webhooks::rotate_secret)))
            .routes(versioned(routes!(endpoints::webhook_deliveries::test)))
            .routes(versioned(routes!(endpoints::webhook_deliveries::list)))
            .routes(versioned(routes!(endpoints::webhook_deliveries::retry))),
        health: OpenApiRouter::new().routes(versioned(routes!(endpoints::health::read))),
        public: OpenApiRouter::new()
            .routes(versioned(routes!(endpoints::openapi_document::read)))
            .routes(versioned(routes!(endpoints::fhir_metadata::read)))
            .routes(versioned(routes!(endpoints::fhir_definitions::search)))
            .routes(versioned(routes!(endpoints::fhir_definitions::read))),
    }
}

/// Adds the version prefix to the paths of routes. Nesting the routes instead would rewrite the
/// path of every request.
fn versioned<S>((schemas, mut paths, handlers): UtoipaMethodRouter<S>) -> UtoipaMethodRouter<S> {
    let named = std::mem::take(&mut paths.paths).into_iter();
    paths.paths = named
        .map(|(path, item)| (under_version(&path), item))
        .collect();
    (schemas, paths, handlers)
}

fn under_version(path: &str) -> String {
    format!("/{CURRENT}{path}")
}

/// Returns the API document, derived from the routes.
pub(crate) fn document() -> utoipa::openapi::OpenApi {
    let Routes {
        reference,
        keyed,
        health,
        public,
    } = routes();
    let keyed = keyed.merge(reference);
    let all = OpenApiRouter::with_openapi(ApiDocument::openapi())
        .merge(keyed.merge(health).merge(public));
    openapi::complete(all.into_openapi())
}

/// Builds the router with its layers. Each group of routes has one layer, because every layer has a
/// cost per request; `EdgeService` wraps the whole router.
pub(crate) fn build(state: Arc<HttpState>, pages: Pages) -> Router {
    let Routes {
        reference,
        keyed,
        health,
        public,
    } = routes();
    let reference =
        Router::from(reference).route_layer(from_fn_with_state(Arc::clone(&state), cache_response));
    let keyed = Router::from(keyed)
        .merge(reference)
        .route_layer(from_fn_with_state(Arc::clone(&state), require_key));
    let health =
        Router::from(health).route_layer(from_fn_with_state(Arc::clone(&state), limit_health));
    let public =
        Router::from(public).route_layer(from_fn_with_state(Arc::clone(&state), limit_public));

    // The URLs in our FHIR resources carry no version, because they must never change.
    let definitions = Router::new()
        .route("/fhir/metadata", get(endpoints::fhir_metadata::read))
        .route("/fhir/{type}", get(endpoints::fhir_definitions::search))
        .route("/fhir/{type}/{id}", get(endpoints::fhir_definitions::read))
        .route_layer(from_fn_with_state(Arc::clone(&state), limit_public));

    // Taken out first, because `pages.router` is moved below.
    let not_found_page = pages.not_found;
    let pages = api_reference()
        .merge(pages.router.with_state(()))
        .route_layer(from_fn_with_state(Arc::clone(&state), limit_programs));

    Router::new()
        .merge(keyed)
        .merge(health)
        .merge(public)
        .merge(definitions)
        .merge(pages)
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(move |state, request| not_found(not_found_page, state, request))
        .with_state(state)
}

/// The browsable API reference; its assets are embedded in the binary.
fn api_reference() -> Router<Arc<HttpState>> {
    let page = SwaggerUi::new("/docs/api").config(
        Config::from(format!("/{CURRENT}/openapi.json"))
            // Swagger UI would otherwise send the document to a server of its own.
            .validator_url("none")
            .try_it_out_enabled(true),
    );
    Router::from(page).layer(from_fn(allow_own_assets))
}

/// Sets a content security policy that lets the API reference load its own scripts and styles and
/// call this server, and nothing else.
async fn allow_own_assets(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
        ),
    );
    response
        .headers_mut()
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("public, max-age=3600"));
    response
}

async fn not_found(
    page: fn(&Request) -> Response,
    State(state): State<Arc<HttpState>>,
    request: Request,
) -> Response {
    if prefers_html(request.headers()) && !is_api(request.uri().path()) {
        return page(&request);
    }
    let answer = ApiError::new(
        ErrorCode::ResourceNotFound,
        format!(
            "This path leads nowhere. The API lives under /{CURRENT}; its description is at /docs/api."
        ),
    );
    answer_counted(&state, request, answer).await
}

pub(crate) fn is_api(path: &str) -> bool {
    path.strip_prefix('/')
        .and_then(|path| path.strip_prefix(CURRENT))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn method_not_allowed(State(state): State<Arc<HttpState>>, request: Request) -> Response {
    let answer = ApiError::new(
        ErrorCode::MethodNotAllowed,
        format!(
            "This path does not answer {}; the Allow header lists what it answers.",
            request.method()
        ),
    );
    answer_counted(&state, request, answer).await
}
