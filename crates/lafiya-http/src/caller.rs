//! Authentication and rate limiting: the layers around the groups of routes.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lafiya_model::Environment;
use lafiya_service::rate_limit::{self, RateLimitKey};
use lafiya_service::{Caller, FieldError, RequestOrigin, ServiceError, authenticate};

use crate::body;
use crate::edge::{ReducedLimit, RequestMetadata};
use crate::error::{ApiError, ErrorCode};
use crate::limits::RateInfo;
use crate::response_cache;
use crate::state::HttpState;

/// An authenticated caller within its rate limit, and the environment of the call.
#[derive(Clone, Debug)]
pub(crate) struct AuthenticatedCall {
    pub(crate) caller: Caller,
    pub(crate) environment: Environment,
}

impl<S: Sync> FromRequestParts<S> for AuthenticatedCall {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let call = parts.extensions.get::<Self>().cloned();
        call.ok_or_else(|| {
            ServiceError::Internal("a keyed endpoint stands outside the key layer".to_owned())
                .into()
        })
    }
}

/// The credentials and the address that a request was sent with.
struct RequestCredentials {
    token: Option<String>,
    address: IpAddr,
    reduced_limit: Option<u32>,
}

impl RequestCredentials {
    fn of(request: &Request) -> Self {
        let extensions = request.extensions();
        Self {
            token: bearer_token(request.headers()).map(str::to_owned),
            address: extensions
                .get::<RequestOrigin>()
                .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |origin| origin.address),
            reduced_limit: extensions.get::<ReducedLimit>().map(|reduced| reduced.0),
        }
    }

    async fn identify(&self, state: &HttpState) -> Result<Caller, ServiceError> {
        let token = self.token.as_deref().ok_or(ServiceError::InvalidApiKey)?;
        authenticate::caller(&state.context, token).await
    }

    /// Counts the request against its rate limit. The error is the finished 429 response.
    async fn count(&self, state: &HttpState, counted: RateLimitKey) -> Result<RateInfo, Answered> {
        match rate_limit::count(&state.context, counted, self.reduced_limit).await {
            Ok(window) => Ok(window.into()),
            Err(ServiceError::RateLimited(window)) => {
                let rate = RateInfo::from(window);
                Err((ApiError::rate_limited(rate).into_response(), Some(rate)))
            }
            Err(other) => Err((ApiError::from(other).into_response(), None)),
        }
    }

    /// Counts the request, then runs `answer` if the limit allows it.
    async fn counted(
        &self,
        state: &HttpState,
        counted: RateLimitKey,
        answer: impl Future<Output = Response>,
    ) -> Answered {
        match self.count(state, counted).await {
            Ok(rate) => (answer.await, Some(rate)),
            Err(too_many) => too_many,
        }
    }
}

/// A response, and the state of its rate limit window if the request was counted.
type Answered = (Response, Option<RateInfo>);

fn route_of(request: &Request) -> Option<MatchedPath> {
    request.extensions().get().cloned()
}

fn noted(route: Option<MatchedPath>, (mut response, rate): Answered) -> Response {
    response
        .extensions_mut()
        .insert(RequestMetadata { route, rate });
    response
}

/// Layer of the keyed endpoints: requires a valid key, counts it against its window, and acquires
/// an admission permit.
pub(crate) async fn require_key(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    let route = route_of(&request);
    noted(route, keyed(&state, request, next).await)
}

async fn keyed(state: &HttpState, mut request: Request, next: Next) -> Answered {
    let credentials = RequestCredentials::of(&request);
    let caller = match credentials.identify(state).await {
        Ok(caller) => caller,
        // A wrong key is counted against the address, to stop brute-force guessing.
        Err(refusal) => {
            let refused = async { ApiError::from(refusal).into_response() };
            let counted = RateLimitKey::Anonymous(credentials.address);
            return credentials.counted(state, counted, refused).await;
        }
    };
    // Counted before anything that can fail below, so that faulty calls are not free.
    let rate = match credentials
        .count(state, RateLimitKey::Key(caller.key_id))
        .await
    {
        Ok(rate) => rate,
        Err(too_many) => return too_many,
    };
    let environment = match environment(request.headers(), &caller) {
        Ok(environment) => environment,
        Err(error) => return (error.into_response(), Some(rate)),
    };
    // A cached response needs no admission permit.
    if request.method() == Method::GET
        && let Some(kept) = response_cache::find(state, &request)
    {
        return (kept, Some(rate));
    }
    request.extensions_mut().insert(AuthenticatedCall {
        caller,
        environment,
    });
    (admit(state, request, next).await, Some(rate))
}

/// Rate limit layer of `/health`.
pub(crate) async fn limit_health(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    limited(&state, RateLimitKey::Health, request, next).await
}

/// Rate limit layer of the other public endpoints.
pub(crate) async fn limit_public(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    limited(&state, RateLimitKey::Anonymous, request, next).await
}

/// Rate limit layer of the HTML pages. A program that requests a page is counted like any other; a
/// browser is not. Static files are counted in a larger window of their own for every client.
pub(crate) async fn limit_programs(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    let route = route_of(&request);
    // Pages have no dot in their paths.
    let is_file = request.uri().path().contains('.');
    if prefers_html(request.headers()) && !is_file {
        return noted(route, (admit(&state, request, next).await, None));
    }
    let credentials = RequestCredentials::of(&request);
    let counted = match is_file {
        true => RateLimitKey::PageFile(credentials.address),
        false => RateLimitKey::Anonymous(credentials.address),
    };
    let answer = admit(&state, request, next);
    noted(route, credentials.counted(&state, counted, answer).await)
}

/// Whether the client is a browser rather than a program.
pub(crate) fn prefers_html(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// Counts a request that no route handles, then answers it. A request with a valid key is counted
/// against the key, any other against its address.
pub(crate) async fn answer_counted(
    state: &HttpState,
    request: Request,
    answer: ApiError,
) -> Response {
    let credentials = RequestCredentials::of(&request);
    // Its body is not read; dropped before waiting, so that it holds nothing.
    drop(request);
    let counted = match credentials.identify(state).await {
        Ok(caller) => RateLimitKey::Key(caller.key_id),
        Err(_) => RateLimitKey::Anonymous(credentials.address),
    };
    let answer = async { answer.into_response() };
    noted(None, credentials.counted(state, counted, answer).await)
}

/// Counts a request against its address, in the window that `window` selects.
async fn limited(
    state: &HttpState,
    window: fn(IpAddr) -> RateLimitKey,
    request: Request,
    next: Next,
) -> Response {
    let route = route_of(&request);
    let credentials = RequestCredentials::of(&request);
    let counted = window(credentials.address);
    noted(
        route,
        credentials.counted(state, counted, next.run(request)).await,
    )
}

/// Reads the body (limited in size and time), then acquires an admission permit without queueing: a
/// request is handled now or answered 503. The body is read first so that slow senders hold no
/// permit.
pub(crate) async fn admit(state: &HttpState, request: Request, next: Next) -> Response {
    let settings = &state.settings;
    let request = if has_body(request.method()) {
        // A FHIR Bundle says the same in many more bytes.
        let limit = if request.uri().path().contains("/fhir/") {
            settings.fhir_body_limit_bytes
        } else {
            settings.body_limit_bytes
        };
        let (parts, sent) = request.into_parts();
        match body::read(sent, limit, settings.body_timeout).await {
            Ok(bytes) => body::replace(parts, bytes),
            Err(error) => return error.into_response(),
        }
    } else {
        request
    };
    let Ok(_permit) = state.admission.try_acquire() else {
        metrics::counter!("lafiya_http_refused_full_total").increment(1);
        return ApiError::new(
            ErrorCode::ServiceUnavailable,
            "The service is full. Try again in a moment.",
        )
        .into_response();
    };
    next.run(request).await
}

fn has_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    // With two headers, a proxy and this service could read different keys.
    let (Some(only), None) = (sent.next(), sent.next()) else {
        return None;
    };
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the environment of a call. A test key always uses the sandbox; the header can only move
/// a live key's call into the sandbox.
fn environment(headers: &HeaderMap, caller: &Caller) -> Result<Environment, ApiError> {
    let asked = match headers
        .get("x-service-environment")
        .map(|value| value.to_str())
    {
        None | Some(Ok("production")) => caller.key_environment,
        Some(Ok("sandbox")) => Environment::Test,
        Some(_) => {
            return Err(ApiError::fields(vec![FieldError::new(
                "/headers/X-Service-Environment",
                "must be `production` or `sandbox`",
            )]));
        }
    };
    Ok(asked)
}
