//! The concepts of the base: what their files say, plus every reference followed.

use lafiya_model::{Age, AgeBand, Sex, Timeframe, TriageLevel};

use super::index::{ConceptRef, ConditionIx, FindingIx, LabIx, RiskIx, SourceIx};
use super::likelihood::{Answer, Group};
use super::measure::Quantity;
use super::place::Times;
use super::when::{Facts, When};
use crate::schema;
use crate::words::{AgeSpan, SexLimit, State};

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The file's words; boxed, so that what reasoning reads of many conditions lies close together.
    pub text: Box<schema::Condition>,
    /// The sexes it is possible in; female where a state is demanded.
    pub sex: SexLimit,
    /// The ages it is possible at.
    pub ages: AgeSpan,
    /// Only women in this state have it.
    pub state: Option<State>,
    /// Of 1,000 who come with a new complaint, by band in the order of `AgeBand::ALL`; 0 is impossible.
    pub per_1000: [f32; 7],
    /// Multipliers by sex.
    pub sex_factors: Option<schema::SexFactors>,
    /// Multiplier in pregnancy.
    pub pregnancy_times: f32,
    /// Multipliers by place, season and setting.
    pub times: Vec<Times>,
    /// How often findings show, as listed.
    pub findings: Vec<FindingLink>,
    /// How often tests are positive.
    pub labs: Vec<LabLink>,
    /// What makes it likelier.
    pub risks: Vec<RiskLink>,
    /// Where it must not be missed: an interview goes on while its probability, in 100, is above this.
    pub must_not_miss_above: Option<f32>,
    /// What rules it out when present.
    pub excluded_by: Vec<ConceptRef>,
    /// Who needs more than the default triage.
    pub higher: Vec<Higher>,
    /// To whom each entry of `text.treatment.avoid` applies, in the same order; `None` is everybody.
    pub avoid_when: Vec<Option<When>>,
    /// The references of each entry of `text.investigation`, in the same order.
    pub investigations: Vec<InvestigationLink>,
    /// Its sources, the main one first.
    pub sources: Vec<SourceIx>,
}

impl Condition {
    /// Of 1,000 people of this band who come with a new complaint.
    #[inline]
    pub fn per_1000(&self, band: AgeBand) -> f32 {
        self.per_1000[band as usize]
    }

    /// The multiplier for a sex; for `other` the average.
    #[inline]
    pub fn sex_times(&self, sex: Sex) -> f32 {
        match (self.sex_factors, sex) {
            (Some(factors), Sex::Male) => factors.male,
            (Some(factors), Sex::Female) => factors.female,
            _ => 1.0,
        }
    }

    /// Whether age and sex allow it. The state is the engine's to weigh: it may not be known.
    #[inline]
    pub fn is_possible(&self, age: Age, sex: Sex) -> bool {
        self.sex.allows(sex) && self.ages.contains(age) && self.per_1000(age.band()) > 0.0
    }
}

/// How often a finding shows in a condition. Probabilities are 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingLink {
    /// The finding.
    pub finding: FindingIx,
    /// In everybody.
    pub probability: f32,
    /// Under five years.
    pub under_5: Option<f32>,
    /// From 65 years.
    pub over_65: Option<f32>,
    /// In pregnancy.
    pub pregnant: Option<f32>,
    /// The diagnosis is hard to make without it.
    pub cardinal: bool,
    /// Of those who have it, the share that calls it severe.
    pub severe: Option<f32>,
}

impl FindingLink {
    /// The figure of a group, where it differs.
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

/// How a risk factor moves the odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiskLink {
    /// The risk factor.
    pub risk: RiskIx,
    /// Natural logarithm of the odds ratio.
    pub ln_odds: f32,
    /// How the answer of those who have the condition stands above that of others.
    pub above: Answer,
}

impl RiskLink {
    pub(super) fn new(risk: RiskIx, odds_ratio: f32, background: Answer) -> Self {
        let odds = odds_ratio.max(f32::MIN_POSITIVE);
        let share = background.yes * odds / (1.0 + background.yes * (odds - 1.0));
        Self {
            risk,
            ln_odds: odds.ln(),
            above: Answer::with(share).above(background),
        }
    }
}

/// A group of patients that needs more than the default triage.
#[derive(Clone, Debug, PartialEq)]
pub struct Higher {
    /// Which patients.
    pub when: When,
    /// Their level.
    pub level: TriageLevel,
    /// How soon.
    pub timeframe: Timeframe,
    /// Why.
    pub why: String,
    /// The source.
    pub source: Option<SourceIx>,
}

/// The references of an investigation.
#[derive(Clone, Debug, PartialEq)]
pub struct InvestigationLink {
    /// The test.
    pub test: Option<LabIx>,
    /// The conditions it tells apart; planned ones are not among them.
    pub differentiates: Vec<ConditionIx>,
    /// The source.
    pub source: Option<SourceIx>,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The file's words.
    pub text: Box<schema::Finding>,
    /// The sexes it is possible in.
    pub sex: SexLimit,
    /// The ages at which it makes sense.
    pub ages: AgeSpan,
    /// How often it shows without cause (0 to 1).
    pub background: f32,
    /// Its parent, the next broader finding.
    pub parent: Option<FindingIx>,
    /// All that is present whenever it is: parents and what they and it imply, nearest first, without itself.
    pub ancestors: Vec<FindingIx>,
    /// All that is absent whenever it is: the findings it is an ancestor of.
    pub descendants: Vec<FindingIx>,
    /// What it becomes when it lasts or is severe.
    pub narrower: Vec<Narrower>,
    /// The conditions that list it.
    pub conditions: Vec<ConditionIx>,
}

impl Finding {
    /// Whether it is dangerous by itself.
    #[inline]
    pub fn is_danger(&self) -> bool {
        self.text.red_flag.seriousness().is_some()
    }
}

/// What a finding becomes when it has lasted long enough, or when it is severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrower {
    /// The narrower finding.
    pub finding: FindingIx,
    /// After so many days.
    pub days: Option<u32>,
    /// When called severe.
    pub severe: bool,
}

impl Narrower {
    /// Whether a finding that has lasted so long and is so bad has become it.
    pub fn holds(&self, days: Option<u32>, severe: bool) -> bool {
        let lasted = self
            .days
            .is_some_and(|needed| days.is_some_and(|it| it >= needed));
        lasted || (self.severe && severe)
    }
}

/// A risk factor.
#[derive(Clone, Debug)]
pub struct RiskFactor {
    /// The file's words.
    pub text: Box<schema::RiskFactor>,
    /// The sexes it is possible in.
    pub sex: SexLimit,
    /// The ages at which it makes sense.
    pub ages: AgeSpan,
    /// What somebody answers of whom nothing else is known.
    pub background: Answer,
    /// Present at these ages, never asked.
    pub implied_by_age: Option<AgeSpan>,
    /// The state it says the woman is in.
    pub state: Option<State>,
    /// All that is present whenever it is, without itself.
    pub implies: Vec<RiskIx>,
    /// The conditions it moves, with the natural logarithm of the odds ratio.
    pub effects: Vec<(ConditionIx, f32)>,
}

/// A lab test.
#[derive(Clone, Debug)]
pub struct LabTest {
    /// The file's words.
    pub text: schema::LabTest,
    /// The sexes it is worth doing in.
    pub sex: SexLimit,
    /// The ages at which it is worth doing.
    pub ages: AgeSpan,
    /// What, when present, leaves it nothing to tell.
    pub not_with: Vec<ConceptRef>,
    /// How to read and use its values, where it has a unit.
    pub quantity: Option<Quantity>,
    /// The conditions it tells of.
    pub effects: Vec<LabEffect>,
}

impl LabTest {
    /// Whether it makes sense to do it in this patient. A result that is brought counts in any case.
    pub fn is_worth_doing(&self, patient: &impl Facts) -> bool {
        let mut not_with = self.not_with.iter();
        self.sex.allows(patient.sex())
            && self.ages.contains(patient.age())
            && !not_with.any(|it| patient.is_present(*it))
    }
}

/// What a test tells of a condition (0 to 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabEffect {
    /// The condition.
    pub condition: ConditionIx,
    /// Positive with it.
    pub with: f32,
    /// Positive without it.
    pub without: f32,
}

/// A danger rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The file's words.
    pub text: schema::Rule,
    /// When it fires.
    pub when: When,
    /// The source.
    pub source: Option<SourceIx>,
}

/// Two conditions that often come together.
#[derive(Clone, Debug)]
pub struct Pair {
    /// As the file says.
    pub text: schema::Pair,
    /// The one that the share is told of.
    pub first: ConditionIx,
    /// The other.
    pub second: ConditionIx,
    /// The logarithm of the share of people with the first who have the second too.
    pub ln_share: f64,
}
