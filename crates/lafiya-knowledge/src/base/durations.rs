//! Which durations of a finding can be true. A longer one is usually another number of the same
//! text, such as the weeks of a pregnancy, or a typing error.

use lafiya_model::Age;

use super::KnowledgeBase;
use super::index::FindingIx;

/// Findings that every condition explains for less than this are acute.
const ACUTE_BELOW_DAYS: f32 = 365.0;

impl KnowledgeBase {
    /// Whether a finding can have lasted so long: not longer than the patient has lived, and, if it
    /// is acute, not longer than any condition that lists it, or a narrower finding, can last
    /// before the visit. A finding that no condition lists has no limit of its own.
    pub fn is_plausible_duration(&self, finding: FindingIx, days: u32, age: Option<Age>) -> bool {
        let lived = age.is_none_or(|age| days <= days_lived_at_most(age));
        lived
            && self
                .longest_acute_days(finding)
                .is_none_or(|longest| days <= longest)
    }

    /// Returns the longest possible duration of an acute finding, in days.
    pub fn longest_acute_days(&self, finding: FindingIx) -> Option<u32> {
        let narrower = self.finding(finding).descendants.iter();
        let kinds = narrower.chain([&finding]);
        let conditions = kinds.flat_map(|&kind| &self.finding(kind).conditions);
        let mut longest: Option<f32> = None;
        for &condition in conditions {
            let [_, days] = self.condition(condition).text.course.possible_days;
            if days >= ACUTE_BELOW_DAYS {
                return None;
            }
            longest = Some(longest.map_or(days, |known| known.max(days)));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bounded by the limit of acute findings"
        )]
        longest.map(|days| days.max(0.0).ceil() as u32)
    }
}

/// Returns the days that somebody of an age has lived at most. An age may be known only in
/// completed months or years.
fn days_lived_at_most(age: Age) -> u32 {
    let (years, months) = (age.years(), age.months());
    if age == Age::from_years(years) {
        Age::from_years(years + 1).days()
    } else if age == Age::from_months(months) {
        Age::from_months(months + 1).days()
    } else {
        age.days() + 1
    }
}
