//! Sign-in and sign-out, by password or by one-time link.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_service::sign_in::{self, Admitted, Attempt, LinkAttempt, LinkOwner};
use lafiya_service::sign_in_attempts;
use serde::Deserialize;

use crate::app::App;
use crate::page::{Failure, Frame, Section, go_to, show, show_with};
use crate::page_request::{PageRequest, device_cookie, session_cookie, set_cookie};
use crate::posted::Posted;
use crate::redirect::within_site;

/// One year: how long a browser is remembered.
const DEVICE_COOKIE_SECONDS: u64 = 365 * 24 * 3_600;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    frame: Frame,
    next: String,
    email: String,
    problem: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    next: String,
}

/// `GET /sign-in`
pub(crate) async fn page(visit: PageRequest, Query(wanted): Query<Wanted>) -> Response {
    if visit.signed_in.is_some() {
        return go_to(&wanted.next);
    }
    show(&SignInPage {
        frame: Frame::new(&visit, Section::Account, "Sign in"),
        next: within_site(&wanted.next).unwrap_or_default(),
        email: String::new(),
        problem: None,
    })
}

/// `POST /sign-in`
pub(crate) async fn attempt(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let (email, password) = (form.text("email"), form.text("password"));
    let (next, code) = (form.text("next"), form.text("code"));
    let browser = visit.browser();
    let problem = match sign_in::sign_in(&app.context, browser, email, password, code).await? {
        Attempt::In(admitted) => return Ok(admit(&app, next, &admitted)),
        Attempt::CodeNeeded => "Enter your password again, with the code of your app.".to_owned(),
        Attempt::Wrong => format!(
            "The address, the password or the code is wrong, or there were more than {} tries: then wait \
             {} minutes. An owner can send you a one-time link.",
            sign_in_attempts::TRIES_MAX,
            sign_in_attempts::WINDOW.as_mins()
        ),
    };
    let page = SignInPage {
        frame: Frame::new(&visit, Section::Account, "Sign in"),
        next: within_site(next).unwrap_or_default(),
        email: email.to_owned(),
        problem: Some(problem),
    };
    Ok(show_with(StatusCode::UNAUTHORIZED, &page))
}

#[derive(Template)]
#[template(path = "sign_in_link.html")]
struct LinkPage {
    frame: Frame,
    token: String,
    owner: Option<LinkOwner>,
    problem: Option<&'static str>,
}

/// `GET /sign-in/link/{token}`: shows a button, so that programs that prefetch links do not use it
/// up.
pub(crate) async fn link(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(token): Path<String>,
) -> Result<Response, Failure> {
    show_link(&app, &visit, token, None).await
}

async fn show_link(
    app: &App,
    visit: &PageRequest,
    token: String,
    problem: Option<&'static str>,
) -> Result<Response, Failure> {
    let owner = sign_in::link_owner(&app.context, &token).await?;
    let status = match (&owner, problem) {
        (None, _) => StatusCode::GONE,
        (Some(_), Some(_)) => StatusCode::UNAUTHORIZED,
        (Some(_), None) => StatusCode::OK,
    };
    let page = LinkPage {
        frame: Frame::new(visit, Section::Account, "Sign in by link"),
        token,
        owner,
        problem,
    };
    Ok(show_with(status, &page))
}

/// `POST /sign-in/link/{token}`
pub(crate) async fn follow_link(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(token): Path<String>,
    form: Posted,
) -> Result<Response, Failure> {
    let (browser, code) = (visit.browser(), form.text("code"));
    match sign_in::use_link(&app.context, browser, &token, code).await? {
        LinkAttempt::In(admitted) => Ok(admit(&app, "/dashboard/account", &admitted)),
        LinkAttempt::WrongCode => {
            let problem =
                "The code is missing or wrong, or there were too many tries: then wait a while.";
            show_link(&app, &visit, token, Some(problem)).await
        }
        LinkAttempt::Gone => show_link(&app, &visit, token, None).await,
    }
}

/// `POST /sign-out`
pub(crate) async fn leave(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    _form: Posted,
) -> Result<Response, Failure> {
    if let Some(who) = &visit.signed_in {
        sign_in::sign_out(&app.context, who).await?;
    }
    let secure = app.settings.is_https();
    let mut response = go_to("/sign-in");
    set_cookie(
        &mut response,
        &session_cookie(secure),
        "",
        "/",
        secure,
        Some(0),
    );
    Ok(response)
}

/// Redirects a signed-in browser to the requested page, with its cookies.
fn admit(app: &App, next: &str, admitted: &Admitted) -> Response {
    let secure = app.settings.is_https();
    let mut response = go_to(next);
    let session = session_cookie(secure);
    set_cookie(
        &mut response,
        &session,
        &admitted.session,
        "/",
        secure,
        None,
    );
    let device = device_cookie(secure);
    let age = Some(DEVICE_COOKIE_SECONDS);
    set_cookie(&mut response, &device, &admitted.device, "/", secure, age);
    response
}
