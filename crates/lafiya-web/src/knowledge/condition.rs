//! A condition: its findings, who has it, what to do, and the sources.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use lafiya_knowledge::schema;
use lafiya_knowledge::{Condition, KnowledgeBase};
use lafiya_service::reference;

use super::{Cited, cited};
use crate::app::App;
use crate::page::{Failure, Frame, Section, show};
use crate::page_request::PageRequest;
use crate::words;

/// A finding of the condition, as a bar.
struct Sign {
    id: String,
    name: String,
    of_100: String,
    width: String,
    cardinal: bool,
    why: String,
}

struct Factor {
    name: String,
    times: String,
}

struct TestShown {
    name: String,
    investigation: schema::Investigation,
}

#[derive(Template)]
#[template(path = "knowledge/condition.html")]
struct ConditionPage<'a> {
    frame: Frame,
    text: &'a schema::Condition,
    review: String,
    signed: bool,
    level: &'static str,
    timeframe: String,
    who: String,
    signs: Vec<Sign>,
    factors: Vec<Factor>,
    tests: Vec<TestShown>,
    advice: Vec<(&'static str, &'a schema::Advice)>,
    sources: Vec<Cited>,
    category: String,
}

/// `GET /knowledge/conditions/{id}`
pub(crate) async fn condition(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let library = app.context.knowledge.load();
    let base = library.base();
    let condition = reference::condition(base, &id)?;
    let text = &base.condition_in_general(&condition.text);
    let status = text
        .review
        .as_ref()
        .map_or("not stated", |review| review.status.as_str());
    Ok(show(&ConditionPage {
        frame: Frame::new(&visit, Section::Knowledge, text.name.clone()),
        review: words::capital(words::plain(status)),
        signed: status == "signed_off",
        level: words::level(text.triage.default),
        timeframe: words::plain(text.triage.timeframe.as_str()),
        who: who(condition),
        signs: signs(base, condition),
        factors: factors(base, condition),
        tests: tests(base, text),
        advice: advice(&text.treatment),
        sources: text.sources.iter().map(|id| cited(base, id)).collect(),
        category: words::capital(words::plain(&text.category)),
        text,
    }))
}

fn signs(base: &KnowledgeBase, condition: &Condition) -> Vec<Sign> {
    let mut links: Vec<_> = condition.findings.iter().collect();
    links.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let sign = |link: &lafiya_knowledge::base::FindingLink| {
        let finding = &base.finding(link.finding).text;
        let entry = condition
            .text
            .findings
            .list
            .iter()
            .find(|entry| entry.id == finding.id);
        Sign {
            id: finding.id.clone(),
            name: finding.name.clone(),
            of_100: format!("{:.0}", link.probability * 100.0),
            width: words::width(f64::from(link.probability)),
            cardinal: link.cardinal,
            why: entry
                .and_then(|entry| entry.why.clone())
                .unwrap_or_default(),
        }
    };
    links.into_iter().map(sign).collect()
}

fn factors(base: &KnowledgeBase, condition: &Condition) -> Vec<Factor> {
    let mut links: Vec<_> = condition.risks.iter().collect();
    links.sort_by(|a, b| b.ln_odds.total_cmp(&a.ln_odds));
    let factor = |link: &lafiya_knowledge::base::RiskLink| Factor {
        name: base.risk(link.risk).text.name.clone(),
        times: format!("{:.1}", link.ln_odds.exp()),
    };
    links.into_iter().map(factor).collect()
}

fn tests(base: &KnowledgeBase, text: &schema::Condition) -> Vec<TestShown> {
    let mut tests: Vec<TestShown> = text
        .investigation
        .iter()
        .map(|investigation| TestShown {
            name: base.resolve(&investigation.test).map_or_else(
                || investigation.test.clone(),
                |concept| base.name_of(concept).to_owned(),
            ),
            investigation: investigation.clone(),
        })
        .collect();
    tests.sort_by_key(|test| test.investigation.priority);
    tests
}

fn advice(treatment: &schema::Treatment) -> Vec<(&'static str, &schema::Advice)> {
    [
        ("First choice", &treatment.first_line),
        ("Otherwise", &treatment.alternative),
        ("In pregnancy", &treatment.pregnancy),
        ("In children", &treatment.children),
    ]
    .into_iter()
    .filter_map(|(name, advice)| Some((name, advice.as_ref()?)))
    .collect()
}

/// Describes who can have a condition: "Women, from 15 years".
fn who(condition: &Condition) -> String {
    let sex = match condition.sex.as_str() {
        "male" => "Men and boys",
        "female" => "Women and girls",
        _ => "Everybody",
    };
    let mut text = sex.to_owned();
    if let Some(from) = condition.ages.from {
        text.push_str(&format!(", from {}", words::age(from)));
    }
    if let Some(below) = condition.ages.below {
        text.push_str(&format!(", below {}", words::age(below)));
    }
    if let Some(state) = condition.state {
        text.push_str(&format!(", {}", words::plain(state.as_str())));
    }
    text
}
