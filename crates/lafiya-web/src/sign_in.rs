//! Signing in and out, by password or by one-time link.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_service::sign_in::{self, Attempt};
use serde::Deserialize;

use crate::app::App;
use crate::page::{Failure, Frame, Section, go_to, show, show_with};
use crate::posted::Posted;
use crate::visit::{Visit, session_cookie, set_cookie};

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
pub(crate) async fn page(visit: Visit, Query(wanted): Query<Wanted>) -> Response {
    if visit.signed_in.is_some() {
        return go_to(within_here(&wanted.next));
    }
    show(&SignInPage {
        frame: Frame::new(&visit, Section::Account, "Sign in"),
        next: within_here(&wanted.next).to_owned(),
        email: String::new(),
        problem: None,
    })
}

/// `POST /sign-in`
pub(crate) async fn attempt(
    State(app): State<Arc<App>>,
    visit: Visit,
    form: Posted,
) -> Result<Response, Failure> {
    let (email, password) = (form.text("email"), form.text("password"));
    let next = within_here(form.text("next"));
    let address = visit.visitor.address;
    let code = form.text("code");
    let problem = match sign_in::sign_in(&app.context, address, email, password, code).await? {
        Attempt::In(token) => {
            let mut response = go_to(next);
            admit(&app, &mut response, &token);
            return Ok(response);
        }
        Attempt::CodeNeeded => "Enter your password again, with the code of your app.".to_owned(),
        Attempt::Wrong => format!(
            "The address, the password or the code is wrong, or the account is locked: {} wrong tries in a row \
             lock it for {} minutes. An owner can send you a one-time link.",
            sign_in::FAILURES_MAX,
            sign_in::LOCKED_FOR.as_mins()
        ),
    };
    let page = SignInPage {
        frame: Frame::new(&visit, Section::Account, "Sign in"),
        next: next.to_owned(),
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
    email: Option<String>,
}

/// `GET /sign-in/link/{token}`: a button, so that programs which fetch links ahead do not use it up.
pub(crate) async fn link(
    State(app): State<Arc<App>>,
    visit: Visit,
    Path(token): Path<String>,
) -> Result<Response, Failure> {
    let email = sign_in::link_owner(&app.context, &token).await?;
    let status = if email.is_some() {
        StatusCode::OK
    } else {
        StatusCode::GONE
    };
    let page = LinkPage {
        frame: Frame::new(&visit, Section::Account, "Sign in by link"),
        token,
        email,
    };
    Ok(show_with(status, &page))
}

/// `POST /sign-in/link/{token}`
pub(crate) async fn follow_link(
    State(app): State<Arc<App>>,
    Path(token): Path<String>,
    _form: Posted,
) -> Result<Response, Failure> {
    match sign_in::use_link(&app.context, &token).await? {
        Some(session) => {
            let mut response = go_to("/dashboard/account");
            admit(&app, &mut response, &session);
            Ok(response)
        }
        None => Ok(go_to(&format!("/sign-in/link/{token}"))),
    }
}

/// `POST /sign-out`
pub(crate) async fn leave(
    State(app): State<Arc<App>>,
    visit: Visit,
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

fn admit(app: &App, response: &mut Response, token: &str) {
    let secure = app.settings.is_https();
    set_cookie(response, &session_cookie(secure), token, "/", secure, None);
}

/// Only a path of this site: a link must not lead people who just signed in to another one.
fn within_here(next: &str) -> &str {
    let plain =
        next.starts_with('/') && !next.starts_with("//") && !next.contains(['\\', '\r', '\n']);
    if plain { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_site_after_signing_in() {
        for (next, expected) in [
            ("/dashboard", "/dashboard"),
            ("", "/"),
            ("//evil.example", "/"),
            ("https://evil.example", "/"),
            ("/\\evil.example", "/"),
        ] {
            assert_eq!(within_here(next), expected, "{next}");
        }
    }
}
