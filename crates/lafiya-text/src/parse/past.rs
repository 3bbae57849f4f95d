//! What was and is no longer: "had malaria last year" is no finding of today.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;
use smallvec::SmallVec;

use super::marks::Mark;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted, is_danger};
use super::time::Times;
use super::traits::Trait;
use crate::hash::{FastMap, FastSet};
use crate::words::Ignored;

/// What a base knows of findings that are over.
#[derive(Clone, Debug)]
pub(super) struct Bygones {
    /// Findings that say something of the patient when they are past: who attempted suicide once.
    was: FastMap<ConceptRef, ConceptRef>,
    /// Findings that are a danger: such things happen, and do not go on for years.
    pub(super) dangers: FastSet<ConceptRef>,
}

impl Bygones {
    pub(super) fn new(base: &KnowledgeBase, ignored: &Ignored) -> Self {
        let findings = base.finding_indices().map(ConceptRef::Finding);
        let was = ignored.was.iter();
        Self {
            was: was
                .filter_map(|(id, was)| Some((base.resolve(id)?, base.resolve(was)?)))
                .collect(),
            dangers: findings.filter(|it| is_danger(base, *it)).collect(),
        }
    }
}

/// The sentences that speak of a past time, by number: few do, and what stands in the others is not past.
pub(super) struct Past {
    sentences: SmallVec<[u32; FEW]>,
    /// Where a year is named.
    years: SmallVec<[usize; FEW]>,
}

/// Most texts have no more of them.
const FEW: usize = 4;
/// Words between a finding and the year it was in: "back in the year 1998".
const YEAR_REACH: usize = 4;
/// Words between "residual" and what is left.
const FORMER_REACH: usize = 2;
/// Who was so old then is grown now, or soon.
const CHILD_YEARS_MAX: f64 = 17.0;
/// Words between a finding and "years ago" where no verb says so: "seizure 5 years ago".
const AGO_REACH: usize = 3;
/// Words between such a finding and "ago".
const LAST_TIME_REACH: usize = 8;
/// What was so long ago the last time does not go on.
const LAST_TIME_DAYS: u32 = 14;

impl Past {
    /// None where no sentence speaks of it, as in most texts.
    pub(super) fn of(reading: &Reading<'_>) -> Option<Self> {
        let numbers = reading.all_of([Trait::Number]);
        let mut past = Self {
            sentences: SmallVec::new(),
            years: numbers.filter(|&at| is_year(reading, at)).collect(),
        };
        for at in past.years.clone() {
            past.note(reading.sentence(at));
        }
        for mark in [Mark::Past, Mark::Former, Mark::Then] {
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

    /// Drops what was, or turns it into what it says of the patient.
    pub(super) fn drop(&self, reading: &Reading<'_>, bygones: &Bygones, it: &mut Spotted) {
        let spoken_of = || self.sentences.contains(&reading.sentence(it.first()));
        let may_be = it.is_finding() && !it.derived && it.choice == Choice::Present;
        if !may_be || !spoken_of() {
            return;
        }
        let is_danger = bygones.dangers.contains(&it.concept);
        let past = is_past(reading, it.first())
            || is_former(reading, it)
            || is_of_an_age(reading, it)
            || self.is_of_a_year(reading, it)
            || (is_danger && (is_years_ago(reading, it) || is_last_time(reading, it)));
        match bygones.was.get(&it.concept) {
            Some(was) if past => *it = Spotted::derived(*was, it.core.clone()),
            _ if past => it.dropped = Some(Dropped::Past),
            _ => {}
        }
    }

    /// "He had a seizure in 2020", "haematemesis 2017", "in 2020 he had a seizure", "admitted in 2017 with weakness of one side".
    fn is_of_a_year(&self, reading: &Reading<'_>, it: &Spotted) -> bool {
        let stretch = clause_stretch(reading, it);
        let mut years = self.years.iter().filter(|&&at| stretch.contains(&at));
        years.any(|&year| {
            if goes_on(reading, stretch.start..year) {
                false
            } else if it.last() < year {
                let mut between = it.last() + 1..year;
                between.len() <= YEAR_REACH && between.all(|at| leads_to_year(reading.words[at]))
            } else {
                let between = year + 1..it.first();
                let verb = |tokens| reading.marks.first(tokens, Mark::PastVerb).is_some();
                let with = it.first().saturating_sub(2)..it.first();
                // The verb may be part of the finding: "had a seizure".
                let told = verb(year + 1..it.last() + 1)
                    || (verb(stretch.start..year)
                        && with.into_iter().any(|at| reading.words[at] == "with"));
                let says_more =
                    |at| matches!(reading.words[at], "and" | "is" | "are" | "am" | "dey");
                told && !goes_on(reading, between.clone()) && !between.into_iter().any(says_more)
            }
        })
    }
}

/// Whether a word may stand between what happened and the year of it.
fn leads_to_year(word: &str) -> bool {
    matches!(
        word,
        "in" | "of"
            | "the"
            | "year"
            | "early"
            | "late"
            | "mid"
            | "around"
            | "about"
            | "back"
            | "once"
            | "twice"
    )
}

/// "Had it last year" is a verb of the past and a time of the past, and nothing that says it began then and goes on.
fn is_past(reading: &Reading<'_>, at: usize) -> bool {
    let first = |tokens: Range<usize>, mark: Mark| reading.marks.first(tokens, mark);
    let stretch = stretch(reading, at);
    let Some(time) = first(stretch.clone(), Mark::Past) else {
        return false;
    };
    let verb = first(stretch.clone(), Mark::PastVerb).is_some();
    verb && !goes_on(reading, stretch.start..time)
}

/// "Childhood febrile convulsions", "residual weakness".
fn is_former(reading: &Reading<'_>, it: &Spotted) -> bool {
    let stretch = clause_stretch(reading, it);
    let time = reading.marks.first(stretch.clone(), Mark::Former);
    time.is_some_and(|time| {
        !goes_on(reading, stretch.start..time) && it.first() <= time + FORMER_REACH
    })
}

/// "When he was 2 years old", "convulsed at 2 yrs", "at the age of 2": how old the patient was then.
fn is_of_an_age(reading: &Reading<'_>, it: &Spotted) -> bool {
    let stretch = clause_stretch(reading, it);
    let word = |at: usize| reading.words.get(at).copied().unwrap_or_default();
    let number = |at: usize| {
        let number = reading.tokens.get(at).filter(|it| it.is_number());
        number.and_then(|_| word(at).parse::<f64>().ok())
    };
    let counted = |at: usize| {
        let count = (at < reading.len()).then(|| Times::counted_at(reading, at));
        count.flatten().map(|it| it.days.unwrap_or_default())
    };
    let in_childhood = |at: usize| {
        let then = word(at) == "when" && matches!(word(at + 2), "was" | "were");
        then && number(at + 3).is_some_and(|years| years <= CHILD_YEARS_MAX)
            && counted(at + 3).is_none_or(|days| days >= MONTH_DAYS)
    };
    let at_an_age = |at: usize| {
        let years = counted(at + 1).is_some_and(|days| days >= YEAR_DAYS);
        let named = matches!([word(at + 1), word(at + 2)], ["age", _] | ["the", "age"]);
        // What stands behind it is of now: "at age 60 he was brought with chest pain".
        word(at) == "at" && it.last() < at && (named || years)
    };
    let then = stretch
        .clone()
        .find(|&at| in_childhood(at) || at_an_age(at));
    let told = || {
        let history = |at: usize| matches!(word(at), "history" | "hx" | "h");
        let verb = reading.marks.first(stretch.clone(), Mark::PastVerb);
        verb.is_some() || stretch.clone().any(history)
    };
    then.is_some_and(|then| !goes_on(reading, stretch.start..then) && told())
}

/// "Seizure 5 years ago": without a verb, and of what does not last.
fn is_years_ago(reading: &Reading<'_>, it: &Spotted) -> bool {
    let behind = it.last() + 1..(it.last() + 1 + AGO_REACH).min(reading.len());
    let time = reading.marks.first(behind.clone(), Mark::Past);
    time.is_some_and(|time| {
        let ago = matches!(reading.words[time], "years" | "year")
            && reading.words.get(time + 1) == Some(&"ago");
        ago && !goes_on(reading, behind.start..time)
    })
}

/// "Last fit was 8/12 ago".
fn is_last_time(reading: &Reading<'_>, it: &Spotted) -> bool {
    let mut lead = it.first().saturating_sub(1)..=it.first();
    if !lead.any(|at| reading.words[at] == "last") {
        return false;
    }
    // A fraction ("8/12") parts clauses.
    let sentence = reading.sentence_of(it.first());
    let behind = it.last() + 1..sentence.end.min(it.last() + 1 + LAST_TIME_REACH);
    let ago = behind.into_iter().find(|&at| reading.words[at] == "ago");
    ago.is_some_and(|ago| {
        let counts = (it.last() + 1..ago).filter_map(|at| {
            Times::fraction_at(reading, at).or_else(|| Times::counted_at(reading, at))
        });
        let mut days = counts.filter_map(|count| count.days);
        days.any(|days| days >= LAST_TIME_DAYS)
    })
}

const MONTH_DAYS: u32 = 30;
const YEAR_DAYS: u32 = 365;

/// Whether a number is a year that somebody may remember, and neither an hour ("fitted at 2010hrs") nor an amount ("2000 ml"): the
/// word before it says so, or it closes a clause.
fn is_year(reading: &Reading<'_>, at: usize) -> bool {
    let word = reading.words[at];
    let digits = word.len() == 4 && word.bytes().all(|it| it.is_ascii_digit());
    let century = word.starts_with("19") || word.starts_with("20");
    if !digits || !century || word.ends_with("00") {
        return false;
    }
    let before = at.checked_sub(1).map_or("", |at| reading.words[at]);
    let closes = reading
        .tokens
        .get(at + 1)
        .is_none_or(crate::fold::Token::is_sign);
    before != "at" && (closes || leads_to_year(before))
}

/// Whether words say that something began and goes on.
fn goes_on(reading: &Reading<'_>, tokens: Range<usize>) -> bool {
    reading.marks.first(tokens, Mark::Beginning).is_some()
}

/// The part of a clause around a mention, up to the barriers.
fn clause_stretch(reading: &Reading<'_>, it: &Spotted) -> Range<usize> {
    let (stretch, clause) = (stretch(reading, it.first()), reading.clause_of(it.first()));
    stretch.start.max(clause.start)..stretch.end.min(clause.end)
}

/// The part of a sentence around a token, up to the barriers.
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
