//! Explicit past medical history: "PMH: febrile convulsions in infancy", "previous episodes of
//! chest pain last year", "he had a seizure at age 5 but none since".
//!
//! An entry is past only if it has a time of its own, because notes run on ("PMH hypertension,
//! admitted with convulsions").

use std::ops::Range;

use lafiya_model::Age;

use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The phrases of past medical history.
#[derive(Clone, Debug)]
pub(super) struct Histories {
    /// Headings of past history: "PMH".
    headings: PhraseSet<()>,
    /// Phrases before a past finding: "previous episodes of".
    previous: PhraseSet<()>,
    /// Phrases after it that say when: "in infancy".
    times: PhraseSet<()>,
    /// Phrases that start a sentence about another pregnancy.
    pregnancies: PhraseSet<()>,
    /// Phrases for the current pregnancy.
    this_pregnancy: PhraseSet<()>,
    /// Phrases that say that it did not recur.
    never_again: PhraseSet<()>,
    /// Verbs in the present tense.
    of_now: PhraseSet<()>,
    /// Words before a past age, and after its number.
    age_leads: PhraseSet<()>,
    age_units: PhraseSet<()>,
}

/// Length of the longest phrase before a finding, in words.
const PREVIOUS_WORDS_MAX: usize = 3;
/// Minimum years between then and now.
const YEARS_SINCE: u32 = 2;

impl Histories {
    pub(super) fn new(words: &ScopeWords) -> Self {
        Self {
            headings: PhraseSet::of(&words.past_headings),
            previous: PhraseSet::of(&words.previous),
            times: PhraseSet::of(&words.history_times),
            pregnancies: PhraseSet::of(&words.other_pregnancies),
            this_pregnancy: PhraseSet::of(&words.this_pregnancy),
            never_again: PhraseSet::of(&words.never_again),
            of_now: PhraseSet::of(&words.of_now),
            age_leads: PhraseSet::of(&words.age_leads),
            age_units: PhraseSet::of(&words.age_units),
        }
    }

    /// Whether a finding is stated as past history, given the patient's age.
    pub(super) fn tells(
        &self,
        reading: &Reading<'_>,
        mention: &DraftMention,
        age: Option<Age>,
    ) -> bool {
        self.is_listed(reading, mention, age)
            || self.is_of_other_pregnancy(reading, mention)
            || self.never_came_again(reading, mention, age)
    }

    /// Whether a finding only says when something was: the delivery in "PPH after second delivery",
    /// the pregnancy in "in my last pregnancy".
    pub(super) fn is_time(&self, reading: &Reading<'_>, mention: &DraftMention) -> bool {
        let start = reading.sentence_of(mention.first()).start;
        let opens = self.pregnancies.length_at(&reading.keys, start);
        let is_headed = || self.has(reading, &self.headings, start);
        // "In my last pregnancy I was well, this one I have fits": the patient is pregnant.
        let rest = start..reading.len();
        let is_again = || self.this_pregnancy.begins_in(&reading.keys, rest);
        ((start..start + opens).contains(&mention.last()) && !is_again())
            || (self.has(reading, &self.times, mention.first()) && is_headed())
    }

    fn has(&self, reading: &Reading<'_>, set: &PhraseSet<()>, at: usize) -> bool {
        at < reading.len() && set.length_at(&reading.keys, at) > 0
    }

    /// Matches "PMH: meningitis aged 3, febrile convulsions in infancy" and "previous episodes of
    /// chest pain last year".
    fn is_listed(&self, reading: &Reading<'_>, mention: &DraftMention, age: Option<Age>) -> bool {
        let sentence = reading.sentence_of(mention.first());
        let behind = mention.last() + 1;
        let is_headed = self.has(reading, &self.headings, sentence.start);
        let timed = sentence.contains(&behind) && self.has(reading, &self.times, behind);
        let aged = || {
            let told = self.age_at(reading, behind, age);
            told.is_some_and(|end| closes(reading, end))
        };
        (timed && (is_headed || self.is_led(reading, mention.first()))) || (is_headed && aged())
    }

    /// Whether a phrase such as "previous episodes of" ends here.
    fn is_led(&self, reading: &Reading<'_>, at: usize) -> bool {
        let mut lengths = 1..=PREVIOUS_WORDS_MAX.min(at);
        lengths.any(|length| self.previous.length_at(&reading.keys, at - length) == length)
    }

    /// Matches "In my last pregnancy I bled a lot": up to the comma, with nothing that continues
    /// into the present.
    fn is_of_other_pregnancy(&self, reading: &Reading<'_>, mention: &DraftMention) -> bool {
        let sentence = reading.sentence_of(mention.first());
        let clause = reading.clause_of(mention.first());
        if clause.start != sentence.start || !self.has(reading, &self.pregnancies, clause.start) {
            return false;
        }
        let marks = [Mark::Beginning, Mark::Barrier];
        let is_of_now =
            |at: usize| reading.marks.has_one_of(at, marks) || self.has(reading, &self.of_now, at);
        !{ clause }.any(is_of_now)
    }

    /// Whether it is in a later clause of a sentence that starts with another pregnancy.
    pub(super) fn is_behind_other_pregnancy(
        &self,
        reading: &Reading<'_>,
        mention: &DraftMention,
    ) -> bool {
        let start = reading.sentence_of(mention.first()).start;
        reading.clause_of(mention.first()).start != start
            && self.has(reading, &self.pregnancies, start)
    }

    /// Matches "He had a seizure at age 5 but none since". Without an age, the last time may have
    /// been this morning.
    fn never_came_again(
        &self,
        reading: &Reading<'_>,
        mention: &DraftMention,
        age: Option<Age>,
    ) -> bool {
        let sentence = reading.sentence_of(mention.first());
        let has_verb = |tokens: Range<usize>| reading.marks.first(tokens, Mark::PastVerb).is_some();
        let mut behind = mention.last() + 1..reading.clause_of(mention.last()).end;
        let names_age = |at: usize| {
            let is_named = self.age_leads.length_at(&reading.keys, at) > 1;
            is_named && self.age_at(reading, at, age).is_some()
        };
        behind.any(names_age)
            && has_verb(sentence.start..mention.last() + 1)
            && self.never_again.begins_in(&reading.keys, sentence)
    }

    /// Returns the end of an age that begins here: "at 17", "aged 3", "at the age of 5", "at 2
    /// years". `None` if the patient is no older than that.
    fn age_at(&self, reading: &Reading<'_>, at: usize, patient: Option<Age>) -> Option<usize> {
        let lead = self.age_leads.length_at(&reading.keys, at);
        let number = at + lead;
        let years = reading.words.get(number).filter(|_| lead > 0);
        let years: u32 = years?.parse().ok()?;
        let is_older = patient.is_none_or(|patient| years + YEARS_SINCE <= patient.years());
        let unit = self.has(reading, &self.age_units, number + 1);
        is_older.then_some(number + 1 + usize::from(unit))
    }
}

/// Whether a list item ends here. A colon after a number makes it a time of day.
fn closes(reading: &Reading<'_>, at: usize) -> bool {
    let sign = reading.words.get(at);
    let number_behind = reading
        .tokens
        .get(at + 1)
        .is_some_and(|token| token.is_number() && !token.spaced);
    sign.is_none_or(|sign| matches!(*sign, "," | "." | ";" | ")" | "\n")) && !number_behind
}
