//! Conditions in the order of their probability. An answer rarely looks past the leading ones, so
//! the full order is computed only on request.

use std::cmp::Reverse;
use std::sync::OnceLock;

use lafiya_knowledge::ConditionIx;

/// The number of conditions that are sorted immediately: more than any part of an answer uses.
pub(crate) const LEADING: usize = 64;

/// The possible conditions, most likely first.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    leading: Vec<ConditionIx>,
    all: OnceLock<Vec<ConditionIx>>,
}

impl Ranking {
    pub(crate) fn of(probabilities: &[f64]) -> Self {
        Self {
            leading: first(LEADING, probabilities),
            all: OnceLock::new(),
        }
    }

    /// Returns the most likely conditions, at most [`LEADING`].
    pub(crate) fn leading(&self) -> &[ConditionIx] {
        &self.leading
    }

    /// Returns all possible conditions in order. `probabilities` must be those that the ranking was
    /// made from.
    pub(crate) fn all(&self, probabilities: &[f64]) -> &[ConditionIx] {
        // Fewer than asked for: these are all that are possible.
        if self.leading.len() < LEADING {
            return &self.leading;
        }
        self.all
            .get_or_init(|| first(probabilities.len(), probabilities))
    }
}

/// If enough conditions are above this probability, the others need not be sorted.
const LIKELY: f64 = 1e-4;

/// Returns the most likely possible conditions in order. Ties keep the order of the knowledge base.
fn first(wanted: usize, probabilities: &[f64]) -> Vec<ConditionIx> {
    let mut ranking = above(LIKELY, probabilities);
    if ranking.len() < wanted {
        ranking = above(0.0, probabilities);
    }
    if wanted < ranking.len() {
        // Linear in the number of conditions; only the first ones are then sorted.
        ranking.select_nth_unstable(wanted);
        ranking.truncate(wanted);
    }
    ranking.sort_unstable();
    ranking.into_iter().map(|(_, ix)| ix).collect()
}

/// Returns the conditions above a probability, with a sort key that puts the most likely first.
fn above(limit: f64, probabilities: &[f64]) -> Vec<(Reverse<u64>, ConditionIx)> {
    /// Enough capacity for nearly all patients.
    const USUALLY: usize = 4 * LEADING;
    let all = probabilities.iter().enumerate();
    // The bit patterns of positive floats have the same order as the numbers, and compare faster.
    let above = all
        .filter(|(_, probability)| **probability > limit)
        .map(|(place, probability)| (Reverse(probability.to_bits()), ConditionIx::at(place)));
    let mut ranked = Vec::with_capacity(USUALLY);
    ranked.extend(above);
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leading_candidates_are_the_head_of_the_full_ranking() {
        // All likely, some likely, and too few likely. Each series falls and rises again, and
        // contains ties and zeros.
        for parts in [1e3, 4e5, 1e9] {
            let probabilities: Vec<f64> = (0_u32..500)
                .map(|n| f64::from(n * 37 % 101) / parts)
                .collect();
            let ranking = Ranking::of(&probabilities);
            let all = ranking.all(&probabilities);
            assert_eq!(ranking.leading(), &all[..LEADING]);
            let mut expected: Vec<usize> = (0..500).filter(|&n| probabilities[n] > 0.0).collect();
            expected.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
            let all: Vec<usize> = all.iter().map(|ix| ix.index()).collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn a_short_ranking_is_complete() {
        let probabilities = [0.2, 0.0, 0.5];
        let ranking = Ranking::of(&probabilities);
        let expected = [ConditionIx::at(2), ConditionIx::at(0)];
        assert_eq!(ranking.leading(), expected);
        assert_eq!(ranking.all(&probabilities), expected);
    }
}
