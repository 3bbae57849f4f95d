//! The likelihood table: how often each finding occurs in each condition, for all patients and for
//! each group, with precomputed logarithms.
//!
//! A finding that a condition does not list has its background rate there, so it is evidence
//! neither for nor against it. A broader finding is never rarer than a listed narrower one, whether
//! or not it is listed itself.

use std::collections::BTreeMap;

use lafiya_model::Age;

use super::index::{ConditionIx, FindingIx};
use super::{Condition, Finding, FindingLink};

/// The lower bound of probabilities: no single answer may decide everything.
const PROBABILITY_MIN: f64 = 0.0005;
/// The upper bound of probabilities.
pub const PROBABILITY_MAX: f64 = 0.995;

/// Clamps a probability away from 0 and 1.
#[inline]
pub fn bounded(probability: f64) -> f64 {
    probability.clamp(PROBABILITY_MIN, PROBABILITY_MAX)
}

/// A group of patients whose figures may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Under five years.
    Under5,
    /// From 65 years.
    Over65,
    /// Pregnant women.
    Pregnant,
}

impl Group {
    /// Every group.
    pub const ALL: [Self; 3] = [Self::Under5, Self::Over65, Self::Pregnant];

    /// Returns the group whose figures apply to a patient. Pregnancy takes precedence over age.
    pub fn of(age: Age, is_pregnant: bool) -> Option<Self> {
        if is_pregnant {
            Some(Self::Pregnant)
        } else if age < Age::from_years(5) {
            Some(Self::Under5)
        } else if age >= Age::from_years(65) {
            Some(Self::Over65)
        } else {
            None
        }
    }
}

/// The likelihood table.
#[derive(Clone, Debug, Default)]
pub struct Likelihood {
    /// The listed figures, for all patients and then for each group.
    listed: [Listed; 1 + Group::ALL.len()],
    /// The expected answer if the illness does not explain the finding, by finding.
    background: Vec<Answer>,
}

/// The figures that conditions list, indexed by finding and by condition.
#[derive(Clone, Debug, Default)]
struct Listed {
    /// By finding: the conditions that list it, with their figures.
    showing: Vec<Showing>,
    /// By condition: the findings that it lists and whose figure differs from the background, in
    /// order.
    shown: Vec<Vec<Shown>>,
}

/// The conditions that list a finding, in their order. Each figure has its own column, so that a
/// loop over all conditions reads only the memory that it needs.
#[derive(Clone, Debug, Default)]
pub struct Showing {
    conditions: Vec<ConditionIx>,
    probabilities: Vec<f32>,
    ln_present: Vec<f32>,
    ln_absent: Vec<f32>,
    cardinal: Vec<u16>,
    paired: Vec<u16>,
    /// Set if most conditions list the finding.
    by_condition: Option<Box<ByCondition>>,
}

/// The logarithms by `ConditionIx`, for loops without lookups; `NAN` for conditions that do not
/// list the finding.
#[derive(Clone, Debug)]
struct ByCondition {
    ln_present: Vec<f32>,
    ln_absent: Vec<f32>,
}

impl Showing {
    /// A finding that no condition lists.
    pub const NONE: Self = Self {
        conditions: Vec::new(),
        probabilities: Vec::new(),
        ln_present: Vec::new(),
        ln_absent: Vec::new(),
        cardinal: Vec::new(),
        paired: Vec::new(),
        by_condition: None,
    };

    /// Returns the conditions.
    #[inline]
    pub fn conditions(&self) -> &[ConditionIx] {
        &self.conditions
    }

    /// Returns the probability of the finding, in the order of the conditions.
    #[inline]
    pub fn probabilities(&self) -> &[f32] {
        &self.probabilities
    }

    /// Returns the logarithms of the clamped probability of presence or absence, in the order of
    /// the conditions.
    #[inline]
    pub fn ln(&self, present: bool) -> &[f32] {
        if present {
            &self.ln_present
        } else {
            &self.ln_absent
        }
    }

    /// Returns the same logarithms by `ConditionIx` if most conditions list the finding; `NAN` for
    /// those that do not.
    #[inline]
    pub fn ln_by_condition(&self, present: bool) -> Option<&[f32]> {
        let ByCondition {
            ln_present,
            ln_absent,
        } = self.by_condition.as_deref()?;
        Some(if present { ln_present } else { ln_absent })
    }

    /// Returns the logarithm for one condition, if it lists the finding.
    #[inline]
    pub fn ln_of(&self, condition: ConditionIx, present: bool) -> Option<f32> {
        match self.ln_by_condition(present) {
            Some(all) => Some(all[condition.index()]).filter(|ln| !ln.is_nan()),
            None => self
                .place_of(condition)
                .map(|place| self.ln(present)[place]),
        }
    }

    /// Returns the position of a condition in the list.
    #[inline]
    pub fn place_of(&self, condition: ConditionIx) -> Option<usize> {
        self.conditions.binary_search(&condition).ok()
    }

    /// Returns the positions of the conditions that are difficult to diagnose without the finding,
    /// in order.
    #[inline]
    pub fn cardinal(&self) -> &[u16] {
        &self.cardinal
    }

    /// Whether the finding is cardinal for the condition at a position.
    #[inline]
    pub fn is_cardinal(&self, place: usize) -> bool {
        let place_of = |place: &u16| usize::from(*place);
        self.cardinal.binary_search_by_key(&place, place_of).is_ok()
    }

    /// Returns the positions of the conditions that are part of a pair, in order.
    #[inline]
    pub fn paired(&self) -> &[u16] {
        &self.paired
    }

    fn push(
        &mut self,
        condition: ConditionIx,
        probability: f32,
        is_cardinal: bool,
        is_paired: bool,
    ) {
        // There are never more entries than conditions, whose number also fits into a `u16`.
        let place = self.conditions.len() as u16;
        // The logarithms are of the clamped figure; the figure itself stays as written, for pages
        // and reports.
        let kept = bounded(probability.into());
        self.conditions.push(condition);
        self.probabilities.push(probability);
        self.ln_present.push(kept.ln() as f32);
        self.ln_absent.push((1.0 - kept).ln() as f32);
        self.cardinal.extend(is_cardinal.then_some(place));
        self.paired.extend(is_paired.then_some(place));
    }

    /// Builds the lookup by condition. Must be called after all entries were added.
    fn lay_out(&mut self, conditions: usize) {
        // Below that, most of a row over all conditions would be empty.
        if self.conditions.len() > conditions / 2 {
            let by_condition = |figures: &[f32]| {
                let mut all = vec![f32::NAN; conditions];
                for (ix, &figure) in self.conditions.iter().zip(figures) {
                    all[ix.index()] = figure;
                }
                all
            };
            self.by_condition = Some(Box::new(ByCondition {
                ln_present: by_condition(&self.ln_present),
                ln_absent: by_condition(&self.ln_absent),
            }));
        }
    }
}

/// A finding that a condition lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// The finding.
    pub finding: FindingIx,
    /// The difference between the expected answer and that of a person whose illness does not
    /// explain the finding.
    pub above: Answer,
}

/// The expected answer to a question, or the difference between two expected answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    /// The probability of "yes".
    pub yes: f32,
    /// The entropy.
    pub entropy: f32,
}

impl Answer {
    /// Creates an answer with this probability of "yes".
    #[inline]
    pub fn with(yes: f32) -> Self {
        Self {
            yes,
            entropy: entropy(yes),
        }
    }

    pub(super) fn above(self, other: Self) -> Self {
        Self {
            yes: self.yes - other.yes,
            entropy: self.entropy - other.entropy,
        }
    }
}

/// Returns the entropy of a yes-or-no answer, in nats.
#[inline]
pub fn entropy(probability: f32) -> f32 {
    // At 0 and 1 the formula would give NaN instead of 0.
    let p = f64::from(probability).clamp(1e-9, 1.0 - 1e-9);
    -(p * p.ln() + (1.0 - p) * (1.0 - p).ln()) as f32
}

impl Likelihood {
    /// Returns one figure, for a patient of a group.
    pub fn probability(
        &self,
        condition: ConditionIx,
        finding: FindingIx,
        group: Option<Group>,
    ) -> f32 {
        let showing = self.showing(finding, group);
        match showing.place_of(condition) {
            Some(place) => showing.probabilities[place],
            None => self.background[finding.index()].yes,
        }
    }

    /// Returns the conditions that list a finding, directly or through a narrower one.
    #[inline]
    pub fn showing(&self, finding: FindingIx, group: Option<Group>) -> &Showing {
        &self.listed(group).showing[finding.index()]
    }

    /// Returns the findings that a condition lists, except those at the background rate.
    #[inline]
    pub fn shown(&self, condition: ConditionIx, group: Option<Group>) -> &[Shown] {
        &self.listed(group).shown[condition.index()]
    }

    /// Returns the expected answer if the illness does not explain a finding, by `FindingIx`.
    #[inline]
    pub fn background(&self) -> &[Answer] {
        &self.background
    }

    #[inline]
    fn listed(&self, group: Option<Group>) -> &Listed {
        &self.listed[group.map_or(0, |group| 1 + group as usize)]
    }

    pub(super) fn build(
        conditions: &[Condition],
        findings: &[Finding],
        is_paired: impl Fn(usize) -> bool,
    ) -> Self {
        let rows = conditions.len();
        let mut table = Self {
            listed: std::array::from_fn(|_| Listed {
                showing: vec![Showing::NONE; findings.len()],
                shown: vec![Vec::new(); rows],
            }),
            background: findings
                .iter()
                .map(|finding| Answer::with(finding.background))
                .collect(),
        };
        for (row, condition) in conditions.iter().enumerate() {
            table.enter(row, condition, findings, is_paired(row));
        }
        for showing in table.listed.iter_mut().flat_map(|list| &mut list.showing) {
            showing.lay_out(rows);
        }
        table
    }

    fn enter(&mut self, row: usize, condition: &Condition, findings: &[Finding], is_paired: bool) {
        let links = &condition.findings;
        let everybody = lifted(
            links.iter().map(|link| (link.finding, link.probability)),
            findings,
        );
        let background = &self.background;
        self.listed[0].enter(row, links, &everybody, background, is_paired);
        for (group, listed) in Group::ALL.into_iter().zip(&mut self.listed[1..]) {
            // Most conditions have no figures for groups; the table of everybody is used again
            // without lifting it again.
            if links.iter().all(|link| link.in_group(group).is_none()) {
                listed.enter(row, links, &everybody, background, is_paired);
                continue;
            }
            let figure = |link: &FindingLink| link.in_group(group).unwrap_or(link.probability);
            let figures = links.iter().map(|link| (link.finding, figure(link)));
            let figures = lifted(figures, findings);
            listed.enter(row, links, &figures, background, is_paired);
        }
    }
}

impl Listed {
    fn enter(
        &mut self,
        row: usize,
        links: &[FindingLink],
        figures: &BTreeMap<FindingIx, f32>,
        background: &[Answer],
        is_paired: bool,
    ) {
        for (&finding, &probability) in figures {
            let condition = ConditionIx::at(row);
            let is_cardinal = |link: &FindingLink| link.cardinal && link.finding == finding;
            let cardinal = links.iter().any(is_cardinal);
            let showing = &mut self.showing[finding.index()];
            showing.push(condition, probability, cardinal, is_paired);
            let above = Answer::with(probability).above(background[finding.index()]);
            // A figure equal to the background says nothing, and questions are chosen by what they
            // say.
            if above != Answer::default() {
                self.shown[row].push(Shown { finding, above });
            }
        }
    }
}

/// Returns the figures of one condition, with every broader finding at least as frequent as its
/// narrower ones.
fn lifted(
    figures: impl Iterator<Item = (FindingIx, f32)>,
    findings: &[Finding],
) -> BTreeMap<FindingIx, f32> {
    let stated: BTreeMap<FindingIx, f32> = figures.collect();
    // Lifted from the stated figures, not from those that were lifted before, so that the order of
    // the findings does not matter.
    let mut all = stated.clone();
    for (finding, value) in stated {
        for &ancestor in &findings[finding.index()].ancestors {
            let there = all
                .entry(ancestor)
                .or_insert(findings[ancestor.index()].background);
            *there = there.max(value);
        }
    }
    all
}
