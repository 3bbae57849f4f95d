//! The user's own account: password and one-time codes.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_service::{ServiceError, one_time_code, own_account};

use super::DashboardPage;
use crate::app::App;
use crate::page::{Failure, Frame, go_to, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct AccountPage {
    frame: Frame,
    place: &'static str,
    email: String,
    role: &'static str,
    tenant: String,
    has_password: bool,
    needs_password: bool,
    has_codes: bool,
    secret: String,
    grouped: String,
    app_address: String,
    shortest: usize,
    problem: Option<String>,
}

/// `GET /dashboard/account`
pub(crate) async fn page(visit: PageRequest) -> Result<Response, Failure> {
    show_account(&visit, None, one_time_code::new_secret())
}

fn show_account(
    visit: &PageRequest,
    problem: Option<String>,
    secret: String,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let board = DashboardPage::new(visit, "account", "Your account");
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    let letters: Vec<char> = secret.chars().collect();
    let groups: Vec<String> = letters
        .chunks(4)
        .map(|group| group.iter().collect())
        .collect();
    Ok(show_with(
        status,
        &AccountPage {
            frame: board.frame,
            place: board.place,
            email: who.email.clone(),
            role: who.role.as_str(),
            tenant: who.tenant.name.clone(),
            has_password: who.has_password,
            needs_password: who.has_password && !who.may_reset_password,
            has_codes: who.has_codes,
            grouped: groups.join(" "),
            app_address: one_time_code::app_address(&who.email, &secret),
            secret,
            shortest: own_account::PASSWORD_CHARACTERS_MIN,
            problem,
        },
    ))
}

/// `POST /dashboard/account/password`
pub(crate) async fn password(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let done =
        own_account::set_password(&app.context, who, form.text("current"), form.text("new")).await;
    answer(&visit, done, one_time_code::new_secret())
}

/// `POST /dashboard/account/codes`: turned on with a secret and a code, off with the password.
pub(crate) async fn codes(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    if who.has_codes {
        let done = own_account::turn_codes_off(&app.context, who, form.text("password")).await;
        return answer(&visit, done, one_time_code::new_secret());
    }
    let secret = form.text("secret");
    let done = own_account::turn_codes_on(&app.context, who, secret, form.text("code")).await;
    answer(&visit, done, secret.to_owned())
}

fn answer(
    visit: &PageRequest,
    done: Result<(), ServiceError>,
    secret: String,
) -> Result<Response, Failure> {
    match done {
        Ok(()) => Ok(go_to("/dashboard/account")),
        Err(ServiceError::InvalidRequest(fields)) => {
            show_account(visit, Some(words::sentences(&fields)), secret)
        }
        Err(other) => Err(other.into()),
    }
}
