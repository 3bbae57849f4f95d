//! Unnormalised probabilities of the hypotheses, grouped by triage level. Adding evidence is a
//! multiplication, and the level can be computed without an exponential for every hypothesis.

use std::ops::Range;

use lafiya_model::TriageLevel;

use crate::arithmetic::{exponential, highest, sum};
use crate::parameters::Parameters;
use crate::triage::{Levels, Shares};

/// The possible hypotheses, in the order of their level.
pub(crate) struct HypothesesByLevel {
    places: Vec<usize>,
    masses: Vec<f64>,
    /// The range of hypotheses at each level.
    groups: Vec<(TriageLevel, Range<usize>)>,
    /// The unnormalised probability of "something else".
    unexplained: f64,
}

impl HypothesesByLevel {
    /// Converts log-odds against "something else", whose own log-odds are 0.
    pub(crate) fn of(scores: &[f64], levels: &Levels) -> Self {
        let highest = highest(scores);
        let mut hypotheses = Self {
            places: Vec::with_capacity(scores.len()),
            masses: Vec::with_capacity(scores.len()),
            groups: Vec::with_capacity(TriageLevel::ALL.len()),
            // The same offset as for the hypotheses; "something else" has the score 0.
            unexplained: (-highest).exp(),
        };
        for &level in TriageLevel::ALL {
            let start = hypotheses.places.len();
            for place in levels.at(level) {
                let masses = (scores[place] - highest).exp();
                // Impossible and negligible hypotheses stay at 0 whatever is added, so they are
                // left out of every later product.
                if masses > 0.0 {
                    hypotheses.places.push(place);
                    hypotheses.masses.push(masses);
                }
            }
            let end = hypotheses.places.len();
            hypotheses.groups.push((level, start..end));
        }
        hypotheses
    }

    /// Returns the unnormalised probability of each hypothesis.
    pub(crate) fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Converts a change of the log-odds into factors. Most hypotheses change by the same amount,
    /// so the last exponential is reused.
    pub(crate) fn factors(&self, change: &[f64]) -> Vec<f64> {
        // A change of 0 has the factor 1.
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

    /// Returns the level for the unnormalised probabilities `masses`, in the order of
    /// [`Self::masses`].
    pub(crate) fn level_of(&self, masses: &[f64], parameters: &Parameters) -> TriageLevel {
        let mut shares = Shares::default();
        for (level, group) in &self.groups {
            shares.add(*level, sum(&masses[group.clone()]));
        }
        shares.level(self.unexplained, parameters)
    }
}

/// Multiplies unnormalised probabilities by the factors of further evidence.
pub(crate) fn multiplied(masses: &[f64], factors: &[f64]) -> Vec<f64> {
    masses.iter().zip(factors).map(|(a, b)| a * b).collect()
}
