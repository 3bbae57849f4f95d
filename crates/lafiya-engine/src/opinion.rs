//! Combines a second opinion with the engine's own result. The opinion may shift probabilities
//! within bounds, add a candidate with a small probability, and raise the level. It cannot lower a
//! level, silence a danger sign, end an interview or remove anything from the plan, because all of
//! these are still computed from the engine's own differential.
//!
//! The rule is log-linear pooling: the log-probability of a condition moves towards that of the
//! opinion by the fraction [`WEIGHT`], and by at most [`MOVE_MAX`]. So the odds between any two
//! hypotheses change by at most a factor of four.

use lafiya_knowledge::ConditionIx;
use lafiya_model::assessment::{Investigation, Warning, WarningKind, WarningSeverity};
use lafiya_model::{ConceptId, Opinion, TriageLevel};

use crate::citations::Citations;
use crate::danger::Alarm;
use crate::differential::{Differential, of_conditions};
use crate::facts::PatientFacts;
use crate::parameters::Parameters;
use crate::triage::{self, Levels, Verdict};

/// The fraction by which log-probabilities move towards the opinion. It is well below one half
/// because the engine's figures have sources.
const WEIGHT: f64 = 0.3;
/// The largest change of a log-probability. Two that move in opposite directions change their odds
/// by a factor of four.
const MOVE_MAX: f64 = std::f64::consts::LN_2;
/// The lowest probability in the opinion at which a candidate that the engine considers unlikely is
/// added.
const ADDED_FROM: f64 = 0.1;
/// The probability given to an added candidate: enough to be shown, too low for a plan of its own.
const ADDED_SHARE: f64 = 0.02;
/// The maximum number of added candidates. Those with the highest probability in the opinion are
/// chosen.
const ADDED_MAX: usize = 3;
/// The lower bound for probabilities before taking a logarithm.
const LEAST: f64 = 1e-16;

/// The reason why a well-formed claim was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The condition is not in the knowledge base, or the known facts rule it out.
    Impossible(ConceptId),
    /// The level is lower than the engine's own.
    LowerLevel,
}

/// The result of applying a second opinion.
pub(crate) struct Considered<'a> {
    pub(crate) moved: Differential<'a>,
    pub(crate) opinion: Opinion,
}

/// Applies an opinion to the engine's own differential, whose level is `own`.
pub(crate) fn consider<'a>(
    facts: &PatientFacts<'_>,
    differential: &Differential<'a>,
    own: TriageLevel,
    opinion: Opinion,
) -> (Considered<'a>, Vec<Refusal>) {
    let mut refusals = Vec::new();
    let mut views: Vec<(ConditionIx, f64)> = Vec::new();
    for (id, probability) in &opinion.views {
        let named = facts.base.resolve(id.as_str());
        let possible = named
            .and_then(|concept| concept.condition())
            // The known facts rule the condition out for certain; no opinion can bring it back.
            .filter(|ix| differential.is_possible(*ix));
        match possible {
            Some(ix) if views.iter().all(|(known, _)| *known != ix) => {
                views.push((ix, probability.clamp(0.0, 1.0)));
            }
            // Named twice; the first probability counts.
            Some(_) => {}
            None => refusals.push(Refusal::Impossible(id.clone())),
        }
    }
    if opinion.level.is_some_and(|level| level < own) {
        refusals.push(Refusal::LowerLevel);
    }
    let moved = pooled(facts, differential, &views);
    (Considered { moved, opinion }, refusals)
}

/// Returns the differential pooled with the probabilities of the opinion.
fn pooled<'a>(
    facts: &PatientFacts<'_>,
    differential: &Differential<'a>,
    views: &[(ConditionIx, f64)],
) -> Differential<'a> {
    // A condition that the opinion does not name keeps its log-probability.
    let mut moves = vec![0.0; facts.base.conditions().len()];
    for &(ix, view) in views {
        let own = differential.probability(ix).max(LEAST);
        let apart = (view.max(LEAST) / own).ln();
        moves[ix.index()] = (WEIGHT * apart).clamp(-MOVE_MAX, MOVE_MAX);
    }
    let of_pairs = facts.base.pairs().iter();
    let of_pairs =
        of_pairs.map(|pair| (moves[pair.first.index()] + moves[pair.second.index()]) / 2.0);
    let all = moves.iter().copied().chain(of_pairs);
    let own = differential.hypotheses();
    let mut hypotheses: Vec<f64> = own
        .iter()
        .zip(all)
        .map(|(share, by)| share * by.exp())
        .collect();
    let whole = hypotheses.iter().sum::<f64>() + differential.unexplained();
    let mut whole_with_added = 1.0;
    for share in &mut hypotheses {
        *share /= whole;
    }
    let shares = of_conditions(&hypotheses, facts);
    // After the pooling, whose limited step alone would leave these candidates too low to be shown.
    for ix in added(differential, views) {
        let lacking = (ADDED_SHARE - shares[ix.index()]).max(0.0);
        hypotheses[ix.index()] += lacking;
        whole_with_added += lacking;
    }
    for share in &mut hypotheses {
        *share /= whole_with_added;
    }
    let unexplained = differential.unexplained() / whole / whole_with_added;
    let odds = |share: f64, other: f64| (share.max(LEAST) / other.max(LEAST)).ln();
    let weights = hypotheses[..moves.len()]
        .iter()
        .zip(own)
        .map(|(&now, &before)| odds(now, unexplained) - odds(before, differential.unexplained()))
        .collect();
    differential.moved(facts, hypotheses, unexplained, weights)
}

/// Returns candidates that are probable in the opinion and unlikely for the engine, most probable
/// first.
fn added(differential: &Differential<'_>, views: &[(ConditionIx, f64)]) -> Vec<ConditionIx> {
    let mut sure: Vec<(ConditionIx, f64)> = views
        .iter()
        .copied()
        .filter(|&(ix, view)| view >= ADDED_FROM && differential.probability(ix) < ADDED_SHARE)
        .collect();
    sure.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sure.into_iter().take(ADDED_MAX).map(|(ix, _)| ix).collect()
}

impl Considered<'_> {
    /// Returns the engine's verdict, raised if the opinion or the changed probabilities require a
    /// higher level.
    pub(crate) fn raised(
        &self,
        own: Verdict,
        alarms: &[Alarm<'_>],
        levels: &Levels,
        parameters: &Parameters,
    ) -> Verdict {
        let candidate_level = levels
            .shares(self.moved.hypotheses())
            .level(self.moved.unexplained(), parameters);
        // Without a level of its own, the opinion still counts through the changed probabilities.
        let asked = self.opinion.level.unwrap_or(candidate_level);
        let level = own.level.max(candidate_level).max(asked);
        if level == own.level {
            return own;
        }
        let timeframe = triage::timeframe(level, &self.moved, alarms, levels);
        Verdict {
            level,
            // A later timeframe compares as smaller: the sooner of the two holds.
            timeframe: timeframe.max(own.timeframe),
            raised_from: Some(own.level),
            ..own
        }
    }

    /// Returns a warning for the clinician if the two disagree about the level.
    pub(crate) fn warning<'a>(&self, verdict: &Verdict) -> Option<Warning<'a>> {
        let before = verdict.raised_from?;
        Some(Warning {
            kind: WarningKind::TriageMismatch,
            severity: WarningSeverity::Medium,
            message: format!(
                "With the second opinion the level is {}, without it {before}; the higher stands.",
                verdict.level
            )
            .into(),
            recommended_action: "Look at the patient before acting on either.".into(),
            details: Vec::new(),
        })
    }

    /// Returns the reasons of the opinion as reasoning steps, each with its citations.
    pub(crate) fn steps(&self, citations: &mut Citations<'_>) -> Vec<String> {
        let reasons = self.opinion.reasons.iter();
        let step = |reason: &lafiya_model::opinion::Reason| {
            let cited: Vec<_> = reason
                .sources
                .iter()
                .map(|source| citations.cite_id(source))
                .filter(|line| !line.is_empty())
                .collect();
            format!(
                "Second opinion ({}): {} ({})",
                self.opinion.by,
                reason.text,
                cited.join("; ")
            )
        };
        reasons.map(step).collect()
    }
}

/// Appends tests for further candidates after the engine's own, without displacing any.
pub(crate) fn with_further<'a>(
    mut own: Vec<Investigation<'a>>,
    further: Vec<Investigation<'a>>,
) -> Vec<Investigation<'a>> {
    for mut test in further {
        if own.iter().all(|listed| listed.test_id != test.test_id) {
            test.priority = own.len() as u32 + 1;
            own.push(test);
        }
    }
    own
}
