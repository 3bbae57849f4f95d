//! How common conditions are in patients of an age and sex, ready for every turn; and which conditions
//! depend on more than that. Few do, so a turn looks at those alone.

use lafiya_model::{AgeBand, Sex};

use super::concepts::Condition;
use super::index::ConditionIx;

/// Priors by age band and sex, and the conditions whose prior depends on more.
#[derive(Clone, Debug, Default)]
pub struct Priors {
    /// By band and then by sex, in their orders.
    shares: Vec<Vec<f32>>,
    /// Conditions that some ages rule out.
    pub limited_by_age: Vec<ConditionIx>,
    /// Conditions that something present rules out.
    pub excludable: Vec<ConditionIx>,
    /// Conditions that only women in a state have.
    pub of_state: Vec<ConditionIx>,
    /// Conditions that are commoner in some places, months or settings.
    pub by_place_or_month: Vec<ConditionIx>,
}

impl Priors {
    /// The share of visits (0 to 1) by `ConditionIx`, where no more than band and sex is known; 0 where these make the
    /// condition impossible.
    #[inline]
    pub fn shares(&self, band: AgeBand, sex: Sex) -> &[f32] {
        &self.shares[band as usize * Sex::ALL.len() + sex as usize]
    }

    pub(super) fn of(conditions: &[Condition]) -> Self {
        let of_all = |band: AgeBand, sex: Sex| -> Vec<f32> {
            let conditions = conditions.iter();
            conditions.map(|it| share(it, band, sex)).collect()
        };
        let bands = AgeBand::ALL.iter();
        let groups = bands.flat_map(|&band| Sex::ALL.iter().map(move |&sex| (band, sex)));
        let which = |depends: fn(&Condition) -> bool| {
            let places = conditions.iter().enumerate();
            places
                .filter(|(_, condition)| depends(condition))
                .map(|(place, _)| ConditionIx::at(place))
                .collect()
        };
        Self {
            shares: groups.map(|(band, sex)| of_all(band, sex)).collect(),
            limited_by_age: which(|it| it.ages.from.is_some() || it.ages.below.is_some()),
            excludable: which(|it| !it.excluded_by.is_empty()),
            of_state: which(|it| it.state.is_some()),
            by_place_or_month: which(|it| !it.times.is_empty()),
        }
    }
}

fn share(condition: &Condition, band: AgeBand, sex: Sex) -> f32 {
    if condition.sex.allows(sex) {
        condition.per_1000(band) / 1000.0 * condition.sex_times(sex)
    } else {
        0.0
    }
}
