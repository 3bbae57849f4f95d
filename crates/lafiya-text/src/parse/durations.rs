//! Assigns each duration to its findings: those before it in its clause and its list, or else those
//! after it.

use std::ops::Range;

use super::covered_tokens::CoveredTokens;
use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use super::time::{Time, Times};
use super::traits::Trait;

/// Maximum words before a time that opens a clause ("For the past two days").
const OPENING_MAX: usize = 3;
/// Maximum words before a time in a clause of its own ("fever, 3 days").
const OWN_CLAUSE_MAX: usize = 3;
/// Maximum words of an answer before its time: "yes, for about 3 days".
const ANSWER_MAX: usize = 4;

/// Assigns all durations. Findings before a duration have priority, in the whole text.
pub(super) fn attach(
    reading: &Reading<'_>,
    told: (&Times, &[Time]),
    covered: &CoveredTokens,
    drafts: &mut [DraftMention],
) {
    let covered = covered.tokens();
    let (words, times) = told;
    // A phrase may hold a time of its own ("cough for months", "2 weeks postpartum"): that one is
    // spent.
    let is_free = |time: &&Time| {
        let spent = (time.first..time.end).any(|at| covered[at]);
        !spent && !words.is_from_event(reading, time) && !is_of_event(reading, words, time, drafts)
    };
    let free = times.iter().filter(is_free);
    let mut times: Vec<Time> = Vec::with_capacity(times.len());
    times.extend(free);
    let lasting = drafts.iter().zip(0..).filter(|(mention, _)| lasts(mention));
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(drafts.len());
    places.extend(lasting.map(|(mention, n)| (mention.first(), n)));
    // Nearly sorted already: findings made from numbers come after the others.
    places.sort();
    let mut found = Found {
        before: counted_before(reading.len(), &places),
        places,
        covered,
        drafts,
    };
    let mut unclaimed = Vec::with_capacity(times.len());
    for (n, time) in times.iter().enumerate() {
        let sentence = reading.sentence_of(time.first);
        // A time without a number ("on and off") does not separate the next one from its finding.
        let counted = times[..n].iter().rfind(|time| time.lasting.0.is_some());
        let from = counted.map_or(0, |time| time.end).max(sentence.start);
        if !before(reading, time, from, &mut found) && !answered(reading, time, &mut found) {
            let next = times.get(n + 1).map_or(sentence.end, |time| time.first);
            // Second choice, after every time was tried with what stands before it.
            unclaimed.push((time, next.min(sentence.end)));
        }
    }
    for (time, to) in unclaimed {
        after(reading, time, to, &mut found);
    }
}

/// "Delivered 3 weeks ago, headache", "took amoxicillin for 5 days, cough": whether a time is that
/// of something right before it that does not last as a finding does.
fn is_of_event(reading: &Reading<'_>, words: &Times, time: &Time, drafts: &[DraftMention]) -> bool {
    let clause = reading.clause_of(time.first);
    let before = clause.start..time.first;
    // "Known diabetic with 3 days of cough": what stands between begins another statement.
    let joins = |at: usize| {
        let word = reading.words[at];
        reading.marks.has(at, Mark::Joiner) || matches!(word, "with" | "has" | "have" | "had")
    };
    let goes_on = matches!(reading.word(time.end), "of" | "history" | "hx" | "h")
        || drafts
            .iter()
            .any(|mention| mention.first() == time.end && lasts(mention));
    let event = drafts
        .iter()
        .filter(|mention| before.contains(&mention.first()));
    let events: Vec<&DraftMention> = event.filter(|mention| mention.dropped.is_none()).collect();
    // A finding before the time has the first claim on it.
    if goes_on || events.iter().any(|event| event.is_finding()) {
        return false;
    }
    let ends = events.iter().map(|event| event.last().min(time.first - 1));
    let taken = before.rev().find(|&at| words.is_taking(reading, at));
    let event = ends.max().max(taken);
    event.is_some_and(|at| !(at + 1..time.first).any(joins))
}

/// The findings that can have a duration, with their positions.
struct Found<'s> {
    /// The first token of each, with its index among the findings, in text order.
    places: Vec<(usize, usize)>,
    /// The number of them that begin before each token, and before the end of the text.
    before: Vec<u32>,
    /// Tokens covered by any finding.
    covered: &'s [bool],
    drafts: &'s mut [DraftMention],
}

impl Found<'_> {
    /// Returns the first token in a range at which one begins.
    fn first(&self, tokens: Range<usize>) -> Option<usize> {
        let (at, _) = self.from(tokens.start).first()?;
        (*at < tokens.end).then_some(*at)
    }

    /// Assigns a duration to all that begin in a token range. Returns whether there was one.
    fn give(&mut self, time: &Time, reach: Range<usize>) -> bool {
        let [from, to] = [reach.start, reach.end].map(|at| self.before[at] as usize);
        let given = self.places.get(from..to).unwrap_or_default();
        for &(_, n) in given {
            self.drafts[n].last_for(time.lasting);
        }
        !given.is_empty()
    }

    /// Returns those that begin at a token or after it.
    fn from(&self, token: usize) -> &[(usize, usize)] {
        &self.places[self.before[token] as usize..]
    }
}

/// Counts the positions before each token and before the end. The positions must be in text order.
fn counted_before(tokens: usize, places: &[(usize, usize)]) -> Vec<u32> {
    let mut before = vec![0; tokens + 1];
    for (at, _) in places {
        before[at + 1] += 1;
    }
    let mut sum = 0;
    for count in &mut before {
        sum += *count;
        *count = sum;
    }
    before
}

fn before(reading: &Reading<'_>, time: &Time, from: usize, found: &mut Found<'_>) -> bool {
    let clause = reading.clause_of(time.first);
    let mut reach = from.max(clause.start);
    let any = |from: usize| found.first(from..time.first).is_some();
    if !any(reach) && clause.start > from && time.first - clause.start <= OWN_CLAUSE_MAX {
        reach = from.max(reading.clause_of(clause.start - 1).start);
    }
    // A list extends backwards over its commas as long as the clauses contain only findings.
    while reach > from && any(reach) {
        let earlier = reading.clause_of(reach - 1);
        if !is_bare(reading, found.covered, earlier.clone()) {
            break;
        }
        reach = earlier.start.max(from);
    }
    found.give(time, reach..time.first)
}

/// Assigns the duration of an answer: "Cough? Yes, for 3 days."
fn answered(reading: &Reading<'_>, time: &Time, found: &mut Found<'_>) -> bool {
    let answer = reading.sentence_of(time.first).start;
    let is_yes = answer > 0
        && time.first - answer <= ANSWER_MAX
        && reading.words[answer - 1] == "?"
        && reading.words[answer] == "yes";
    is_yes && found.give(time, reading.clause_of(answer - 1))
}

/// Assigns a duration to the findings after it: "Since two days, fever and cough", "3/7 history of
/// fever, chills and vomiting".
fn after(reading: &Reading<'_>, time: &Time, to: usize, found: &mut Found<'_>) -> bool {
    let clause = reading.clause_of(time.first);
    let mut reach = clause.end.min(to);
    let first = |reach: usize| found.first(time.end..reach);
    // In the middle of a clause, only what follows directly counts: "had measles last week and now
    // I have rash".
    let opens = time.first - clause.start <= OPENING_MAX
        && !is_of_another_event(reading, found.covered, time, clause);
    let at_once = |at: usize| (time.end..at).all(|n| !starts_anew(reading.words[n]));
    if !opens && !first(reach).is_some_and(at_once) {
        return false;
    }
    // "I travelled two weeks ago and now I have fever": the fever did not begin then. Directly
    // after a time, "now" belongs to the time: "three days now".
    let is_now = |n: usize| matches!(reading.words[n], "now" | "today");
    if first(to).is_some_and(|at| (time.end + 1..at).any(is_now)) {
        return false;
    }
    while reach < to {
        let next = reading.clause_of(reach);
        let anew = starts_anew(reading.words[next.start]) && reading.words[next.start] != "i";
        let listed = || is_bare(reading, found.covered, next.clone());
        if anew || (first(reach).is_some() && !listed()) {
            break;
        }
        reach = next.end.min(to);
    }
    found.give(time, time.end..reach)
}

/// "Implant 16 weeks ago, headache": whether a time that is past is that of something before it
/// that is no finding.
fn is_of_another_event(
    reading: &Reading<'_>,
    covered: &[bool],
    time: &Time,
    clause: Range<usize>,
) -> bool {
    let begins = reading
        .marks
        .first(clause.clone(), Mark::Beginning)
        .is_some();
    let names = |at: usize| {
        let person = reading.traits[at].has_any([Trait::Aged, Trait::Person, Trait::Owner]);
        !person && !reading.is_light(at) && !covered[at] && !reading.tokens[at].is_number()
    };
    let closes = reading
        .tokens
        .get(time.end + 1)
        .is_some_and(|next| next.is_sign());
    reading.word(time.end) == "ago" && closes && !begins && (clause.start..time.first).any(names)
}

/// Whether a word begins another statement.
fn starts_anew(word: &str) -> bool {
    matches!(
        word,
        "and" | "now" | "but" | "then" | "i" | "he" | "she" | "my" | "today"
    )
}

/// Whether a clause contains only findings, joiners and light words, without a verb of its own.
fn is_bare(reading: &Reading<'_>, covered: &[bool], mut clause: Range<usize>) -> bool {
    clause.all(|at| {
        let word = reading.words[at];
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
        let joins = reading.tokens[at].is_sign() || matches!(word, "and" | "or");
        covered[at] || (!statement && (reading.is_light(at) || joins))
    })
}

/// Whether a finding can have a duration: only a present one can.
fn lasts(mention: &DraftMention) -> bool {
    mention.is_had() && mention.is_finding()
}
