//! The weight of each piece of evidence for each condition, in log-odds against "something else".
//! Every weight is the logarithm of a ratio of two probabilities from the knowledge base; the
//! global parameters only scale it.

use lafiya_knowledge::{
    ConceptRef, ConditionIx, Course, FindingIx, KnowledgeBase, LabEffect, LabIx, PROBABILITY_MAX,
    RiskIx, Showing, bounded,
};
use lafiya_model::Severity;

use crate::facts::{EvidenceItem, PatientFacts, is_among, is_any_among};
use crate::parameters::Parameters;
use crate::weights::{SparseWeights, WeightFormula, Weights};

/// The share of patients who call a finding severe, if a condition does not state one.
const SEVERE_SHARE: f64 = 0.3;
/// The upper bound for a narrow finding that a condition does not list while it lists the broad
/// one, as a share of patients with the broad finding. A typical finding would have been listed.
const NARROWER_SHARE_MAX: f64 = 0.2;

/// Returns the weights of a piece of evidence, given the other evidence in `company`. An absent
/// narrow finding counts less if the broad one is known to be present.
pub(crate) fn of<'a>(
    item: &EvidenceItem,
    facts: &PatientFacts<'a>,
    parameters: &Parameters,
    company: &[EvidenceItem],
) -> Weights<'a> {
    let (usual, sparse) = match (item.concept, item.present) {
        (ConceptRef::Finding(ix), true) => present_finding(ix, item.severity, facts, parameters),
        (ConceptRef::Finding(ix), false) => absent_finding(ix, facts, parameters, company),
        // The priors of the place already count it.
        (ConceptRef::Risk(ix), _) if facts.is_by_place(ix) => (0.0, Vec::new().into()),
        (ConceptRef::Risk(ix), present) => (0.0, risk(facts.base, ix, present, parameters).into()),
        (ConceptRef::Lab(ix), present) => (0.0, lab(facts.base, ix, present).into()),
        (ConceptRef::Measure(_) | ConceptRef::Condition(_), _) => (0.0, Vec::new().into()),
    };
    Weights::new(usual, sparse, item.present, facts.base)
}

fn present_finding<'a>(
    ix: FindingIx,
    severity: Option<Severity>,
    facts: &PatientFacts<'a>,
    parameters: &Parameters,
) -> (f64, SparseWeights<'a>) {
    let background = f64::from(facts.base.finding(ix).background);
    let formula = WeightFormula {
        present: true,
        ln_other: bounded(background * parameters.other_times).ln(),
        times: parameters.present_weight,
        cardinal_times: parameters.present_weight,
    };
    let expected = Expected::of(ix, facts, parameters);
    let usual = formula.weight(bounded(expected.unlisted).ln(), false);
    let sparse = expected.weighed(formula, |narrowed| narrowed.ln_present);
    let sparse = match severity {
        Some(severity) => with_severity(sparse, ix, severity, facts, parameters),
        None => sparse,
    };
    (usual, sparse)
}

fn absent_finding<'a>(
    ix: FindingIx,
    facts: &PatientFacts<'a>,
    parameters: &Parameters,
    company: &[EvidenceItem],
) -> (f64, SparseWeights<'a>) {
    let base = facts.base;
    let background = f64::from(base.finding(ix).background);
    let expected = Expected::of(ix, facts, parameters);
    let mut formula = WeightFormula {
        present: false,
        // Without the cap, the absence of a nearly universal finding would speak strongly for every
        // condition.
        ln_other: (1.0 - bounded(background.min(0.9))).ln(),
        times: parameters.absent_weight,
        cardinal_times: parameters.absent_cardinal_weight,
    };
    let Some(broader) = present_ancestor(ix, facts, company) else {
        let usual = formula.weight((1.0 - bounded(expected.unlisted)).ln(), false);
        let ln_absent = |narrowed: Narrowed| (1.0 - bounded(narrowed.probability)).ln();
        return (usual, expected.weighed(formula, ln_absent));
    };
    // The probability that the narrow finding is absent, given that the broad one is present.
    let other = f64::from(base.finding(broader).background) * parameters.other_times;
    formula.ln_other = (1.0 - bounded((background / bounded(other)).min(0.9))).ln();
    let given = Expected::of(broader, facts, parameters);
    let weight = |narrow: f64, is_cardinal: bool, given: f64| {
        let share = narrow / bounded(given);
        let ln_absent = (1.0 - bounded(share.min(PROBABILITY_MAX))).ln();
        formula.weight(ln_absent, is_cardinal)
    };
    let usual = weight(expected.unlisted, false, given.unlisted);
    (usual, expected.map_with(&given, weight).into())
}

/// Returns the nearest broader finding that is known to be present, stated or implied by a narrower
/// one.
fn present_ancestor(
    ix: FindingIx,
    facts: &PatientFacts<'_>,
    company: &[EvidenceItem],
) -> Option<FindingIx> {
    let mut broader = facts.base.finding(ix).ancestors.iter().copied();
    broader.find(|&ancestor| {
        let narrower = &facts.base.finding(ancestor).descendants;
        is_among(company, ancestor, true) || is_any_among(company, narrower, true)
    })
}

/// How often each condition shows a finding in a patient of these groups. A listed figure describes
/// people who have the condition, whatever the cause of the finding, so nothing is added to it, and
/// a figure below the background counts against the condition. An unlisted finding is expected
/// slightly below the background. Few conditions list a finding, so only those are stored
/// individually.
struct Expected<'a> {
    /// For a condition that does not list the finding.
    unlisted: f64,
    /// For the conditions that list the finding, in their order.
    listed: &'a Showing,
    /// For the conditions that list only a broader finding, in their order without duplicates.
    narrowed: Vec<(ConditionIx, Narrowed)>,
}

/// The expected frequency of an unlisted narrow finding, derived from a listed broader one.
#[derive(Clone, Copy)]
struct Narrowed {
    probability: f64,
    ln_present: f64,
}

impl<'a> Expected<'a> {
    fn of(ix: FindingIx, facts: &PatientFacts<'a>, parameters: &Parameters) -> Self {
        let table = facts.base.likelihood();
        let finding = facts.base.finding(ix);
        let unlisted = f64::from(finding.background) * parameters.unexplained_times;
        let mut narrowed = Vec::new();
        for &broader in &finding.ancestors {
            narrowed.extend(expected_by(broader, ix, unlisted, facts, parameters));
        }
        if finding.ancestors.len() > 1 {
            // If two broader findings lead to the same condition, the higher figure counts.
            narrowed.sort_by(|(ix, one), (other_ix, other)| {
                let higher_first = || other.probability.total_cmp(&one.probability);
                ix.cmp(other_ix).then_with(higher_first)
            });
            // Keeps the first of each condition: the higher figure.
            narrowed.dedup_by_key(|(condition, _)| *condition);
        }
        Self {
            unlisted,
            listed: table.showing(ix, facts.group),
            narrowed,
        }
    }

    /// Returns the weights, given a function for the logarithm of a figure that is derived for this
    /// patient.
    fn weighed(self, formula: WeightFormula, ln: impl Fn(Narrowed) -> f64) -> SparseWeights<'a> {
        let narrowed = self.narrowed.into_iter();
        let others = narrowed.map(|(ix, narrowed)| (ix, formula.weight(ln(narrowed), false)));
        SparseWeights::new(self.listed, formula, others.collect())
    }

    /// Computes one number for each condition that has a figure here or in `other`, from the figure
    /// here, whether it is cardinal, and the figure there.
    fn map_with(
        &self,
        other: &Self,
        number: impl Fn(f64, bool, f64) -> f64,
    ) -> Vec<(ConditionIx, f64)> {
        let both = self.conditions().chain(other.conditions());
        let mut conditions: Vec<ConditionIx> = both.collect();
        conditions.sort();
        conditions.dedup();
        let number = |condition| {
            let (own, is_cardinal) = self.figure(condition);
            let (others, _) = other.figure(condition);
            (condition, number(own, is_cardinal, others))
        };
        conditions.into_iter().map(number).collect()
    }

    fn conditions(&self) -> impl Iterator<Item = ConditionIx> {
        let listed = self.listed.conditions().iter().copied();
        listed.chain(self.narrowed.iter().map(|narrowed| narrowed.0))
    }

    /// Returns the expected frequency for a condition, and whether the finding is cardinal.
    fn figure(&self, condition: ConditionIx) -> (f64, bool) {
        if let Some(place) = self.listed.place_of(condition) {
            let probability = self.listed.probabilities()[place];
            return (probability.into(), self.listed.is_cardinal(place));
        }
        let narrowed = self
            .narrowed
            .binary_search_by_key(&condition, |narrowed| narrowed.0);
        let probability = narrowed.map(|place| self.narrowed[place].1.probability);
        (probability.unwrap_or(self.unlisted), false)
    }
}

/// Returns the expected frequency of a narrow finding for conditions that list only a broader one,
/// if it is higher than for conditions that list neither.
fn expected_by<'a>(
    broader: FindingIx,
    ix: FindingIx,
    unlisted: f64,
    facts: &PatientFacts<'a>,
    parameters: &Parameters,
) -> impl Iterator<Item = (ConditionIx, Narrowed)> + use<'a> {
    let base = facts.base;
    let background = |ix| f64::from(base.finding(ix).background);
    // Without the lower bound a broad finding with background 0 would divide by zero.
    let ratio = background(ix) / background(broader).max(0.0001);
    let share = (ratio * parameters.narrower_times).min(NARROWER_SHARE_MAX);
    let (ln_share, ln_least) = (share.ln(), bounded(0.0).ln());
    let showing = |finding| base.likelihood().showing(finding, facts.group);
    let broad = showing(broader);
    let figures = broad.probabilities().iter().zip(broad.ln(true));
    let broad = broad.conditions().iter().zip(figures);
    // Both are sorted by condition.
    let mut listed = showing(ix).conditions().iter().peekable();
    let broad_alone = broad.filter(move |(ix, _)| {
        // A merge of two sorted lists: skips what the narrow list has before this condition.
        while listed.next_if(|listed| listed < ix).is_some() {}
        listed.peek() != Some(ix)
    });
    broad_alone.filter_map(move |(&ix, (&probability, &ln_present))| {
        let narrowed = Narrowed {
            probability: f64::from(probability) * share,
            ln_present: (f64::from(ln_present) + ln_share).max(ln_least),
        };
        (narrowed.probability > unlisted).then_some((ix, narrowed))
    })
}

/// Adds the weight of the stated severity, for conditions that state how often the finding is
/// severe.
fn with_severity<'a>(
    sparse: SparseWeights<'a>,
    ix: FindingIx,
    severity: Severity,
    facts: &PatientFacts<'a>,
    parameters: &Parameters,
) -> SparseWeights<'a> {
    let mut weights = sparse.one_by_one();
    for (condition, weight) in &mut weights {
        let mut links = facts.base.condition(*condition).findings.iter();
        let link = links.find(|link| link.finding == ix);
        let share = link.and_then(|link| link.severe);
        if let Some(share) = share.map(|share| bounded(f64::from(share))) {
            let ratio = match severity {
                Severity::Severe => share / SEVERE_SHARE,
                Severity::Mild | Severity::Moderate => (1.0 - share) / (1.0 - SEVERE_SHARE),
            };
            *weight += parameters.present_weight * ratio.ln();
        }
    }
    weights.into()
}

/// Converts odds ratios into weights for having or not having the risk factor, using its background
/// rate.
fn risk(
    base: &KnowledgeBase,
    ix: RiskIx,
    present: bool,
    parameters: &Parameters,
) -> Vec<(ConditionIx, f64)> {
    let risk = base.risk(ix);
    let background = f64::from(risk.background.yes);
    let weight = |ln_odds: f32| {
        let odds = f64::from(ln_odds).exp();
        // The prior is an average over people with and without the factor, so the odds are relative
        // to that average.
        let average = 1.0 + background * (odds - 1.0);
        let ratio = if present { odds } else { 1.0 } / average;
        parameters.risk_weight * ratio.ln()
    };
    let effects = risk.effects.iter();
    effects
        .map(|&(condition, ln_odds)| (condition, weight(ln_odds)))
        .collect()
}

/// Returns the weights of a test for the conditions that list it, from their own two rates:
/// positive with and without the condition.
fn lab(base: &KnowledgeBase, ix: LabIx, positive: bool) -> Vec<(ConditionIx, f64)> {
    let weight = |effect: &LabEffect| {
        let with = bounded(f64::from(effect.with));
        let without = bounded(f64::from(effect.without));
        if positive {
            (with / without).ln()
        } else {
            ((1.0 - with) / (1.0 - without)).ln()
        }
    };
    let effects = base.lab(ix).effects.iter();
    effects
        .map(|effect| (effect.condition, weight(effect)))
        .collect()
}

/// Returns how well the duration of the illness fits the course of each condition.
pub(crate) fn course(facts: &PatientFacts<'_>, parameters: &Parameters) -> Option<Vec<f64>> {
    let days = facts.days_of_illness()? as f32;
    let weight = |course: Course| {
        // Computed without a branch, which would be unpredictable. At most one of the two is above
        // 0.
        let early = (course.usual_from - days).max(0.0) * course.per_day_early;
        let late = (days - course.usual_to).max(0.0) * course.per_day_late;
        let misfit = (early + late).min(2.0);
        let is_hit = f32::from(misfit <= 0.0);
        // A match with a narrow window says more than a match with a wide one.
        let hit = is_hit * 0.15 * (1.5 - 0.3 * course.ln_usual_width).max(0.0);
        f64::from(hit) - parameters.course_weight * f64::from(misfit)
    };
    let (courses, pairs) = (facts.base.courses(), facts.base.pairs());
    let mut weights = Vec::with_capacity(courses.len() + pairs.len());
    weights.extend(courses.map(weight));
    for pair in pairs {
        // The course of either condition explains the duration.
        weights.push(weights[pair.first.index()].max(weights[pair.second.index()]));
    }
    Some(weights)
}
