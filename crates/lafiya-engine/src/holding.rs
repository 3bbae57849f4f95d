//! Unnormalised probabilities of the hypotheses, grouped by triage level. Adding evidence is a
//! multiplication, and the level can be computed without an exponential for every hypothesis.

use std::ops::Range;

use lafiya_model::TriageLevel;

use crate::arithmetic::{exponential, highest, sum};
use crate::parameters::Parameters;
use crate::triage::{Levels, Shares};

/// The possible hypotheses, in the order of their level.
pub(crate) struct Holding {
    places: Vec<usize>,
    held: Vec<f64>,
    /// The range of hypotheses at each level.
    groups: Vec<(TriageLevel, Range<usize>)>,
    /// The unnormalised probability of "something else".
    unexplained: f64,
}

impl Holding {
    /// Converts log-odds against "something else", whose own log-odds are 0.
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

    /// Returns the unnormalised probability of each hypothesis.
    pub(crate) fn held(&self) -> &[f64] {
        &self.held
    }

    /// Converts a change of the log-odds into factors. Most hypotheses change by the same amount,
    /// so the last exponential is reused.
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

    /// Returns the level for the unnormalised probabilities `held`, in the order of [`Self::held`].
    pub(crate) fn level_of(&self, held: &[f64], parameters: &Parameters) -> TriageLevel {
        let mut shares = Shares::default();
        for (level, group) in &self.groups {
            shares.add(*level, sum(&held[group.clone()]));
        }
        shares.level(self.unexplained, parameters)
    }
}

/// Multiplies unnormalised probabilities by the factors of further evidence.
pub(crate) fn multiplied(held: &[f64], factors: &[f64]) -> Vec<f64> {
    held.iter().zip(factors).map(|(a, b)| a * b).collect()
}
