//! Finds conditions that the knowledge base does not separate: the textbook patient of one is
//! diagnosed as another. The list is for authors of the content: a finding that separates the pair
//! is missing, or its figures are too similar.

use lafiya_engine::{Parameters, assess};
use lafiya_knowledge::{ConditionIx, KnowledgeBase};
use serde::Serialize;

use crate::textbook::textbook_patient;

/// A textbook patient and the most probable other condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confusion {
    /// The condition whose textbook patient it is.
    pub id: String,
    /// Its rank, from 1.
    pub place: usize,
    /// Its probability.
    pub probability: f64,
    /// The most probable other condition.
    pub taken_for: String,
    /// The probability of that condition.
    pub taken_for_probability: f64,
    /// Findings that support the first condition and are listed by only one of the two.
    pub separated_by: Vec<String>,
}

/// Returns every textbook patient, the most confused first.
pub fn confusions(base: &KnowledgeBase, parameters: &Parameters) -> Vec<Confusion> {
    let mut all: Vec<Confusion> = base
        .condition_indices()
        .filter_map(|ix| confusion(base, parameters, ix))
        .collect();
    all.sort_by(|a, b| {
        let doubt = |confusion: &Confusion| confusion.taken_for_probability - confusion.probability;
        doubt(b).total_cmp(&doubt(a))
    });
    all
}

fn confusion(base: &KnowledgeBase, parameters: &Parameters, ix: ConditionIx) -> Option<Confusion> {
    let draft = assess(base, &textbook_patient(base, ix), parameters);
    let differential = draft.differential();
    let ranking = differential.ranking();
    let other = *ranking.iter().find(|other| **other != ix)?;
    Some(Confusion {
        id: base.condition(ix).text.id.clone(),
        place: ranking
            .iter()
            .position(|it| *it == ix)
            .map_or(ranking.len() + 1, |place| place + 1),
        probability: differential.probability(ix),
        taken_for: base.condition(other).text.id.clone(),
        taken_for_probability: differential.probability(other),
        separated_by: separating(base, ix, other),
    })
}

/// Returns the three findings whose frequencies differ most between two conditions, as ratios.
fn separating(base: &KnowledgeBase, one: ConditionIx, other: ConditionIx) -> Vec<String> {
    let figure = |condition, finding| base.likelihood().probability(condition, finding, None);
    let mut findings: Vec<_> = base
        .condition(one)
        .findings
        .iter()
        .chain(&base.condition(other).findings)
        .map(|link| {
            let (a, b) = (figure(one, link.finding), figure(other, link.finding));
            (link.finding, (a.max(0.001) / b.max(0.001)).ln(), a, b)
        })
        .collect();
    findings.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    findings.dedup_by_key(|finding| finding.0);
    findings
        .iter()
        .take(3)
        .map(|(finding, _, a, b)| {
            let id = &base.finding(*finding).text.id;
            format!("{id} {:.1}/{:.1}", a * 100.0, b * 100.0)
        })
        .collect()
}
