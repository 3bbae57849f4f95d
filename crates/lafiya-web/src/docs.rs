//! The documentation of the repository as pages, rendered by `build.rs`. Open to everybody.

use askama::Template;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::page::{Failure, Frame, Section, show};
use crate::visit::Visit;

/// One document.
struct Page {
    path: &'static str,
    title: &'static str,
    html: &'static str,
}

const PAGES: &[Page] = include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// Folders in the order of the navigation, with their names for people.
const FOLDERS: &[(&str, &str)] = &[
    ("start", "Start here"),
    ("", "Reference"),
    ("endpoints", "Endpoints"),
    ("operating", "Operating"),
    ("clinical", "Clinical"),
    ("decisions", "Decisions"),
];

macro_rules! images {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../docs/images/", $name)).as_slice())),+]
    };
}

/// Pictures that the documents show.
const IMAGES: &[(&str, &[u8])] = images!["answer.svg"];

struct Group {
    name: &'static str,
    links: Vec<(&'static str, &'static str, bool)>,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage {
    frame: Frame,
    groups: Vec<Group>,
    html: &'static str,
}

#[derive(Template)]
#[template(path = "docs_home.html")]
struct HomePage {
    frame: Frame,
    groups: Vec<Group>,
}

/// `GET /docs`
pub(crate) async fn home(visit: Visit) -> Response {
    show(&HomePage {
        frame: Frame::new(&visit, Section::Docs, "Docs"),
        groups: groups(""),
    })
}

/// `GET /docs/{path}`
pub(crate) async fn page(visit: Visit, Path(path): Path<String>) -> Result<Response, Failure> {
    if let Some(name) = path.strip_prefix("images/") {
        return image(name);
    }
    let wanted = path.trim_end_matches('/').trim_end_matches(".md");
    let readme = format!("{wanted}/README");
    let page = PAGES
        .iter()
        .find(|page| page.path == wanted || page.path == readme)
        .ok_or(Failure::NotFound)?;
    Ok(show(&DocsPage {
        frame: Frame::new(&visit, Section::Docs, page.title),
        groups: groups(page.path),
        html: page.html,
    }))
}

fn groups(current: &str) -> Vec<Group> {
    let group = |&(folder, name): &(&str, &'static str)| {
        let links: Vec<_> = PAGES
            .iter()
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
    fn every_document_has_a_title_a_place_and_no_dead_link() {
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
                let known = |it: &Page| it.path == target || it.path == format!("{target}/README");
                assert!(PAGES.iter().any(known), "{} links to {target}", page.path);
            }
        }
    }
}
