//! The differential: the probability of each condition and of "something else", with the weight of
//! every piece of evidence kept, so that the score can be explained to the last log-odd.

use lafiya_knowledge::ConditionIx;
use lafiya_model::DeidentifiedCase;

use crate::arithmetic::{exponential, highest, sum};
use crate::facts::{PatientFacts, Told};
use crate::parameters::Parameters;
use crate::priors::CaseMix;
use crate::ranking::Ranking;
use crate::weighing;
use crate::weights::{Scores, Weights};

/// A condition that is impossible has this score.
const IMPOSSIBLE: f64 = f64::NEG_INFINITY;
/// Log-odds this far below the leader are nothing: one in ten thousand million million.
const NEGLIGIBLE: f64 = -37.0;

/// Probabilities and where they come from.
#[derive(Clone, Debug)]
pub struct Differential<'a> {
    /// By `ConditionIx`; 0 where impossible.
    probabilities: Vec<f64>,
    /// The same for conditions alone, then for the pairs of conditions.
    hypotheses: Vec<f64>,
    /// The share of "something else".
    unexplained: f64,
    /// Log-odds of the prior against "something else", of conditions and then of pairs.
    pub(crate) prior: Vec<f64>,
    /// The weight of each piece of evidence, in the order of the facts.
    pub(crate) weights: Vec<(Told, Weights<'a>)>,
    /// The weight of the course, where durations are known.
    pub(crate) course: Option<Vec<f64>>,
    /// The weight of a second opinion, by `ConditionIx`, where there is one.
    pub(crate) opinion: Option<Vec<f64>>,
    ranking: Ranking,
}

impl<'a> Differential<'a> {
    /// The differential of a patient.
    pub fn of(facts: &PatientFacts<'a>, case: &DeidentifiedCase, parameters: &Parameters) -> Self {
        let prior = prior_log_odds(CaseMix::of(facts, case), facts, parameters);
        let counted = facts.counted();
        let weights = counted
            .iter()
            .map(|told| (*told, weighing::of(told, facts, parameters, &counted)))
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

    /// The same evidence with other probabilities, which a second opinion has moved.
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

    /// Whether age, sex, state and what is known leave a condition possible at all.
    pub(crate) fn is_possible(&self, condition: ConditionIx) -> bool {
        self.prior[condition.index()] > IMPOSSIBLE
    }

    /// The probability of a condition.
    pub fn probability(&self, condition: ConditionIx) -> f64 {
        self.probabilities[condition.index()]
    }

    /// All probabilities, by index.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The share of "something else".
    pub fn unexplained(&self) -> f64 {
        self.unexplained
    }

    /// Conditions, likeliest first; impossible ones are not among them.
    pub fn ranking(&self) -> &[ConditionIx] {
        self.ranking.all(&self.probabilities)
    }

    /// The head of the ranking, which nearly everything is made of.
    pub(crate) fn leading(&self) -> &[ConditionIx] {
        self.ranking.leading()
    }

    /// The likeliest condition.
    pub(crate) fn leader(&self) -> Option<ConditionIx> {
        self.leading().first().copied()
    }

    /// The likeliest condition that is as wanted.
    pub(crate) fn likeliest(&self, is_wanted: impl Fn(ConditionIx) -> bool) -> Option<ConditionIx> {
        let among = |list: &[ConditionIx]| list.iter().copied().find(|&ix| is_wanted(ix));
        among(self.leading()).or_else(|| among(self.ranking()))
    }

    /// The probability of each condition alone and of each pair, for whoever judges the risk.
    pub(crate) fn hypotheses(&self) -> &[f64] {
        &self.hypotheses
    }

    /// The chance that two conditions are there at once, likeliest first, for one of them.
    pub(crate) fn together_with(
        &self,
        facts: &PatientFacts<'_>,
        condition: ConditionIx,
    ) -> Option<(ConditionIx, f64)> {
        if facts.base.place_in_pairs(condition) == 0 {
            return None;
        }
        let pairs = facts.base.pairs().iter();
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

/// Log-odds of each prior against "something else": of the conditions, then of the pairs.
fn prior_log_odds(mix: CaseMix, facts: &PatientFacts<'_>, parameters: &Parameters) -> Vec<f64> {
    let known = sum(&mix.shares);
    // What the base does not explain, and never less than the stated share of what it does.
    let other = (1.0 - known).max(parameters.other_prior * known.max(0.05));
    let ln_other = other.ln();
    // They take the place of the logarithms.
    let mut odds = mix.ln_shares;
    for it in &mut odds {
        // The impossible stays impossible, whatever a prior weighs.
        *it = if *it > IMPOSSIBLE {
            parameters.prior_weight * (*it - ln_other)
        } else {
            IMPOSSIBLE
        };
    }
    for pair in facts.base.pairs() {
        // How often the second comes with the first is a figure of its own and is not tempered.
        let together = if odds[pair.second.index()] > IMPOSSIBLE {
            odds[pair.first.index()] + pair.ln_share
        } else {
            IMPOSSIBLE
        };
        odds.push(together);
    }
    odds
}

/// Probabilities from log-odds against "something else", whose own log-odds are 0.
fn normalised(scores: Vec<f64>) -> (Vec<f64>, f64) {
    let highest = highest(&scores);
    let mut probabilities = scores;
    for it in &mut probabilities {
        let below = *it - highest;
        *it = if below < NEGLIGIBLE {
            0.0
        } else {
            exponential(below)
        };
    }
    let other = (-highest).exp();
    let total = sum(&probabilities) + other;
    let each = 1.0 / total;
    for probability in &mut probabilities {
        *probability *= each;
    }
    (probabilities, other * each)
}

/// The share of each condition. Where two are there at once, each gets half of that chance, so that
/// the shares still add up to the whole.
pub(crate) fn of_conditions(hypotheses: &[f64], facts: &PatientFacts<'_>) -> Vec<f64> {
    let conditions = facts.base.conditions().len();
    let mut probabilities = hypotheses[..conditions].to_vec();
    for (pair, chance) in facts.base.pairs().iter().zip(&hypotheses[conditions..]) {
        probabilities[pair.first.index()] += chance / 2.0;
        probabilities[pair.second.index()] += chance / 2.0;
    }
    probabilities
}
