//! What each hypothesis holds, by level, without making the shares add up to 1: so evidence that joins
//! is multiplied in, and the level is read off without an exponential for every hypothesis.

use std::ops::Range;

use lafiya_model::TriageLevel;

use crate::arithmetic::{exponential, highest, sum};
use crate::parameters::Parameters;
use crate::triage::{Levels, Shares};

/// The possible hypotheses in the order of their level.
pub(crate) struct Holding {
    places: Vec<usize>,
    held: Vec<f64>,
    /// Where the hypotheses of each level stand.
    groups: Vec<(TriageLevel, Range<usize>)>,
    /// What "something else" holds.
    unexplained: f64,
}

impl Holding {
    /// From log-odds against "something else", whose own log-odds are 0.
    pub(crate) fn of(scores: &[f64], levels: &Levels) -> Self {
        let highest = highest(scores);
        let mut holding = Self {
            places: Vec::with_capacity(scores.len()),
            held: Vec::with_capacity(scores.len()),
            groups: Vec::with_capacity(TriageLevel::ALL.len()),
            unexplained: (-highest).exp(),
        };
        for &level in TriageLevel::ALL {
            let start = holding.places.len();
            for place in levels.at(level) {
                let held = (scores[place] - highest).exp();
                if held > 0.0 {
                    holding.places.push(place);
                    holding.held.push(held);
                }
            }
            let end = holding.places.len();
            holding.groups.push((level, start..end));
        }
        holding
    }

    /// What each hypothesis holds.
    pub(crate) fn held(&self) -> &[f64] {
        &self.held
    }

    /// What a change of the log-odds is multiplied in as. Most hypotheses are moved alike, so the last
    /// exponential mostly serves again.
    pub(crate) fn factors(&self, change: &[f64]) -> Vec<f64> {
        let mut last = (0.0, 1.0);
        let factor = |&place: &usize| {
            let moved = change[place];
            if moved != last.0 {
                last = (moved, exponential(moved));
            }
            last.1
        };
        self.places.iter().map(factor).collect()
    }

    /// The level, where the hypotheses hold `held`, in the order of these.
    pub(crate) fn level_of(&self, held: &[f64], parameters: &Parameters) -> TriageLevel {
        let mut shares = Shares::default();
        for (level, group) in &self.groups {
            shares.add(*level, sum(&held[group.clone()]));
        }
        shares.level(self.unexplained, parameters)
    }
}

/// Evidence that joins what is held.
pub(crate) fn multiplied(held: &[f64], factors: &[f64]) -> Vec<f64> {
    held.iter().zip(factors).map(|(a, b)| a * b).collect()
}
