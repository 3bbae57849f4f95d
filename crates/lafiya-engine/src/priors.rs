//! How common each condition is among patients like this one: age, sex, pregnancy, place, month.

use lafiya_knowledge::words::{Setting, State};
use lafiya_knowledge::{BeltIx, Condition, Facts};
use lafiya_model::{AgeBand, DeidentifiedCase, Sex};

use crate::facts::{PatientFacts, Status};

/// A woman who says that she is not pregnant is sometimes wrong; this share of the usual chance
/// stays, so that the pregnancy she does not know of is not ruled out.
const NOT_PREGNANT_BUT: f32 = 0.15;

/// The share of visits (0 to 1) that each condition causes in patients like this one; 0 where it is
/// impossible.
pub(crate) fn shares(facts: &PatientFacts<'_>, case: &DeidentifiedCase) -> Vec<f64> {
    let circumstances = Circumstances::of(facts, case);
    let conditions = facts.base.conditions().iter();
    conditions
        .map(|condition| f64::from(circumstances.share(condition)))
        .collect()
}

/// What every prior depends on, found out once for all conditions.
struct Circumstances<'a, 'b> {
    facts: &'b PatientFacts<'a>,
    band: AgeBand,
    is_pregnant: bool,
    pregnant_chance: f32,
    postpartum_chance: f32,
    belts: &'a [BeltIx],
    month: Option<u8>,
    setting: Option<Setting>,
}

impl<'a, 'b> Circumstances<'a, 'b> {
    fn of(facts: &'b PatientFacts<'a>, case: &DeidentifiedCase) -> Self {
        let base = facts.base;
        let place = case.region.as_deref().and_then(|slug| base.place(slug));
        Self {
            facts,
            band: facts.age.band(),
            is_pregnant: facts.is_in(State::Pregnant),
            pregnant_chance: state_chance(State::Pregnant, facts),
            postpartum_chance: state_chance(State::Postpartum, facts),
            belts: place.map_or(&[][..], |place| &place.belts),
            month: case.month,
            setting: place.and_then(|place| place.setting),
        }
    }

    fn share(&self, condition: &Condition) -> f32 {
        let (age, sex) = (self.facts.age, self.facts.sex);
        if !condition.is_possible_in(self.band, age, sex) || self.excludes(condition) {
            return 0.0;
        }
        let mut share = condition.per_1000(self.band) / 1000.0 * condition.sex_times(sex);
        match condition.state {
            Some(State::Pregnant) => share *= self.pregnant_chance,
            Some(State::Postpartum) => share *= self.postpartum_chance,
            None if self.is_pregnant => share *= condition.pregnancy_times,
            None => {}
        }
        let times = condition
            .times
            .iter()
            .filter(|times| times.applies(self.belts, self.month, self.setting));
        share * times.map(|times| times.by).product::<f32>()
    }

    fn excludes(&self, condition: &Condition) -> bool {
        let mut excluded_by = condition.excluded_by.iter();
        excluded_by.any(|&concept| self.facts.is_present(concept))
    }
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
