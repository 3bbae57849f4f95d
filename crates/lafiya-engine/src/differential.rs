//! The differential: the probability of each condition and of "something else". The weight of every
//! piece of evidence is kept, so that each score can be explained completely.

use lafiya_knowledge::ConditionIx;
use lafiya_model::DeidentifiedCase;

use crate::arithmetic::{exponential, highest, sum};
use crate::facts::{EvidenceItem, PatientFacts};
use crate::parameters::Parameters;
use crate::priors::CaseMix;
use crate::ranking::Ranking;
use crate::weighing;
use crate::weights::{Scores, Weights};

/// The score of an impossible condition.
const IMPOSSIBLE: f64 = f64::NEG_INFINITY;
/// Log-odds this far below the leader are treated as zero probability: `e^-37` is about 1e-16.
const NEGLIGIBLE: f64 = -37.0;

/// The probabilities and the evidence behind them.
#[derive(Clone, Debug)]
pub struct Differential<'a> {
    /// By `ConditionIx`; 0 where impossible.
    probabilities: Vec<f64>,
    /// The probabilities of single conditions, followed by those of condition pairs.
    hypotheses: Vec<f64>,
    /// The probability of "something else".
    unexplained: f64,
    /// Prior log-odds against "something else", of conditions and then of pairs.
    pub(crate) prior: Vec<f64>,
    /// The weights of each piece of evidence, in the order of the facts.
    pub(crate) weights: Vec<(EvidenceItem, Weights<'a>)>,
    /// The weights of the illness duration, if any duration is known.
    pub(crate) course: Option<Vec<f64>>,
    /// The weights of a second opinion, by `ConditionIx`, if there is one.
    pub(crate) opinion: Option<Vec<f64>>,
    ranking: Ranking,
}

impl<'a> Differential<'a> {
    /// Computes the differential of a patient.
    pub fn of(facts: &PatientFacts<'a>, case: &DeidentifiedCase, parameters: &Parameters) -> Self {
        let prior = prior_log_odds(CaseMix::of(facts, case), facts, parameters);
        let counted = facts.counted();
        let weights = counted
            .iter()
            .map(|item| (*item, weighing::of(item, facts, parameters, &counted)))
            .collect::<Vec<_>>();
        let course = weighing::course(facts, parameters);
        let mut scores = Scores::starting_at(prior.clone());
        for (_, piece) in &weights {
            scores.add(piece);
        }
        if let Some(course) = &course {
            scores.add_each(course);
        }
        let (hypotheses, unexplained) = normalised(scores.settled());
        let probabilities = of_conditions(&hypotheses, facts);
        let ranking = Ranking::of(&probabilities);
        Self {
            probabilities,
            hypotheses,
            unexplained,
            prior,
            weights,
            course,
            opinion: None,
            ranking,
        }
    }

    /// Returns the same evidence with the probabilities changed by a second opinion.
    pub(crate) fn moved(
        &self,
        facts: &PatientFacts<'_>,
        hypotheses: Vec<f64>,
        unexplained: f64,
        opinion: Vec<f64>,
    ) -> Self {
        let probabilities = of_conditions(&hypotheses, facts);
        let ranking = Ranking::of(&probabilities);
        Self {
            probabilities,
            hypotheses,
            unexplained,
            opinion: Some(opinion),
            ranking,
            ..self.clone()
        }
    }

    /// Whether a condition is possible at all, given age, sex, state and the other known facts.
    pub(crate) fn is_possible(&self, condition: ConditionIx) -> bool {
        self.prior[condition.index()] > IMPOSSIBLE
    }

    /// Returns the probability of a condition.
    pub fn probability(&self, condition: ConditionIx) -> f64 {
        self.probabilities[condition.index()]
    }

    /// Returns all probabilities, by `ConditionIx`.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The probability of "something else".
    pub fn unexplained(&self) -> f64 {
        self.unexplained
    }

    /// Returns the possible conditions, most likely first.
    pub fn ranking(&self) -> &[ConditionIx] {
        self.ranking.all(&self.probabilities)
    }

    /// Returns the head of the ranking, which is enough for nearly every part of an answer.
    pub(crate) fn leading(&self) -> &[ConditionIx] {
        self.ranking.leading()
    }

    /// Returns the most likely condition.
    pub(crate) fn leader(&self) -> Option<ConditionIx> {
        self.leading().first().copied()
    }

    /// Returns the most likely condition that satisfies a predicate.
    pub(crate) fn likeliest(&self, is_wanted: impl Fn(ConditionIx) -> bool) -> Option<ConditionIx> {
        let among = |list: &[ConditionIx]| list.iter().copied().find(|&ix| is_wanted(ix));
        // The leading conditions nearly always contain a match, and the full ranking is sorted on
        // first use.
        among(self.leading()).or_else(|| among(self.ranking()))
    }

    /// Returns the probability of each single condition and of each pair, for the triage level.
    pub(crate) fn hypotheses(&self) -> &[f64] {
        &self.hypotheses
    }

    /// Returns the condition that is most likely to be present together with a given one, with the
    /// probability of both.
    pub(crate) fn together_with(
        &self,
        facts: &PatientFacts<'_>,
        condition: ConditionIx,
    ) -> Option<(ConditionIx, f64)> {
        if facts.base.place_in_pairs(condition) == 0 {
            return None;
        }
        let pairs = facts.base.pairs().iter();
        // The pairs follow the single conditions.
        let chances = &self.hypotheses[self.probabilities.len()..];
        pairs
            .zip(chances)
            .filter_map(|(pair, &chance)| {
                let other = if pair.first == condition {
                    pair.second
                } else if pair.second == condition {
                    pair.first
                } else {
                    return None;
                };
                Some((other, chance))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Returns the log-odds of each prior against "something else": first of the conditions, then of
/// the pairs.
fn prior_log_odds(mix: CaseMix, facts: &PatientFacts<'_>, parameters: &Parameters) -> Vec<f64> {
    let known = sum(&mix.shares);
    // The share that the knowledge base does not explain, with a lower bound relative to the share
    // that it does explain.
    let other = (1.0 - known).max(parameters.other_prior * known.max(0.05));
    let ln_other = other.ln();
    // The log-odds overwrite the logarithms in place.
    let mut odds = mix.ln_shares;
    for log_odds in &mut odds {
        // Impossible conditions stay impossible; a weight of 0 would otherwise turn negative
        // infinity into NaN.
        *log_odds = if *log_odds > IMPOSSIBLE {
            parameters.prior_weight * (*log_odds - ln_other)
        } else {
            IMPOSSIBLE
        };
    }
    for pair in facts.base.pairs() {
        // How often the second condition comes with the first is a separate figure, which the prior
        // weight does not temper.
        let together = if odds[pair.second.index()] > IMPOSSIBLE {
            odds[pair.first.index()] + pair.ln_share
        } else {
            IMPOSSIBLE
        };
        odds.push(together);
    }
    odds
}

/// Converts log-odds against "something else", whose own log-odds are 0, into probabilities.
fn normalised(scores: Vec<f64>) -> (Vec<f64>, f64) {
    // Scores relative to the highest cannot overflow the exponential.
    let highest = highest(&scores);
    let mut probabilities = scores;
    for probability in &mut probabilities {
        let below = *probability - highest;
        *probability = if below < NEGLIGIBLE {
            0.0
        } else {
            exponential(below)
        };
    }
    let other = (-highest).exp();
    let total = sum(&probabilities) + other;
    // One division instead of one per hypothesis.
    let each = 1.0 / total;
    for probability in &mut probabilities {
        *probability *= each;
    }
    (probabilities, other * each)
}

/// Returns the probability of each condition. The probability of a pair is split evenly between its
/// two conditions, so that the total stays the same.
pub(crate) fn of_conditions(hypotheses: &[f64], facts: &PatientFacts<'_>) -> Vec<f64> {
    let conditions = facts.base.conditions().len();
    let mut probabilities = hypotheses[..conditions].to_vec();
    for (pair, chance) in facts.base.pairs().iter().zip(&hypotheses[conditions..]) {
        probabilities[pair.first.index()] += chance / 2.0;
        probabilities[pair.second.index()] += chance / 2.0;
    }
    probabilities
}
