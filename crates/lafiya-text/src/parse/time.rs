//! How long: finding the times in a text. `lasting` gives each to the findings it belongs to.
//!
//! Conventions: a week is 7 days, a month 30, a year 365; today and hours ago are 0; yesterday and last night are 1. A
//! weekday has a number only when the day of writing is known.

use jiff::civil::Date;
use lafiya_model::Age;

use super::numbers::{self, Numbers};
use super::phrases::PhraseSet;
use super::reading::Reading;
use super::spotted::Lasting;
use super::traits::{Trait, Traits};
use crate::canon::Word;
use crate::hash::{FastMap, FastSet};
use crate::words::{Numbered, TimeWords};

/// The words of time, ready to use.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub numbers: Numbers,
    units: FastMap<String, u32>,
    moments: PhraseSet<Option<u32>>,
    weekdays: FastMap<String, i8>,
    leads: PhraseSet<()>,
    tails: PhraseSet<()>,
    not_durations: PhraseSet<()>,
    not_leads: PhraseSet<()>,
    /// Words behind a number that make it an age, and persons before one.
    ages: FastSet<String>,
    aged: FastSet<String>,
}

/// A time in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub first: usize,
    /// The token after the last.
    pub end: usize,
    pub lasting: Lasting,
}

const DAYS_MAX: f64 = 36_500.0;

impl Times {
    pub(super) fn new(words: &TimeWords) -> Self {
        let mut moments = PhraseSet::default();
        for (days, phrases) in &words.moments {
            for phrase in phrases {
                moments.add(&phrase.split(' ').collect::<Vec<_>>(), days.parse().ok());
            }
        }
        for phrase in &words.unknown.phrases {
            moments.add(&phrase.split(' ').collect::<Vec<_>>(), None);
        }
        Self {
            numbers: Numbers::new(&words.numbers),
            units: by_word(&words.units),
            moments,
            weekdays: by_word(&words.weekdays),
            leads: PhraseSet::of(&words.cues.leads),
            tails: PhraseSet::of(&words.cues.tails),
            not_durations: PhraseSet::of(&words.cues.not_durations),
            not_leads: PhraseSet::of(&words.cues.not_leads),
            ages: words.cues.ages.iter().cloned().collect(),
            aged: words.cues.aged.iter().cloned().collect(),
        }
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.units
            .keys()
            .map(String::as_str)
            .chain(self.numbers.vocabulary())
            .chain(self.moments.vocabulary())
            .chain(self.weekdays.keys().map(String::as_str))
            .chain(self.leads.vocabulary())
    }

    /// The days of a unit of time, in the singular or as written.
    pub(super) fn unit_days(&self, word: &Word) -> Option<u32> {
        let written = self.units.get(&word.text);
        let one = || self.units.get(&word.singular);
        written.or_else(one).copied()
    }

    /// The day of the week that a word is, from Monday on.
    pub(super) fn weekday(&self, word: &str) -> Option<i8> {
        self.weekdays.get(word).copied()
    }

    /// Whether a word makes an age of a number before it.
    pub(super) fn is_age_behind(&self, word: &str) -> bool {
        self.ages.contains(word)
    }

    /// Whether a word is a person who may have an age behind.
    pub(super) fn is_aged(&self, word: &str) -> bool {
        self.aged.contains(word)
    }

    /// Whether a word begins a time without a number.
    pub(super) fn begins_moment(&self, key: u64) -> bool {
        self.moments.begun(key).is_some()
    }

    /// All times of a text, in order.
    pub(super) fn find(&self, reading: &Reading<'_>, today: Option<Date>) -> Vec<Time> {
        let mut times: Vec<Time> = Vec::new();
        let next = |from: usize| reading.next_of(from, [Trait::Moment, Trait::Number, Trait::Unit]);
        let mut at = next(0);
        while at < reading.len() {
            let found = self.time_at(reading, at, today);
            at = next(found.map_or(at + 1, |time| time.end));
            times.extend(found);
        }
        times
    }

    /// An age in the text: "4 month old", "aged 3 years", "7yo", "my daughter (6 yrs)".
    pub(super) fn age(reading: &Reading<'_>) -> Option<Age> {
        let counts = |it: &Traits| it.has_any([Trait::Number, Trait::Unit]);
        let counted = reading.traits.iter().zip(0..).filter(|(it, _)| counts(it));
        counted.map(|(_, at)| at).find_map(|at| {
            let (days, end) = Self::counted_at(reading, at)?;
            let days = days.filter(|_| Self::is_age(reading, at, end))?;
            Some(Age::from_days(days))
        })
    }

    /// A number of years, months or days beside a person or a word for age is an age, not a duration.
    fn is_age(reading: &Reading<'_>, at: usize, end: usize) -> bool {
        let words = &reading.words;
        let is = |at: usize, wanted: Trait| {
            let traits = reading.traits.get(at);
            traits.is_some_and(|it| it.has(wanted))
        };
        if is(end, Trait::AgeBehind)
            || (words.get(end) == Some(&"/") && words.get(end + 1) == Some(&"o"))
        {
            return true;
        }
        // A person just before: "baby girl 8 months", "daughter (6 yrs)", "bébé de 5 mois".
        let before = (at.saturating_sub(2)..at).rev();
        for n in before {
            if is(n, Trait::Aged) {
                return true;
            }
            if !matches!(words[n], "(" | "," | "de" | "of" | "is" | "wa" | "aged") {
                return false;
            }
        }
        false
    }

    fn time_at(&self, reading: &Reading<'_>, at: usize, today: Option<Date>) -> Option<Time> {
        let words = &reading.words;
        let time = |first: usize, end: usize, days: Option<u32>| Time {
            first,
            end,
            lasting: Lasting(days),
        };
        if reading.traits[at].has(Trait::Moment)
            && let Some((length, [days, ..])) = self.moments.longest_at(&reading.keys, at)
        {
            return Some(time(at, at + length, *days));
        }
        if let Some(weekday) = reading.entries[at].weekday {
            let since = at > 0 && self.leads.length_at(&reading.keys, at - 1) > 0;
            let days = today.map(|today| days_since(weekday, today));
            return (since || words[at].len() > 4).then(|| time(at, at + 1, days));
        }
        // "since 4am"
        if reading.tokens[at].is_number()
            && words
                .get(at + 1)
                .is_some_and(|it| matches!(*it, "am" | "pm"))
        {
            return Some(time(at, at + 2, Some(0)));
        }
        if let Some((days, end)) = fraction_at(reading, at) {
            return Some(time(at, end, Some(days)));
        }
        let (days, end) = Self::counted_at(reading, at)?;
        let led = || {
            at > 0 && self.leads.length_at(&reading.keys, at - 1) > 0
                || at > 1 && self.leads.length_at(&reading.keys, at - 2) > 1
        };
        let tailed = || end < words.len() && self.tails.length_at(&reading.keys, end) > 0;
        // "20 cigarettes a day", "every two days": only a number that is led or followed as a time is safe with "a".
        let article = matches!(words[at], "a" | "an" | "un" | "une" | "to" | "too");
        let excluded = Self::is_age(reading, at, end)
            || (end < words.len() && self.not_durations.length_at(&reading.keys, end) > 0)
            || (at > 0 && self.not_leads.length_at(&reading.keys, at - 1) > 0);
        ((!article || led() || tailed()) && !excluded).then(|| time(at, end, days))
    }

    /// A number and a unit in either order ("3 days", "siku tatu", "3d"). Without a number, none.
    pub(super) fn counted_at(reading: &Reading<'_>, at: usize) -> Option<(Option<u32>, usize)> {
        let words = &reading.words;
        let entries = reading.entries.as_slice();
        let unit_at = |at: usize| entries.get(at)?.unit_days;
        if let Some((mut number, taken)) = numbers::count_at(entries, at) {
            let mut next = at + taken;
            // "2-3 days", "2 to 3 days": the longer of the two.
            let to = usize::from(words.get(next).is_some_and(|it| matches!(*it, "to" | "or")));
            let upper = numbers::count_at(entries, next + to).filter(|(_, length)| {
                unit_at(next).is_none() && unit_at(next + to + length).is_some()
            });
            if let Some((upper, length)) = upper {
                (number, next) = (upper, next + to + length);
            }
            let of = usize::from(
                words
                    .get(next)
                    .is_some_and(|it| matches!(*it, "of" | "full" | "good" | "whole" | "more")),
            );
            let unit = unit_at(next + of)?;
            return Some((days(number, unit), next + of + 1));
        }
        let unit = unit_at(at).filter(|_| words[at].len() > 2)?;
        let (number, taken) = numbers::count_at(entries, at + 1)?;
        let foreign = !words[at + 1].starts_with(|c: char| c.is_ascii_digit());
        (foreign && unit_at(at + 1 + taken).is_none() && words[at + 1].len() > 2)
            .then(|| (days(number, unit), at + 1 + taken))
    }
}

/// `3/7` days, `2/52` weeks, `3/12` months, `4/24` hours.
fn fraction_at(reading: &Reading<'_>, at: usize) -> Option<(u32, usize)> {
    let [number, slash, of] = reading.words.get(at..at + 3)? else {
        return None;
    };
    if *slash != "/" || reading.tokens[at + 1].spaced || reading.tokens[at + 2].spaced {
        return None;
    }
    let number: f64 = number.parse().ok()?;
    let unit = match *of {
        "24" => 0,
        "7" => 1,
        "52" => 7,
        "12" => 30,
        _ => return None,
    };
    Some((days(number, unit)?, at + 3))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded just before"
)]
fn days(number: f64, unit: u32) -> Option<u32> {
    let days = (number * f64::from(unit)).round();
    (0.0..=DAYS_MAX).contains(&days).then_some(days as u32)
}

fn days_since(weekday: i8, today: Date) -> u32 {
    let now = today.weekday().to_monday_one_offset();
    u32::try_from((now - weekday).rem_euclid(7)).unwrap_or(0)
}

fn by_word<N: std::str::FromStr>(numbered: &Numbered) -> FastMap<String, N> {
    let mut words = FastMap::default();
    for (number, list) in numbered {
        for word in list {
            if let Ok(number) = number.parse() {
                words.insert(word.clone(), number);
            }
        }
    }
    words
}
