//! A number of days, weeks, months or years in the text: "3 days", "siku tatu", "2/52", "34 weeks
//! and 2 days". `time` and `gestation` decide what it means: a duration, an age or a gestation.

use super::marks::Mark;
use super::numbers;
use super::reading::Reading;
use super::traits::Trait;

const DAYS_MAX: f64 = 36_500.0;
pub(super) const DAY_HOURS: u32 = 24;
const WEEK_HOURS: u32 = 7 * DAY_HOURS;
/// A month in the convention for durations.
pub(super) const COUNTED_MONTH_DAYS: u32 = 30;
const MONTH_HOURS: u32 = COUNTED_MONTH_DAYS * DAY_HOURS;
const WEEK_DAYS: f64 = 7.0;
/// Maximum words between a pregnancy and its weeks: "pregnant for about 5 months", "this pregnancy
/// is now 27 weeks", "mimba ya miezi 7".
const BETWEEN_MAX: usize = 2;
/// Plausible gestational ages in days: a pregnancy is not known before 5 weeks.
const GESTATION_DAYS: std::ops::RangeInclusive<u32> = 35..=308;
/// The same beside words that say that there is one.
const KNOWN_PREGNANCY_DAYS: std::ops::RangeInclusive<u32> = 28..=308;

/// A number of days, weeks, months or years in the text.
pub(super) struct CountedTime {
    pub at: usize,
    /// One past the last token.
    pub end: usize,
    /// `None` beyond a human lifetime.
    pub days: Option<u32>,
    /// The hours of the unit.
    unit_hours: u32,
    /// Whether it is written as weeks out of the 40 of a pregnancy.
    of_forty_weeks: bool,
    /// Whether it is told by its number: "7th month".
    pub is_ordinal: bool,
}

impl CountedTime {
    /// Parses a number and a unit in either order ("3 days", "siku tatu", "3d"). Returns `None`
    /// without a number.
    pub(super) fn at(reading: &Reading<'_>, at: usize) -> Option<Self> {
        let words = &reading.words;
        let entries = reading.entries.as_slice();
        let unit_at = |at: usize| entries.get(at)?.unit_hours;
        let counted = |number: f64, unit: u32, end: usize| CountedTime {
            at,
            end,
            days: days(number, unit),
            unit_hours: unit,
            of_forty_weeks: false,
            is_ordinal: false,
        };
        if let Some((mut number, taken)) = numbers::count_at(entries, at) {
            let mut next = at + taken;
            // "2-3 days", "2 to 3 days": the larger number counts.
            let to = usize::from(
                words
                    .get(next)
                    .is_some_and(|word| matches!(*word, "to" | "or")),
            );
            let upper = numbers::count_at(entries, next + to).filter(|(_, length)| {
                unit_at(next).is_none() && unit_at(next + to + length).is_some()
            });
            if let Some((upper, length)) = upper {
                (number, next) = (upper, next + to + length);
            }
            // "36+4 weeks", "36+4/40": weeks of pregnancy plus days.
            let beside = words.get(next) == Some(&"+")
                && (4.0..=43.0).contains(&number)
                && unit_at(next + 2) == Some(WEEK_HOURS)
                && numbers::count_at(entries, next + 1).is_some_and(|(days, _)| days < 7.0);
            next += 2 * usize::from(beside);
            let of =
                usize::from(words.get(next).is_some_and(|word| {
                    matches!(*word, "of" | "full" | "good" | "whole" | "more")
                }));
            let unit = unit_at(next + of)?;
            let end = next + of + 1;
            // "Juna biyu wata bakwai" (pregnant, seven months): the unit belongs to the number
            // behind it.
            let is_led = reading.traits[next + of].has(Trait::UnitFirst)
                && numbers::count_at(entries, end)
                    .is_some_and(|(_, length)| unit_at(end + length).is_none());
            if is_led {
                return None;
            }
            let weeks = counted(number, unit, end);
            // "34 weeks and 2 days", "34w2d", "34w+2".
            let further = (unit == WEEK_HOURS && !beside)
                .then(|| days_beside(reading, end))
                .flatten();
            return Some(match (further, weeks.days) {
                (Some((days, end)), Some(known)) => CountedTime {
                    end,
                    days: Some(known + days),
                    ..weeks
                },
                _ => CountedTime {
                    of_forty_weeks: beside,
                    ..weeks
                },
            });
        }
        let unit = unit_at(at).filter(|_| words[at].len() > 2)?;
        let (number, taken) = numbers::count_at(entries, at + 1)?;
        // "siku 3" and "siku tatu" are three days; "day 3" is not a duration.
        let foreign = if words[at + 1].starts_with(|c: char| c.is_ascii_digit()) {
            reading.traits[at].has(Trait::UnitFirst)
        } else {
            words[at + 1].len() > 2
        };
        (foreign && unit_at(at + 1 + taken).is_none())
            .then(|| counted(number, unit, at + 1 + taken))
    }

    /// Parses clinical fractions: `3/7` days, `2/52` weeks, `3/12` months, `4/24` hours, and
    /// `36/40` weeks of pregnancy.
    pub(super) fn fraction_at(reading: &Reading<'_>, at: usize) -> Option<Self> {
        let [number, slash, of] = reading.words.get(at..at + 3)? else {
            return None;
        };
        if *slash != "/" || reading.tokens[at + 1].spaced || reading.tokens[at + 2].spaced {
            return None;
        }
        let number: f64 = number.parse().ok()?;
        let unit = match *of {
            "24" => 1,
            "7" => DAY_HOURS,
            "52" => WEEK_HOURS,
            "12" => MONTH_HOURS,
            // Not a blood pressure: the systolic value cannot be below the diastolic.
            "40" if (4.0..=43.0).contains(&number) => WEEK_HOURS,
            _ => return None,
        };
        Some(CountedTime {
            at,
            end: at + 3,
            days: Some(days(number, unit)?),
            unit_hours: unit,
            of_forty_weeks: *of == "40",
            is_ordinal: false,
        })
    }

    /// The week or month with a number, between two tokens.
    pub(super) fn ordinal((at, end): (usize, usize), number: f64, unit_hours: u32) -> Self {
        Self {
            at,
            end,
            days: days(number, unit_hours),
            unit_hours,
            of_forty_weeks: false,
            is_ordinal: true,
        }
    }

    /// Whether it is written as weeks out of the 40 of a pregnancy.
    pub(super) fn is_of_forty_weeks(&self) -> bool {
        self.of_forty_weeks
    }

    /// Whether the unit is weeks.
    pub(super) fn in_weeks(&self) -> bool {
        self.unit_hours == WEEK_HOURS
    }

    /// Whether weeks or months may say how far a pregnancy is.
    pub(super) fn may_be_gestation(&self) -> bool {
        matches!(self.unit_hours, WEEK_HOURS | MONTH_HOURS)
            && self
                .days
                .is_some_and(|day| KNOWN_PREGNANCY_DAYS.contains(&day))
    }

    /// Whether the words right beside it make it how far a pregnancy is. Weeks further from the
    /// pregnancy are judged when the findings are known.
    pub(super) fn is_gestation(&self, reading: &Reading<'_>) -> bool {
        let between = (0..self.at)
            .rev()
            .take_while(|&n| reading.marks.has(n, Mark::BetweenWeeks))
            .take(BETWEEN_MAX)
            .count();
        let first = self.at - between;
        let led = (first > 0 && reading.marks.has(first - 1, Mark::BeforeWeeks))
            || (first > 1 && reading.marks.has(first - 2, Mark::TwoBeforeWeeks));
        // "Pregnant 3 weeks of cough", "pregnant 6 weeks ago".
        let of_another =
            reading.word(self.end) == "of" || reading.marks.has(self.end, Mark::NotWeeks);
        self.of_forty_weeks
            || reading.marks.has(self.end, Mark::BehindWeeks)
            || (led && !of_another)
            || self.is_told_by_mother(reading)
    }

    /// Whether the mother states it: "I'm 36 weeks and the baby has stopped kicking".
    fn is_told_by_mother(&self, reading: &Reading<'_>) -> bool {
        let before = self.at.saturating_sub(2)..self.at;
        let i_am = reading.marks.first(before, Mark::Mother).is_some();
        let weeks = self.days.is_some_and(|day| GESTATION_DAYS.contains(&day));
        let unit = reading.entries[self.end - 1].unit_hours;
        let closes = reading
            .tokens
            .get(self.end)
            .is_none_or(|token| token.is_sign())
            || reading.marks.has(self.end, Mark::Joiner);
        // "I am 6 weeks and still bleeding after delivery" is not a pregnancy.
        let delivered = |at: usize| {
            let words = [
                "delivery",
                "delivered",
                "birth",
                "postpartum",
                "cs",
                "caesarean",
                "cesarean",
                "miscarriage",
            ];
            words.contains(&reading.words[at])
        };
        let is_over = || reading.sentence_of(self.at).any(delivered);
        i_am && weeks && unit == Some(WEEK_HOURS) && closes && !is_over()
    }
}

/// Days told beside weeks that end before a token, and where they end: "34 weeks and 2 days",
/// "34w2d", "34w+2".
fn days_beside(reading: &Reading<'_>, at: usize) -> Option<(u32, usize)> {
    let entries = reading.entries.as_slice();
    let joined = matches!(reading.word(at), "and" | "+");
    let (number, taken) = numbers::count_at(entries, at + usize::from(joined))?;
    let unit = at + usize::from(joined) + taken;
    let in_days = entries.get(unit).and_then(|entry| entry.unit_hours) == Some(DAY_HOURS);
    // "2 weeks and 3 days of cough": the days are the cough's.
    let of_another = reading.word(unit + 1) == "of";
    let end = match (in_days, reading.word(at)) {
        (true, _) => unit + 1,
        (false, "+") => unit,
        _ => return None,
    };
    let days = days(number, DAY_HOURS).filter(|_| number < WEEK_DAYS && !of_another)?;
    Some((days, end))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded just before"
)]
fn days(number: f64, unit_hours: u32) -> Option<u32> {
    let days = number * f64::from(unit_hours) / f64::from(DAY_HOURS);
    // "36 hours" is one day; "one and a half days" are two.
    let days = if unit_hours < DAY_HOURS {
        days.floor()
    } else {
        days.round()
    };
    (0.0..=DAYS_MAX).contains(&days).then_some(days as u32)
}
