//! The level. Danger first: its floor holds whatever the candidates say. Then the risk the
//! candidates carry. More danger can never lower the level, by construction: see [`carried_level`].

use lafiya_knowledge::{ConceptRef, ConditionIx};
use lafiya_model::{Timeframe, TriageLevel};

use crate::danger::{self, Alarm};
use crate::differential::Differential;
use crate::facts::{PatientFacts, Told};
use crate::parameters::Parameters;

/// The level before its words are found.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) level: TriageLevel,
    pub(crate) timeframe: Timeframe,
    /// What the candidates alone would give.
    pub(crate) carried: TriageLevel,
    /// What danger alone demands.
    pub(crate) floor: Option<TriageLevel>,
}

/// The level of each condition in this patient, by index.
#[derive(Clone, Debug)]
pub(crate) struct Levels(Vec<(TriageLevel, Timeframe)>);

impl Levels {
    pub(crate) fn of(facts: &PatientFacts<'_>) -> Self {
        let level = |condition: &lafiya_knowledge::Condition| {
            let triage = &condition.text.triage;
            let mut level = (triage.default, triage.timeframe);
            for higher in condition
                .higher
                .iter()
                .filter(|higher| higher.when.holds(facts))
            {
                level = level.max((higher.level, higher.timeframe));
            }
            level
        };
        Self(facts.base.conditions().iter().map(level).collect())
    }

    pub(crate) fn level(&self, condition: ConditionIx) -> (TriageLevel, Timeframe) {
        self.0[condition.index()]
    }

    /// The probability that the level is at least this one.
    fn share_at_least(&self, probabilities: &[f64], level: TriageLevel) -> f64 {
        let at_least = self
            .0
            .iter()
            .zip(probabilities)
            .filter(|((of_condition, _), _)| *of_condition >= level);
        at_least.map(|(_, probability)| probability).sum()
    }
}

pub(crate) fn decide(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    alarms: &[Alarm],
    levels: &Levels,
    parameters: &Parameters,
) -> Verdict {
    let carried = carried_level(facts, differential, levels, parameters);
    let floor = alarms.iter().map(|alarm| alarm.level).max();
    let level = floor.map_or(carried, |floor| floor.max(carried));
    Verdict {
        level,
        timeframe: timeframe(level, differential, alarms, levels),
        carried,
        floor,
    }
}

/// The level the candidates carry. Dangerous findings are part of the evidence, and evidence may
/// move probability from a dangerous condition to a harmless one; the level must not follow. So the
/// level is taken as the highest over the evidence without its dangerous findings and with any one
/// or two of them: adding one only adds to that family, and the highest can only rise.
fn carried_level(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    levels: &Levels,
    parameters: &Parameters,
) -> TriageLevel {
    let dangerous = danger::dangerous_findings(facts);
    let is_dangerous = |told: &&Told| {
        told.present
            && told
                .concept
                .finding()
                .is_some_and(|ix| dangerous.contains(&ix))
    };
    let told: Vec<ConceptRef> = facts
        .told
        .iter()
        .filter(is_dangerous)
        .map(|told| told.concept)
        .collect();
    if told.is_empty() {
        return level_of(differential.probabilities(), levels, parameters);
    }
    let with = |kept: &[ConceptRef]| {
        let probabilities = differential.with_only(facts, parameters, |concept| {
            !told.contains(&concept) || kept.contains(&concept)
        });
        level_of(&probabilities, levels, parameters)
    };
    let mut highest = with(&[]);
    for (place, &first) in told.iter().enumerate() {
        if highest == TriageLevel::Emergency {
            break;
        }
        highest = highest.max(with(&[first]));
        for &second in &told[place + 1..] {
            highest = highest.max(with(&[first, second]));
        }
    }
    highest
}

fn level_of(probabilities: &[f64], levels: &Levels, parameters: &Parameters) -> TriageLevel {
    let emergency = levels.share_at_least(probabilities, TriageLevel::Emergency);
    let urgent = levels.share_at_least(probabilities, TriageLevel::Urgent);
    let routine = levels.share_at_least(probabilities, TriageLevel::Routine);
    // Only what is explained can be judged harmless: the unexplained share counts as routine.
    let unexplained = 1.0 - probabilities.iter().sum::<f64>();
    if emergency >= parameters.emergency_share {
        TriageLevel::Emergency
    } else if urgent >= parameters.urgent_share
        || emergency >= parameters.emergency_share_for_urgent
    {
        TriageLevel::Urgent
    } else if routine + unexplained >= parameters.routine_share {
        TriageLevel::Routine
    } else {
        TriageLevel::SelfCare
    }
}

/// The soonest that any alarm or leading candidate of this level asks for.
fn timeframe(
    level: TriageLevel,
    differential: &Differential,
    alarms: &[Alarm],
    levels: &Levels,
) -> Timeframe {
    let usual = match level {
        TriageLevel::Emergency => return Timeframe::Immediately,
        TriageLevel::Urgent => Timeframe::Within24Hours,
        TriageLevel::Routine => Timeframe::Within2Weeks,
        TriageLevel::SelfCare => return Timeframe::WhenConvenient,
    };
    let by_alarm = alarms
        .iter()
        .filter(|alarm| alarm.level == level)
        .map(|alarm| alarm.timeframe)
        .max();
    let leader = differential
        .ranking()
        .iter()
        .map(|ix| levels.level(*ix))
        .find(|(of_condition, _)| *of_condition == level);
    let asked = by_alarm
        .max(leader.map(|(_, timeframe)| timeframe))
        .unwrap_or(usual);
    let soonest = if level == TriageLevel::Urgent {
        Timeframe::Within2Hours
    } else {
        Timeframe::Within72Hours
    };
    asked.clamp(usual, soonest)
}
