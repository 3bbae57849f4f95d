//! How often each finding shows in each condition: one dense table, and the listed figures for everybody and for each
//! group, ready with their logarithms.
//!
//! A finding that a condition does not list stands at its background, so it speaks neither for nor against. A broader
//! finding is never rarer than a narrower one listed beside it, listed itself or not.

use std::collections::BTreeMap;

use lafiya_model::Age;

use super::index::{ConditionIx, FindingIx};
use super::{Condition, Finding, FindingLink};

/// Probabilities are kept away from certainty: no single answer decides.
const PROBABILITY_MIN: f64 = 0.0005;
/// The other end.
pub const PROBABILITY_MAX: f64 = 0.995;

/// A probability, kept away from certainty.
#[inline]
pub fn bounded(probability: f64) -> f64 {
    probability.clamp(PROBABILITY_MIN, PROBABILITY_MAX)
}

/// A group in which figures may differ from everybody's.
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

    /// The group whose figures a patient is judged by; pregnancy says more than age.
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

/// The table. Columns are findings, and each holds every condition.
#[derive(Clone, Debug, Default)]
pub struct Likelihood {
    conditions: usize,
    values: Vec<f32>,
    known: Vec<bool>,
    /// What is listed, for everybody and then for each group.
    listed: [Listed; 1 + Group::ALL.len()],
    /// By finding: how it stands in somebody whose illness does not explain it.
    background: Vec<Shown>,
}

/// What the conditions say of their findings, to be gone through from either side.
#[derive(Clone, Debug, Default)]
struct Listed {
    /// By finding: the conditions that say how often they show it, in order.
    showing: Vec<Vec<Showing>>,
    /// By condition: the findings it says it for, in order.
    shown: Vec<Vec<Shown>>,
}

/// A condition that says how often it shows a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Showing {
    /// Which.
    pub condition: ConditionIx,
    /// How often.
    pub probability: f32,
    /// The logarithm of that, kept away from certainty.
    pub ln_present: f32,
    /// The logarithm of how often it does not.
    pub ln_absent: f32,
    /// The diagnosis is hard to make without the finding.
    pub cardinal: bool,
}

impl Showing {
    fn new(condition: ConditionIx, probability: f32, cardinal: bool) -> Self {
        let kept = bounded(probability.into());
        Self {
            condition,
            probability,
            cardinal,
            ln_present: kept.ln() as f32,
            ln_absent: (1.0 - kept).ln() as f32,
        }
    }
}

/// A finding that a condition says how often it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// Which.
    pub finding: FindingIx,
    /// How often.
    pub probability: f32,
    /// How uncertain the answer is in somebody who has the condition.
    pub entropy: f32,
}

impl Shown {
    fn new(finding: FindingIx, probability: f32) -> Self {
        Self {
            finding,
            probability,
            entropy: entropy(probability),
        }
    }
}

/// How uncertain a yes-or-no answer is, in nats.
#[inline]
pub fn entropy(probability: f32) -> f32 {
    let p = f64::from(probability).clamp(1e-9, 1.0 - 1e-9);
    -(p * p.ln() + (1.0 - p) * (1.0 - p).ln()) as f32
}

impl Likelihood {
    /// The figures of one finding in every condition for everybody, by `ConditionIx`.
    #[inline]
    pub fn column(&self, finding: FindingIx) -> &[f32] {
        &self.values[self.range(finding)]
    }

    /// Whether each condition says anything about the finding (listed, or a narrower one listed).
    #[inline]
    pub fn known_column(&self, finding: FindingIx) -> &[bool] {
        &self.known[self.range(finding)]
    }

    /// One figure, for a patient of a group.
    pub fn probability(
        &self,
        condition: ConditionIx,
        finding: FindingIx,
        group: Option<Group>,
    ) -> f32 {
        let showing = self.showing(finding, group);
        match showing.binary_search_by_key(&condition, |it| it.condition) {
            Ok(at) => showing[at].probability,
            Err(_) => self.column(finding)[condition.index()],
        }
    }

    /// The conditions that say how often they show a finding, by themselves or through a narrower one.
    #[inline]
    pub fn showing(&self, finding: FindingIx, group: Option<Group>) -> &[Showing] {
        &self.listed(group).showing[finding.index()]
    }

    /// The findings that a condition says it for.
    #[inline]
    pub fn shown(&self, condition: ConditionIx, group: Option<Group>) -> &[Shown] {
        &self.listed(group).shown[condition.index()]
    }

    /// How each finding stands in somebody whose illness does not explain it, in order.
    #[inline]
    pub fn background(&self) -> &[Shown] {
        &self.background
    }

    #[inline]
    fn listed(&self, group: Option<Group>) -> &Listed {
        &self.listed[group.map_or(0, |group| 1 + group as usize)]
    }

    #[inline]
    fn range(&self, finding: FindingIx) -> std::ops::Range<usize> {
        let start = finding.index() * self.conditions;
        start..start + self.conditions
    }

    pub(super) fn build(conditions: &[Condition], findings: &[Finding]) -> Self {
        let rows = conditions.len();
        let mut table = Self {
            conditions: rows,
            values: findings
                .iter()
                .flat_map(|it| std::iter::repeat_n(it.background, rows))
                .collect(),
            known: vec![false; rows * findings.len()],
            listed: std::array::from_fn(|_| Listed {
                showing: vec![Vec::new(); findings.len()],
                shown: vec![Vec::new(); rows],
            }),
            background: findings
                .iter()
                .enumerate()
                .map(|(place, it)| Shown::new(FindingIx::at(place), it.background))
                .collect(),
        };
        for (row, condition) in conditions.iter().enumerate() {
            table.enter(row, condition, findings);
        }
        table
    }

    fn enter(&mut self, row: usize, condition: &Condition, findings: &[Finding]) {
        let links = &condition.findings;
        let everybody = lifted(
            links.iter().map(|link| (link.finding, link.probability)),
            findings,
        );
        for (&finding, &value) in &everybody {
            let at = finding.index() * self.conditions + row;
            self.values[at] = value;
            self.known[at] = true;
        }
        self.listed[0].enter(row, links, &everybody);
        for (group, listed) in Group::ALL.into_iter().zip(&mut self.listed[1..]) {
            if links.iter().all(|link| link.in_group(group).is_none()) {
                listed.enter(row, links, &everybody);
                continue;
            }
            let figure = |link: &FindingLink| link.in_group(group).unwrap_or(link.probability);
            let figures = links.iter().map(|link| (link.finding, figure(link)));
            listed.enter(row, links, &lifted(figures, findings));
        }
    }
}

impl Listed {
    fn enter(&mut self, row: usize, links: &[FindingLink], figures: &BTreeMap<FindingIx, f32>) {
        for (&finding, &probability) in figures {
            let condition = ConditionIx::at(row);
            let is_cardinal = |link: &FindingLink| link.cardinal && link.finding == finding;
            let cardinal = links.iter().any(is_cardinal);
            self.showing[finding.index()].push(Showing::new(condition, probability, cardinal));
            self.shown[row].push(Shown::new(finding, probability));
        }
    }
}

/// The figures of one condition, with every broader finding at least as frequent as the narrower ones.
fn lifted(
    figures: impl Iterator<Item = (FindingIx, f32)>,
    findings: &[Finding],
) -> BTreeMap<FindingIx, f32> {
    let stated: BTreeMap<FindingIx, f32> = figures.collect();
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
