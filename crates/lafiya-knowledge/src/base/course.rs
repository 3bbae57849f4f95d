//! The course of conditions. Every turn with a known duration reads all of them, so each figure is
//! stored in its own column, which lets several be processed at once.

use super::concepts::Condition;

/// The usual and possible times from the first symptom to the visit, in days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// The first day of the range of the middle 80 % of patients.
    pub usual_from: f32,
    /// The last day of that range.
    pub usual_to: f32,
    /// The reciprocal of the days between the earliest possible and the earliest usual day, which
    /// are at least half a day.
    pub per_day_early: f32,
    /// The same at the upper end of the range.
    pub per_day_late: f32,
    /// The natural logarithm of one plus the width of the usual range in days.
    pub ln_usual_width: f32,
}

impl Course {
    fn of(condition: &Condition) -> Self {
        let written = &condition.text.course;
        let [usual_from, usual_to] = written.usual_days;
        let [possible_from, possible_to] = written.possible_days;
        // A file may give the same day as usual and as possible; half a day keeps the slope finite.
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

/// The course of each condition, by `ConditionIx`.
#[derive(Clone, Debug, Default)]
pub(super) struct Courses {
    usual_from: Vec<f32>,
    usual_to: Vec<f32>,
    per_day_early: Vec<f32>,
    per_day_late: Vec<f32>,
    ln_usual_width: Vec<f32>,
}

impl Courses {
    pub(super) fn of(conditions: &[Condition]) -> Self {
        let mut courses = Self::default();
        for course in conditions.iter().map(Course::of) {
            courses.usual_from.push(course.usual_from);
            courses.usual_to.push(course.usual_to);
            courses.per_day_early.push(course.per_day_early);
            courses.per_day_late.push(course.per_day_late);
            courses.ln_usual_width.push(course.ln_usual_width);
        }
        courses
    }

    #[inline]
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Course> {
        let usual = self.usual_from.iter().zip(&self.usual_to);
        let per_day = self.per_day_early.iter().zip(&self.per_day_late);
        let all = usual.zip(per_day).zip(&self.ln_usual_width);
        all.map(|((usual, per_day), &ln_usual_width)| Course {
            usual_from: *usual.0,
            usual_to: *usual.1,
            per_day_early: *per_day.0,
            per_day_late: *per_day.1,
            ln_usual_width,
        })
    }
}
