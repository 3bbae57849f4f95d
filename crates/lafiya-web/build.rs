//! Renders the documentation and the clinical changelog into pages at build time, so that the
//! binary shows the same text as the repository.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
};

#[path = "build/snippets.rs"]
mod snippets;

use snippets::Example;

fn main() {
    // Read at run time: the path the script was compiled with may no longer exist.
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let root = Path::new(&root).join("../..");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let docs = root.join("docs");
    println!("cargo:rerun-if-changed={}", docs.display());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");

    let changes_file = root.join("knowledge/CHANGELOG.md");
    println!("cargo:rerun-if-changed={}", changes_file.display());
    let changes = fs::read_to_string(&changes_file).unwrap_or_default();
    let (changes, _) = rendered(&changes, "");
    fs::write(out.join("knowledge-changes.html"), changes).expect("OUT_DIR can be written");

    let mut pages = BTreeMap::new();
    collect(&docs, &docs, &mut pages);
    let mut list = String::from("&[\n");
    for (path, text) in &pages {
        let title = title_of(text).unwrap_or_else(|| path.clone());
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (html, examples) = rendered(text, folder);
        let examples: String = examples
            .iter()
            .map(|example| {
                let (method, path, body) = (&example.method, &example.path, &example.body);
                let kind = example.content_type();
                format!("Example {{ method: {method:?}, path: {path:?}, content_type: {kind:?}, body: {body:?} }}, ")
            })
            .collect();
        writeln!(
            list,
            "    Page {{ path: {path:?}, title: {title:?}, html: {html:?}, examples: &[{examples}] }},"
        )
        .expect("a String takes everything");
    }
    list.push(']');
    fs::write(out.join("docs.rs"), list).expect("OUT_DIR can be written");
}

/// Collects every `.md` file under `docs/`, by its path without the extension.
fn collect(root: &Path, folder: &Path, pages: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md")
            && let (Ok(short), Ok(text)) = (path.strip_prefix(root), fs::read_to_string(&path))
        {
            let name = short
                .with_extension("")
                .to_string_lossy()
                .replace('\\', "/");
            pages.insert(address(&name), text);
        }
    }
}

/// Returns the URL path of a document. `/docs/api` is the interactive reference, so the documents
/// about endpoints are under `endpoints/`.
fn address(name: &str) -> String {
    match name.strip_prefix("api/") {
        Some(rest) => format!("endpoints/{rest}"),
        None => name.to_owned(),
    }
}

fn title_of(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("# "))?;
    Some(line.trim_start_matches("# ").replace('`', ""))
}

/// Renders a document. Returns its HTML, with `<!--example-->` in place of each example, and the
/// examples.
fn rendered(text: &str, folder: &str) -> (String, Vec<Example>) {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options)
        .filter_map(|event| match event {
            // Raw HTML is dropped: it could contain what the content security policy forbids, and
            // the documents need none.
            Event::Html(_) | Event::InlineHtml(_) => None,
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let dest_url = CowStr::from(target(&dest_url, folder, link_type));
                Some(Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }))
            }
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let name = dest_url.rsplit('/').next().unwrap_or_default();
                let dest_url = CowStr::from(format!("/docs/images/{name}"));
                Some(Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                }))
            }
            other => Some(other),
        })
        .collect();
    name_headings(&mut events);
    let examples = take_examples(&mut events);
    let mut html = String::new();
    html::push_html(&mut html, events.into_iter());
    // A wide block scrolls by itself, so it must be focusable with the keyboard.
    let html = html
        .replace("<pre>", "<pre tabindex=\"0\">")
        .replace("<table>", "<table tabindex=\"0\">");
    (html, examples)
}

/// Replaces code fences that contain a runnable request with tabs and a marker.
fn take_examples(events: &mut Vec<Event<'_>>) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut kept = Vec::with_capacity(events.len());
    let mut all = std::mem::take(events).into_iter();
    while let Some(event) = all.next() {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = &event else {
            kept.push(event);
            continue;
        };
        if !info.starts_with("json run ") {
            kept.push(event);
            continue;
        }
        let info = info.to_string();
        let mut body = String::new();
        for inner in all.by_ref() {
            match inner {
                Event::Text(text) => body.push_str(&text),
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        let example = Example::of(&info, &body).unwrap_or_else(|| panic!("`{info}` cannot be run"));
        let html = format!("{}<!--example-->", example.tabs(examples.len()));
        kept.push(Event::Html(CowStr::from(html)));
        examples.push(example);
    }
    *events = kept;
    examples
}

/// Rewrites a link to another document to the URL of its page.
fn target(link: &str, folder: &str, kind: LinkType) -> String {
    if matches!(kind, LinkType::Email) || link.contains("://") || link.starts_with('#') {
        return link.to_owned();
    }
    let (path, anchor) = link
        .split_once('#')
        .map_or((link, String::new()), |(path, anchor)| {
            (path, format!("#{anchor}"))
        });
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut outside = false;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => outside |= parts.pop().is_none(),
            other => parts.push(other),
        }
    }
    if outside || !path.ends_with(".md") {
        return format!("/docs{anchor}");
    }
    let joined = address(&parts.join("/"));
    format!(
        "/docs/{}{anchor}",
        joined.trim_end_matches(".md").trim_end_matches("/README")
    )
}

/// Adds an id to each heading, as a link target.
fn name_headings(events: &mut [Event<'_>]) {
    let mut start = None;
    let mut words = String::new();
    for place in 0..events.len() {
        match &events[place] {
            Event::Start(Tag::Heading { level, .. }) if *level != HeadingLevel::H1 => {
                start = Some(place);
                words.clear();
            }
            Event::Text(text) | Event::Code(text) if start.is_some() => words.push_str(text),
            Event::End(TagEnd::Heading(_)) => {
                if let Some(at) = start.take()
                    && let Event::Start(Tag::Heading { id, .. }) = &mut events[at]
                {
                    *id = Some(CowStr::from(slug(&words)));
                }
            }
            _ => {}
        }
    }
}

fn slug(words: &str) -> String {
    let kept = words
        .to_lowercase()
        .chars()
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect::<String>();
    kept.chars()
        .filter(|letter| letter.is_alphanumeric() || *letter == '-' || *letter == '_')
        .collect()
}
