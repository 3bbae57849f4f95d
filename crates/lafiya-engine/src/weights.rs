//! What each piece of evidence says about each condition, in log-odds against "something else".
//! Every weight is a logarithm of a ratio of two probabilities of the knowledge base; the global
//! parameters only say how much of it counts.

use lafiya_knowledge::{
    ConditionIx, Course, FindingIx, KnowledgeBase, LabIx, PROBABILITY_MAX, RiskIx, Showing, bounded,
};
use lafiya_model::Severity;

use crate::facts::{PatientFacts, Status, Told};
use crate::parameters::Parameters;

/// The share of patients who call a finding severe, where a condition does not say.
const SEVERE_SHARE: f64 = 0.3;
/// A narrow finding that a condition does not list, while it lists the broad one, is expected in this
/// share of those who have the broad one at most: what is typical would have been listed.
const NARROWER_SHARE_MAX: f64 = 0.2;

/// One weight per hypothesis for a piece of evidence, together with the other pieces in `company`
/// (an absent narrow finding speaks less when the broad one is known to be there): the conditions in
/// their order, then the pairs of conditions. Two conditions at once show what either of them shows,
/// and what is absent counts as against the one it speaks against most.
pub(crate) fn of(
    told: &Told,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
    company: &[Told],
) -> Vec<f64> {
    let mut weights = of_conditions(told, facts, parameters, company);
    for pair in facts.base.pairs() {
        let (first, second) = (weights[pair.first.index()], weights[pair.second.index()]);
        weights.push(if told.present {
            first.max(second)
        } else {
            first.min(second)
        });
    }
    weights
}

fn of_conditions(
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
    all_at(0.0, facts.base)
}

/// The same weight for every condition, with room for the pairs that follow.
fn all_at(weight: f64, base: &KnowledgeBase) -> Vec<f64> {
    let conditions = base.conditions().len();
    let mut weights = Vec::with_capacity(conditions + base.pairs().len());
    weights.resize(conditions, weight);
    weights
}

fn present_finding(
    ix: FindingIx,
    severity: Option<Severity>,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
) -> Vec<f64> {
    let background = f64::from(facts.base.finding(ix).background);
    let ln_other = bounded(background * parameters.other_times).ln();
    let weight = |figure: Figure<'_>| parameters.present_weight * (figure.ln_present() - ln_other);
    let mut weights = Expected::of(ix, facts, parameters).map(facts.base, weight);
    if let Some(severity) = severity {
        add_severity(&mut weights, ix, severity, facts, parameters);
    }
    weights
}

fn absent_finding(
    ix: FindingIx,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
    company: &[Told],
) -> Vec<f64> {
    let base = facts.base;
    let background = f64::from(base.finding(ix).background);
    let expected = Expected::of(ix, facts, parameters);
    let mut weights = match present_ancestor(ix, facts, company) {
        None => {
            let ln_other = (1.0 - bounded(background.min(0.9))).ln();
            expected.map(base, |figure| figure.ln_absent() - ln_other)
        }
        Some(broader) => {
            // Given that the broad finding is there, how often is the narrow one not?
            let other = f64::from(base.finding(broader).background) * parameters.other_times;
            let ln_other = (1.0 - bounded((background / bounded(other)).min(0.9))).ln();
            let given = Expected::of(broader, facts, parameters);
            expected.map_with(&given, base, |narrow, given| {
                let share = f64::from(narrow) / bounded(given.into());
                (1.0 - bounded(share.min(PROBABILITY_MAX))).ln() - ln_other
            })
        }
    };
    let cardinal = expected.listed.iter().filter(|it| it.cardinal);
    let cardinal: Vec<(usize, f64)> = cardinal
        .map(|it| it.condition.index())
        .map(|place| (place, weights[place] * parameters.absent_cardinal_weight))
        .collect();
    for weight in &mut weights {
        *weight *= parameters.absent_weight;
    }
    for (place, weight) in cardinal {
        weights[place] = weight;
    }
    weights
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
/// below the background. Few conditions list a finding, so only those are kept one by one.
struct Expected<'a> {
    /// Of a condition that does not list it.
    unlisted: f32,
    listed: &'a [Showing],
    /// Of conditions that list a broader finding alone. Where two broader ones lead to one condition,
    /// the higher figure comes last and counts.
    narrowed: Vec<(ConditionIx, f32)>,
}

/// One figure: from the table, which has its logarithms, or reckoned for this patient.
#[derive(Clone, Copy)]
enum Figure<'a> {
    Listed(&'a Showing),
    Reckoned(f32),
}

impl Figure<'_> {
    fn ln_present(self) -> f64 {
        match self {
            Self::Listed(it) => it.ln_present,
            Self::Reckoned(probability) => bounded(probability.into()).ln(),
        }
    }

    fn ln_absent(self) -> f64 {
        match self {
            Self::Listed(it) => it.ln_absent,
            Self::Reckoned(probability) => (1.0 - bounded(probability.into())).ln(),
        }
    }
}

impl<'a> Expected<'a> {
    fn of(ix: FindingIx, facts: &PatientFacts<'a>, parameters: &Parameters) -> Self {
        let base = facts.base;
        let table = base.likelihood();
        let finding = base.finding(ix);
        let unlisted = f64::from(finding.background) * parameters.unexplained_times;
        let known = table.known_column(ix);
        let mut narrowed = Vec::new();
        for &broader in &finding.ancestors {
            // What a listed broader finding lets one expect of a narrower one that is not listed.
            let ratio = f64::from(finding.background)
                / f64::from(base.finding(broader).background.max(0.0001));
            let share = (ratio * parameters.narrower_times).min(NARROWER_SHARE_MAX);
            let from_broader = table
                .showing(broader, facts.group)
                .iter()
                .filter(|broad| !known[broad.condition.index()])
                .map(|broad| (broad.condition, f64::from(broad.probability) * share))
                .filter(|(_, expected)| *expected > unlisted)
                .map(|(condition, expected)| (condition, expected as f32));
            narrowed.extend(from_broader);
        }
        if finding.ancestors.len() > 1 {
            narrowed
                .sort_unstable_by(|it, other| it.0.cmp(&other.0).then(it.1.total_cmp(&other.1)));
        }
        Self {
            unlisted: unlisted as f32,
            listed: table.showing(ix, facts.group),
            narrowed,
        }
    }

    /// One number for each condition.
    fn map(&self, base: &KnowledgeBase, number: impl Fn(Figure<'_>) -> f64) -> Vec<f64> {
        let mut numbers = all_at(number(Figure::Reckoned(self.unlisted)), base);
        for figure in self.listed {
            numbers[figure.condition.index()] = number(Figure::Listed(figure));
        }
        for &(condition, probability) in &self.narrowed {
            numbers[condition.index()] = number(Figure::Reckoned(probability));
        }
        numbers
    }

    /// One number for each condition, from what it lets expect of this finding and of another.
    fn map_with(
        &self,
        other: &Self,
        base: &KnowledgeBase,
        number: impl Fn(f32, f32) -> f64,
    ) -> Vec<f64> {
        let mut figures = vec![(self.unlisted, other.unlisted); base.conditions().len()];
        for (condition, probability) in self.one_by_one() {
            figures[condition.index()].0 = probability;
        }
        for (condition, probability) in other.one_by_one() {
            figures[condition.index()].1 = probability;
        }
        let mut numbers = all_at(number(self.unlisted, other.unlisted), base);
        for (condition, _) in self.one_by_one().chain(other.one_by_one()) {
            let place = condition.index();
            let (own, others) = figures[place];
            numbers[place] = number(own, others);
        }
        numbers
    }

    /// The conditions of which more is known than of the rest.
    fn one_by_one(&self) -> impl Iterator<Item = (ConditionIx, f32)> {
        let listed = self.listed.iter().map(|it| (it.condition, it.probability));
        listed.chain(self.narrowed.iter().copied())
    }
}

/// What the told severity adds, for conditions that say how often it is called severe.
fn add_severity(
    weights: &mut [f64],
    ix: FindingIx,
    severity: Severity,
    facts: &PatientFacts<'_>,
    parameters: &Parameters,
) {
    let base = facts.base;
    for condition in &base.finding(ix).conditions {
        let links = &base.condition(*condition).findings;
        let share = links
            .iter()
            .find(|link| link.finding == ix)
            .and_then(|link| link.severe);
        if let Some(share) = share.map(|share| bounded(f64::from(share))) {
            let ratio = match severity {
                Severity::Severe => share / SEVERE_SHARE,
                Severity::Mild | Severity::Moderate => (1.0 - share) / (1.0 - SEVERE_SHARE),
            };
            weights[condition.index()] += parameters.present_weight * ratio.ln();
        }
    }
}

/// An odds ratio, shared out between having and not having the risk factor by how common it is.
fn risk(base: &KnowledgeBase, ix: RiskIx, present: bool, parameters: &Parameters) -> Vec<f64> {
    let mut weights = all_at(0.0, base);
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
    let mut weights = all_at(0.0, base);
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
    let weight = |course: &Course| {
        let [usual_from, usual_to] = course.usual.map(f64::from);
        let [possible_from, possible_to] = course.possible.map(f64::from);
        let misfit = if days < usual_from {
            (usual_from - days) / (usual_from - possible_from).max(0.5)
        } else if days > usual_to {
            (days - usual_to) / (possible_to - usual_to).max(0.5)
        } else {
            // A narrow window that is hit tells more than a wide one.
            return 0.15 * course.ln_usual_width.mul_add(-0.3, 1.5).max(0.0);
        };
        -parameters.course_weight * misfit.min(2.0)
    };
    let (courses, pairs) = (facts.base.courses(), facts.base.pairs());
    let mut weights = Vec::with_capacity(courses.len() + pairs.len());
    weights.extend(courses.iter().map(weight));
    for pair in pairs {
        weights.push(weights[pair.first.index()].max(weights[pair.second.index()]));
    }
    Some(weights)
}

/// Whether a status is an answer.
pub(crate) fn is_answered(status: Status) -> bool {
    status != Status::Unasked
}
