//! Lists: whether the items after the comma of a negation are negated as well.

use std::ops::Range;

use super::marks::Mark;
use super::reading::Reading;

/// After "no" and one finding, at least this many further items without a verb or time form a list
/// that is negated as a whole.
const BARE_ITEMS_MIN: usize = 2;
/// Maximum unknown words in a list item that can be negated with the others.
const UNKNOWN_WORDS_MAX: usize = 2;

/// Whether it is a comma that is followed by another one: a list has several items.
pub(super) fn may_head_list(reading: &Reading<'_>, at: usize) -> bool {
    let sentence = reading.sentence_of(at);
    let item = at + 1;
    // A comma ends a clause, so another clause must end before the last one.
    reading.words[at] == ","
        && sentence.contains(&item)
        && reading.clause_of(item).end < sentence.end
}

/// Returns the end of a list of bare items that begins after a comma: "no cough, fever, night
/// sweats; eats well". If the last item has a time or a number, it is not such a list: "no cough,
/// fever, headache, vomiting since Monday".
// Rarely taken: kept out of line so that the fast path stays small.
#[inline(never)]
pub(super) fn bare_list_end(
    reading: &Reading<'_>,
    covered: &[bool],
    comma: usize,
) -> Option<usize> {
    let sentence = reading.sentence_of(comma).end;
    let (mut items, mut end, mut from) = (0, comma, comma + 1);
    while from < sentence {
        let to = (from..sentence).find(|&at| reading.words[at] == ",");
        let to = to.unwrap_or(sentence);
        match bareness(reading, covered, from..to) {
            Bareness::Finding => (items, end) = (items + 1, to),
            Bareness::Unknown => end = to,
            Bareness::Timed => return None,
            Bareness::Statement => break,
        }
        from = to + 1;
    }
    (items >= BARE_ITEMS_MIN).then_some(end)
}

/// What an item between commas contains.
enum Bareness {
    /// Only findings.
    Finding,
    /// One or two unknown words.
    Unknown,
    /// A time or a number.
    Timed,
    /// More than that.
    Statement,
}

fn bareness(reading: &Reading<'_>, covered: &[bool], item: Range<usize>) -> Bareness {
    let states = |at: usize| {
        let marks = [
            Mark::Trigger,
            Mark::Barrier,
            Mark::Statement,
            Mark::StatementVerb,
        ];
        !covered[at] && marks.into_iter().any(|mark| reading.marks.has(at, mark))
    };
    let is_timed = |at: usize| {
        reading.tokens[at].is_number() || (!covered[at] && reading.marks.has(at, Mark::Beginning))
    };
    // "Vomited", "collapsed": stated, not listed.
    let is_told = |at: usize| covered[at] && reading.words[at].ends_with("ed");
    let is_plain = |at: usize| {
        reading.is_light(at) || reading.tokens[at].is_sign() || reading.marks.has(at, Mark::Joiner)
    };
    let any = |is: &dyn Fn(usize) -> bool| item.clone().any(is);
    // An item that starts a statement: "No cough, I smoke, my mother has diabetes".
    let speaks = item
        .clone()
        .next()
        .is_some_and(|at| reading.marks.has(at, Mark::Statement));
    let unknown_words = item.clone().filter(|&at| !covered[at] && !is_plain(at));
    let unknown_words = unknown_words.count();
    let is_finding = any(&|at| covered[at]);
    if any(&is_timed) {
        Bareness::Timed
    } else if speaks || any(&states) || any(&is_told) {
        Bareness::Statement
    } else if is_finding && unknown_words == 0 {
        Bareness::Finding
    } else if !is_finding && unknown_words <= UNKNOWN_WORDS_MAX {
        Bareness::Unknown
    } else {
        Bareness::Statement
    }
}

/// What follows a comma.
pub(super) enum Item {
    /// A finding directly after it: "denies recent illness, fever".
    Finding,
    /// A finding with a statement about it: "denies alcohol use, fever started yesterday".
    Statement,
}

pub(super) fn item_after(reading: &Reading<'_>, covered: &[bool], comma: usize) -> Option<Item> {
    if reading.words[comma] != "," {
        return None;
    }
    let next = (comma + 1..reading.len()).find(|&at| !reading.is_light(at) || covered[at]);
    // An item with its own verb: "Denies vomiting, has chest pain", "denies fever, reports chest
    // pain".
    let says = |at: usize| !covered[at] && reading.marks.has(at, Mark::StatementVerb);
    if (comma + 1..=next.unwrap_or(comma)).any(says) {
        return Some(Item::Statement);
    }
    let first = next.filter(|&at| covered[at])?;
    let end = reading.sentence_of(first).end;
    let behind = (first..end).find(|&at| !covered[at]).unwrap_or(end);
    let stated = (first..=behind).any(|at| reading.marks.has(at, Mark::StatementVerb));
    Some(if stated {
        Item::Statement
    } else {
        Item::Finding
    })
}
