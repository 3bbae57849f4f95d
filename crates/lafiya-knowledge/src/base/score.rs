//! Scores: points for values and findings, compiled to indices.

use super::directory::Directory;
use super::index::ConceptRef;
use super::when::Facts;
use crate::schema::{self, ItemPoints, ScoreBand, Step};
use crate::words::{AgeSpan, State};

/// A compiled score.
#[derive(Clone, Debug)]
pub struct Score {
    /// The contents of the file.
    pub text: schema::Score,
    ages: AgeSpan,
    state: Option<State>,
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
enum Item {
    Value {
        concept: ConceptRef,
        steps: Vec<Step>,
    },
    Any {
        concepts: Vec<ConceptRef>,
        points: i32,
    },
}

/// The result of a score for a patient.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreResult {
    /// The sum.
    pub points: i32,
    /// The band that the sum is in, if any.
    pub band: Option<ScoreBand>,
    /// The evidence that gave points.
    pub evidence: Vec<ConceptRef>,
}

impl Score {
    /// Counts the points; `None` if the score does not apply to this patient. Unknown values give
    /// no points.
    pub fn count(&self, facts: &impl Facts) -> Option<ScoreResult> {
        if !self.ages.contains(facts.age()) || self.state.is_some_and(|state| !facts.is_in(state)) {
            return None;
        }
        let mut points = 0;
        let mut evidence = Vec::new();
        for item in &self.items {
            if let Some((more, concept)) = item.count(facts) {
                points += more;
                evidence.push(concept);
            }
        }
        let reached = self.text.band.iter().filter(|band| points >= band.at_least);
        Some(ScoreResult {
            points,
            band: reached.max_by_key(|band| band.at_least).copied(),
            evidence,
        })
    }

    /// Returns every concept that can give points.
    pub fn concepts(&self) -> Vec<ConceptRef> {
        self.items
            .iter()
            .flat_map(|item| match item {
                Item::Value { concept, .. } => std::slice::from_ref(concept),
                Item::Any { concepts, .. } => concepts,
            })
            .copied()
            .collect()
    }

    pub(super) fn compile(written: &schema::Score, directory: &Directory) -> Self {
        Self {
            text: written.clone(),
            ages: written.age.map(|age| age.span()).unwrap_or_default(),
            state: written.state,
            items: written
                .item
                .iter()
                .filter_map(|item| Item::compile(item, directory))
                .collect(),
        }
    }
}

impl Item {
    fn count(&self, facts: &impl Facts) -> Option<(i32, ConceptRef)> {
        match self {
            Self::Value { concept, steps } => {
                let value = facts.value(*concept)?;
                let step = steps.iter().find(|step| {
                    step.from.is_none_or(|from| value >= from)
                        && step.below.is_none_or(|below| value < below)
                })?;
                (step.points != 0).then_some((step.points, *concept))
            }
            Self::Any { concepts, points } => {
                let there = concepts
                    .iter()
                    .find(|&&concept| facts.is_present(concept))?;
                Some((*points, *there))
            }
        }
    }

    fn compile(written: &schema::ScoreItem, directory: &Directory) -> Option<Self> {
        match (&written.measure, &written.points) {
            (Some(measure), ItemPoints::Steps(steps)) => Some(Self::Value {
                concept: directory.exact(measure)?,
                steps: steps.clone(),
            }),
            (None, ItemPoints::Flat(points)) => Some(Self::Any {
                concepts: written
                    .any
                    .iter()
                    .filter_map(|id| directory.exact(id))
                    .collect(),
                points: *points,
            }),
            _ => None,
        }
    }
}
