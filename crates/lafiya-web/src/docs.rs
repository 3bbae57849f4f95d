//! The documentation of the repository as pages, rendered by `build.rs`. They are public; their
//! examples run in the sandbox for signed-in users and for users on the server's own machine,
//! without an API key.

use std::sync::Arc;
use std::time::Instant;

use askama::Template;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Request, header};
use axum::response::{IntoResponse, Response};
use lafiya_service::{Caller, ServiceError};
use tower::ServiceExt as _;

use crate::app::App;
use crate::page::{Failure, Frame, Section, show};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

/// Maximum size of a displayed response, in bytes.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// The URL of the installation as written in the documents.
const WRITTEN_ADDRESS: &str = "http://127.0.0.1:8080";

/// A document.
struct Page {
    path: &'static str,
    title: &'static str,
    html: &'static str,
    examples: &'static [Example],
}

/// A runnable request in a document.
struct Example {
    method: &'static str,
    path: &'static str,
    content_type: &'static str,
    body: &'static str,
}

const PAGES: &[Page] = include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// The directories in navigation order, with their titles.
const FOLDERS: &[(&str, &str)] = &[
    ("start", "Start here"),
    ("", "Reference"),
    ("endpoints", "Endpoints"),
    ("clinical", "Clinical"),
    ("operating", "Operating"),
    ("contributing", "Contributing"),
    ("decisions", "Decisions"),
];

/// Documents that come first in their directory; the others follow by path.
const FIRST: &[&str] = &[
    "start/first-request",
    "start/examples",
    "errors",
    "limits",
    "usage",
    "webhooks",
    "fhir",
    "facilities",
    "web-app",
    "privacy",
];

macro_rules! images {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../docs/images/", $name)).as_slice())),+]
    };
}

/// The images of the documents.
const IMAGES: &[(&str, &[u8])] = images![
    "answer-desktop-light.png",
    "answer-phone-light.png",
    "consult-desktop-light.png",
    "consult-phone-light.png",
    "dashboard-desktop-dark.png",
    "emergency-phone-light.png",
    "examples-desktop-light.png",
    "keys-desktop-light.png",
    "knowledge-desktop-light.png",
    "performance.svg",
    "question-phone-dark.png",
];

struct Group {
    name: &'static str,
    links: Vec<(&'static str, &'static str, bool)>,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage {
    frame: Frame,
    groups: Vec<Group>,
    path: &'static str,
    parts: Vec<Part>,
    may_run: bool,
}

/// A part of a document, up to an example or the end.
struct Part {
    html: String,
    example: Option<Offered>,
}

/// An example with its request and response.
struct Offered {
    number: usize,
    method: &'static str,
    path: &'static str,
    body: String,
    lines: usize,
    answer: Option<SandboxResponse>,
}

/// The response of the sandbox.
#[derive(Clone)]
struct SandboxResponse {
    status: String,
    good: bool,
    took: String,
    text: String,
}

/// An example that was run: its number, the body sent and the response.
struct Tried {
    number: usize,
    body: String,
    answer: SandboxResponse,
}

#[derive(Template)]
#[template(path = "docs_home.html")]
struct HomePage {
    frame: Frame,
    groups: Vec<Group>,
}

/// `GET /docs`
pub(crate) async fn home(visit: PageRequest) -> Response {
    show(&HomePage {
        frame: Frame::new(&visit, Section::Docs, "Docs"),
        groups: groups(""),
    })
}

/// `GET /docs/{path}`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(path): Path<String>,
) -> Result<Response, Failure> {
    if let Some(name) = path.strip_prefix("images/") {
        return image(name);
    }
    Ok(document(&app, &visit, find(&path)?, None))
}

/// `POST /docs/{path}`: runs one of the page's examples in the sandbox and shows the response below
/// it.
pub(crate) async fn run(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(path): Path<String>,
    form: Posted,
) -> Result<Response, Failure> {
    let page = find(&path)?;
    let number: usize = form
        .text("example")
        .parse()
        .map_err(|_| Failure::Unreadable)?;
    let example = page.examples.get(number).ok_or(Failure::Unreadable)?;
    let caller = visit.caller(&app).await?;
    let body = form.text("body").replace("\r\n", "\n");
    let answer = ask(&app, caller, example, &body).await?;
    let tried = Tried {
        number,
        body,
        answer,
    };
    Ok(document(&app, &visit, page, Some(&tried)))
}

/// Whether a page has forms, which need a cookie.
pub(crate) fn has_examples(path: &str) -> bool {
    let page = path.strip_prefix("/docs/").map(find);
    page.is_some_and(|page| page.is_ok_and(|page| !page.examples.is_empty()))
}

fn find(path: &str) -> Result<&'static Page, Failure> {
    let wanted = path.trim_end_matches('/').trim_end_matches(".md");
    let readme = format!("{wanted}/README");
    PAGES
        .iter()
        .find(|page| page.path == wanted || page.path == readme)
        .ok_or(Failure::NotFound)
}

fn document(
    app: &App,
    visit: &PageRequest,
    page: &'static Page,
    tried: Option<&Tried>,
) -> Response {
    let html = page.html.replace(WRITTEN_ADDRESS, &app.settings.public_url);
    let examples = page.examples.iter().enumerate();
    let offered = examples.map(|(number, example)| {
        let tried = tried.filter(|tried| tried.number == number);
        let body = match tried {
            Some(tried) => tried.body.clone(),
            None => example
                .body
                .replace(WRITTEN_ADDRESS, &app.settings.public_url),
        };
        Offered {
            number,
            method: example.method,
            path: example.path,
            lines: body.lines().count().clamp(3, 24),
            body,
            answer: tried.map(|tried| tried.answer.clone()),
        }
    });
    let offered = offered.map(Some).chain(std::iter::once(None));
    let parts = html.split("<!--example-->").zip(offered);
    show(&DocsPage {
        frame: Frame::new(visit, Section::Docs, page.title),
        groups: groups(page.path),
        path: page.path,
        parts: parts
            .map(|(html, example)| Part {
                html: html.to_owned(),
                example,
            })
            .collect(),
        may_run: visit.signed_in.is_some() || visit.at_the_machine,
    })
}

/// Sends an example to the sandbox as the API would receive it.
async fn ask(
    app: &App,
    caller: Caller,
    example: &Example,
    body: &str,
) -> Result<SandboxResponse, Failure> {
    let internal = |cause: String| Failure::Service(ServiceError::Internal(cause));
    let mut request = Request::builder()
        .method(example.method)
        .uri(example.path)
        .header(header::CONTENT_TYPE, example.content_type)
        .body(Body::from(body.to_owned()))
        .map_err(|cause| internal(cause.to_string()))?;
    request.extensions_mut().insert(caller);
    let started = Instant::now();
    let response = match app.sandbox.clone().oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let took = started.elapsed();
    let status = response.status();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES_MAX)
        .await
        .map_err(|cause| internal(cause.to_string()))?;
    Ok(SandboxResponse {
        status: status.to_string(),
        good: status.is_success(),
        took: format!("{:.1} ms", took.as_secs_f64() * 1e3),
        text: words::indented(&String::from_utf8_lossy(&bytes)),
    })
}

fn groups(current: &str) -> Vec<Group> {
    let group = |&(folder, name): &(&str, &'static str)| {
        let mut pages: Vec<&Page> = PAGES.iter().collect();
        pages.sort_by_key(|page| {
            let rank = FIRST.iter().position(|path| *path == page.path);
            rank.unwrap_or(FIRST.len())
        });
        let links: Vec<_> = pages
            .into_iter()
            .filter(|page| page.path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder)
            .filter(|page| !page.path.ends_with("README"))
            .map(|page| (page.path, page.title, page.path == current))
            .collect();
        (!links.is_empty()).then_some(Group { name, links })
    };
    FOLDERS.iter().filter_map(group).collect()
}

fn image(name: &str) -> Result<Response, Failure> {
    let (_, bytes) = IMAGES
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or(Failure::NotFound)?;
    let kind = match name.rsplit('.').next() {
        Some("svg") => "image/svg+xml",
        Some("jpg") => "image/jpeg",
        _ => "image/png",
    };
    Ok((
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind))],
        *bytes,
    )
        .into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_a_title_a_group_and_no_dead_links() {
        assert!(PAGES.len() > 8);
        for page in PAGES {
            let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            assert!(
                FOLDERS.iter().any(|(known, _)| *known == folder),
                "{} is in no group",
                page.path
            );
            assert!(page.html.contains("<h1"), "{} has no title", page.path);
            for link in page.html.split("href=\"/docs/").skip(1) {
                let target = link.split(['"', '#']).next().unwrap_or_default();
                let known =
                    |page: &Page| page.path == target || page.path == format!("{target}/README");
                assert!(PAGES.iter().any(known), "{} links to {target}", page.path);
            }
        }
    }
}
