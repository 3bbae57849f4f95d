//! The weights of a piece of evidence, in log-odds against "something else". A piece says the same of
//! nearly every hypothesis and something of its own of a few, so only these few are kept one by one,
//! and what is said of all is added once for all pieces.

use lafiya_knowledge::{ConditionIx, KnowledgeBase, Pair};

/// One weight per hypothesis: the conditions, and then the pairs of conditions.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// Of every condition that is not among the few, and of the pairs of such.
    usual: f64,
    /// Of the few, in their order, each once.
    few: Vec<(ConditionIx, f64)>,
    /// Of all pairs in their order; none where every pair has the usual weight.
    of_pairs: Vec<f64>,
}

impl Weights {
    /// From the weights of some conditions, in order and each once; all others have the usual one.
    pub(crate) fn new(
        usual: f64,
        few: Vec<(ConditionIx, f64)>,
        present: bool,
        base: &KnowledgeBase,
    ) -> Self {
        debug_assert!(few.is_sorted_by(|a, b| a.0 < b.0), "each once");
        Self {
            usual,
            of_pairs: of_pairs(usual, &few, present, base),
            few,
        }
    }

    /// The weight for a condition.
    pub(crate) fn at(&self, condition: ConditionIx) -> f64 {
        let place = self.few.binary_search_by_key(&condition, |it| it.0);
        place.map_or(self.usual, |place| self.few[place].1)
    }
}

/// Two conditions at once show what either of them shows, and what is absent counts as against the one
/// it speaks against most.
fn of_pairs(
    usual: f64,
    few: &[(ConditionIx, f64)],
    present: bool,
    base: &KnowledgeBase,
) -> Vec<f64> {
    let mut weights = vec![usual; base.places_in_pairs()];
    for &(ix, weight) in few {
        weights[base.place_in_pairs(ix)] = weight;
    }
    let at = |condition| weights[base.place_in_pairs(condition)];
    let both = |pair: &Pair| {
        let (first, second) = (at(pair.first), at(pair.second));
        if present {
            first.max(second)
        } else {
            first.min(second)
        }
    };
    base.pairs().iter().map(both).collect()
}

/// Log-odds of the hypotheses while evidence joins or leaves.
pub(crate) struct Scores {
    of_all: f64,
    of_each: Vec<f64>,
}

impl Scores {
    pub(crate) fn starting_at(of_each: Vec<f64>) -> Self {
        Self {
            of_all: 0.0,
            of_each,
        }
    }

    pub(crate) fn add(&mut self, piece: &Weights) {
        self.join(piece, 1.0);
    }

    pub(crate) fn subtract(&mut self, piece: &Weights) {
        self.join(piece, -1.0);
    }

    fn join(&mut self, piece: &Weights, times: f64) {
        self.of_all += times * piece.usual;
        for &(ix, weight) in &piece.few {
            self.of_each[ix.index()] += times * (weight - piece.usual);
        }
        let pairs = self.of_each.len() - piece.of_pairs.len();
        for (score, weight) in self.of_each[pairs..].iter_mut().zip(&piece.of_pairs) {
            *score += times * (weight - piece.usual);
        }
    }

    /// Adds what differs from hypothesis to hypothesis.
    pub(crate) fn add_each(&mut self, weights: &[f64]) {
        for (score, weight) in self.of_each.iter_mut().zip(weights) {
            *score += weight;
        }
    }

    /// The log-odds of each hypothesis.
    pub(crate) fn settled(mut self) -> Vec<f64> {
        for score in &mut self.of_each {
            *score += self.of_all;
        }
        self.of_each
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::BASE;

    #[test]
    fn a_pair_shows_what_either_shows_and_misses_what_either_misses() {
        let (place, pair) = (0, &BASE.pairs()[0]);
        let low = pair.first.min(pair.second);
        let high = pair.first.max(pair.second);
        let of_pair = |present| {
            let weights = Weights::new(0.5, vec![(low, -1.0), (high, 2.0)], present, &BASE);
            let mut scores =
                Scores::starting_at(vec![0.0; BASE.conditions().len() + BASE.pairs().len()]);
            scores.add(&weights);
            scores.settled()[BASE.conditions().len() + place]
        };
        assert!((of_pair(true) - 2.0).abs() < 1e-12);
        assert!((of_pair(false) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn each_hypothesis_gets_its_own_weight_and_loses_it_again() {
        let ix = ConditionIx::at(3);
        let piece = Weights {
            usual: -0.25,
            few: vec![(ix, 1.5)],
            of_pairs: Vec::new(),
        };
        assert_eq!((piece.at(ix), piece.at(ConditionIx::at(2))), (1.5, -0.25));
        let mut scores = Scores::starting_at(vec![1.0; 5]);
        scores.add(&piece);
        scores.add(&piece);
        scores.subtract(&piece);
        assert_eq!(scores.settled(), [0.75, 0.75, 0.75, 2.5, 0.75]);
    }
}
