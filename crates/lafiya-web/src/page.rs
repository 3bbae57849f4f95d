//! Rendering of responses: the frame around every page, its headers, and the error pages. A handler
//! returns a page or a [`Failure`]; the layer in `visit` adds the frame to both.

use askama::Template;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use lafiya_service::ServiceError;
use sha2::{Digest, Sha256};

use crate::assets;
use crate::page_request::PageRequest;
use crate::redirect::{in_query, within_site};
use crate::words;

/// The content of the frame.
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) section: Section,
    pub(crate) assets: &'static str,
    /// Marks what the browser keeps as belonging to this session. Empty on pages without one.
    pub(crate) owner: String,
    pub(crate) form_token: String,
    pub(crate) person: Option<Person>,
}

/// The signed-in user, as shown in the frame.
pub(crate) struct Person {
    pub(crate) email: String,
    pub(crate) tenant: String,
    pub(crate) may_integrate: bool,
    pub(crate) may_administer: bool,
    pub(crate) operator: bool,
}

/// The part of the web app a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Consult,
    Knowledge,
    Dashboard,
    Docs,
    Account,
}

impl Frame {
    pub(crate) fn new(visit: &PageRequest, section: Section, title: impl Into<String>) -> Self {
        let person = visit.signed_in.as_ref().map(|who| Person {
            email: who.email.clone(),
            tenant: who.tenant.name.clone(),
            may_integrate: who.role.may_integrate(),
            may_administer: who.role.may_administer(),
            operator: who.operator,
        });
        Self {
            title: title.into(),
            section,
            assets: &assets::FOLDER,
            owner: owner_of(&visit.form_token),
            form_token: visit.form_token.clone(),
            person,
        }
    }

    /// Returns the `aria-current` value of a link in the frame: `page` for the section of this
    /// page.
    pub(crate) fn current(&self, section: &str) -> bool {
        matches!(
            (self.section, section),
            (Section::Consult, "consult")
                | (Section::Knowledge, "knowledge")
                | (Section::Dashboard, "dashboard")
                | (Section::Docs, "docs")
        )
    }
}

/// Returns a mark of the session that reveals nothing about its form token.
fn owner_of(form_token: &str) -> String {
    let digest = Sha256::new()
        .chain_update("kept by the browser")
        .chain_update(form_token)
        .finalize();
    hex::encode(&digest[..8])
}

/// Renders a page.
pub(crate) fn show(template: &impl Template) -> Response {
    show_with(StatusCode::OK, template)
}

/// Renders a page with a given status.
pub(crate) fn show_with(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => (status, Html(text)).into_response(),
        Err(cause) => {
            tracing::error!(%cause, "A page could not be rendered.");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Redirects to the next page by GET after a form, so that a reload sends nothing twice. A target
/// outside this site is replaced with the start page.
pub(crate) fn go_to(target: &str) -> Response {
    let path = within_site(target).unwrap_or_else(|| "/".to_owned());
    Redirect::to(&path).into_response()
}

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user must sign in first.
    SignIn,
    /// The user's role does not allow it.
    NotYours,
    /// The form was not sent by our own page, or by one that is too old.
    Forged,
    /// The form cannot be read.
    Unreadable,
    /// The page does not exist.
    NotFound,
    /// The service failed.
    Service(ServiceError),
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::NotFound(_) => Self::NotFound,
            other => Self::Service(other),
        }
    }
}

/// The text of an error page.
#[derive(Clone, Debug)]
struct ErrorText {
    status: StatusCode,
    title: &'static str,
    text: String,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if matches!(self, Self::SignIn) {
            let mut response = StatusCode::SEE_OTHER.into_response();
            response.extensions_mut().insert(WantsSignIn);
            return response;
        }
        let said = self.said();
        let mut response = said.status.into_response();
        response.extensions_mut().insert(said);
        response
    }
}

#[derive(Clone, Copy)]
struct WantsSignIn;

impl Failure {
    fn said(&self) -> ErrorText {
        let (status, title, text) = match self {
            Self::SignIn => (StatusCode::UNAUTHORIZED, "Please sign in", String::new()),
            Self::NotYours => (
                StatusCode::FORBIDDEN,
                "Your role does not include this",
                "Ask an owner of your organisation to do it, or to change your role.".to_owned(),
            ),
            Self::Forged => (
                StatusCode::FORBIDDEN,
                "This form is no longer valid",
                "It was open for too long, or did not come from this site. Go back, reload the page and send it again.".to_owned(),
            ),
            Self::Unreadable => (
                StatusCode::BAD_REQUEST,
                "This form could not be read",
                "Go back, reload the page and send it again.".to_owned(),
            ),
            Self::NotFound => (
                StatusCode::NOT_FOUND,
                "There is nothing here",
                "The address may be mistyped, or the page belongs to another organisation.".to_owned(),
            ),
            Self::Service(error) => return service_said(error),
        };
        ErrorText {
            status,
            title,
            text,
        }
    }
}

fn service_said(error: &ServiceError) -> ErrorText {
    let (status, title, text) = match error {
        ServiceError::InvalidRequest(fields) => (
            StatusCode::BAD_REQUEST,
            "Something in the form does not fit",
            words::sentences(fields),
        ),
        ServiceError::QuotaExceeded { limit, reset, .. } => (
            StatusCode::FORBIDDEN,
            "This month’s assessments are used up",
            format!(
                "All {limit} included assessments were made. The count starts again on {}; an operator can also raise it.",
                words::day(*reset)
            ),
        ),
        ServiceError::RateLimited(_) => (
            StatusCode::TOO_MANY_REQUESTS,
            "Too many tries in a minute",
            "Wait a minute, then try again.".to_owned(),
        ),
        ServiceError::OperatorsOnly => (
            StatusCode::FORBIDDEN,
            "Only an operator may do that",
            "The account runs this installation. Ask its operator.".to_owned(),
        ),
        ServiceError::PermissionDenied => (
            StatusCode::FORBIDDEN,
            "Your organisation is suspended",
            "Ask the operator of this service.".to_owned(),
        ),
        ServiceError::Conflict(what) => (
            StatusCode::CONFLICT,
            "That did not work",
            format!("{}.", words::capital(what)),
        ),
        ServiceError::StoreUnavailable(_) | ServiceError::ProviderUnavailable => (
            StatusCode::SERVICE_UNAVAILABLE,
            "The service cannot answer right now",
            "Nothing was lost or counted. Try again in a minute.".to_owned(),
        ),
        ServiceError::DeadlineExceeded => (
            StatusCode::GATEWAY_TIMEOUT,
            "That took too long",
            "Nothing was counted. Try again.".to_owned(),
        ),
        other => {
            tracing::error!(cause = %other, "A page failed.");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something went wrong on our side",
                "It has been logged under this request’s id. Try again; if it stays, tell the operator.".to_owned(),
            )
        }
    };
    ErrorText {
        status,
        title,
        text,
    }
}

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage {
    frame: Frame,
    title: &'static str,
    text: String,
    request: String,
}

/// Renders a failure as its page, and adds the headers of every page.
pub(crate) fn framed(visit: Option<&PageRequest>, mut response: Response) -> Response {
    if response.extensions_mut().remove::<WantsSignIn>().is_some() {
        let next = visit.map_or("/", |visit| visit.path.as_str());
        response = go_to(&format!("/sign-in?next={}", in_query(next)));
    }
    if is_bare_refusal(&response) {
        response = Failure::NotFound.into_response();
    }
    if let Some(said) = response.extensions_mut().remove::<ErrorText>() {
        let frame = match visit {
            Some(visit) => Frame::new(visit, Section::Account, said.title),
            None => bare(said.title),
        };
        response = show_with(
            said.status,
            &FailurePage {
                frame,
                title: said.title,
                text: said.text,
                request: visit.map_or_else(String::new, |visit| visit.origin.request.to_string()),
            },
        );
    }
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
    );
    headers.insert("referrer-policy", HeaderValue::from_static("same-origin"));
    response
}

/// Turns a redirect into an answer that a script can read: a script sees no target of a redirect,
/// and would load the next page twice.
pub(crate) fn redirect_for_script(response: &mut Response) {
    let headers = response.headers_mut();
    if let Some(target) = headers.remove(header::LOCATION) {
        headers.insert("x-lafiya-next", target);
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
}

/// Whether a response is the framework's own error (an invalid id or query), which is plain text.
/// Users get the error page of an unknown address instead.
fn is_bare_refusal(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let plain = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    plain && response.status() == StatusCode::BAD_REQUEST
}

fn bare(title: &str) -> Frame {
    Frame {
        title: title.to_owned(),
        section: Section::Account,
        assets: &assets::FOLDER,
        owner: String::new(),
        form_token: String::new(),
        person: None,
    }
}

/// Renders the page for an unknown path.
pub(crate) fn not_found(_: &Request) -> Response {
    framed(None, Failure::NotFound.into_response())
}
