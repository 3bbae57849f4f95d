//! How long conditions last, close together: every turn that knows a duration reads all of them.

use super::concepts::Condition;

/// Days from the first symptom to the visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// The middle 80 of 100 patients come from this day on.
    pub usual_from: f32,
    /// And up to this one.
    pub usual_to: f32,
    /// One over the days between the earliest possible and the usual, half a day at least.
    pub per_day_early: f32,
    /// The same at the other end.
    pub per_day_late: f32,
    /// The natural logarithm of one more than the days between the usual two.
    pub ln_usual_width: f32,
}

impl Course {
    pub(super) fn of(condition: &Condition) -> Self {
        let written = &condition.text.course;
        let [usual_from, usual_to] = written.usual_days;
        let [possible_from, possible_to] = written.possible_days;
        let per_day = |days: f32| 1.0 / days.max(0.5);
        Self {
            usual_from,
            usual_to,
            per_day_early: per_day(usual_from - possible_from),
            per_day_late: per_day(possible_to - usual_to),
            ln_usual_width: (1.0 + usual_to - usual_from).ln(),
        }
    }
}
