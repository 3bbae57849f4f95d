//! How common each condition is among patients like this one: age, sex, pregnancy, place, month.

use lafiya_knowledge::Facts;
use lafiya_knowledge::words::State;
use lafiya_model::{DeidentifiedCase, Sex};

use crate::facts::{PatientFacts, Status};

/// A woman who says that she is not pregnant is sometimes wrong; this share of the usual chance
/// stays, so that the pregnancy she does not know of is not ruled out.
const NOT_PREGNANT_BUT: f32 = 0.15;

/// The share of visits (0 to 1) that each condition causes in patients like this one; 0 where it is
/// impossible.
pub(crate) fn shares(facts: &PatientFacts<'_>, case: &DeidentifiedCase) -> Vec<f64> {
    let (base, priors) = (facts.base, facts.base.priors());
    let mut shares = priors.shares(facts.age.band(), facts.sex).to_vec();
    for (ix, ages) in &priors.limited_by_age {
        if !ages.contains(facts.age) {
            shares[ix.index()] = 0.0;
        }
    }
    for (ix, excluded_by) in &priors.excludable {
        if facts.is_present(*excluded_by) {
            shares[ix.index()] = 0.0;
        }
    }
    let state_chance = [State::Pregnant, State::Postpartum].map(|it| state_chance(it, facts));
    for &(ix, state) in &priors.of_state {
        shares[ix.index()] *= state_chance[state as usize];
    }
    if facts.is_in(State::Pregnant) {
        let all = shares.iter_mut().zip(base.conditions());
        for (share, condition) in all.filter(|(_, condition)| condition.state.is_none()) {
            *share *= condition.pregnancy_times;
        }
    }
    let place = case.region.as_deref().and_then(|slug| base.place(slug));
    let belts = place.map_or(&[][..], |place| &place.belts);
    let setting = place.and_then(|place| place.setting);
    let times = priors.times(belts, case.month, setting);
    let shares = shares.iter().zip(&times);
    shares.map(|(share, by)| f64::from(share * by)).collect()
}

/// How likely the patient is in a state.
fn state_chance(state: State, facts: &PatientFacts<'_>) -> f32 {
    let share = || facts.base.state_share(state, facts.age.band());
    let usual = match facts.sex {
        Sex::Male => 0.0,
        Sex::Female => share(),
        Sex::Other => share() / 2.0,
    };
    match facts.state_status(state) {
        Status::Present => 1.0,
        Status::Absent => usual * NOT_PREGNANT_BUT,
        Status::Unknown | Status::Unasked => usual,
    }
}
