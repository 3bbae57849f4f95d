//! The sandbox without a key: the assessment and lookup endpoints, for pages of this same binary
//! that have already identified their caller. It is not reachable from outside the process, and it
//! can neither bill nor change anything that a tenant owns.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use lafiya_model::{Environment, RequestId};
use lafiya_service::rate_limit::{self, RateLimitKey};
use lafiya_service::{Caller, RequestOrigin, ServiceError};
use uuid::Uuid;

use crate::caller::{AuthenticatedCall, admit};
use crate::endpoints;
use crate::error::ApiError;
use crate::limits::RateInfo;
use crate::state::HttpState;
use crate::versions::CURRENT;

/// Returns routes for requests that carry a [`Caller`] in their extensions. They always use the
/// sandbox.
pub fn sandbox(state: Arc<HttpState>) -> Router {
    let routes = Router::new()
        .route("/assess", post(endpoints::assess::assess))
        .route("/fhir/assess", post(endpoints::fhir_assess::assess))
        .route("/parse", post(endpoints::parse::parse))
        .route("/rationale", post(endpoints::rationale::by_body))
        .route("/search", get(endpoints::search::search))
        .route("/symptoms", get(endpoints::symptoms::list))
        .route("/risk-factors", get(endpoints::risk_factors::list))
        .route("/lab-tests", get(endpoints::lab_tests::list))
        .route("/danger-signs", get(endpoints::danger_signs::list))
        .route("/conditions", get(endpoints::conditions::list))
        .route("/conditions/{id}", get(endpoints::conditions::detail))
        .route(
            "/conditions/{id}/education",
            get(endpoints::education::read),
        )
        .route_layer(from_fn_with_state(Arc::clone(&state), count));
    Router::new()
        .nest(&format!("/{CURRENT}"), routes)
        .with_state(state)
}

/// Counts the call against the caller's rate limit and admits it to the sandbox.
async fn count(State(state): State<Arc<HttpState>>, mut request: Request, next: Next) -> Response {
    let Some(caller) = request.extensions().get::<Caller>().cloned() else {
        return ApiError::from(ServiceError::InvalidApiKey).into_response();
    };
    let window =
        match rate_limit::count(&state.context, RateLimitKey::Key(caller.key_id), None).await {
            Ok(window) => RateInfo::from(window),
            Err(ServiceError::RateLimited(window)) => {
                return ApiError::rate_limited(RateInfo::from(window)).into_response();
            }
            Err(other) => return ApiError::from(other).into_response(),
        };
    // The request comes from this process.
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    request.extensions_mut().insert(RequestOrigin {
        request: RequestId(Uuid::new_v4()),
        address: here,
        peer: here,
    });
    request.extensions_mut().insert(AuthenticatedCall {
        caller,
        environment: Environment::Test,
    });
    let mut response = admit(&state, request, next).await;
    window.write(response.headers_mut());
    response
}
