//! Reasons in words: what speaks for and against, why the level, what would change it, and where it
//! is written. Weights are shown as they were counted.

use std::collections::BTreeMap;

use lafiya_knowledge::{ConceptRef, ConditionIx, KnowledgeBase};
use lafiya_model::Choice;
use lafiya_model::assessment::{AssessedCondition, Contribution};
use lafiya_model::ids::ConceptId;

use crate::differential::Differential;
use crate::facts::PatientFacts;

/// A weight smaller than this is noise in a list of reasons.
const WORTH_SAYING: f64 = 0.2;
/// With fewer pieces of evidence than this for the leader, the data are called insufficient.
const SUPPORT_MIN: usize = 2;
const REASONS_MAX: usize = 8;
/// From this chance on, two conditions at once are worth a sentence.
const TOGETHER_MIN: f64 = 0.1;

/// Numbers the sources that an answer cites, in the order of their first use.
pub(crate) struct Citations<'a> {
    base: &'a KnowledgeBase,
    numbers: BTreeMap<String, usize>,
    lines: Vec<String>,
}

impl<'a> Citations<'a> {
    pub(crate) fn new(base: &'a KnowledgeBase) -> Self {
        Self {
            base,
            numbers: BTreeMap::new(),
            lines: Vec::new(),
        }
    }

    /// `[n] Title, publisher, year`; empty for an unknown source, which the checks refuse.
    pub(crate) fn cite(&mut self, id: &str) -> String {
        if let Some(&number) = self.numbers.get(id) {
            return self.lines[number].clone();
        }
        let Some(ix) = self.base.find_source(id) else {
            return String::new();
        };
        let source = self.base.source(ix);
        let number = self.lines.len();
        let line = format!(
            "[{}] {}, {}, {}",
            number + 1,
            source.title,
            source.publisher,
            source.year
        );
        self.numbers.insert(id.to_owned(), number);
        self.lines.push(line.clone());
        line
    }

    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines
    }
}

/// One candidate with its reasons.
pub(crate) fn condition(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    ix: ConditionIx,
    citations: &mut Citations<'_>,
) -> AssessedCondition {
    let text = &facts.base.condition(ix).text;
    let contributions = contributions(facts, differential, ix);
    let named = |keep: fn(f64) -> bool| {
        let mut reasons: Vec<&Contribution> = contributions
            .iter()
            .filter(|it| it.choice.is_some() && keep(it.weight))
            .collect();
        reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        reasons
            .into_iter()
            .take(REASONS_MAX)
            .map(reason)
            .collect::<Vec<String>>()
    };
    let supporting = named(|weight| weight >= WORTH_SAYING);
    let against = named(|weight| weight <= -WORTH_SAYING);
    let insufficient_data = supporting.len() < SUPPORT_MIN;
    AssessedCondition {
        id: ConceptId(text.id.clone()),
        name: text.name.clone(),
        common_name: text.common_name.clone(),
        probability: rounded(differential.probability(ix)),
        severity: text.severity.as_str().to_owned(),
        icd10: text.icd10.clone(),
        snomed_ct: text.snomed_ct.clone().unwrap_or_default(),
        description: text.description.clone(),
        rationale: one_line(&text.name, &supporting, &against)
            + &together(facts, differential, ix).unwrap_or_default(),
        citations: text
            .sources
            .iter()
            .map(|source| citations.cite(source))
            .filter(|line| !line.is_empty())
            .collect(),
        supporting,
        against,
        insufficient_data,
        contributions,
    }
}

/// Says where another condition may well be there at the same time.
fn together(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    ix: ConditionIx,
) -> Option<String> {
    let (other, chance) = differential.together_with(facts, ix)?;
    (chance >= TOGETHER_MIN).then(|| {
        let name = &facts.base.condition(other).text.name;
        format!(
            " {name} may be there at the same time ({:.0} %).",
            chance * 100.0
        )
    })
}

/// Six decimals are more than any probability deserves, and keep answers the same on every machine.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn reason(contribution: &Contribution) -> String {
    match contribution.choice {
        Some(Choice::Absent) => format!("No {}", lowered(&contribution.name)),
        _ => contribution.name.clone(),
    }
}

fn lowered(name: &str) -> String {
    let mut characters = name.chars();
    match (characters.next(), name.chars().nth(1)) {
        // Keeps acronyms as they are.
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => name.to_owned(),
    }
}

fn one_line(name: &str, supporting: &[String], against: &[String]) -> String {
    let first = |list: &[String]| list.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    match (supporting.is_empty(), against.is_empty()) {
        (true, true) => format!("{name} is listed because it is common in patients like this one."),
        (true, false) => format!(
            "{name} is possible, but little speaks for it and this speaks against it: {}.",
            first(against)
        ),
        (false, true) => format!("{name} is supported by: {}.", first(supporting)),
        (false, false) => format!(
            "{name} is supported by: {}; against it: {}.",
            first(supporting),
            first(against)
        ),
    }
}

/// The prior, every piece of evidence, the course and a second opinion; they add up to the score.
fn contributions(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    ix: ConditionIx,
) -> Vec<Contribution> {
    let place = ix.index();
    let mut all = vec![Contribution {
        id: "prior".to_owned(),
        name: "How common it is in patients like this one".to_owned(),
        choice: None,
        weight: rounded(differential.prior[place]),
    }];
    for (told, weights) in &differential.weights {
        all.push(Contribution {
            id: facts.base.id_of(told.concept).to_owned(),
            name: facts.base.name_of(told.concept).to_owned(),
            choice: Some(if told.present {
                Choice::Present
            } else {
                Choice::Absent
            }),
            weight: rounded(weights[place]),
        });
    }
    if let Some(course) = &differential.course {
        all.push(Contribution {
            id: "course".to_owned(),
            name: "How long the illness has lasted".to_owned(),
            choice: None,
            weight: rounded(course[place]),
        });
    }
    if let Some(opinion) = &differential.opinion {
        all.push(Contribution {
            id: "second_opinion".to_owned(),
            name: "What a second opinion makes of it".to_owned(),
            choice: None,
            weight: rounded(opinion[place]),
        });
    }
    all
}

/// Names of what was told, for the chain of reasons.
pub(crate) fn names(facts: &PatientFacts<'_>, present: bool) -> Vec<String> {
    let told = facts.told.iter().filter(|told| told.present == present);
    told.map(|told| lowered(facts.base.name_of(told.concept)))
        .collect()
}

/// Ids of concepts.
pub(crate) fn ids(base: &KnowledgeBase, concepts: &[ConceptRef]) -> Vec<ConceptId> {
    concepts
        .iter()
        .map(|concept| ConceptId(base.id_of(*concept).to_owned()))
        .collect()
}
