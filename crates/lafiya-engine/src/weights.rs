//! What each piece of evidence says about each condition, in log-odds against "something else".
//! Every weight is a logarithm of a ratio of two probabilities of the knowledge base; the global
//! parameters only say how much of it counts.

use lafiya_knowledge::{FindingIx, KnowledgeBase, LabIx, RiskIx};
use lafiya_model::Severity;

use crate::facts::{PatientFacts, Status, Told};
use crate::parameters::Parameters;

/// The share of patients who call a finding severe, where a condition does not say.
const SEVERE_SHARE: f64 = 0.3;
/// Probabilities are kept away from certainty: no single answer decides.
const PROBABILITY_MIN: f64 = 0.0005;
const PROBABILITY_MAX: f64 = 0.995;
/// A narrow finding that a condition does not list, while it lists the broad one, is expected in this
/// share of those who have the broad one at most: what is typical would have been listed.
const NARROWER_SHARE_MAX: f64 = 0.2;

fn bounded(probability: f64) -> f64 {
    probability.clamp(PROBABILITY_MIN, PROBABILITY_MAX)
}

/// One weight per condition for a piece of evidence, together with the other pieces in `company`
/// (an absent narrow finding speaks less when the broad one is known to be there).
pub(crate) fn of(
    told: &Told,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
    company: &[Told],
) -> Vec<f64> {
    if let Some(ix) = told.concept.finding() {
        return if told.present {
            present_finding(ix, told.severity, facts, parameters)
        } else {
            absent_finding(ix, facts, parameters, company)
        };
    }
    if let Some(ix) = told.concept.risk() {
        return risk(facts.base, ix, told.present, parameters);
    }
    if let Some(ix) = told.concept.lab() {
        return lab(facts.base, ix, told.present);
    }
    vec![0.0; facts.base.conditions().len()]
}

fn present_finding(
    ix: FindingIx,
    severity: Option<Severity>,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
) -> Vec<f64> {
    let background = f64::from(facts.base.finding(ix).background);
    let other = bounded(background * parameters.other_times);
    let severe = severe_ratio(ix, severity, facts);
    likelihoods(ix, facts, parameters)
        .into_iter()
        .zip(severe)
        .map(|(probability, severe)| {
            parameters.present_weight * ((bounded(probability) / other).ln() + severe)
        })
        .collect()
}

fn absent_finding(
    ix: FindingIx,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
    company: &[Told],
) -> Vec<f64> {
    let base = facts.base;
    let background = f64::from(base.finding(ix).background);
    let cardinal = base.likelihood().cardinal_column(ix);
    let broader = present_ancestor(ix, facts, company);
    let broader_likelihoods = broader.map(|broader| likelihoods(broader, facts, parameters));
    let other_base = broader.map_or(1.0, |broader| {
        bounded(f64::from(base.finding(broader).background) * parameters.other_times)
    });
    let other_absent = 1.0 - bounded((background / other_base).min(0.9));
    likelihoods(ix, facts, parameters)
        .into_iter()
        .enumerate()
        .map(|(place, probability)| {
            // Given that the broad finding is there, how often is the narrow one not?
            let given = broader_likelihoods
                .as_ref()
                .map_or(1.0, |broader| bounded(broader[place]));
            let absent = 1.0 - bounded((probability / given).min(PROBABILITY_MAX));
            let weight = if cardinal[place] {
                parameters.absent_cardinal_weight
            } else {
                parameters.absent_weight
            };
            weight * (absent / other_absent).ln()
        })
        .collect()
}

fn present_ancestor(
    ix: FindingIx,
    facts: &PatientFacts<'_>,
    company: &[Told],
) -> Option<FindingIx> {
    let is_there = |broader: &FindingIx| {
        company
            .iter()
            .filter(|told| told.present)
            .filter_map(|told| told.concept.finding())
            .any(|present| {
                present == *broader || facts.base.finding(present).ancestors.contains(broader)
            })
    };
    facts
        .base
        .finding(ix)
        .ancestors
        .iter()
        .copied()
        .find(|broader| is_there(broader))
}

/// How often each condition shows a finding in a patient of these groups. A listed figure is what is
/// seen in people who have the condition, whatever the cause, so nothing is added to it: a telling
/// absence below the background speaks against the condition. What is not listed stands a little
/// below the background.
fn likelihoods(ix: FindingIx, facts: &PatientFacts<'_>, parameters: &Parameters) -> Vec<f64> {
    let base = facts.base;
    let table = base.likelihood();
    let background = f64::from(base.finding(ix).background);
    let mut column = Vec::new();
    table.column_for(ix, &facts.groups, &mut column);
    let known = table.known_column(ix);
    let broader = broader_columns(ix, facts, parameters);
    column
        .iter()
        .zip(known)
        .enumerate()
        .map(|(place, (&probability, &known))| {
            if known {
                return f64::from(probability);
            }
            let unexplained = background * parameters.unexplained_times;
            let from_broader = broader
                .iter()
                .map(|column| column.expected(place))
                .fold(0.0, f64::max);
            unexplained.max(from_broader)
        })
        .collect()
}

/// What a listed broader finding lets one expect of a narrower one that is not listed.
struct BroaderColumn<'a> {
    probabilities: &'a [f32],
    known: &'a [bool],
    share: f64,
}

impl BroaderColumn<'_> {
    fn expected(&self, place: usize) -> f64 {
        if self.known[place] {
            f64::from(self.probabilities[place]) * self.share
        } else {
            0.0
        }
    }
}

fn broader_columns<'a>(
    ix: FindingIx,
    facts: &PatientFacts<'a>,
    parameters: &Parameters,
) -> Vec<BroaderColumn<'a>> {
    let base = facts.base;
    let finding = base.finding(ix);
    finding
        .ancestors
        .iter()
        .map(|&broader| {
            let ratio = f64::from(finding.background)
                / f64::from(base.finding(broader).background.max(0.0001));
            BroaderColumn {
                probabilities: base.likelihood().column(broader),
                known: base.likelihood().known_column(broader),
                share: (ratio * parameters.narrower_times).min(NARROWER_SHARE_MAX),
            }
        })
        .collect()
}

fn severe_ratio(ix: FindingIx, severity: Option<Severity>, facts: &PatientFacts<'_>) -> Vec<f64> {
    let base = facts.base;
    let mut ratios = vec![0.0; base.conditions().len()];
    let Some(severity) = severity else {
        return ratios;
    };
    for condition in &base.finding(ix).conditions {
        let links = &base.condition(*condition).findings;
        let share = links
            .iter()
            .find(|link| link.finding == ix)
            .and_then(|link| link.severe);
        if let Some(share) = share.map(|share| bounded(f64::from(share))) {
            ratios[condition.index()] = match severity {
                Severity::Severe => (share / SEVERE_SHARE).ln(),
                Severity::Mild | Severity::Moderate => ((1.0 - share) / (1.0 - SEVERE_SHARE)).ln(),
            };
        }
    }
    ratios
}

/// An odds ratio, shared out between having and not having the risk factor by how common it is.
fn risk(base: &KnowledgeBase, ix: RiskIx, present: bool, parameters: &Parameters) -> Vec<f64> {
    let mut weights = vec![0.0; base.conditions().len()];
    let risk = base.risk(ix);
    let background = f64::from(risk.background);
    for &(condition, ln_odds) in &risk.effects {
        let odds = f64::from(ln_odds).exp();
        let average = 1.0 + background * (odds - 1.0);
        let ratio = if present {
            odds / average
        } else {
            1.0 / average
        };
        weights[condition.index()] = parameters.risk_weight * ratio.ln();
    }
    weights
}

/// A test speaks for the conditions that list it, with its own two error rates.
fn lab(base: &KnowledgeBase, ix: LabIx, positive: bool) -> Vec<f64> {
    let mut weights = vec![0.0; base.conditions().len()];
    for effect in &base.lab(ix).effects {
        let (with, without) = (
            bounded(f64::from(effect.with)),
            bounded(f64::from(effect.without)),
        );
        weights[effect.condition.index()] = if positive {
            (with / without).ln()
        } else {
            ((1.0 - with) / (1.0 - without)).ln()
        };
    }
    weights
}

/// How well the time since the first symptom fits each condition's course.
pub(crate) fn course(facts: &PatientFacts<'_>, parameters: &Parameters) -> Option<Vec<f64>> {
    let days = f64::from(facts.days_of_illness()?);
    let weight = |condition: &lafiya_knowledge::Condition| {
        let course = &condition.text.course;
        let [usual_from, usual_to] = course.usual_days.map(f64::from);
        let [possible_from, possible_to] = course.possible_days.map(f64::from);
        let misfit = if days < usual_from {
            (usual_from - days) / (usual_from - possible_from).max(0.5)
        } else if days > usual_to {
            (days - usual_to) / (possible_to - usual_to).max(0.5)
        } else {
            // A narrow window that is hit tells more than a wide one.
            return 0.15
                * (1.0 + usual_to - usual_from)
                    .ln()
                    .mul_add(-0.3, 1.5)
                    .max(0.0);
        };
        -parameters.course_weight * misfit.min(2.0)
    };
    Some(facts.base.conditions().iter().map(weight).collect())
}

/// Whether a status is an answer.
pub(crate) fn is_answered(status: Status) -> bool {
    status != Status::Unasked
}
