//! The effect of a content change: which concepts were added, removed or changed, and which cases
//! now get other leading conditions or another level. For the review of a knowledge change.

use std::collections::BTreeSet;

use lafiya_engine::{Parameters, assess, review};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Assessment, DeidentifiedCase, TriageLevel};
use serde::Serialize;

use crate::case::Case;
use crate::run::{Mode, Runner};
use crate::scores::{Scores, score};
use crate::simulate::{Draw, Simulation, openings};

/// The number of leading conditions that are compared.
const LEADING: usize = 3;

/// Ids that were added, removed or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContentChange {
    /// The kind of concept: `conditions`, `findings`, ...
    pub what: &'static str,
    /// Only in the new knowledge base.
    pub added: Vec<String>,
    /// Only in the old knowledge base.
    pub removed: Vec<String>,
    /// In both, but different.
    pub changed: Vec<String>,
}

/// A case with a different answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseChange {
    /// The case id, or `simulated-7`.
    pub id: String,
    /// The leading conditions before.
    pub top_before: Vec<String>,
    /// The value after the change.
    pub top_after: Vec<String>,
    /// The level before.
    pub level_before: Option<TriageLevel>,
    /// The value after the change.
    pub level_after: Option<TriageLevel>,
}

impl CaseChange {
    /// Whether the level is lower than before.
    pub fn is_lower(&self) -> bool {
        self.level_after < self.level_before
    }

    fn is_change(&self) -> bool {
        let set = |list: &[String]| list.iter().cloned().collect::<BTreeSet<_>>();
        self.level_before != self.level_after || set(&self.top_before) != set(&self.top_after)
    }
}

/// All differences.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// By kind of concept.
    pub content: Vec<ContentChange>,
    /// The number of cases compared.
    pub cases: usize,
    /// Cases with a different answer, lowered levels first.
    pub changed: Vec<CaseChange>,
    /// Scores of the case files before and after, in text mode; `None` without case files.
    pub scores: Option<(Scores, Scores)>,
}

/// Compares two knowledge bases on simulated patients (drawn from the old one) and on case files.
pub fn compare(
    old: &KnowledgeBase,
    new: &KnowledgeBase,
    patients: usize,
    seed: u64,
    cases: &[Case],
    parameters: &Parameters,
) -> Difference {
    let simulation = Simulation {
        patients,
        draw: Draw::Even,
        questions_max: 0,
        seed,
    };
    let mut changed: Vec<CaseChange> = openings(old, &simulation)
        .into_iter()
        .enumerate()
        .map(|(number, case)| simulated_change(old, new, &case, number, parameters))
        .filter(CaseChange::is_change)
        .collect();
    let scores = (!cases.is_empty()).then(|| {
        let run = |base| {
            let runner = Runner::new(base);
            cases
                .iter()
                .map(|case| runner.run(case, Mode::Text, parameters, 0))
                .collect::<Vec<_>>()
        };
        let (before, after) = (run(old), run(new));
        let told = before.iter().zip(&after).map(|(before, after)| CaseChange {
            id: before.id.clone(),
            top_before: names_only(&before.top),
            top_after: names_only(&after.top),
            level_before: before.level,
            level_after: after.level,
        });
        changed.extend(told.filter(CaseChange::is_change));
        (score(before.iter()), score(after.iter()))
    });
    changed.sort_by_key(|change| !change.is_lower());
    Difference {
        content: content_changes(old, new),
        cases: patients + cases.len(),
        changed,
        scores,
    }
}

fn simulated_change(
    old: &KnowledgeBase,
    new: &KnowledgeBase,
    case: &DeidentifiedCase,
    number: usize,
    parameters: &Parameters,
) -> CaseChange {
    let before = review(assess(old, case, parameters), 0);
    let after = review(assess(new, case, parameters), 0);
    CaseChange {
        id: format!("simulated-{number}"),
        top_before: leading(&before),
        top_after: leading(&after),
        level_before: Some(before.triage.level),
        level_after: Some(after.triage.level),
    }
}

fn leading(assessment: &Assessment) -> Vec<String> {
    let names = assessment
        .conditions
        .iter()
        .map(|condition| condition.name.to_string());
    names.take(LEADING).collect()
}

/// Removes the probabilities: outcomes contain `name 0.42`, and only the names are compared.
fn names_only(top: &[String]) -> Vec<String> {
    top.iter()
        .take(LEADING)
        .map(|it| {
            it.rsplit_once(' ')
                .map_or(it.as_str(), |(name, _)| name)
                .to_owned()
        })
        .collect()
}

fn content_changes(old: &KnowledgeBase, new: &KnowledgeBase) -> Vec<ContentChange> {
    macro_rules! changes {
        ($what:literal, $list:ident) => {
            changes(
                $what,
                old.$list().iter().map(|it| (it.text.id.as_str(), &it.text)),
                new.$list().iter().map(|it| (it.text.id.as_str(), &it.text)),
            )
        };
    }
    vec![
        changes!("conditions", conditions),
        changes!("findings", findings),
        changes!("measures", measures),
        changes!("risk factors", risks),
        changes!("lab tests", labs),
        changes!("rules", rules),
    ]
}

fn changes<'a, T: PartialEq + 'a>(
    what: &'static str,
    old: impl Iterator<Item = (&'a str, &'a T)>,
    new: impl Iterator<Item = (&'a str, &'a T)>,
) -> ContentChange {
    let old: std::collections::BTreeMap<_, _> = old.collect();
    let new: std::collections::BTreeMap<_, _> = new.collect();
    let only_in = |one: &std::collections::BTreeMap<&str, &T>,
                   other: &std::collections::BTreeMap<&str, &T>| {
        one.keys()
            .filter(|id| !other.contains_key(*id))
            .map(|id| (*id).to_owned())
            .collect()
    };
    ContentChange {
        what,
        added: only_in(&new, &old),
        removed: only_in(&old, &new),
        changed: old
            .iter()
            .filter(|(id, text)| new.get(*id).is_some_and(|other| other != *text))
            .map(|(id, _)| (*id).to_owned())
            .collect(),
    }
}
