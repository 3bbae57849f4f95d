//! The triage level. Danger signs set a minimum whatever the candidates say; above that, the level
//! follows from the risk of the candidates. A further danger sign can never lower the level: see
//! `candidate_level`.

use lafiya_knowledge::{ConditionIx, Facts as _};
use lafiya_model::{Timeframe, TriageLevel};

use crate::candidate_level;
use crate::danger::Alarm;
use crate::differential::Differential;
use crate::facts::PatientFacts;
use crate::parameters::Parameters;

/// The level before it is put into words.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) level: TriageLevel,
    pub(crate) timeframe: Timeframe,
    /// The level of the candidates alone.
    pub(crate) candidate_level: TriageLevel,
    /// The minimum level that danger signs require.
    pub(crate) floor: Option<TriageLevel>,
    /// The level before a second opinion alone raised it, if it did.
    pub(crate) raised_from: Option<TriageLevel>,
}

/// The level of each condition in this patient, by `ConditionIx`, followed by each pair, which has
/// the higher of its two levels.
#[derive(Clone, Debug)]
pub(crate) struct Levels(Vec<(TriageLevel, Timeframe)>);

impl Levels {
    pub(crate) fn of(facts: &PatientFacts<'_>) -> Self {
        let (base, pairs) = (facts.base, facts.base.pairs());
        let mut levels = Vec::with_capacity(base.conditions().len() + pairs.len());
        levels.extend_from_slice(base.usual_levels());
        let present = facts
            .known
            .iter()
            .filter(|concept| facts.is_present(**concept));
        for &concept in present {
            for (condition, raised) in base.raised_by(concept) {
                let level = &mut levels[condition.index()];
                *level = raised.max(*level);
            }
        }
        for (condition, higher) in base.higher_awake(&facts.known) {
            let level = &mut levels[condition.index()];
            let raised = (higher.level, higher.timeframe);
            // The comparison is cheaper than the condition, so it comes first.
            if raised > *level && higher.when.holds(facts) {
                *level = raised;
            }
        }
        for pair in pairs {
            // After the levels of both conditions are final.
            levels.push(levels[pair.first.index()].max(levels[pair.second.index()]));
        }
        Self(levels)
    }

    pub(crate) fn level(&self, condition: ConditionIx) -> (TriageLevel, Timeframe) {
        self.0[condition.index()]
    }

    /// Sums the hypotheses by level. The sums need not add up to 1.
    pub(crate) fn shares(&self, hypotheses: &[f64]) -> Shares {
        let mut shares = Shares::default();
        for ((level, _), share) in self.0.iter().zip(hypotheses) {
            shares.add(*level, *share);
        }
        shares
    }

    /// Returns the indices of the hypotheses at a level.
    pub(crate) fn at(&self, level: TriageLevel) -> impl Iterator<Item = usize> {
        let places = self.0.iter().enumerate();
        places.filter_map(move |(place, (own, _))| (*own == level).then_some(place))
    }
}

/// The share of each level, in the order of the levels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shares([f64; TriageLevel::ALL.len()]);

impl Shares {
    pub(crate) fn add(&mut self, level: TriageLevel, share: f64) {
        self.0[level as usize] += share;
    }

    /// Returns the level for these shares, where "something else" has the share `unexplained`.
    pub(crate) fn level(&self, unexplained: f64, parameters: &Parameters) -> TriageLevel {
        let [self_care, routine, urgent, emergency] = self.0;
        // The shares may be unnormalised (see `hypotheses_by_level`), so the limits are scaled
        // instead.
        let whole = emergency + urgent + routine + self_care + unexplained;
        let reaches = |share: f64, of_whole: f64| share >= of_whole * whole;
        if reaches(emergency, parameters.emergency_share) {
            TriageLevel::Emergency
        } else if reaches(emergency + urgent, parameters.urgent_share)
            || reaches(emergency, parameters.emergency_share_for_urgent)
        {
            TriageLevel::Urgent
        } else if reaches(
            // Only explained cases can be self-care: the unexplained share counts as routine.
            emergency + urgent + routine + unexplained,
            parameters.routine_share,
        ) {
            TriageLevel::Routine
        } else {
            TriageLevel::SelfCare
        }
    }
}

pub(crate) fn decide(
    facts: &PatientFacts<'_>,
    differential: &Differential<'_>,
    alarms: &[Alarm<'_>],
    levels: &Levels,
    parameters: &Parameters,
) -> Verdict {
    let floor = alarms.iter().map(|alarm| alarm.level).max();
    let candidate_level = if floor == Some(TriageLevel::Emergency) {
        // Nothing can raise the level further, so the level of the evidence as a whole is enough.
        levels
            .shares(differential.hypotheses())
            .level(differential.unexplained(), parameters)
    } else {
        candidate_level::level(facts, differential, levels, parameters)
    };
    let level = floor.map_or(candidate_level, |floor| floor.max(candidate_level));
    Verdict {
        level,
        timeframe: timeframe(level, differential, alarms, levels),
        candidate_level,
        floor,
        raised_from: None,
    }
}

/// Returns the shortest timeframe that an alarm or the leading candidate at this level requires,
/// within the limits of the level.
pub(crate) fn timeframe(
    level: TriageLevel,
    differential: &Differential<'_>,
    alarms: &[Alarm<'_>],
    levels: &Levels,
) -> Timeframe {
    let (usual, soonest) = span(level);
    if usual == soonest {
        return usual;
    }
    let by_alarm = alarms
        .iter()
        .filter(|alarm| alarm.level == level)
        .map(|alarm| alarm.timeframe)
        .max();
    let leader = differential.likeliest(|ix| levels.level(ix).0 == level);
    let asked = by_alarm
        .max(leader.map(|ix| levels.level(ix).1))
        .unwrap_or(usual);
    asked.clamp(usual, soonest)
}

/// Returns the latest and the soonest timeframe of a level.
fn span(level: TriageLevel) -> (Timeframe, Timeframe) {
    match level {
        TriageLevel::Emergency => (Timeframe::Immediately, Timeframe::Immediately),
        TriageLevel::Urgent => (Timeframe::Within24Hours, Timeframe::Within2Hours),
        TriageLevel::Routine => (Timeframe::Within2Weeks, Timeframe::Within72Hours),
        TriageLevel::SelfCare => (Timeframe::WhenConvenient, Timeframe::WhenConvenient),
    }
}

/// Whether a timeframe is one of a level.
pub(crate) fn fits(level: TriageLevel, timeframe: Timeframe) -> bool {
    let (latest, soonest) = span(level);
    (latest..=soonest).contains(&timeframe)
}
