//! How long conditions last, close together: every turn that knows a duration reads all of them.

use super::concepts::Condition;

/// Days from the first symptom to the visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// The middle 80 of 100 patients.
    pub usual: [f32; 2],
    /// The outer limits.
    pub possible: [f32; 2],
    /// The natural logarithm of one more than the days between the usual two.
    pub ln_usual_width: f64,
}

impl Course {
    pub(super) fn of(condition: &Condition) -> Self {
        let written = &condition.text.course;
        let [from, to] = written.usual_days.map(f64::from);
        Self {
            usual: written.usual_days,
            possible: written.possible_days,
            ln_usual_width: (1.0 + to - from).ln(),
        }
    }
}
