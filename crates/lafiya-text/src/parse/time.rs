//! Finds the durations in a text. `lasting` assigns each to its findings.
//!
//! Conventions: a week is 7 days, a month 30, a year 365; today and less than 24 hours are 0;
//! yesterday and last night are 1. A weekday has a number only if the date of writing is known.

use std::ops::Range;

use jiff::civil::Date;
use lafiya_model::Age;

use super::counted_time::{COUNTED_MONTH_DAYS, CountedTime};
use super::draft_mention::StatedDuration;
use super::marks::{Mark, Marked};
use super::numbers::Numbers;
use super::reading::Reading;
use super::traits::Trait;
use crate::canon::Word;
use crate::hash::{FastMap, FastSet, set_of};
use crate::phrases::{PhrasePrefix, PhraseSet};
use crate::words::{Numbered, TimeWords};

/// The words of time, indexed.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub numbers: Numbers,
    units: FastMap<String, u32>,
    units_first: FastSet<String>,
    moments: PhraseSet<Option<u32>>,
    weekdays: FastMap<String, i8>,
    leads: PhraseSet<()>,
    tails: PhraseSet<()>,
    not_durations: PhraseSet<()>,
    not_leads: PhraseSet<()>,
    events: PhraseSet<()>,
    taking: FastSet<String>,
    before_aged: FastSet<String>,
    /// Words next to a number that make it an age, and persons that may have an age.
    ages: FastSet<String>,
    ages_before: FastSet<String>,
    aged: FastSet<String>,
    grown: FastSet<String>,
    newborn: FastSet<String>,
    bringing: PhraseSet<()>,
    elders: FastSet<String>,
}

/// A time or duration in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub first: usize,
    /// One past the last token.
    pub end: usize,
    pub lasting: StatedDuration,
}

/// What a text says about days, months and years.
#[derive(Debug, Default)]
pub(super) struct StatedTimes {
    /// Durations in text order.
    pub times: Vec<Time>,
    /// Numbers of days, months or years that are not durations: ages, weeks of pregnancy,
    /// frequencies.
    pub others: Vec<Range<usize>>,
    /// Those of the others that are ages.
    pub ages: Vec<Range<usize>>,
    /// The first age among `others`.
    pub age: Option<Age>,
    /// The first of them that is the age of a newborn who is not the patient.
    pub newborn: Option<Range<usize>>,
    /// How far a pregnancy is, in days.
    pub gestations: Vec<u32>,
}

/// The meaning of a number of days, months or years.
enum Count {
    Time(Time),
    /// Not a duration; with the age, if it is one.
    Other(Range<usize>, Option<Age>),
}

/// Estimate for the initial capacity: most texts have at most one time in this many tokens.
const TOKENS_A_TIME: usize = 8;
const YEAR_DAYS: u32 = 365;
/// The postpartum period: six weeks after a birth.
pub(super) const CHILDBED_DAYS: u32 = 42;
/// The maximum age of a baby whose mother is in the postpartum period.
const CHILDBED: Age = Age::from_days(CHILDBED_DAYS);
/// A younger child is called a baby, not a child, son or girl.
const MONTH_DAYS: u32 = 28;
/// Minimum age of a person called a man or a woman.
const GROWN_DAYS: u32 = 10 * YEAR_DAYS;
/// Minimum days for the age of a patient aged one year or more; fewer days are not an age.
const DAYS_OF_INFANTS: u32 = 90;
/// Maximum words of a name.
const NAME_WORDS_MAX: usize = 2;
/// Below this age, a patient is a child and brought by someone.
pub(super) const CHILD_BELOW_YEARS: u32 = 15;
/// Maximum words before a number among which a person may be the one with that age.
const AGED_REACH: usize = 3;

impl Times {
    pub(super) fn new(words: &TimeWords) -> Self {
        let mut moments = PhraseSet::default();
        for (days, phrases) in &words.moments {
            for phrase in phrases {
                moments.add_phrase(phrase, days.parse().ok());
            }
        }
        for phrase in &words.unknown.phrases {
            moments.add_phrase(phrase, None);
        }
        Self {
            numbers: Numbers::new(&words.numbers),
            units: by_word(&words.units),
            units_first: set_of(&words.cues.units_first),
            moments,
            weekdays: by_word(&words.weekdays),
            leads: PhraseSet::of(&words.cues.leads),
            tails: PhraseSet::of(&words.cues.tails),
            not_durations: PhraseSet::of(&words.cues.not_durations),
            not_leads: PhraseSet::of(&words.cues.not_leads),
            events: PhraseSet::of(&words.cues.events),
            taking: set_of(&words.cues.taking),
            before_aged: set_of(&words.cues.before_aged),
            ages: set_of(&words.cues.ages),
            ages_before: set_of(&words.cues.ages_before),
            aged: set_of(&words.cues.aged),
            grown: set_of(&words.cues.grown),
            newborn: set_of(&words.cues.newborn),
            bringing: PhraseSet::of(&words.cues.bringing),
            elders: set_of(&words.cues.elders),
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

    /// Returns the length of a unit of time in hours, for its singular or the word as written.
    pub(super) fn unit_hours(&self, word: &Word) -> Option<u32> {
        let written = self.units.get(&word.text);
        let one = || self.units.get(&word.singular);
        written.or_else(one).copied()
    }

    /// "Fever 3 days after delivery": whether a time is counted from or to an event, which says
    /// nothing of how long anything lasts; "fever for 3 days after delivery" does.
    pub(super) fn is_from_event(&self, reading: &Reading<'_>, time: &Time) -> bool {
        let led = time.first > 0 && self.leads.length_at(&reading.keys, time.first - 1) > 0;
        !led && self.events.length_at(&reading.keys, time.end) > 0
    }

    /// Whether a word says that something is taken or given.
    pub(super) fn is_taking(&self, reading: &Reading<'_>, at: usize) -> bool {
        reading.is_one_of(at, &self.taking)
    }

    /// Whether a unit of time precedes its number.
    pub(super) fn is_unit_first(&self, word: &str) -> bool {
        self.units_first.contains(word)
    }

    /// Returns the weekday that a word means, counted from Monday.
    pub(super) fn weekday(&self, word: &str) -> Option<i8> {
        self.weekdays.get(word).copied()
    }

    /// Whether a word turns a preceding number into an age.
    pub(super) fn says_age(&self, word: &str) -> bool {
        self.ages.contains(word)
    }

    /// Whether a word turns a following number into an age.
    pub(super) fn leads_age(&self, word: &str) -> bool {
        self.ages_before.contains(word)
    }

    /// Whether a word is a person that may have an age next to it.
    pub(super) fn is_aged(&self, word: &str) -> bool {
        self.aged.contains(word)
    }

    /// Returns the state after a word that begins a time without a number.
    pub(super) fn begun(&self, key: u64) -> Option<PhrasePrefix> {
        self.moments.begun(key)
    }

    /// Finds all that a text says about days, months and years, given the patient's age if it is
    /// known.
    pub(super) fn find(
        &self,
        reading: &Reading<'_>,
        patient: Option<Age>,
        today: Option<Date>,
    ) -> StatedTimes {
        let mut told = StatedTimes {
            times: Vec::with_capacity(reading.len() / TOKENS_A_TIME),
            ..StatedTimes::default()
        };
        reading.take_each_of([Trait::Moment, Trait::Number, Trait::Unit], |at| {
            let end;
            match self.count_at(reading, at, patient, today)? {
                Count::Time(time) => {
                    end = time.end;
                    told.times.push(time);
                }
                Count::Other(place, age) => {
                    end = place.end;
                    let grown_up = told.age.is_some_and(|age| age.years() >= CHILD_BELOW_YEARS);
                    if grown_up && age.is_some() && self.is_brought(reading, &place, age) {
                        told.age = age;
                    }
                    told.age = told.age.or(age);
                    let is_grown =
                        patient.is_some_and(|patient| patient.years() >= CHILD_BELOW_YEARS);
                    if is_grown
                        && told.newborn.is_none()
                        && self.is_of_newborn(reading, &place, age)
                    {
                        told.newborn = Some(place.clone());
                    }
                    if age.is_some() {
                        told.ages.push(place.clone());
                    }
                    told.others.push(place);
                }
            }
            Some(end)
        });
        told
    }

    /// Returns the tokens of an age, including the word that marks it: "4 month old", "aged 3
    /// years", "7yo", "my daughter (6 yrs)". Next to a person, a number may also be a duration; it
    /// is an age if the person can be that old.
    fn age_at(
        &self,
        reading: &Reading<'_>,
        count: &CountedTime,
        patient: Option<Age>,
    ) -> Option<Range<usize>> {
        let words = &reading.words;
        let &CountedTime { at, end, .. } = count;
        let is = |at: usize, wanted: Trait| {
            let traits = reading.traits.get(at);
            traits.is_some_and(|traits| traits.has(wanted))
        };
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        let of = word(end) == "of";
        // "6 months of age" is an age; "6 months of cough" is not.
        let behind = end + usize::from(of);
        if is(behind, Trait::SaysAge) {
            return Some(at..behind + 1);
        }
        if word(end) == "/" && word(end + 1) == "o" {
            return Some(at..end + 2);
        }
        if of {
            return None;
        }
        if Self::opens_note(reading, count) {
            return Some(at..end);
        }
        let of_person = |person| self.may_be(person, count, patient).then_some(at..end);
        // A person after it: "45 years male", "my 6 months daughter", but not "fever 3 days baby
        // not feeding".
        let begins = || {
            at == 0 || reading.tokens[at - 1].is_sign() || self.before_aged.contains(word(at - 1))
        };
        let person_behind = is(end, Trait::Aged) || matches!(word(end), "m" | "f");
        if person_behind && begins() {
            return of_person(word(end));
        }
        // A person directly before it: "baby girl 8 months", "daughter (6 yrs)", "bébé de 5 mois",
        // "a son who is 5 months".
        for n in (at.saturating_sub(AGED_REACH)..at).rev() {
            // A gestational age is nobody's age.
            let gestational = n > 0 && reading.marks.has(n - 1, Mark::TwoBeforeWeeks);
            if reading.entries[n].leads_age {
                return (!gestational).then_some(n..end);
            }
            if is(n, Trait::Aged) {
                return of_person(words[n]);
            }
            if !matches!(words[n], "(" | "," | "de" | "of" | "is" | "wa" | "who") {
                return None;
            }
        }
        None
    }

    /// Parses "Day 5 of life", "D5 neonate" and "day 5 old baby". Returns the token after it, and
    /// the days.
    fn day_of_life_at(&self, reading: &Reading<'_>, at: usize) -> Option<(usize, u32)> {
        let word = |at: usize| reading.word(at);
        if !matches!(word(at), "d" | "day") || !reading.tokens.get(at + 1)?.is_number() {
            return None;
        }
        let days = word(at + 1).parse().ok().filter(|day| *day <= MONTH_DAYS)?;
        let behind = at + 2;
        let of_life = matches!([word(behind), word(behind + 1)], ["of", "life"]);
        let old = word(behind) == "old" || self.newborn.contains(word(behind));
        (of_life || old).then_some((behind, days))
    }

    /// Whether years open a note, after at most a name: "Aisha 6yrs, cough".
    fn opens_note(reading: &Reading<'_>, count: &CountedTime) -> bool {
        let is_name = |at: usize| {
            let known = [Trait::Written, Trait::Single, Trait::Number, Trait::Moment];
            !reading.traits[at].has_any(known) && reading.entries[at].marked == Marked::default()
        };
        let years = count.days.is_some_and(|days| days >= YEAR_DAYS);
        let behind = reading.tokens.get(count.end);
        let by_itself =
            behind.is_some_and(|behind| behind.is_sign()) && reading.words[count.end] == ",";
        let named = (1..=NAME_WORDS_MAX).contains(&count.at);
        years && by_itself && named && (0..count.at).all(is_name)
    }

    /// Whether an age is that of a child who is brought: "A woman presents with her 3-month-old
    /// infant".
    fn is_brought(&self, reading: &Reading<'_>, place: &Range<usize>, age: Option<Age>) -> bool {
        let person = reading.traits.get(place.end);
        let is_child = age.is_some_and(|age| age.years() < CHILD_BELOW_YEARS)
            && person.is_some_and(|person| person.has_any([Trait::Aged, Trait::Person]))
            // In "Her 4-year-old son's bite", the child is not the one brought.
            && reading.words.get(place.end + 1) != Some(&"s");
        let owner = place.start.checked_sub(1).filter(|&at| {
            matches!(reading.words[at], "a" | "an") || reading.traits[at].has(Trait::Owner)
        });
        // The phrase ends at the possessive.
        let ends = |length: usize| {
            let first = owner.and_then(|at| at.checked_sub(length));
            first.is_some_and(|at| self.bringing.length_at(&reading.keys, at) == length)
        };
        is_child && (ends(1) || ends(2))
    }

    /// Whether an age is that of the patient's newborn: "The baby is twelve days old", "my
    /// 3-week-old baby", but not "my sister's baby is 5 days old".
    fn is_of_newborn(&self, reading: &Reading<'_>, place: &Range<usize>, age: Option<Age>) -> bool {
        let before = place.start.saturating_sub(AGED_REACH)..place.start;
        let mut near = before.chain([place.end]);
        let baby = near.find(|&at| reading.is_one_of(at, &self.newborn));
        let is_hers = |at: usize| {
            let owner = at.min(place.start).checked_sub(1);
            owner.is_none_or(|at| reading.words[at] != "s")
        };
        age.is_some_and(|age| age <= CHILDBED) && baby.is_some_and(is_hers)
    }

    /// Whether an age is that of an adult who brings the patient: "A grandmother of 60 years",
    /// "mother (26 years)".
    fn is_of_elder(&self, reading: &Reading<'_>, count: &CountedTime) -> bool {
        let is_grown = count.days.is_some_and(|days| days >= GROWN_DAYS);
        let before = |length: usize| {
            let at = count.at.checked_sub(length);
            at.map_or("", |at| reading.words[at])
        };
        let [elder, link] = [before(2), before(1)];
        let linked = matches!(link, "of" | "(" | ",") && self.elders.contains(elder);
        // A comma or bracket must follow: "Mother 26 years, brought the child".
        let closes = || {
            reading
                .words
                .get(count.end)
                .is_some_and(|word| matches!(*word, "," | ")"))
        };
        is_grown && (linked || (self.elders.contains(link) && closes()))
    }

    /// Whether a person can be that old. The patient's age may be known only in whole years.
    fn may_be(&self, person: &str, count: &CountedTime, patient: Option<Age>) -> bool {
        let Some(days) = count.days else {
            return false;
        };
        let least = if self.grown.contains(person) {
            GROWN_DAYS
        } else if self.newborn.contains(person) {
            0
        } else {
            MONTH_DAYS
        };
        match patient.map(Age::years) {
            Some(0) => (least..2 * YEAR_DAYS).contains(&days),
            Some(years) => days >= DAYS_OF_INFANTS && (days / YEAR_DAYS).abs_diff(years) <= 1,
            None => days >= least,
        }
    }

    /// Parses a time at a token.
    fn count_at(
        &self,
        reading: &Reading<'_>,
        at: usize,
        patient: Option<Age>,
        today: Option<Date>,
    ) -> Option<Count> {
        let words = &reading.words;
        let time = |end: usize, days: Option<u32>| {
            Count::Time(Time {
                first: at,
                end,
                lasting: StatedDuration(days),
            })
        };
        if let Some(begun) = reading.entries[at].moment
            && let Some((length, [days, ..])) = self.moments.longest_with(begun, &reading.keys, at)
        {
            return Some(time(at + length, *days));
        }
        if let Some(weekday) = reading.entries[at].weekday {
            let since = at > 0 && self.leads.length_at(&reading.keys, at - 1) > 0;
            let days = today.map(|today| days_since(weekday, today));
            return (since || words[at].len() > 4).then(|| time(at + 1, days));
        }
        if !reading.traits[at].has_any([Trait::Number, Trait::Unit]) {
            return None;
        }
        if let Some((end, days)) = self.day_of_life_at(reading, at) {
            return Some(Count::Other(at..end, Some(Age::from_days(days))));
        }
        // A time of day: "since 4am", "since 0300h".
        let next = words.get(at + 1);
        let by_the_clock =
            words[at].len() == 4 && next.is_some_and(|unit| matches!(*unit, "h" | "hr" | "hrs"));
        if reading.tokens[at].is_number()
            && (by_the_clock || next.is_some_and(|half| matches!(*half, "am" | "pm")))
        {
            return Some(time(at + 2, Some(0)));
        }
        if let Some(count) = CountedTime::fraction_at(reading, at) {
            if let Some(place) = self.age_at(reading, &count, patient) {
                return Some(Count::Other(place, count.days.map(age_of)));
            }
            let is_time = !count.is_gestation(reading);
            let other = Count::Other(at..count.end, None);
            return Some(if is_time {
                time(count.end, count.days)
            } else {
                other
            });
        }
        let count = CountedTime::at(reading, at)?;
        let end = count.end;
        if let Some(place) = self.age_at(reading, &count, patient) {
            return Some(Count::Other(place, count.days.map(age_of)));
        }
        let led = || {
            at > 0 && self.leads.length_at(&reading.keys, at - 1) > 0
                || at > 1 && self.leads.length_at(&reading.keys, at - 2) > 1
        };
        let tailed = || end < words.len() && self.tails.length_at(&reading.keys, end) > 0;
        // "20 cigarettes a day", "every two days": with "a", a number counts only if a time word
        // precedes or follows it.
        let article = matches!(words[at], "a" | "an" | "un" | "une" | "to" | "too");
        let excluded = count.is_gestation(reading)
            || self.is_of_elder(reading, &count)
            || (end < words.len() && self.not_durations.length_at(&reading.keys, end) > 0)
            || (at > 0 && self.not_leads.length_at(&reading.keys, at - 1) > 0);
        if excluded {
            return Some(Count::Other(at..end, None));
        }
        (!article || led() || tailed()).then(|| time(end, count.days))
    }
}

/// Converts days to an age. Durations count a month as 30 days and a year as 365; ages use calendar
/// units.
fn age_of(days: u32) -> Age {
    match (days % YEAR_DAYS, days % COUNTED_MONTH_DAYS) {
        (0, _) => Age::from_years(days / YEAR_DAYS),
        (_, 0) => Age::from_months(days / COUNTED_MONTH_DAYS),
        _ => Age::from_days(days),
    }
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
