//! How often each finding shows in each condition: one dense table, and the groups in which it differs.
//!
//! A finding that a condition does not list stands at its background, so it speaks neither for nor against. A broader
//! finding is never rarer than a narrower one listed beside it, listed itself or not.

use std::collections::BTreeMap;

use super::index::{ConditionIx, FindingIx};
use super::{Condition, Finding};

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
    /// Every group, the ones that win last.
    pub const ALL: [Self; 3] = [Self::Under5, Self::Over65, Self::Pregnant];
}

/// The table. Columns are findings, and each holds every condition: evidence moves down one column at a time.
#[derive(Clone, Debug, Default)]
pub struct Likelihood {
    conditions: usize,
    values: Vec<f32>,
    known: Vec<bool>,
    cardinal: Vec<bool>,
    differs: [Vec<Vec<(ConditionIx, f32)>>; 3],
    /// By finding: the conditions that say how often they show it, in order.
    showing: Vec<Vec<ConditionIx>>,
    /// By condition: the findings it says it for, in order.
    shown: Vec<Vec<Shown>>,
    /// By finding: how uncertain its answer is at background.
    background_entropy: Vec<f32>,
}

/// A finding that a condition says how often it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// Which.
    pub finding: FindingIx,
    /// How often, in everybody.
    pub probability: f32,
    /// How uncertain the answer is in somebody who has the condition.
    pub entropy: f32,
}

/// How uncertain a yes-or-no answer is, in nats.
#[inline]
pub fn entropy(probability: f32) -> f32 {
    let p = f64::from(probability).clamp(1e-9, 1.0 - 1e-9);
    -(p * p.ln() + (1.0 - p) * (1.0 - p).ln()) as f32
}

impl Likelihood {
    /// The figures of one finding in every condition, by `ConditionIx`.
    #[inline]
    pub fn column(&self, finding: FindingIx) -> &[f32] {
        &self.values[self.range(finding)]
    }

    /// Whether each condition says anything about the finding (listed, or a narrower one listed).
    #[inline]
    pub fn known_column(&self, finding: FindingIx) -> &[bool] {
        &self.known[self.range(finding)]
    }

    /// In which conditions the finding is cardinal.
    #[inline]
    pub fn cardinal_column(&self, finding: FindingIx) -> &[bool] {
        &self.cardinal[self.range(finding)]
    }

    /// Where a group differs from everybody in a finding.
    #[inline]
    pub fn differs(&self, group: Group, finding: FindingIx) -> &[(ConditionIx, f32)] {
        &self.differs[group as usize][finding.index()]
    }

    /// One figure, for a patient of some groups.
    #[inline]
    pub fn probability(&self, condition: ConditionIx, finding: FindingIx, groups: &[Group]) -> f32 {
        let special = |group: &Group| {
            let list = self.differs(*group, finding);
            list.binary_search_by_key(&condition, |(ix, _)| *ix)
                .ok()
                .map(|at| list[at].1)
        };
        Group::ALL
            .iter()
            .rev()
            .filter(|group| groups.contains(group))
            .find_map(special)
            .unwrap_or_else(|| self.column(finding)[condition.index()])
    }

    /// The figures of one finding in every condition, for a patient of some groups, written into `column`.
    pub fn column_for(&self, finding: FindingIx, groups: &[Group], column: &mut Vec<f32>) {
        column.clear();
        column.extend_from_slice(self.column(finding));
        for group in Group::ALL.iter().filter(|group| groups.contains(group)) {
            for &(condition, value) in self.differs(*group, finding) {
                column[condition.index()] = value;
            }
        }
    }

    /// The conditions that say how often they show a finding, by themselves or through a narrower one.
    #[inline]
    pub fn showing(&self, finding: FindingIx) -> &[ConditionIx] {
        &self.showing[finding.index()]
    }

    /// The findings that a condition says it for.
    #[inline]
    pub fn shown(&self, condition: ConditionIx) -> &[Shown] {
        &self.shown[condition.index()]
    }

    /// How uncertain the answer is in somebody whose illness does not explain the finding.
    #[inline]
    pub fn background_entropy(&self, finding: FindingIx) -> f32 {
        self.background_entropy[finding.index()]
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
            cardinal: vec![false; rows * findings.len()],
            differs: std::array::from_fn(|_| vec![Vec::new(); findings.len()]),
            showing: vec![Vec::new(); findings.len()],
            shown: vec![Vec::new(); rows],
            background_entropy: findings.iter().map(|it| entropy(it.background)).collect(),
        };
        for (row, condition) in conditions.iter().enumerate() {
            table.enter(row, condition, findings);
        }
        table
    }

    fn enter(&mut self, row: usize, condition: &Condition, findings: &[Finding]) {
        let everybody = lifted(
            condition
                .findings
                .iter()
                .map(|link| (link.finding, link.probability)),
            findings,
        );
        for (&finding, &value) in &everybody {
            let at = finding.index() * self.conditions + row;
            self.values[at] = value;
            self.known[at] = true;
            self.showing[finding.index()].push(ConditionIx::at(row));
            self.shown[row].push(Shown {
                finding,
                probability: value,
                entropy: entropy(value),
            });
        }
        for link in condition.findings.iter().filter(|link| link.cardinal) {
            self.cardinal[link.finding.index() * self.conditions + row] = true;
        }
        for group in Group::ALL {
            if condition
                .findings
                .iter()
                .all(|link| link.in_group(group).is_none())
            {
                continue;
            }
            let figures = condition.findings.iter().map(|link| {
                (
                    link.finding,
                    link.in_group(group).unwrap_or(link.probability),
                )
            });
            for (finding, value) in lifted(figures, findings) {
                if everybody.get(&finding) != Some(&value) {
                    self.differs[group as usize][finding.index()]
                        .push((ConditionIx::at(row), value));
                }
            }
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
