//! The differential: the probability of each condition and of "something else", with the weight of
//! every piece of evidence kept, so that the score can be explained to the last log-odd.

use lafiya_knowledge::{ConceptRef, ConditionIx};
use lafiya_model::DeidentifiedCase;

use crate::facts::{PatientFacts, Told};
use crate::parameters::Parameters;
use crate::{priors, weights};

/// A condition that is impossible has this score.
const IMPOSSIBLE: f64 = f64::NEG_INFINITY;

/// Probabilities and where they come from.
#[derive(Clone, Debug)]
pub struct Differential {
    /// By `ConditionIx`; 0 where impossible.
    probabilities: Vec<f64>,
    /// The share of "something else".
    unexplained: f64,
    /// Log-odds of the prior against "something else".
    pub(crate) prior: Vec<f64>,
    /// The weight of each piece of evidence, in the order of the facts.
    pub(crate) weights: Vec<(Told, Vec<f64>)>,
    /// The weight of the course, where durations are known.
    pub(crate) course: Option<Vec<f64>>,
    ranking: Vec<ConditionIx>,
}

impl Differential {
    /// The differential of a patient.
    pub fn of(facts: &PatientFacts<'_>, case: &DeidentifiedCase, parameters: &Parameters) -> Self {
        let prior = prior_log_odds(&priors::shares(facts, case), parameters);
        let counted = facts.counted(|_| true);
        let weights = counted
            .iter()
            .map(|told| (*told, weights::of(told, facts, parameters, &counted)))
            .collect::<Vec<_>>();
        let course = weights::course(facts, parameters);
        let mut scores = prior.clone();
        add(&mut scores, weights.iter().map(|(_, weights)| weights));
        add(&mut scores, course.iter());
        let (probabilities, unexplained) = normalised(&scores);
        let ranking = ranked(&probabilities);
        Self {
            probabilities,
            unexplained,
            prior,
            weights,
            course,
            ranking,
        }
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
        &self.ranking
    }

    /// The probabilities that a part of the evidence alone would give: the pieces for which `keep`
    /// says yes.
    pub(crate) fn with_only(
        &self,
        facts: &PatientFacts<'_>,
        parameters: &Parameters,
        keep: impl Fn(ConceptRef) -> bool,
    ) -> Vec<f64> {
        let kept = facts.counted(keep);
        let mut scores = self.prior.clone();
        for told in &kept {
            // The weight of an absent finding leans on what else is there, so it is taken anew.
            let known = self.weights.iter().find(|(known, _)| {
                known == told && (told.present || told.concept.finding().is_none())
            });
            match known {
                Some((_, weights)) => add(&mut scores, std::iter::once(weights)),
                None => add(
                    &mut scores,
                    std::iter::once(&weights::of(told, facts, parameters, &kept)),
                ),
            }
        }
        add(&mut scores, self.course.iter());
        normalised(&scores).0
    }
}

/// Log-odds of each prior against "something else".
fn prior_log_odds(shares: &[f64], parameters: &Parameters) -> Vec<f64> {
    let known: f64 = shares.iter().sum();
    // What the base does not explain, and never less than the stated share of what it does.
    let other = (1.0 - known).max(parameters.other_prior * known.max(0.05));
    shares
        .iter()
        .map(|&share| {
            if share > 0.0 {
                parameters.prior_weight * (share / other).ln()
            } else {
                IMPOSSIBLE
            }
        })
        .collect()
}

fn add<'a>(scores: &mut [f64], pieces: impl Iterator<Item = &'a Vec<f64>>) {
    for piece in pieces {
        for (score, weight) in scores.iter_mut().zip(piece) {
            *score += weight;
        }
    }
}

/// Probabilities from log-odds against "something else", whose own log-odds are 0.
fn normalised(scores: &[f64]) -> (Vec<f64>, f64) {
    let highest = scores.iter().copied().fold(0.0, f64::max);
    let mut probabilities: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
    let other = (-highest).exp();
    let total = probabilities.iter().sum::<f64>() + other;
    for probability in &mut probabilities {
        *probability /= total;
    }
    (probabilities, other / total)
}

fn ranked(probabilities: &[f64]) -> Vec<ConditionIx> {
    let mut ranking: Vec<ConditionIx> = (0..probabilities.len())
        .map(ConditionIx::at)
        .filter(|ix| probabilities[ix.index()] > 0.0)
        .collect();
    ranking.sort_by(|a, b| {
        probabilities[b.index()]
            .total_cmp(&probabilities[a.index()])
            .then(a.cmp(b))
    });
    ranking
}
