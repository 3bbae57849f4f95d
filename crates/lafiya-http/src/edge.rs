//! The outermost part of the service, which every request enters first and every response leaves
//! last: request id, timing, API version, client address, panic guard, headers and one log line. It
//! contains nothing specific to an endpoint.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Uri, header};
use axum::response::IntoResponse;
use futures_util::FutureExt;
use lafiya_model::RequestId;
use lafiya_service::RequestOrigin;
use tower::ServiceExt;
use tracing::Instrument;
use uuid::Uuid;

use crate::caller::answer_counted;
use crate::compression::{Compressing, compressing};
use crate::error::{ApiError, ErrorCode};
use crate::fhir;
use crate::limits::{RateInfo, client_address};
use crate::meters;
use crate::request_framing;
use crate::router::{self, Pages};
use crate::state::HttpState;
use crate::versions::{CURRENT, CURRENT_HEADER, VersionPolicy};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RESPONSE_TIME: HeaderName = HeaderName::from_static("x-response-time");
const API_VERSION: HeaderName = HeaderName::from_static("x-api-version");
/// Number of headers added to every response, used to reserve their space once.
pub(crate) const HEADERS_WRITTEN: usize = 12;

/// The edge service: the whole HTTP service.
pub struct EdgeService {
    state: Arc<HttpState>,
    router: Router,
    compressing: Compressing,
}

/// The reduced rate limit of a deprecated version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReducedLimit(pub(crate) u32);

/// Request metadata: the matched route and the rate limit state, attached to the response for the
/// headers, the log and the metrics.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestMetadata {
    pub(crate) route: Option<MatchedPath>,
    pub(crate) rate: Option<RateInfo>,
}

impl EdgeService {
    /// Creates the service from its state and its pages.
    pub fn new(state: Arc<HttpState>, pages: Pages) -> Self {
        let router = router::build(Arc::clone(&state), pages);
        Self {
            state,
            // Two forms of one router: see `guarded`.
            compressing: compressing(router.clone()),
            router,
        }
    }

    /// Answers one request.
    pub async fn answer(&self, peer: SocketAddr, mut request: Request<Body>) -> Response<Body> {
        // Before anything else, so that the time in the header and in the log covers everything.
        let started = Instant::now();
        // Version 7 ids begin with the time. An assessment takes its id from its request, so rows
        // of the same time are stored next to each other.
        let id = RequestId(Uuid::now_v7());
        let method = request.method().clone();
        let correlation = correlation_id(request.headers());
        let address = client_address(
            peer.ip(),
            request.headers(),
            &self.state.settings.trusted_proxies,
        );
        request.extensions_mut().insert(RequestOrigin {
            request: id,
            address,
            peer: peer.ip(),
        });

        // Read now, because the request is consumed before its response may be an error.
        let fhir = fhir::FhirFormat::of(&request);

        let span = tracing::info_span!("request", request.id = %id, correlation.id = correlation.as_deref());
        let answering = async {
            match request_framing::fault_of(&request) {
                None => self.versioned(request).await,
                Some(fault) => self.refuse_framing(request, fault).await,
            }
        };
        let mut response = answering.instrument(span.clone()).await;
        if let Some(format) = fhir {
            response = format.render_error(response, &self.state.fhir.systems);
        }

        let elapsed = started.elapsed();
        // Handed through the response, because the route is known only inside the router.
        let metadata = response.extensions_mut().remove::<RequestMetadata>();
        let RequestMetadata { route, rate } = metadata.unwrap_or_default();
        // The pattern and not the path: a path would give each id a time series of its own, and put
        // ids into the log.
        let route = route.as_ref().map_or("unmatched", MatchedPath::as_str);
        let status = response.status();
        span.in_scope(|| {
            tracing::info!(
                http.method = %method, http.route = route, http.status = status.as_u16(),
                duration_ms = elapsed.as_secs_f64() * 1e3, "Answered a request.",
            );
        });
        meters::count(route, &method, status, elapsed);
        let headers = response.headers_mut();
        headers.reserve(HEADERS_WRITTEN);
        if status == StatusCode::PAYLOAD_TOO_LARGE {
            // The rest of the body is not read, so the connection cannot be reused.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(rate) = rate {
            rate.write(headers);
        }
        self.write_headers(headers, id, elapsed.as_millis());
        response
    }

    /// Refuses a request with an ambiguous head and closes the connection after it.
    async fn refuse_framing(&self, request: Request<Body>, fault: &str) -> Response<Body> {
        let error = ApiError::new(ErrorCode::InvalidRequest, fault);
        // Counted like any other, so that ambiguous requests are not free.
        let mut response = answer_counted(&self.state, request, error).await;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }

    /// Resolves the version in the path, then routes. Older versions use the same handlers until
    /// their sunset.
    async fn versioned(&self, mut request: Request<Body>) -> Response<Body> {
        let name = first_segment(request.uri().path());
        let Some(policy) = self.state.settings.versions.policy(name).cloned() else {
            return self.guarded(request).await;
        };
        let mut response = if policy.has_ended(self.state.context.clock.now()) {
            answer_counted(&self.state, request, ended(&policy)).await
        } else {
            if let Some(limit) = policy.rate_limit_per_minute {
                request.extensions_mut().insert(ReducedLimit(limit));
            }
            // After the check of its end, and before the routing, which knows only the current
            // paths.
            let current = with_current_version(request.uri(), &policy.name);
            *request.uri_mut() = current;
            self.guarded(request).await
        };
        policy.write(response.headers_mut());
        response
    }

    /// Runs the router. A panic becomes a 500 response to this request only.
    async fn guarded(&self, request: Request<Body>) -> Response<Body> {
        let answering = async {
            // API clients that do not ask for compression skip the compression layer.
            let asks = request.headers().contains_key(header::ACCEPT_ENCODING);
            if asks || !router::is_api(request.uri().path()) {
                let answered = self.compressing.clone().oneshot(request).await;
                answered.map(|response| response.map(Body::new))
            } else {
                self.router.clone().oneshot(request).await
            }
        };
        match AssertUnwindSafe(answering).catch_unwind().await {
            Ok(Ok(response)) => response,
            // The error type of a router has no values.
            Ok(Err(never)) => match never {},
            Err(_) => {
                tracing::error!("A handler panicked; answered 500.");
                metrics::counter!("lafiya_http_panics_total").increment(1);
                ApiError::new(
                    ErrorCode::InternalError,
                    "An unexpected error occurred. It has been logged under this request id.",
                )
                .into_response()
            }
        }
    }

    fn write_headers(&self, headers: &mut HeaderMap, id: RequestId, elapsed_ms: u128) {
        let mut written = Uuid::encode_buffer();
        if let Ok(id) = HeaderValue::from_str(id.0.hyphenated().encode_lower(&mut written)) {
            headers.insert(REQUEST_ID, id);
        }
        // Most responses take less than a millisecond; their value is static.
        let time = match elapsed_ms {
            0 => Ok(HeaderValue::from_static("0ms")),
            _ => HeaderValue::try_from(format!("{elapsed_ms}ms")),
        };
        if let Ok(time) = time {
            headers.insert(RESPONSE_TIME, time);
        }
        headers.insert(API_VERSION, HeaderValue::from_static(CURRENT_HEADER));
        write_security_headers(
            headers,
            self.state.settings.public_url.starts_with("https://"),
        );
    }
}

/// Returns the request id sent by the client, if it is a UUID. It is logged beside our own id and
/// never replaces it.
fn correlation_id(headers: &HeaderMap) -> Option<String> {
    let sent = headers.get("x-request-id")?.to_str().ok()?;
    Uuid::parse_str(sent).ok().map(|id| id.to_string())
}

fn first_segment(path: &str) -> &str {
    path.trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default()
}

fn with_current_version(uri: &Uri, old: &str) -> Uri {
    let rest = uri
        .path()
        .trim_start_matches('/')
        .strip_prefix(old)
        .unwrap_or_default();
    let query = uri
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let path = format!("/{CURRENT}{rest}{query}");
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = PathAndQuery::try_from(path).ok();
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

fn ended(policy: &VersionPolicy) -> ApiError {
    let mut said = format!("Version {} ended on {}.", policy.name, policy.sunset_on);
    // The current version may have ended too; then there is no version to point to.
    if policy.name != CURRENT {
        said.push_str(&format!(" Use /{CURRENT}."));
    }
    ApiError::new(ErrorCode::VersionSunset, said)
}

fn write_security_headers(headers: &mut HeaderMap, https: bool) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers
            .entry(name)
            // A handler that sets the header, such as a page with its own policy, decides.
            .or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    );
    set(header::CACHE_CONTROL, "no-store");
    // A browser must not be told to use https where the service has only http.
    if https {
        set(
            header::STRICT_TRANSPORT_SECURITY,
            "max-age=31536000; includeSubDomains",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_version_is_served_by_the_current_paths() {
        let uri: Uri = "/v0/symptoms?limit=3".parse().unwrap();
        assert_eq!(
            with_current_version(&uri, "v0").to_string(),
            "/v1/symptoms?limit=3"
        );
        assert_eq!(first_segment("/v0/symptoms"), "v0");
        assert_eq!(first_segment("/"), "");
    }

    #[test]
    fn only_a_uuid_is_taken_as_a_correlation_id() {
        let mut headers = HeaderMap::new();
        headers.insert(
            "x-request-id",
            HeaderValue::from_static("not one\u{7f}".trim_end_matches('\u{7f}')),
        );
        assert_eq!(correlation_id(&headers), None);
        headers.insert(
            "x-request-id",
            HeaderValue::from_static("9b2f3f0e-1c5e-4b62-8f1c-0a4f7d3c2b1a"),
        );
        assert!(correlation_id(&headers).is_some());
    }
}
