//! What was and is no longer: "had malaria last year" is no finding of today.

use std::ops::Range;

use lafiya_model::Choice;

use super::marks::Mark;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};

/// "had it last year": a verb of the past and a time of the past, and nothing that says it began then and goes on.
pub(super) fn past(reading: &Reading<'_>, it: &mut Spotted) {
    let first = |tokens: Range<usize>, mark: Mark| reading.marks.first(tokens, mark);
    let spoken_of = reading.marks.has_any(Mark::Past);
    if !spoken_of || !it.is_finding() || it.derived || it.choice != Choice::Present {
        return;
    }
    // Most sentences speak of no past, and then it does not matter where their barriers stand.
    if first(reading.sentence_of(it.first()), Mark::Past).is_none() {
        return;
    }
    let stretch = stretch(reading, it.first());
    let Some(time) = first(stretch.clone(), Mark::Past) else {
        return;
    };
    let verb = first(stretch.clone(), Mark::PastVerb).is_some();
    let goes_on = first(stretch.start..time, Mark::Beginning).is_some();
    if verb && !goes_on {
        it.dropped = Some(Dropped::Past);
    }
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
