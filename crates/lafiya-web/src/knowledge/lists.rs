//! The lists: conditions, findings, danger rules and sources, with totals.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{ConceptKind, TriageLevel};
use lafiya_service::reference::{self, ListRequest};
use lafiya_service::{Library, medicines};
use lafiya_text::SearchOptions;
use serde::Deserialize;

use super::{Cited, Link, cited};
use crate::app::App;
use crate::page::{Frame, Section, show};
use crate::page_request::PageRequest;
use crate::words;

const HITS_MAX: usize = 40;
const MEDICINE_HITS_MAX: usize = 5;

/// The query of a list.
#[derive(Deserialize)]
pub(crate) struct ListQuery {
    #[serde(default)]
    pub(super) q: String,
    #[serde(default)]
    pub(super) category: String,
}

#[derive(Template)]
#[template(path = "knowledge/overview.html")]
struct OverviewPage {
    frame: Frame,
    q: String,
    hits: Vec<Hit>,
    version: String,
    date: String,
    says: String,
    hash: String,
    counts: Vec<(&'static str, String, &'static str)>,
    review: Vec<(String, String, String)>,
    categories: Vec<(String, String, usize)>,
}

struct Hit {
    link: Link,
    kind: &'static str,
    path: &'static str,
}

/// `GET /knowledge`
pub(crate) async fn overview(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<ListQuery>,
) -> Response {
    let library = app.context.knowledge.load();
    let base = library.base();
    let version = base.version();
    let count = |number: usize| words::count(number as u64);
    show(&OverviewPage {
        frame: Frame::new(&visit, Section::Knowledge, "Knowledge"),
        hits: search(&library, &asked.q),
        q: asked.q,
        version: version.version.clone(),
        date: version.date.clone(),
        says: version.says.clone(),
        hash: base.content_hash().chars().take(12).collect(),
        counts: vec![
            (
                "Conditions",
                count(base.conditions().len()),
                "/knowledge/conditions",
            ),
            (
                "Findings",
                count(base.findings().len()),
                "/knowledge/findings",
            ),
            (
                "Medicines",
                count(base.medicines().len()),
                "/knowledge/medicines",
            ),
            (
                "Danger rules",
                count(base.rules().len()),
                "/knowledge/rules",
            ),
            ("Sources", count(base.sources().len()), "/knowledge/sources"),
        ],
        review: review(base),
        categories: categories(base),
    })
}

#[derive(Template)]
#[template(path = "knowledge/changes.html")]
struct ChangesPage {
    frame: Frame,
    version: String,
    html: &'static str,
}

/// `GET /knowledge/changes`
pub(crate) async fn changes(State(app): State<Arc<App>>, visit: PageRequest) -> Response {
    let library = app.context.knowledge.load();
    show(&ChangesPage {
        frame: Frame::new(&visit, Section::Knowledge, "Clinical changes"),
        version: library.version().version.clone(),
        html: CHANGES,
    })
}

/// The changes between versions, from the clinical changelog.
const CHANGES: &str = include_str!(concat!(env!("OUT_DIR"), "/knowledge-changes.html"));

fn search(library: &Library, words: &str) -> Vec<Hit> {
    let words: String = words.trim().chars().take(200).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let options = SearchOptions {
        sex: None,
        kinds: Some(&[ConceptKind::Condition, ConceptKind::Symptom]),
        max_results: HITS_MAX,
    };
    let hits = library.search.find(library.base(), &words, &options);
    let shown = hits.into_iter().filter_map(|hit| {
        let (kind, path) = match hit.concept {
            ConceptRef::Condition(_) => ("condition", "/knowledge/conditions"),
            ConceptRef::Finding(_) => ("finding", "/knowledge/findings"),
            _ => return None,
        };
        Some(Hit {
            link: link(library.base(), hit.concept),
            kind,
            path,
        })
    });
    let mut shown: Vec<Hit> = shown.collect();
    // A name of a medicine is no word of an illness, so medicines come first where they match well.
    let medicines = medicines::search(library.base(), &words, MEDICINE_HITS_MAX);
    let medicines = medicines
        .into_iter()
        .filter(|(_, similarity)| *similarity >= 0.85);
    let medicines = medicines.map(|(ix, _)| {
        let text = &library.base().medicine(ix).text;
        Hit {
            link: Link {
                id: text.id.clone(),
                name: text.name.clone(),
                plain: text.brands.join(", "),
            },
            kind: "medicine",
            path: "/knowledge/medicines",
        }
    });
    shown.splice(0..0, medicines);
    shown
}

fn link(base: &KnowledgeBase, concept: ConceptRef) -> Link {
    let (name, plain) = (base.name_of(concept), base.common_name_of(concept));
    Link {
        id: base.id_of(concept).to_owned(),
        name: name.to_owned(),
        plain: if plain == name {
            String::new()
        } else {
            plain.to_owned()
        },
    }
}

/// Counts the conditions by review status.
fn review(base: &KnowledgeBase) -> Vec<(String, String, String)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for condition in base.conditions() {
        let status = condition.text.review.as_ref();
        let word = status.map_or("not stated", |review| review.status.as_str());
        *counts
            .entry(words::capital(words::plain(word)))
            .or_default() += 1;
    }
    let all = base.conditions().len().max(1) as f64;
    counts
        .into_iter()
        .map(|(word, count)| {
            (
                word,
                words::count(count as u64),
                words::width(count as f64 / all),
            )
        })
        .collect()
}

fn categories(base: &KnowledgeBase) -> Vec<(String, String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for condition in base.conditions() {
        *counts.entry(condition.text.category.as_str()).or_default() += 1;
    }
    let named = counts.into_iter();
    named
        .map(|(id, count)| (id.to_owned(), words::capital(words::plain(id)), count))
        .collect()
}

#[derive(Template)]
#[template(path = "knowledge/list.html")]
pub(super) struct ListPage {
    pub(super) frame: Frame,
    pub(super) title: &'static str,
    pub(super) path: &'static str,
    pub(super) q: String,
    pub(super) category: String,
    pub(super) categories: Vec<(String, String)>,
    pub(super) groups: Vec<(String, Vec<Link>)>,
    pub(super) total: usize,
}

/// `GET /knowledge/conditions`
pub(crate) async fn conditions(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<ListQuery>,
) -> Response {
    list(
        &app,
        &visit,
        asked,
        ConceptKind::Condition,
        "Conditions",
        "/knowledge/conditions",
    )
}

/// `GET /knowledge/findings`
pub(crate) async fn findings(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<ListQuery>,
) -> Response {
    list(
        &app,
        &visit,
        asked,
        ConceptKind::Symptom,
        "Findings",
        "/knowledge/findings",
    )
}

fn list(
    app: &App,
    visit: &PageRequest,
    asked: ListQuery,
    kind: ConceptKind,
    title: &'static str,
    path: &'static str,
) -> Response {
    let library = app.context.knowledge.load();
    let base = library.base();
    let wanted = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let request = ListRequest {
        query: wanted(&asked.q),
        category: wanted(&asked.category),
        limit: usize::MAX,
        offset: 0,
    };
    let mut grouped: BTreeMap<String, Vec<Link>> = BTreeMap::new();
    let mut total = 0;
    for concept in reference::list(base, kind, &request).items {
        if matches!(concept, ConceptRef::Measure(_)) {
            continue;
        }
        total += 1;
        let group = words::capital(words::plain(base.category_of(concept)));
        grouped.entry(group).or_default().push(link(base, concept));
    }
    let everything = ListRequest {
        limit: usize::MAX,
        ..ListRequest::default()
    };
    let mut categories: Vec<(String, String)> = reference::list(base, kind, &everything)
        .items
        .into_iter()
        .map(|concept| base.category_of(concept).to_owned())
        .map(|id| (id.clone(), words::capital(words::plain(&id))))
        .collect();
    categories.sort();
    categories.dedup();
    show(&ListPage {
        frame: Frame::new(visit, Section::Knowledge, title),
        title,
        path,
        q: asked.q,
        category: asked.category,
        categories,
        groups: grouped.into_iter().collect(),
        total,
    })
}

struct RuleShown {
    id: String,
    says: String,
    action: String,
    level: TriageLevel,
    source: Cited,
    example: Option<String>,
    not_example: Option<String>,
}

#[derive(Template)]
#[template(path = "knowledge/rules.html")]
struct RulesPage {
    frame: Frame,
    q: String,
    rules: Vec<RuleShown>,
    total: usize,
}

/// `GET /knowledge/rules`
pub(crate) async fn rules(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<ListQuery>,
) -> Response {
    let library = app.context.knowledge.load();
    let base = library.base();
    let wanted = asked.q.trim().to_lowercase();
    let rules = base
        .rules()
        .iter()
        .map(|rule| &rule.text)
        .filter(|rule| {
            rule.says.to_lowercase().contains(&wanted) || rule.id.to_lowercase().contains(&wanted)
        })
        .map(|rule| RuleShown {
            id: rule.id.clone(),
            says: rule.says.to_string(),
            action: base.in_general_or_same(&rule.effect.action),
            level: rule.effect.level,
            source: cited(base, &rule.source),
            example: rule.example.as_ref().map(|patient| example(base, patient)),
            not_example: rule
                .not_example
                .as_ref()
                .map(|patient| example(base, patient)),
        })
        .collect();
    show(&RulesPage {
        frame: Frame::new(&visit, Section::Knowledge, "Danger rules"),
        q: asked.q,
        rules,
        total: base.rules().len(),
    })
}

/// Formats an example: "Woman, 24 years: fever, vomiting; no cough".
fn example(base: &KnowledgeBase, example: &lafiya_knowledge::schema::Example) -> String {
    let name = |id: &String| {
        let concept = base.resolve(id);
        concept.map_or_else(
            || id.clone(),
            |concept| base.common_name_of(concept).to_lowercase(),
        )
    };
    let age = example.age.unwrap_or(lafiya_model::Age::from_years(30));
    let mut told: Vec<String> = example.present.iter().map(name).collect();
    told.extend(
        example
            .severe
            .iter()
            .map(|id| format!("severe {}", name(id))),
    );
    told.extend(
        example
            .values
            .iter()
            .map(|(id, value)| format!("{} {value}", name(id))),
    );
    told.extend(example.absent.iter().map(|id| format!("no {}", name(id))));
    let person = words::capital(words::person(age, example.sex));
    format!("{person}, {}: {}", words::age(age), told.join(", "))
}

#[derive(Template)]
#[template(path = "knowledge/sources.html")]
struct SourcesPage {
    frame: Frame,
    sources: Vec<(usize, String, Cited)>,
}

/// `GET /knowledge/sources`
pub(crate) async fn sources(State(app): State<Arc<App>>, visit: PageRequest) -> Response {
    let library = app.context.knowledge.load();
    let base = library.base();
    let numbered = base.sources().iter().enumerate();
    show(&SourcesPage {
        frame: Frame::new(&visit, Section::Knowledge, "Sources"),
        sources: numbered
            .map(|(place, source)| (place + 1, source.id.clone(), cited(base, &source.id)))
            .collect(),
    })
}
