//! Identifies the user of a page: the cookie, the session, and whether the browser runs on the
//! server's own machine. This layer wraps every page and refuses forms sent by other sites.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lafiya_model::{RequestId, Role};
use lafiya_service::sign_in::{self, Browser, SignedIn};
use lafiya_service::{Caller, RequestOrigin, TenantRecord, consult};
use rand::RngExt;
use uuid::Uuid;

use crate::app::App;
use crate::docs;
use crate::page::{self, Failure};

/// A request for a page and its user.
#[derive(Clone, Debug)]
pub(crate) struct PageRequest {
    /// The session, if the user is signed in.
    pub(crate) signed_in: Option<SignedIn>,
    /// The CSRF token that every form must contain.
    pub(crate) form_token: String,
    /// Whether the browser runs on the server's own machine and may use the service without signing
    /// in.
    pub(crate) at_the_machine: bool,
    /// The origin of the request.
    pub(crate) origin: RequestOrigin,
    /// The requested path.
    pub(crate) path: String,
    /// The cookie of accounts that signed in with this browser before.
    pub(crate) device: String,
    /// The place named in the current case; only the browser stores it.
    pub(crate) place: Option<String>,
}

impl PageRequest {
    /// Returns the tenant that the user consults for. Without one, fails with a redirect to the
    /// sign-in page.
    pub(crate) async fn tenant(&self, app: &App) -> Result<TenantRecord, Failure> {
        if let Some(who) = &self.signed_in {
            return Ok(who.tenant.clone());
        }
        if self.at_the_machine
            && let Some(demo) = consult::demo_tenant(&app.context).await?
        {
            return Ok(demo);
        }
        Err(Failure::SignIn)
    }

    /// Returns the web app's caller for this user.
    pub(crate) async fn caller(&self, app: &App) -> Result<Caller, Failure> {
        let tenant = self.tenant(app).await?;
        Ok(consult::caller(&app.context, &tenant).await?)
    }

    /// Returns the browser, for sign-in.
    pub(crate) fn browser(&self) -> Browser<'_> {
        Browser {
            address: self.origin.address,
            device: &self.device,
        }
    }

    /// Returns the session. Without one, fails with a redirect to the sign-in page.
    pub(crate) fn member(&self) -> Result<&SignedIn, Failure> {
        self.signed_in.as_ref().ok_or(Failure::SignIn)
    }

    /// Returns the session if the user's role allows the action.
    pub(crate) fn member_who(&self, may: fn(Role) -> bool) -> Result<&SignedIn, Failure> {
        let who = self.member()?;
        if may(who.role) {
            Ok(who)
        } else {
            Err(Failure::NotYours)
        }
    }
}

impl<S: Sync> FromRequestParts<S> for PageRequest {
    type Rejection = StatusCode;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let visit = parts.extensions.get::<Self>().cloned();
        visit.ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The layer around all pages.
pub(crate) async fn receive(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let secure = app.settings.is_https();
    let cookies = request.headers().clone();
    let known = cookie(&cookies, &visit_cookie(secure)).map(str::to_owned);
    let session = cookie(&cookies, &session_cookie(secure)).map(str::to_owned);
    let signed_in = match &session {
        Some(token) => match sign_in::session(&app.context, token).await {
            Ok(found) => found,
            Err(cause) => return page::framed(None, Failure::from(cause).into_response()),
        },
        None => None,
    };
    let token = known.clone().unwrap_or_else(fresh_token);
    // Bound to the session once there is one, so that a token from before the sign-in is worthless.
    let bound_to = match (&signed_in, &session) {
        (Some(_), Some(session)) => session,
        _ => &token,
    };
    let origin = origin_of(&request);
    // The script of the consultation, which sends forms itself.
    let is_from_script = cookies.contains_key("x-lafiya-form");
    let visit = PageRequest {
        form_token: sign_in::form_token(&app.context, bound_to),
        signed_in,
        at_the_machine: app.settings.consult_at_the_machine && is_local(&request, origin),
        origin,
        path: request.uri().path().to_owned(),
        device: cookie(&cookies, &device_cookie(secure))
            .unwrap_or_default()
            .to_owned(),
        place: cookie(&cookies, PLACE_COOKIE).and_then(decoded),
    };
    let response = if is_from_elsewhere(&request) {
        Failure::Forged.into_response()
    } else {
        request.extensions_mut().insert(visit.clone());
        next.run(request).await
    };
    let mut response = page::framed(Some(&visit), response);
    if is_from_script {
        page::redirect_for_script(&mut response);
    }
    // Not beside a session, which the tokens of forms are then bound to.
    if known.is_none() && visit.signed_in.is_none() && needs_a_cookie(&visit.path) {
        set_cookie(
            &mut response,
            &visit_cookie(secure),
            &token,
            "/",
            secure,
            None,
        );
    }
    response
}

/// Whether a page sets a cookie. Knowledge and documentation pages set none unless they have a
/// form.
fn needs_a_cookie(path: &str) -> bool {
    let reads = ["/knowledge", "/docs"]
        .iter()
        .any(|reading| path.starts_with(reading));
    !reads || docs::has_examples(path)
}

/// Whether a form was sent by a page of another site, according to the browser's headers. The CSRF
/// token is a second, independent check.
fn is_from_elsewhere(request: &Request) -> bool {
    if request.method() == Method::GET || request.method() == Method::HEAD {
        return false;
    }
    let text = |name| {
        request
            .headers()
            .get(name)
            .and_then(|header_value: &HeaderValue| header_value.to_str().ok())
    };
    // Browsers set this header themselves; older ones send only `Origin`.
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    match (text("origin"), text("host")) {
        (Some(origin), Some(host)) => origin
            .split_once("://")
            .is_none_or(|(_, from)| from != host),
        _ => false,
    }
}

fn origin_of(request: &Request) -> RequestOrigin {
    let unknown = std::net::IpAddr::from([0, 0, 0, 0]);
    request
        .extensions()
        .get::<RequestOrigin>()
        .copied()
        .unwrap_or(RequestOrigin {
            request: RequestId(Uuid::new_v4()),
            address: unknown,
            peer: unknown,
        })
}

/// Whether the browser runs on the server's own machine: the connection is local, no proxy
/// forwarded it, and the `Host` header names this machine (the name of another site that resolves
/// to it does not count).
fn is_local(request: &Request, origin: RequestOrigin) -> bool {
    let headers = request.headers();
    let passed_on = [
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-real-ip",
    ];
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    origin.peer.to_canonical().is_loopback()
        && !passed_on.iter().any(|name| headers.contains_key(*name))
        && names_this_machine(host)
}

/// Whether a URL such as `http://localhost:8080` leads to this machine only.
pub fn leads_to_this_machine(url: &str) -> bool {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = after_scheme.split('/').next().unwrap_or_default();
    names_this_machine(host)
}

fn names_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        // An IPv6 address contains colons, so its port cannot be split off at the first one.
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost"
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

const PLACE_COOKIE: &str = "lafiya-place";

/// Returns the name of the session cookie. Over HTTPS its `__Host-` prefix makes browsers accept it
/// from this host only.
pub(crate) fn session_cookie(secure: bool) -> String {
    named(secure, "lafiya-session")
}

pub(crate) fn device_cookie(secure: bool) -> String {
    named(secure, "lafiya-device")
}

fn visit_cookie(secure: bool) -> String {
    named(secure, "lafiya-visit")
}

fn named(secure: bool, name: &str) -> String {
    if secure {
        format!("__Host-{name}")
    } else {
        name.to_owned()
    }
}

/// Sets a cookie that scripts cannot read and that forms of other sites do not send.
pub(crate) fn set_cookie(
    response: &mut Response,
    name: &str,
    value: &str,
    path: &str,
    secure: bool,
    max_age_seconds: Option<u64>,
) {
    let secure = if secure { "; Secure" } else { "" };
    let age = max_age_seconds
        .map(|age| format!("; Max-Age={age}"))
        .unwrap_or_default();
    let text = format!("{name}={value}; Path={path}; HttpOnly; SameSite=Lax{secure}{age}");
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// Stores the place of the case in the browser, because the service itself never stores it.
pub(crate) fn keep_place(response: &mut Response, place: &str, secure: bool) {
    // An age of 0 deletes the cookie; none ends it with the browser.
    let age = if place.is_empty() { Some(0) } else { None };
    set_cookie(
        response,
        PLACE_COOKIE,
        &encoded(place),
        "/consult",
        secure,
        age,
    );
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name && !value.is_empty()).then_some(value))
}

fn fresh_token() -> String {
    let bytes: [u8; 24] = rand::rng().random();
    hex::encode(bytes)
}

fn encoded(text: &str) -> String {
    hex::encode(text)
}

fn decoded(text: &str) -> Option<String> {
    String::from_utf8(hex::decode(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_count_as_sitting_here() {
        for here in [
            "localhost",
            "localhost:8080",
            "127.0.0.1:80",
            "[::1]:8080",
            "[::1]",
        ] {
            assert!(names_this_machine(here), "{here}");
        }
        for elsewhere in [
            "",
            "lafiya.example",
            "192.0.2.1:8080",
            "localhost.evil.example",
            "[2001:db8::1]",
        ] {
            assert!(!names_this_machine(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn an_address_of_another_name_does_not_lead_to_this_machine() {
        for here in [
            "http://127.0.0.1:8080",
            "https://localhost/",
            "http://[::1]:8080",
        ] {
            assert!(leads_to_this_machine(here), "{here}");
        }
        for elsewhere in ["https://lafiya.example", "http://192.0.2.1:8080", ""] {
            assert!(!leads_to_this_machine(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn over_https_cookies_travel_encrypted_and_to_this_host_only() {
        let cookie = |secure| {
            let mut response = StatusCode::OK.into_response();
            let name = session_cookie(secure);
            set_cookie(&mut response, &name, "token", "/", secure, None);
            let set = response.headers()[header::SET_COOKIE].to_str().unwrap();
            set.to_owned()
        };
        assert!(cookie(true).starts_with("__Host-lafiya-session=token; Path=/; HttpOnly"));
        assert!(cookie(true).ends_with("; Secure"));
        assert!(!cookie(false).contains("Secure") && !cookie(false).contains("__Host"));
    }

    #[test]
    fn a_place_survives_its_cookie() {
        assert_eq!(
            decoded(&encoded("Ìlọrin, Kwara; x")).as_deref(),
            Some("Ìlọrin, Kwara; x")
        );
        assert_eq!(decoded("zz"), None);
    }
}
