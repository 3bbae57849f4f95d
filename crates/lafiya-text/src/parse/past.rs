//! Past findings: "had malaria last year" is not a finding of today.
//!
//! A current finding must never be mistaken for a past one. Each rule here needs the time and the
//! finding next to each other, and does not apply if the sentence contains a word for today.

use std::ops::Range;

use jiff::civil::Date;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Choice};
use smallvec::SmallVec;

use super::concept_set::ConceptSet;
use super::counted_time::CountedTime;
use super::draft_mention::{DraftMention, Dropped, is_danger};
use super::history::Histories;
use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::hash::FastMap;
use crate::words::{Ignored, ScopeWords};

/// What a knowledge base says about past findings.
#[derive(Clone, Debug)]
pub(super) struct PastFindings {
    /// Findings that are still relevant when they are past, such as a suicide attempt.
    was: FastMap<ConceptRef, ConceptRef>,
    /// Danger signs: they are events and do not continue for years.
    pub(super) dangers: ConceptSet,
    histories: Histories,
    /// The year of the knowledge base.
    base_year: i16,
}

impl PastFindings {
    pub(super) fn new(base: &KnowledgeBase, ignored: &Ignored, words: &ScopeWords) -> Self {
        let findings = base.finding_indices().map(ConceptRef::Finding);
        let was = ignored.was.iter();
        Self {
            was: was
                .filter_map(|(id, was)| Some((base.resolve(id)?, base.resolve(was)?)))
                .collect(),
            dangers: findings
                .filter(|finding| is_danger(base, *finding))
                .collect(),
            histories: Histories::new(words),
            base_year: base.version().date.parse().map_or(YEARS_FROM, Date::year),
        }
    }

    /// Returns the latest year that is certainly past: the one before the text was written or,
    /// if that day is not known, before the knowledge base was. A year that may be the current one
    /// is not past.
    pub(super) fn last_past_year(&self, today: Option<Date>) -> i16 {
        today.map_or(self.base_year, Date::year) - 1
    }
}

/// The sentences that mention a past time, by number. There are few, and findings in other
/// sentences are not past.
pub(super) struct Past {
    sentences: SmallVec<[u32; FEW]>,
    /// The tokens that are a year.
    years: SmallVec<[usize; FEW]>,
    /// The patient's age.
    age: Option<Age>,
}

/// Inline capacity: most texts have no more.
const FEW: usize = 4;
/// Maximum words between a finding and its year: "in the year 1998".
const YEAR_REACH: usize = 3;
/// Maximum words between "residual" and what remains.
const FORMER_REACH: usize = 2;
/// A last occurrence at least this many days ago means that the finding is over.
const LAST_TIME_DAYS: u32 = 14;
/// Minimum years between then and now.
const YEARS_SINCE: u32 = 2;
const YEAR_DAYS: u32 = 365;
/// The first number that may be a year.
const YEARS_FROM: i16 = 1930;

impl Past {
    /// Returns `None` if no sentence mentions the past, as in most texts.
    pub(super) fn of(reading: &Reading<'_>, age: Option<Age>, last_year: i16) -> Option<Self> {
        let mut past = Self {
            sentences: SmallVec::new(),
            years: SmallVec::new(),
            age,
        };
        reading.each_of([Trait::Number], |at| {
            if is_year(reading, at, last_year) {
                past.years.push(at);
            }
        });
        for at in past.years.clone() {
            past.note(reading.sentence(at));
        }
        for mark in [Mark::Past, Mark::Former, Mark::Then, Mark::History] {
            let mut at = reading.marks.next(0, mark);
            while at < reading.len() {
                past.note(reading.sentence(at));
                at = reading.marks.next(reading.sentence_of(at).end, mark);
            }
        }
        (!past.sentences.is_empty()).then_some(past)
    }

    fn note(&mut self, sentence: u32) {
        if !self.sentences.contains(&sentence) {
            self.sentences.push(sentence);
        }
    }

    /// Drops a past finding, or replaces it by what it still implies about the patient.
    pub(super) fn drop(
        &self,
        reading: &Reading<'_>,
        past_findings: &PastFindings,
        mention: &mut DraftMention,
    ) {
        let spoken_of = || self.sentences.contains(&reading.sentence(mention.first()));
        let may_be = !mention.derived && mention.choice == Choice::Present;
        if !may_be || !spoken_of() {
            return;
        }
        if !mention.is_finding() {
            if past_findings.histories.is_time(reading, mention) && !is_of_today(reading, mention) {
                mention.dropped = Some(Dropped::Past);
            }
            return;
        }
        let is_danger = past_findings.dangers.contains(mention.concept);
        let beside_its_time = || {
            !is_of_today(reading, mention)
                && (is_former(reading, mention)
                    || past_findings.histories.tells(reading, mention, self.age)
                    || self.is_of_an_age(reading, mention)
                    || self.is_of_a_year(reading, mention)
                    || (is_danger
                        && (is_years_ago(reading, mention) || is_last_time(reading, mention))))
        };
        // "In her last pregnancy she had eclampsia, headache": what follows the comma may be about
        // the current pregnancy.
        let is_past = is_past(reading, mention.first())
            && !past_findings
                .histories
                .is_behind_other_pregnancy(reading, mention);
        if is_past || beside_its_time() {
            match past_findings.was.get(&mention.concept) {
                Some(was) => *mention = DraftMention::derived(*was, mention.core.clone()),
                None => mention.dropped = Some(Dropped::Past),
            }
        }
    }

    /// Matches "He had a seizure in 2020", "PMH: haematemesis 2017" and "in 2020 he had a seizure".
    fn is_of_a_year(&self, reading: &Reading<'_>, mention: &DraftMention) -> bool {
        let stretch = clause_stretch(reading, mention);
        let has = |tokens: Range<usize>, mark: Mark| reading.marks.first(tokens, mark).is_some();
        let mut years = self.years.iter().filter(|&&at| stretch.contains(&at));
        years.any(|&year| {
            if has(stretch.start..year, Mark::Beginning) {
                false
            } else if mention.last() < year {
                let mut between = mention.last() + 1..year;
                let named =
                    || between.len() <= YEAR_REACH && reading.words[mention.last() + 1] == "in";
                // A number alone may be a time of day: "convulsion 2010".
                let in_history = || has(reading.sentence_of(year), Mark::History);
                (between.is_empty() && in_history())
                    || (!between.is_empty()
                        && named()
                        && between.all(|at| leads_to_year(reading.words[at])))
            } else {
                // The past-tense verb may be part of the finding: "had a seizure".
                let opens = year == stretch.start + 1 && reading.words[stretch.start] == "in";
                opens && has(year + 1..mention.last() + 1, Mark::PastVerb)
            }
        })
    }

    /// Matches "When he was 2 years old" and "convulsed at 2 yrs" if the patient is clearly older
    /// now.
    fn is_of_an_age(&self, reading: &Reading<'_>, mention: &DraftMention) -> bool {
        let Some(age) = self.age else {
            return false;
        };
        let stretch = clause_stretch(reading, mention);
        let word = |at: usize| reading.word(at);
        let younger = |at: usize| {
            let count = (at < reading.len()).then(|| CountedTime::at(reading, at));
            let days = count.flatten().and_then(|time| time.days);
            days.is_some_and(|days| {
                days >= YEAR_DAYS && days / YEAR_DAYS + YEARS_SINCE <= age.years()
            })
        };
        let is_then = |at: usize| match word(at) {
            "when" => {
                matches!(word(at + 1), "he" | "she" | "i")
                    && word(at + 2) == "was"
                    && younger(at + 3)
            }
            // What follows the age is current: "at 60 years he was brought with chest pain".
            "at" => mention.last() < at && younger(at + 1),
            _ => false,
        };
        let then = stretch.clone().find(|&at| is_then(at));
        let told = || {
            let marks = [Mark::PastVerb, Mark::History];
            let told = |at: usize| reading.marks.has_one_of(at, marks);
            stretch.clone().any(told)
        };
        then.is_some_and(|then| {
            let goes_on = reading.marks.first(stretch.start..then, Mark::Beginning);
            goes_on.is_none() && told()
        })
    }
}

/// Whether a finding is past: a past-tense verb and a past time ("had it last year"), and nothing
/// that says that it began then and continues.
fn is_past(reading: &Reading<'_>, at: usize) -> bool {
    let first = |tokens: Range<usize>, mark: Mark| reading.marks.first(tokens, mark);
    let stretch = stretch(reading, at);
    // "Previously well, had a convulsion": the patient was well then and is ill now.
    let says_when = |at: &usize| {
        let well = matches!(
            reading.words.get(at + 1),
            Some(&("well" | "healthy" | "fit" | "fine" | "normal"))
        );
        reading.marks.has(*at, Mark::Past) && !well
    };
    let Some(time) = { stretch.clone() }.find(says_when) else {
        return false;
    };
    let verb = first(stretch.clone(), Mark::PastVerb).is_some();
    let goes_on = first(stretch.start..time, Mark::Beginning).is_some();
    verb && !goes_on && !is_told_anew(reading, at, time..stretch.end)
}

/// Whether what follows a past time may be current: "I had convulsions last year and again this
/// morning", "in my last pregnancy I had convulsions, severe headache since morning".
fn is_told_anew(reading: &Reading<'_>, at: usize, behind: Range<usize>) -> bool {
    let anew = |tokens: Range<usize>| reading.marks.first(tokens, Mark::Anew).is_some();
    let clause = reading.clause_of(at);
    let is_apart = clause.start > behind.start;
    let begins = || {
        reading
            .marks
            .first(clause.clone(), Mark::Beginning)
            .is_some()
    };
    anew(behind) || (is_apart && begins())
}

/// Whether the sentence mentions today or a recurrence.
fn is_of_today(reading: &Reading<'_>, mention: &DraftMention) -> bool {
    let mut sentence = reading.sentence_of(mention.first());
    // "But none now" mentions today, but says that the finding is absent.
    let is_denied = |at: usize| at > 0 && reading.words[at - 1] == "none";
    sentence.any(|at| reading.marks.has(at, Mark::Anew) && !is_denied(at))
}

/// Matches "Childhood febrile convulsions" and "residual weakness".
fn is_former(reading: &Reading<'_>, mention: &DraftMention) -> bool {
    let near = mention.first().saturating_sub(FORMER_REACH)..mention.first();
    reading.marks.first(near, Mark::Former).is_some()
}

/// Matches "Seizure 5 years ago": no verb, and a finding that does not last.
fn is_years_ago(reading: &Reading<'_>, mention: &DraftMention) -> bool {
    is_so_long_ago(reading, mention.last() + 1, YEAR_DAYS)
}

/// Matches "Last fit was 8/12 ago".
fn is_last_time(reading: &Reading<'_>, mention: &DraftMention) -> bool {
    let first = mention.first();
    let lead = if reading.words[first] == "last" {
        Some(first)
    } else {
        first
            .checked_sub(1)
            .filter(|&at| reading.words[at] == "last")
    };
    let Some(lead) = lead else {
        return false;
    };
    // Excludes "At last" and "these last fits".
    let before = lead.checked_sub(1).map_or("", |at| reading.words[at]);
    let was = usize::from(reading.words.get(mention.last() + 1) == Some(&"was"));
    !matches!(before, "at" | "these")
        && is_so_long_ago(reading, mention.last() + 1 + was, LAST_TIME_DAYS)
}

/// Whether at least this many days and "ago" are at this position and close a clause.
fn is_so_long_ago(reading: &Reading<'_>, at: usize, least_days: u32) -> bool {
    if at >= reading.len() {
        return false;
    }
    let count = CountedTime::fraction_at(reading, at).or_else(|| CountedTime::at(reading, at));
    count.is_some_and(|count| {
        let ago = reading.words.get(count.end) == Some(&"ago");
        let behind = reading.tokens.get(count.end + 1);
        let closes = behind.is_none_or(crate::fold::Token::is_sign);
        ago && closes && count.days.is_some_and(|days| days >= least_days)
    })
}

/// Whether a word may come between an event and its year.
fn leads_to_year(word: &str) -> bool {
    matches!(word, "in" | "the" | "year" | "early" | "late" | "mid")
}

/// Whether a number is a past year. What follows must not make it an amount or a place ("2012
/// ward").
fn is_year(reading: &Reading<'_>, at: usize, last_year: i16) -> bool {
    let word = reading.words[at];
    let year: Option<i16> = word.parse().ok().filter(|_| word.len() == 4);
    let is_past = year.is_some_and(|year| (YEARS_FROM..=last_year).contains(&year));
    let next = at + 1;
    let closes = reading
        .tokens
        .get(next)
        .is_none_or(crate::fold::Token::is_sign);
    let goes_on = || {
        let marks = [Mark::Statement, Mark::Barrier];
        let joins = matches!(
            reading.words[next],
            "and" | "during" | "after" | "at" | "by"
        );
        joins || reading.marks.has_one_of(next, marks)
    };
    is_past && (closes || goes_on())
}

/// Returns the part of a clause around a finding, up to the barriers.
fn clause_stretch(reading: &Reading<'_>, mention: &DraftMention) -> Range<usize> {
    let (stretch, clause) = (
        stretch(reading, mention.first()),
        reading.clause_of(mention.first()),
    );
    stretch.start.max(clause.start)..stretch.end.min(clause.end)
}

/// Returns the part of a sentence around a token, up to the barriers.
fn stretch(reading: &Reading<'_>, at: usize) -> Range<usize> {
    let sentence = reading.sentence_of(at);
    let barrier = |at: &usize| reading.marks.has(*at, Mark::Barrier);
    let from = (sentence.start..at)
        .rev()
        .find(barrier)
        .map_or(sentence.start, |n| n + 1);
    let to = (at..sentence.end).find(barrier).unwrap_or(sentence.end);
    from..to
}
