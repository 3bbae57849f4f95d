//! Priors: how common each condition is among patients of this age, sex, pregnancy status, place
//! and month.

use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConditionIx, Facts};
use lafiya_model::{DeidentifiedCase, Sex};

use crate::facts::{PatientFacts, Status};

/// The share of the pregnancy rate that remains when a woman says that she is not pregnant. She is
/// sometimes wrong, so an unknown pregnancy is not ruled out.
const NOT_PREGNANT_BUT: f32 = 0.15;

/// The share of visits (0 to 1) that each condition causes in patients of one kind, by
/// `ConditionIx`; 0 if impossible.
pub(crate) struct CaseMix {
    pub(crate) shares: Vec<f64>,
    /// The logarithms of `shares`, with spare capacity for the condition pairs that are appended as
    /// log-odds.
    pub(crate) ln_shares: Vec<f64>,
}

impl CaseMix {
    /// Returns the case mix for patients like this one.
    pub(crate) fn of(facts: &PatientFacts<'_>, case: &DeidentifiedCase) -> Self {
        let (base, priors) = (facts.base, facts.base.priors());
        let (band, sex) = (facts.age.band(), facts.sex);
        let (usual, ln_usual) = (priors.shares(band, sex), priors.ln_shares(band, sex));
        let mut mix = Self {
            shares: usual.iter().map(|&share| share.into()).collect(),
            ln_shares: Vec::with_capacity(ln_usual.len() + base.pairs().len()),
        };
        mix.ln_shares.extend_from_slice(ln_usual);
        let place = case.region.as_deref().and_then(|slug| base.place(slug));
        let belts = place.map_or(&[][..], |place| &place.belts);
        let setting = place.and_then(|place| place.setting);
        // These are by far the most multipliers, so their logarithms are precomputed.
        for multiplier in priors.multipliers(belts, case.month, setting) {
            mix.multiply(multiplier.condition, multiplier.by, multiplier.ln_by);
        }
        let chances = [State::Pregnant, State::Postpartum].map(|state| state_chance(state, facts));
        let ln_chances = chances.map(f32::ln);
        for &(ix, state) in &priors.of_state {
            mix.multiply(ix, chances[state as usize], ln_chances[state as usize]);
        }
        // Only if pregnancy is certain: these figures are multiples for pregnant women, not shares
        // of an unknown state.
        if facts.is_in(State::Pregnant) {
            for multiplier in &priors.in_pregnancy {
                mix.multiply(multiplier.condition, multiplier.by, multiplier.ln_by);
            }
        }
        for (ix, ages) in priors.limited_by_age(band) {
            if !ages.contains(facts.age) {
                mix.rule_out(*ix);
            }
        }
        for (ix, excluded_by) in &priors.excludable {
            if facts.is_present(*excluded_by) {
                mix.rule_out(*ix);
            }
        }
        mix
    }

    fn multiply(&mut self, condition: ConditionIx, by: f32, ln_by: f32) {
        self.shares[condition.index()] *= f64::from(by);
        // Shares and logarithms are kept side by side, because one logarithm per condition and
        // patient would cost more than this addition.
        self.ln_shares[condition.index()] += f64::from(ln_by);
    }

    fn rule_out(&mut self, condition: ConditionIx) {
        self.shares[condition.index()] = 0.0;
        self.ln_shares[condition.index()] = f64::NEG_INFINITY;
    }
}

/// Returns the probability that the patient is in a state.
fn state_chance(state: State, facts: &PatientFacts<'_>) -> f32 {
    let share = || facts.base.state_share(state, facts.age.band());
    let usual = match facts.sex {
        Sex::Male => 0.0,
        Sex::Female => share(),
        // The sex is not known to be male or female, so either is taken as equally likely.
        Sex::Other => share() / 2.0,
    };
    match facts.state_status(state) {
        Status::Present => 1.0,
        Status::Absent => usual * NOT_PREGNANT_BUT,
        Status::Unknown | Status::Unasked => usual,
    }
}
