//! How long: finding the times in a text, and giving each to the findings it belongs to.
//!
//! Conventions: a week is 7 days, a month 30, a year 365; today and hours ago are 0; yesterday and last night are 1. A
//! weekday has a number only when the day of writing is known.

use std::collections::HashMap;

use jiff::civil::Date;
use lafiya_model::{Age, Choice};

use super::numbers::Numbers;
use super::phrases::PhraseSet;
use super::reading::Reading;
use super::spotted::{Lasting, Spotted};
use crate::stem::singular;
use crate::words::{Numbered, TimeWords};

/// The words of time, ready to use.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub numbers: Numbers,
    units: HashMap<String, u32>,
    moments: PhraseSet<Option<u32>>,
    weekdays: HashMap<String, i8>,
    leads: PhraseSet<()>,
    tails: PhraseSet<()>,
    not_durations: PhraseSet<()>,
    not_leads: PhraseSet<()>,
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
/// Words that may stand before a time that opens a clause ("For the past two days").
const OPENING_MAX: usize = 3;

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

    /// All times of a text, in order.
    pub(super) fn find(
        &self,
        reading: &Reading,
        spotted: &[Spotted],
        today: Option<Date>,
    ) -> Vec<Time> {
        let carried = |at: usize| spotted.iter().any(|it| it.core.contains(&at));
        let mut times = Vec::new();
        let mut at = 0;
        while at < reading.len() {
            let found = if carried(at) {
                None
            } else {
                self.time_at(reading, at, today)
            };
            match found {
                Some(time) => {
                    at = time.end;
                    times.push(time);
                }
                None => at += 1,
            }
        }
        times
    }

    /// An age in the text: "4 month old", "aged 3 years", "7yo".
    pub(super) fn age(&self, reading: &Reading) -> Option<Age> {
        (0..reading.len()).find_map(|at| {
            let (days, end) = self.counted_at(reading, at)?;
            let old = reading
                .words
                .get(end)
                .is_some_and(|it| matches!(it.as_str(), "old" | "o" | "of"));
            let aged = at > 0 && matches!(reading.words[at - 1].as_str(), "aged" | "age");
            let unit_days = days.filter(|_| old || aged)?;
            Some(Age::from_days(unit_days))
        })
    }

    fn time_at(&self, reading: &Reading, at: usize, today: Option<Date>) -> Option<Time> {
        let words = &reading.words;
        let time = |first: usize, end: usize, days: Option<u32>| Time {
            first,
            end,
            lasting: Lasting(days),
        };
        if let Some((length, [days, ..])) = self.moments.longest_at(words, at) {
            return Some(time(at, at + length, *days));
        }
        if let Some(&weekday) = self.weekdays.get(&words[at]) {
            let since = at > 0 && self.leads.length_at(words, at - 1) > 0;
            let days = today.map(|today| days_since(weekday, today));
            return (since || words[at].len() > 4).then(|| time(at, at + 1, days));
        }
        if let Some((days, end)) = fraction_at(reading, at) {
            return Some(time(at, end, Some(days)));
        }
        let (days, end) = self.counted_at(reading, at)?;
        let led = at > 0 && self.leads.length_at(words, at - 1) > 0
            || at > 1 && self.leads.length_at(words, at - 2) > 1;
        let tailed = end < words.len() && self.tails.length_at(words, end) > 0;
        // "20 cigarettes a day", "every two days": only a number that is led or followed as a time is safe with "a".
        let article = matches!(words[at].as_str(), "a" | "an" | "un" | "une" | "to" | "too");
        let excluded = (end < words.len() && self.not_durations.length_at(words, end) > 0)
            || (at > 0 && self.not_leads.length_at(words, at - 1) > 0);
        ((!article || led || tailed) && !excluded).then(|| time(at, end, days))
    }

    /// A number and a unit in either order ("3 days", "siku tatu", "3d"). Without a number, none.
    fn counted_at(&self, reading: &Reading, at: usize) -> Option<(Option<u32>, usize)> {
        let words = &reading.words;
        let unit_at = |at: usize| {
            words
                .get(at)
                .and_then(|word| {
                    self.units
                        .get(word)
                        .or_else(|| self.units.get(&singular(word)))
                })
                .copied()
        };
        if let Some((mut number, taken)) = self.numbers.count_at(words, at) {
            let mut next = at + taken;
            // "2-3 days", "2 to 3 days": the longer of the two.
            let to = usize::from(words.get(next).is_some_and(|it| it == "to" || it == "or"));
            if let Some((upper, length)) = self
                .numbers
                .count_at(words, next + to)
                .filter(|_| unit_at(next).is_none())
            {
                if unit_at(next + to + length).is_some() {
                    (number, next) = (upper, next + to + length);
                }
            }
            let of = usize::from(words.get(next).is_some_and(|it| {
                matches!(it.as_str(), "of" | "full" | "good" | "whole" | "more")
            }));
            let unit = unit_at(next + of)?;
            return Some((days(number, unit), next + of + 1));
        }
        let unit = unit_at(at).filter(|_| words[at].len() > 2)?;
        let (number, taken) = self.numbers.count_at(words, at + 1)?;
        let foreign = !words[at + 1].starts_with(|c: char| c.is_ascii_digit());
        (foreign && unit_at(at + 1 + taken).is_none() && words[at + 1].len() > 2)
            .then(|| (days(number, unit), at + 1 + taken))
    }

    /// Gives each time to the findings it belongs to: those before it in its clause and its list, else those after it.
    pub(super) fn attach(&self, reading: &Reading, times: &[Time], spotted: &mut [Spotted]) {
        for (n, time) in times.iter().enumerate() {
            let sentence = reading.sentence_of(time.first);
            // A time without a number ("on and off") does not keep the next one from its finding.
            let counted = times[..n].iter().rfind(|it| it.lasting.0.is_some());
            let from = counted.map_or(0, |it| it.end).max(sentence.start);
            let to = times
                .get(n + 1)
                .map_or(sentence.end, |next| next.first)
                .min(sentence.end);
            if !self.attach_before(reading, time, from, spotted) {
                attach_after(reading, time, to, spotted);
            }
        }
    }

    fn attach_before(
        &self,
        reading: &Reading,
        time: &Time,
        from: usize,
        spotted: &mut [Spotted],
    ) -> bool {
        let clause = reading.clause_of(time.first);
        let mut reach = from.max(clause.start);
        let any = |spotted: &[Spotted], from: usize| {
            spotted
                .iter()
                .any(|it| lasts(it) && (from..time.first).contains(&it.first()))
        };
        // A time may follow its finding after a comma ("fever, 3 days") when its own clause has none.
        if !any(spotted, reach) && clause.start > from && time.first - clause.start <= 3 {
            reach = from.max(reading.clause_of(clause.start - 1).start);
        }
        // A list reaches back over its commas as long as the clauses hold nothing but findings.
        while reach > from && any(spotted, reach) {
            let earlier = reading.clause_of(reach - 1);
            if !is_bare(reading, spotted, earlier.clone()) {
                break;
            }

            reach = earlier.start.max(from);
        }
        let mut given = false;
        for it in spotted
            .iter_mut()
            .filter(|it| lasts(it) && (reach..time.first).contains(&it.first()))
        {
            it.last_for(time.lasting);
            given = true;
        }
        given
    }
}

/// "Since two days, fever and cough", "3/7 history of fever, chills and vomiting": a time that opens its clause.
fn attach_after(reading: &Reading, time: &Time, to: usize, spotted: &mut [Spotted]) {
    let clause = reading.clause_of(time.first);
    let opens = time.first - clause.start <= OPENING_MAX;
    if !opens {
        return;
    }
    let mut reach = clause.end.min(to);
    // On over commas, as long as the clauses hold nothing but findings, or none was reached yet.
    while reach < to {
        let any = spotted
            .iter()
            .any(|it| lasts(it) && (time.end..reach).contains(&it.first()));
        let next = reading.clause_of(reach);
        if any && !is_bare(reading, spotted, next.clone()) {
            break;
        }
        reach = next.end.min(to);
    }
    for it in spotted
        .iter_mut()
        .filter(|it| lasts(it) && (time.end..reach).contains(&it.first()))
    {
        it.last_for(time.lasting);
    }
}

/// A clause of findings, joiners and light words, without a verb of its own.
fn is_bare(reading: &Reading, spotted: &[Spotted], clause: std::ops::Range<usize>) -> bool {
    clause.clone().all(|at| {
        let carried = spotted.iter().any(|it| it.core.contains(&at));
        let word = reading.words[at].as_str();
        let statement = matches!(
            word,
            "is" | "are"
                | "was"
                | "dey"
                | "has"
                | "have"
                | "had"
                | "he"
                | "she"
                | "i"
                | "no"
                | "not"
        );
        carried || (!statement && (reading.light[at] || matches!(word, "," | "and" | "&" | "or")))
    })
}
/// Only a present finding lasts.
fn lasts(it: &Spotted) -> bool {
    it.choice == Choice::Present && it.dropped.is_none() && it.is_finding()
}

/// `3/7` days, `2/52` weeks, `3/12` months, `4/24` hours.
fn fraction_at(reading: &Reading, at: usize) -> Option<(u32, usize)> {
    let [number, slash, of] = reading.words.get(at..at + 3)? else {
        return None;
    };
    if slash != "/" || reading.tokens[at + 1].spaced || reading.tokens[at + 2].spaced {
        return None;
    }
    let number: f64 = number.parse().ok()?;
    let unit = match of.as_str() {
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

fn by_word<N: std::str::FromStr>(numbered: &Numbered) -> HashMap<String, N> {
    let mut words = HashMap::new();
    for (number, list) in numbered {
        for word in list {
            if let Ok(number) = number.parse() {
                words.insert(word.clone(), number);
            }
        }
    }
    words
}
