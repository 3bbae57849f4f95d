//! What was and is no longer: "had malaria last year" is no finding of today.

use std::ops::Range;

use lafiya_model::Choice;
use smallvec::SmallVec;

use super::marks::Mark;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};

/// The sentences that speak of a past time, by number: few do, and what stands in the others is not past.
pub(super) struct Past(SmallVec<[u32; FEW]>);

/// Most texts have no more of them.
const FEW: usize = 4;

impl Past {
    /// None where no sentence speaks of it, as in most texts.
    pub(super) fn of(reading: &Reading<'_>) -> Option<Self> {
        if !reading.marks.has_any(Mark::Past) {
            return None;
        }
        let mut sentences = SmallVec::new();
        let next = |from: usize| reading.marks.next(from, Mark::Past);
        let mut at = next(0);
        while at < reading.len() {
            sentences.push(reading.sentence(at));
            at = next(reading.sentence_of(at).end);
        }
        Some(Self(sentences))
    }

    /// Drops what was: "had it last year" is a verb of the past and a time of the past, and nothing that says it began then
    /// and goes on.
    pub(super) fn drop(&self, reading: &Reading<'_>, it: &mut Spotted) {
        let spoken_of = || self.0.contains(&reading.sentence(it.first()));
        let may_be = it.is_finding() && !it.derived && it.choice == Choice::Present;
        if may_be && spoken_of() && is_past(reading, it.first()) {
            it.dropped = Some(Dropped::Past);
        }
    }
}

/// Whether the words around a token make it one of the past.
fn is_past(reading: &Reading<'_>, at: usize) -> bool {
    let first = |tokens: Range<usize>, mark: Mark| reading.marks.first(tokens, mark);
    let stretch = stretch(reading, at);
    let Some(time) = first(stretch.clone(), Mark::Past) else {
        return false;
    };
    let verb = first(stretch.clone(), Mark::PastVerb).is_some();
    let goes_on = first(stretch.start..time, Mark::Beginning).is_some();
    verb && !goes_on
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
