//! Precomputed priors by age band and sex, and the conditions whose prior depends on more than
//! that. There are few of those, so a turn only looks at them.

use lafiya_model::{AgeBand, Sex};

use super::concepts::Condition;
use super::index::{BeltIx, ConceptRef, ConditionIx};
use super::place::Times;
use crate::words::{AgeSpan, Setting, State};

/// Priors by age band and sex, and the conditions whose prior depends on more.
#[derive(Clone, Debug, Default)]
pub struct Priors {
    /// By band and then by sex, in the order of their variants.
    shares: Vec<Vec<f32>>,
    /// The logarithms of these.
    ln_shares: Vec<Vec<f64>>,
    /// By band: conditions that are possible at only some ages of it, with those ages.
    limited_by_age: Vec<Vec<(ConditionIx, AgeSpan)>>,
    /// Conditions that a present concept rules out, with that concept.
    pub excludable: Vec<(ConditionIx, ConceptRef)>,
    /// Conditions that only women in a state can have.
    pub of_state: Vec<(ConditionIx, State)>,
    /// The multipliers of other conditions in pregnancy.
    pub in_pregnancy: Vec<Multiplier>,
    /// The multipliers that apply in every belt, and those of each belt, by its index.
    everywhere: Vec<Multiplier>,
    in_belt: Vec<Vec<Multiplier>>,
}

/// A multiplier of one condition's prior, like `Times`. It is compact because every turn reads
/// many.
#[derive(Clone, Copy, Debug)]
pub struct Multiplier {
    /// The condition.
    pub condition: ConditionIx,
    /// One bit per month; all bits if it applies all year.
    months: u16,
    /// One bit per setting; all bits if it applies in every setting.
    settings: u8,
    /// The factor.
    pub by: f32,
    /// The logarithm of the factor.
    pub ln_by: f32,
}

/// The bit of an unknown setting, which is only set in multipliers for all settings.
const UNKNOWN_SETTING: u8 = 1;

/// The bit of an unknown month, which is only set in multipliers for all year.
const UNKNOWN_MONTH: u16 = 1;

impl Priors {
    /// Returns the share of visits (0 to 1) by `ConditionIx` if only band and sex are known; 0 if
    /// these make the condition impossible.
    #[inline]
    pub fn shares(&self, band: AgeBand, sex: Sex) -> &[f32] {
        &self.shares[group(band, sex)]
    }

    /// Returns the logarithms of these shares.
    #[inline]
    pub fn ln_shares(&self, band: AgeBand, sex: Sex) -> &[f64] {
        &self.ln_shares[group(band, sex)]
    }

    /// Returns the conditions that are possible at only some ages of a band, with those ages.
    #[inline]
    pub fn limited_by_age(&self, band: AgeBand) -> &[(ConditionIx, AgeSpan)] {
        &self.limited_by_age[band as usize]
    }

    /// Returns the multipliers that apply. Multipliers for an unknown place or month do not: the
    /// prior itself is meant for those.
    pub fn multipliers<'a>(
        &'a self,
        belts: &'a [BeltIx],
        month: Option<u8>,
        setting: Option<Setting>,
    ) -> impl Iterator<Item = &'a Multiplier> {
        let month = month.map_or(UNKNOWN_MONTH, month_bit);
        let setting = setting.map_or(UNKNOWN_SETTING, setting_bit);
        let of_place = belts
            .iter()
            .filter_map(|belt| self.in_belt.get(belt.index()));
        let all = self.everywhere.iter().chain(of_place.flatten());
        all.filter(move |multiplier| {
            multiplier.months & month != 0 && multiplier.settings & setting != 0
        })
    }

    pub(super) fn of(conditions: &[Condition], belts: usize) -> Self {
        let of_all = |band: AgeBand, sex: Sex| -> Vec<f32> {
            let conditions = conditions.iter();
            conditions
                .map(|condition| share(condition, band, sex))
                .collect()
        };
        let bands = AgeBand::ALL.iter();
        let groups = bands.flat_map(|&band| Sex::ALL.iter().map(move |&sex| (band, sex)));
        let all = || (0..).map(ConditionIx::at).zip(conditions);
        let limited = |&band: &AgeBand| {
            let with_ages = all().map(|(ix, condition)| (ix, condition.ages));
            let limited = with_ages.filter(|(_, ages)| ages.meets(band) && !ages.covers(band));
            limited.collect()
        };
        let shares: Vec<Vec<f32>> = groups.map(|(band, sex)| of_all(band, sex)).collect();
        let (mut everywhere, mut in_belt) = (Vec::new(), vec![Vec::new(); belts]);
        for (ix, condition) in all() {
            for times in &condition.times {
                let list = match times.belt {
                    Some(belt) => &mut in_belt[belt.index()],
                    None => &mut everywhere,
                };
                list.push(Multiplier::of(ix, times));
            }
        }
        let logarithms =
            |shares: &Vec<f32>| shares.iter().map(|share| f64::from(*share).ln()).collect();
        Self {
            ln_shares: shares.iter().map(logarithms).collect(),
            shares,
            limited_by_age: AgeBand::ALL.iter().map(limited).collect(),
            excludable: all()
                .flat_map(|(ix, condition)| condition.excluded_by.iter().map(move |&by| (ix, by)))
                .collect(),
            of_state: all()
                .filter_map(|(ix, condition)| Some((ix, condition.state?)))
                .collect(),
            in_pregnancy: all()
                .filter(|(_, condition)| {
                    condition.state.is_none() && condition.pregnancy_times != 1.0
                })
                .map(|(ix, condition)| Multiplier::always(ix, condition.pregnancy_times))
                .collect(),
            everywhere,
            in_belt,
        }
    }
}

impl Multiplier {
    /// Creates a multiplier for all year and all settings.
    fn always(condition: ConditionIx, by: f32) -> Self {
        Self {
            condition,
            months: u16::MAX,
            settings: u8::MAX,
            by,
            ln_by: by.ln(),
        }
    }

    fn of(condition: ConditionIx, times: &Times) -> Self {
        let always = Self::always(condition, times.by);
        let months = times.months.iter().map(|&month| month_bit(month));
        Self {
            months: months
                .reduce(|all, month| all | month)
                .unwrap_or(always.months),
            settings: times.setting.map_or(always.settings, setting_bit),
            ..always
        }
    }
}

#[inline]
fn group(band: AgeBand, sex: Sex) -> usize {
    band as usize * Sex::ALL.len() + sex as usize
}

/// Returns the bit of a month, 1 to 12.
fn month_bit(month: u8) -> u16 {
    1_u16.checked_shl(month.into()).unwrap_or(UNKNOWN_MONTH)
}

fn setting_bit(setting: Setting) -> u8 {
    1 << (setting as u8 + 1)
}

fn share(condition: &Condition, band: AgeBand, sex: Sex) -> f32 {
    if condition.sex.allows(sex) && condition.ages.meets(band) {
        condition.per_1000(band) / 1000.0 * condition.sex_times(sex)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    #[test]
    fn multipliers_apply_under_their_conditions() {
        let base = toy::base();
        let settings = [None, Some(Setting::Rural), Some(Setting::Urban)];
        let months = [None, Some(1), Some(8), Some(12)];
        let places = base.places().iter().map(|place| &place.belts[..]);
        let mut applied = 0;
        for belts in places.chain([&[][..]]) {
            for (month, setting) in months
                .iter()
                .flat_map(|m| settings.iter().map(move |s| (*m, *s)))
            {
                let mut by_condition = vec![1.0; base.conditions().len()];
                for multiplier in base.priors().multipliers(belts, month, setting) {
                    by_condition[multiplier.condition.index()] *= multiplier.by;
                }
                for (condition, times) in base.conditions().iter().zip(by_condition) {
                    let all = condition.times.iter();
                    let applying =
                        all.filter(|multiplier| multiplier.applies(belts, month, setting));
                    assert_eq!(
                        times,
                        applying.map(|multiplier| multiplier.by).product::<f32>()
                    );
                    applied += usize::from(times != 1.0);
                }
            }
        }
        assert!(
            applied > 0,
            "some multiplier of the toy base applies somewhere"
        );
    }
}
