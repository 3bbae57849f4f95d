//! The end of a negation: what was absent until a time is present since: "no bleeding until last
//! night", "never had fits before today".
//!
//! Only a stated time has this effect: "no fever before the rash" and "no food until the operation"
//! are plain negations.

use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The phrases that introduce such a time.
#[derive(Clone, Debug)]
pub(super) struct DenialEnds {
    untils: PhraseSet<()>,
    befores: PhraseSet<()>,
    so_far: PhraseSet<()>,
    still_denied: PhraseSet<()>,
}

/// Where a negation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DenialEnd {
    /// At a time since which the finding is present.
    ATime,
    /// "No fever till now": it may be present now or still be absent.
    ThisDay,
}

impl DenialEnds {
    pub(super) fn new(words: &ScopeWords) -> Self {
        Self {
            untils: PhraseSet::of(&words.untils),
            befores: PhraseSet::of(&words.befores),
            so_far: PhraseSet::of(&words.so_far),
            still_denied: PhraseSet::of(&words.still_denied),
        }
    }

    /// Returns the word that introduces the time at which a negation ends, with a finding in
    /// between; `from` is the end of the negation phrase. The search ends at another negation,
    /// "but", a word that is not part of a finding, or a comma over which the list does not
    /// continue. `in_time` are the tokens of times, `covered` those of findings.
    pub(super) fn end_after(
        &self,
        (reading, in_time, covered): (&Reading<'_>, &[bool], &[bool]),
        from: usize,
        list_goes_on: impl Fn(usize) -> bool,
    ) -> Option<(usize, DenialEnd)> {
        // Fast path: most texts have no such word.
        if from >= reading.len() || !reading.marks.has_any(Mark::Until) {
            return None;
        }
        let mut reached = false;
        let mut until = None;
        let end = reading.sentence_of(from).end;
        for (at, &covered) in (from..).zip(&covered[from..end]) {
            if reached && reading.marks.has(at, Mark::Until) {
                until = Some(at);
                break;
            }
            reached |= covered;
            let is_other =
                !covered && !reading.is_light(at) && !reading.marks.has(at, Mark::Joiner);
            let ends = reading.marks.has_one_of(at, [Mark::Barrier, Mark::Trigger])
                || (reading.words[at] == "," && !list_goes_on(at))
                || (reached && is_other);
            if ends && !covered {
                return None;
            }
        }
        let until = until?;
        // Excludes "Never had fits before today and has none today", "no fever before today's
        // visit" and "none from Monday until today".
        let is_timed = |at: usize| in_time.get(at) == Some(&true);
        let is_span = (from..until).any(|at| reading.words[at] == "from" && is_timed(at + 1));
        if is_span || self.still_denied.begins_in(&reading.keys, until..end) {
            return None;
        }
        let is_number = |at: usize| {
            reading
                .traits
                .get(at)
                .is_some_and(|traits| traits.has(Trait::Number))
        };
        if let length @ 1.. = self.untils.length_at(&reading.keys, until) {
            let time = until + length;
            if self.so_far.length_at(&reading.keys, time) > 0 {
                return Some((until, DenialEnd::ThisDay));
            }
            return (is_timed(time) || is_number(time)).then_some((until, DenialEnd::ATime));
        }
        let time = until + self.befores.length_at(&reading.keys, until);
        // "Before now" is a time; "before 2 years" is an age.
        let is_now = reading.marks.has(time, Mark::Now);
        ((is_timed(time) && !is_number(time)) || is_now).then_some((until, DenialEnd::ATime))
    }
}
