//! A finding: its question, what people call it, and which conditions it may indicate.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use lafiya_knowledge::{ConceptRef, KnowledgeBase, schema};
use lafiya_model::ConceptId;

use crate::app::App;
use crate::page::{Failure, Frame, Section, show};
use crate::page_request::PageRequest;
use crate::words;

struct Shows {
    id: String,
    name: String,
    of_100: String,
    width: String,
}

#[derive(Template)]
#[template(path = "knowledge/finding.html")]
struct FindingPage<'a> {
    frame: Frame,
    text: &'a schema::Finding,
    category: String,
    red_flag: String,
    lay: Vec<(String, String)>,
    shows: Vec<Shows>,
    rules: Vec<(String, String)>,
}

/// `GET /knowledge/findings/{id}`
pub(crate) async fn finding(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let library = app.context.knowledge.load();
    let base = library.base();
    let Some(ConceptRef::Finding(ix)) = base.resolve(&id) else {
        return Err(Failure::NotFound);
    };
    let finding = base.finding(ix);
    let text = &finding.text;
    let mut shows: Vec<(f32, Shows)> = finding
        .conditions
        .iter()
        .filter_map(|&condition| {
            let condition = base.condition(condition);
            let link = condition.findings.iter().find(|link| link.finding == ix)?;
            Some((
                link.probability,
                Shows {
                    id: condition.text.id.clone(),
                    name: condition.text.name.clone(),
                    of_100: format!("{:.0}", link.probability * 100.0),
                    width: words::width(f64::from(link.probability)),
                },
            ))
        })
        .collect();
    shows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(show(&FindingPage {
        frame: Frame::new(&visit, Section::Knowledge, text.name.clone()),
        category: words::capital(words::plain(&text.category)),
        red_flag: red_flag_words(text),
        lay: lay_words(base, text),
        shows: shows.into_iter().map(|(_, shown)| shown).collect(),
        rules: rules_about(base, &ConceptId(text.id.clone())),
        text,
    }))
}

fn red_flag_words(text: &schema::Finding) -> String {
    match text.red_flag.as_str() {
        "none" => String::new(),
        word => words::plain(word),
    }
}

fn lay_words(base: &KnowledgeBase, text: &schema::Finding) -> Vec<(String, String)> {
    let english = text
        .lay
        .iter()
        .map(|words| ("en".to_owned(), words.clone()));
    let others = base
        .lay_terms()
        .iter()
        .filter(|term| term.concept == text.id)
        .map(|term| (term.language.clone(), term.phrase.clone()));
    english.chain(others).take(60).collect()
}

fn rules_about(base: &KnowledgeBase, id: &ConceptId) -> Vec<(String, String)> {
    let named = |when: &schema::When| names(when, id.as_str());
    base.rules()
        .iter()
        .filter(|rule| named(&rule.text.when))
        .map(|rule| (rule.text.id.clone(), rule.text.says.to_string()))
        .collect()
}

fn names(when: &schema::When, id: &str) -> bool {
    let listed = [&when.all, &when.any, &when.severe];
    listed.into_iter().flatten().any(|listed| listed == id)
        || when
            .at_least
            .as_ref()
            .is_some_and(|count| count.of.iter().any(|counted| counted == id))
        || when.any_of.iter().any(|inner| names(inner, id))
}
