//! The concepts of the knowledge base: the contents of their files with every reference resolved.

use lafiya_model::{Age, AgeBand, Sex, Timeframe, TriageLevel};

use super::index::{ConceptRef, ConditionIx, FindingIx, LabIx, RiskIx, SourceIx};
use super::interview::Asking;
use super::likelihood::{Answer, Group};
use super::measure::Quantity;
use super::place::Times;
use super::when::{Facts, When};
use crate::schema;
use crate::words::{AgeSpan, SexLimit, State};

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The contents of the file. Boxed, so that the fields used in reasoning are close together in
    /// memory.
    pub text: Box<schema::Condition>,
    /// The possible sexes; female if a state is required.
    pub sex: SexLimit,
    /// The possible ages.
    pub ages: AgeSpan,
    /// Only women in this state can have it.
    pub state: Option<State>,
    /// Cases per 1,000 visitors with a new complaint, by band in the order of `AgeBand::ALL`; 0
    /// means impossible.
    pub per_1000: [f32; 7],
    /// Multipliers by sex.
    pub sex_factors: Option<schema::SexFactors>,
    /// The multiplier in pregnancy.
    pub pregnancy_times: f32,
    /// Multipliers by place, season and setting.
    pub times: Vec<Times>,
    /// How often findings occur, as listed.
    pub findings: Vec<FindingLink>,
    /// How often tests are positive.
    pub labs: Vec<LabLink>,
    /// Risk factors.
    pub risks: Vec<RiskLink>,
    /// Set if it must not be missed: an interview continues while the probability, in percent, is
    /// above this.
    pub must_not_miss_above: Option<f32>,
    /// What rules it out when present.
    pub excluded_by: Vec<ConceptRef>,
    /// Groups of patients that need a higher level than the default.
    pub higher: Vec<Higher>,
    /// The patients to whom each entry of `text.treatment.avoid` applies, in the same order; `None`
    /// means all.
    pub avoid_when: Vec<Option<When>>,
    /// The resolved references of each entry of `text.investigation`, in the same order.
    pub investigations: Vec<InvestigationLink>,
    /// The sources, the main one first.
    pub sources: Vec<SourceIx>,
}

impl Condition {
    /// Returns the cases per 1,000 people of this band who visit with a new complaint.
    #[inline]
    pub fn per_1000(&self, band: AgeBand) -> f32 {
        self.per_1000[band as usize]
    }

    /// Returns the multiplier for a sex; for `other`, the average.
    #[inline]
    pub fn sex_times(&self, sex: Sex) -> f32 {
        match (self.sex_factors, sex) {
            (Some(factors), Sex::Male) => factors.male,
            (Some(factors), Sex::Female) => factors.female,
            _ => 1.0,
        }
    }

    /// Whether age and sex allow the condition. The state is left to the engine, because it may not
    /// be known.
    #[inline]
    pub fn is_possible(&self, age: Age, sex: Sex) -> bool {
        self.sex.allows(sex) && self.ages.contains(age) && self.per_1000(age.band()) > 0.0
    }
}

/// How often a finding occurs in a condition. Probabilities are from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingLink {
    /// The finding.
    pub finding: FindingIx,
    /// For all patients.
    pub probability: f32,
    /// Under five years.
    pub under_5: Option<f32>,
    /// From 65 years.
    pub over_65: Option<f32>,
    /// In pregnancy.
    pub pregnant: Option<f32>,
    /// Whether the diagnosis is difficult to make without it.
    pub cardinal: bool,
    /// The share of those with the finding who call it severe.
    pub severe: Option<f32>,
}

impl FindingLink {
    /// Returns the figure for a group, if it differs.
    pub fn in_group(&self, group: Group) -> Option<f32> {
        match group {
            Group::Under5 => self.under_5,
            Group::Over65 => self.over_65,
            Group::Pregnant => self.pregnant,
        }
    }
}

/// How often a test is positive with and without a condition (0 to 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabLink {
    /// The test.
    pub lab: LabIx,
    /// With the condition.
    pub with: f32,
    /// Without it.
    pub without: f32,
}

/// The effect of a risk factor on the odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiskLink {
    /// The risk factor.
    pub risk: RiskIx,
    /// The natural logarithm of the odds ratio.
    pub ln_odds: f32,
    /// The difference between the expected answer of people with the condition and that of others.
    pub above: Answer,
}

impl RiskLink {
    pub(super) fn new(risk: RiskIx, odds_ratio: f32, background: Answer) -> Self {
        // The logarithm of 0 is infinite and would decide alone.
        let odds = odds_ratio.max(f32::MIN_POSITIVE);
        let share = background.yes * odds / (1.0 + background.yes * (odds - 1.0));
        Self {
            risk,
            ln_odds: odds.ln(),
            above: Answer::with(share).above(background),
        }
    }
}

/// A group of patients that needs a higher level than the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Higher {
    /// Which patients.
    pub when: When,
    /// Their level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// The reason.
    pub why: String,
    /// The source.
    pub source: Option<SourceIx>,
}

/// The resolved references of an investigation.
#[derive(Clone, Debug, PartialEq)]
pub struct InvestigationLink {
    /// The test.
    pub test: Option<LabIx>,
    /// The conditions that it distinguishes, without planned ones.
    pub differentiates: Vec<ConditionIx>,
    /// The source.
    pub source: Option<SourceIx>,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The contents of the file.
    pub text: Box<schema::Finding>,
    /// The possible sexes.
    pub sex: SexLimit,
    /// The ages at which it applies.
    pub ages: AgeSpan,
    /// The background rate (0 to 1): how often it occurs when the illness does not explain it.
    pub background: f32,
    /// The next broader finding.
    pub parent: Option<FindingIx>,
    /// Everything that is present whenever it is: parents and implied findings, transitively,
    /// nearest first, without itself.
    pub ancestors: Vec<FindingIx>,
    /// Everything that is absent whenever it is: the findings of which it is an ancestor.
    pub descendants: Vec<FindingIx>,
    /// The narrower findings that it becomes when it lasts long or is severe.
    pub narrower: Vec<Narrower>,
    /// The conditions that list it.
    pub conditions: Vec<ConditionIx>,
    /// What must be so for it to be asked.
    pub asking: Asking,
}

impl Finding {
    /// Whether it is dangerous by itself.
    #[inline]
    pub fn is_danger(&self) -> bool {
        self.text.red_flag.seriousness().is_some()
    }
}

/// The narrower finding that a finding becomes when it has lasted long enough or is severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrower {
    /// The narrower finding.
    pub finding: FindingIx,
    /// The minimum duration in days.
    pub days: Option<u32>,
    /// Whether it applies when called severe.
    pub severe: bool,
}

impl Narrower {
    /// Whether a finding with this duration and severity has become it.
    pub fn holds(&self, days: Option<u32>, severe: bool) -> bool {
        let lasted = self
            .days
            .is_some_and(|needed| days.is_some_and(|day| day >= needed));
        lasted || (self.severe && severe)
    }
}

/// A risk factor.
#[derive(Clone, Debug)]
pub struct RiskFactor {
    /// The contents of the file.
    pub text: Box<schema::RiskFactor>,
    /// The possible sexes.
    pub sex: SexLimit,
    /// The ages at which it applies.
    pub ages: AgeSpan,
    /// The expected answer of a person about whom nothing else is known.
    pub background: Answer,
    /// The ages at which it is present without being asked.
    pub implied_by_age: Option<AgeSpan>,
    /// The state that it implies for a woman.
    pub state: Option<State>,
    /// Everything that is present whenever it is, without itself.
    pub implies: Vec<RiskIx>,
    /// The conditions that it affects, with the natural logarithm of the odds ratio.
    pub effects: Vec<(ConditionIx, f32)>,
    /// What must be so for it to be asked.
    pub asking: Asking,
}

/// A lab test.
#[derive(Clone, Debug)]
pub struct LabTest {
    /// The contents of the file.
    pub text: schema::LabTest,
    /// The sexes it is useful in.
    pub sex: SexLimit,
    /// The ages at which it is useful.
    pub ages: AgeSpan,
    /// Concepts whose presence makes it uninformative.
    pub not_with: Vec<ConceptRef>,
    /// How values are parsed and used, if it has a unit.
    pub quantity: Option<Quantity>,
    /// The conditions that it is evidence for or against.
    pub effects: Vec<LabEffect>,
}

impl LabTest {
    /// Whether it is useful for this patient. An existing result counts in any case.
    pub fn is_worth_doing(&self, patient: &impl Facts) -> bool {
        let mut not_with = self.not_with.iter();
        self.sex.allows(patient.sex())
            && self.ages.contains(patient.age())
            && !not_with.any(|concept| patient.is_present(*concept))
    }
}

/// How often a test is positive with and without a condition, seen from the test (0 to 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabEffect {
    /// The condition.
    pub condition: ConditionIx,
    /// Positive with the condition.
    pub with: f32,
    /// Positive without the condition.
    pub without: f32,
}

/// A danger rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The contents of the file.
    pub text: schema::Rule,
    /// When it fires.
    pub when: When,
    /// The source.
    pub source: Option<SourceIx>,
}

/// Two conditions that often occur together.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The entry in the file.
    pub text: schema::Pair,
    /// The condition that the share refers to.
    pub first: ConditionIx,
    /// The other condition.
    pub second: ConditionIx,
    /// The logarithm of the share of people with the first condition who also have the second.
    pub ln_share: f64,
}
