//! The weights of a piece of evidence, in log-odds against "something else". Evidence has the same
//! weight for most hypotheses and a different one for a few. Only those few are looped over; the
//! common weight is added once for all evidence.

use lafiya_knowledge::{ConditionIx, KnowledgeBase, Pair, Showing};

static NOTHING_LISTED: Showing = Showing::NONE;

/// How the logarithm of a frequency becomes a weight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WeightFormula {
    /// Whether the finding is present, so that the frequency counts, or absent, so that one minus
    /// the frequency counts.
    pub(crate) present: bool,
    /// The corresponding logarithm for "something else".
    pub(crate) ln_other: f64,
    /// The scale of the difference.
    pub(crate) times: f64,
    /// The scale if the finding is cardinal.
    pub(crate) cardinal_times: f64,
}

impl WeightFormula {
    /// Whether cardinal findings are scaled differently.
    fn uses_cardinal_weight(&self) -> bool {
        self.cardinal_times != self.times
    }

    pub(crate) fn weight(&self, ln: f64, is_cardinal: bool) -> f64 {
        let times = if is_cardinal {
            self.cardinal_times
        } else {
            self.times
        };
        times * (ln - self.ln_other)
    }
}

/// The weights of a few conditions. By far the most have a figure in the table; those are computed
/// on demand, which is faster than storing them.
#[derive(Clone, Debug)]
pub(crate) struct SparseWeights<'a> {
    listed: &'a Showing,
    formula: WeightFormula,
    /// Conditions that are not listed in the table, sorted.
    others: Vec<(ConditionIx, f64)>,
}

impl<'a> SparseWeights<'a> {
    pub(crate) fn new(
        listed: &'a Showing,
        formula: WeightFormula,
        others: Vec<(ConditionIx, f64)>,
    ) -> Self {
        debug_assert!(others.is_sorted_by(|a, b| a.0 < b.0), "each once");
        let mut others_listed = others.iter().filter_map(|other| listed.place_of(other.0));
        debug_assert!(others_listed.next().is_none(), "in one of the two");
        Self {
            listed,
            formula,
            others,
        }
    }

    fn at(&self, condition: ConditionIx) -> Option<f64> {
        if let Some(ln) = self.listed.ln_of(condition, self.formula.present) {
            let is_cardinal = || {
                let place = self.listed.place_of(condition);
                place.is_some_and(|place| self.listed.is_cardinal(place))
            };
            return Some(self.weight(ln, is_cardinal));
        }
        let other = self
            .others
            .binary_search_by_key(&condition, |other| other.0);
        other.ok().map(|place| self.others[place].1)
    }

    /// Returns the weight of a listed condition.
    fn at_place(&self, place: usize) -> f64 {
        let ln = self.listed.ln(self.formula.present)[place];
        self.weight(ln, || self.listed.is_cardinal(place))
    }

    /// Converts a logarithm into a weight. Whether the finding is cardinal is looked up only if it
    /// matters.
    fn weight(&self, ln: f32, is_cardinal: impl Fn() -> bool) -> f64 {
        let is_cardinal = self.formula.uses_cardinal_weight() && is_cardinal();
        self.formula.weight(ln.into(), is_cardinal)
    }

    /// Adds `times` the difference between the weights and the usual one. The weight is linear in
    /// the logarithm, with the same slope for all listed conditions except the few for which the
    /// finding is cardinal.
    fn add_above(&self, usual: f64, times: f64, scores: &mut [f64]) {
        let WeightFormula {
            present, ln_other, ..
        } = self.formula;
        let slope = times * self.formula.times;
        let start = -(slope * ln_other + times * usual);
        let (conditions, ln) = (self.listed.conditions(), self.listed.ln(present));
        let above = |ln: f32| slope * f64::from(ln) + start;
        // For findings that most conditions list, the table has a row over all conditions: a loop
        // without indirect access is faster.
        if let Some(ln) = self.listed.ln_by_condition(present) {
            for (score, &ln) in scores.iter_mut().zip(ln) {
                let above = above(ln);
                // NaN marks a condition that does not list the finding.
                *score += if above.is_nan() { 0.0 } else { above };
            }
        } else {
            for (ix, &ln) in conditions.iter().zip(ln) {
                scores[ix.index()] += above(ln);
            }
        }
        if self.formula.uses_cardinal_weight() {
            // The loop above counted them with the usual scale.
            let further = times * (self.formula.cardinal_times - self.formula.times);
            for &place in self.listed.cardinal() {
                let place = usize::from(place);
                scores[conditions[place].index()] += further * (f64::from(ln[place]) - ln_other);
            }
        }
        for (ix, weight) in &self.others {
            scores[ix.index()] += times * (weight - usual);
        }
    }

    /// Calls `take` for the conditions that may be part of a pair.
    fn for_each_paired(&self, mut take: impl FnMut(ConditionIx, f64)) {
        for &place in self.listed.paired() {
            let place = usize::from(place);
            take(self.listed.conditions()[place], self.at_place(place));
        }
        for &(ix, weight) in &self.others {
            take(ix, weight);
        }
    }

    /// Returns all weights, sorted by condition.
    pub(crate) fn one_by_one(self) -> Vec<(ConditionIx, f64)> {
        let listed = self.listed.conditions().iter().enumerate();
        let listed = listed.map(|(place, ix)| (*ix, self.at_place(place)));
        let mut all: Vec<_> = listed.chain(self.others.iter().copied()).collect();
        all.sort_by_key(|(ix, _)| *ix);
        all
    }
}

impl From<Vec<(ConditionIx, f64)>> for SparseWeights<'_> {
    fn from(each: Vec<(ConditionIx, f64)>) -> Self {
        Self::new(&NOTHING_LISTED, WeightFormula::default(), each)
    }
}

/// One weight per hypothesis: the conditions, followed by the condition pairs.
#[derive(Clone, Debug)]
pub(crate) struct Weights<'a> {
    /// The weight of every condition not in `sparse`, and of pairs of such conditions.
    usual: f64,
    sparse: SparseWeights<'a>,
    /// The weights of all pairs, in order; empty if every pair has the usual weight.
    of_pairs: Vec<f64>,
}

impl<'a> Weights<'a> {
    /// Builds the weights from those of a few conditions; all others have the usual weight.
    pub(crate) fn new(
        usual: f64,
        sparse: SparseWeights<'a>,
        present: bool,
        base: &KnowledgeBase,
    ) -> Self {
        Self {
            usual,
            of_pairs: of_pairs(usual, &sparse, present, base),
            sparse,
        }
    }

    /// Returns the weight for a condition.
    pub(crate) fn at(&self, condition: ConditionIx) -> f64 {
        self.sparse.at(condition).unwrap_or(self.usual)
    }
}

/// Returns the weights of the pairs. A pair shows whatever either of its conditions shows, and an
/// absent finding counts as against the condition that it contradicts most.
fn of_pairs(
    usual: f64,
    sparse: &SparseWeights<'_>,
    present: bool,
    base: &KnowledgeBase,
) -> Vec<f64> {
    let mut weights = vec![usual; base.places_in_pairs()];
    sparse.for_each_paired(|ix, weight| weights[base.place_in_pairs(ix)] = weight);
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

/// The log-odds of the hypotheses while evidence is added or removed.
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

    pub(crate) fn add(&mut self, piece: &Weights<'_>) {
        self.join(piece, 1.0);
    }

    pub(crate) fn subtract(&mut self, piece: &Weights<'_>) {
        self.join(piece, -1.0);
    }

    fn join(&mut self, piece: &Weights<'_>, times: f64) {
        // Added once at the end, in `settled`, and not to each of the hypotheses here.
        self.of_all += times * piece.usual;
        piece
            .sparse
            .add_above(piece.usual, times, &mut self.of_each);
        // If the piece has no weights of pairs, this is the end of the list and the loop does
        // nothing.
        let pairs = self.of_each.len() - piece.of_pairs.len();
        for (score, weight) in self.of_each[pairs..].iter_mut().zip(&piece.of_pairs) {
            *score += times * (weight - piece.usual);
        }
    }

    /// Adds a value per hypothesis.
    pub(crate) fn add_each(&mut self, weights: &[f64]) {
        for (score, weight) in self.of_each.iter_mut().zip(weights) {
            *score += weight;
        }
    }

    /// Returns the log-odds of each hypothesis.
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
    fn a_pair_combines_the_weights_of_both_conditions() {
        let (place, pair) = (0, &BASE.pairs()[0]);
        let low = pair.first.min(pair.second);
        let high = pair.first.max(pair.second);
        let of_pair = |present| {
            let weights = Weights::new(0.5, vec![(low, -1.0), (high, 2.0)].into(), present, &BASE);
            let mut scores =
                Scores::starting_at(vec![0.0; BASE.conditions().len() + BASE.pairs().len()]);
            scores.add(&weights);
            scores.settled()[BASE.conditions().len() + place]
        };
        assert!((of_pair(true) - 2.0).abs() < 1e-12);
        assert!((of_pair(false) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn adding_and_subtracting_a_weight_restores_the_scores() {
        let ix = ConditionIx::at(3);
        let piece = Weights {
            usual: -0.25,
            sparse: vec![(ix, 1.5)].into(),
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
