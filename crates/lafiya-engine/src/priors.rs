//! How common each condition is among patients like this one: age, sex, pregnancy, place, month.

use lafiya_knowledge::words::{Setting, State};
use lafiya_knowledge::{BeltIx, Condition, KnowledgeBase};
use lafiya_model::{DeidentifiedCase, Sex};

use crate::facts::{PatientFacts, Status};

/// A woman who says that she is not pregnant is sometimes wrong; this share of the usual chance
/// stays, so that the pregnancy she does not know of is not ruled out.
const NOT_PREGNANT_BUT: f32 = 0.15;

/// The share of visits (0 to 1) that each condition causes in patients like this one; 0 where it is
/// impossible.
pub(crate) fn shares(facts: &PatientFacts<'_>, case: &DeidentifiedCase) -> Vec<f64> {
    let base = facts.base;
    let place = case.region.as_deref().and_then(|slug| base.place(slug));
    let belts = place.map_or(&[][..], |place| &place.belts);
    let setting = place.and_then(|place| place.setting);
    base.conditions()
        .iter()
        .map(|condition| f64::from(share(base, condition, facts, belts, case.month, setting)))
        .collect()
}

fn share(
    base: &KnowledgeBase,
    condition: &Condition,
    facts: &PatientFacts<'_>,
    belts: &[BeltIx],
    month: Option<u8>,
    setting: Option<Setting>,
) -> f32 {
    if !condition.is_possible(facts.age, facts.sex) || is_excluded(condition, facts) {
        return 0.0;
    }
    let mut share = condition.per_1000(facts.age.band()) / 1000.0 * condition.sex_times(facts.sex);
    if let Some(state) = condition.state {
        share *= state_chance(base, state, facts);
    } else if facts.state_status(State::Pregnant) == Status::Present {
        share *= condition.pregnancy_times;
    }
    let times = condition
        .times
        .iter()
        .filter(|times| times.applies(belts, month, setting));
    share * times.map(|times| times.by).product::<f32>()
}

fn is_excluded(condition: &Condition, facts: &PatientFacts<'_>) -> bool {
    use lafiya_knowledge::Facts;
    condition
        .excluded_by
        .iter()
        .any(|&concept| facts.is_present(concept))
}

/// How likely the patient is in a state.
fn state_chance(base: &KnowledgeBase, state: State, facts: &PatientFacts<'_>) -> f32 {
    let usual = match facts.sex {
        Sex::Male => 0.0,
        Sex::Female => base.state_share(state, facts.age.band()),
        Sex::Other => base.state_share(state, facts.age.band()) / 2.0,
    };
    match facts.state_status(state) {
        Status::Present => 1.0,
        Status::Absent => usual * NOT_PREGNANT_BUT,
        Status::Unknown | Status::Unasked => usual,
    }
}
