//! What was and is no longer: "had malaria last year" is no finding of today.

use lafiya_model::Choice;

use super::phrases::PhraseSet;
use super::reading::Reading;
use super::scope::Scope;
use super::spotted::{Dropped, Spotted};

/// Where the words of the past and their ends stand, by token.
pub(super) struct Marks {
    pasts: Vec<bool>,
    past_verbs: Vec<bool>,
    begins: Vec<bool>,
    barriers: Vec<bool>,
}

impl Marks {
    pub(super) fn of(scope: &Scope, reading: &Reading<'_>) -> Self {
        let marks = |set: &PhraseSet<()>| {
            (0..reading.len())
                .map(|at| set.length_at(&reading.keys, at) > 0)
                .collect()
        };
        Self {
            pasts: marks(&scope.pasts),
            past_verbs: marks(&scope.past_verbs),
            begins: marks(&scope.begins),
            barriers: marks(&scope.barriers),
        }
    }

    /// The part of a sentence around a token, up to the barriers.
    fn stretch(&self, reading: &Reading<'_>, at: usize) -> std::ops::Range<usize> {
        let sentence = reading.sentence_of(at);
        let barrier = |at: &usize| self.barriers[*at];
        let from = (sentence.start..at)
            .rev()
            .find(barrier)
            .map_or(sentence.start, |n| n + 1);
        let to = (at..sentence.end).find(barrier).unwrap_or(sentence.end);
        from..to
    }
}

/// "had it last year": a verb of the past and a time of the past, and nothing that says it began then and goes on.
pub(super) fn past(reading: &Reading<'_>, marks: &Marks, it: &mut Spotted) {
    if !it.is_finding() || it.derived || it.choice != Choice::Present {
        return;
    }
    let stretch = marks.stretch(reading, it.first());
    let Some(time) = stretch.clone().find(|&at| marks.pasts[at]) else {
        return;
    };
    let verb = stretch.clone().any(|at| marks.past_verbs[at]);
    let goes_on = (stretch.start..time.min(stretch.end)).any(|at| marks.begins[at]);
    if verb && !goes_on {
        it.dropped = Some(Dropped::Past);
    }
}
