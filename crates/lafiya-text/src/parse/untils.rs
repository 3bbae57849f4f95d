//! What was not there up to a time is there since: "no bleeding until last night", "never had fits before today".
//!
//! Only a time that is told says so: "no fever before the rash" and "no food until the operation" deny as ever.

use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The words that lead to such a time.
#[derive(Clone, Debug)]
pub(super) struct Untils {
    untils: PhraseSet<()>,
    befores: PhraseSet<()>,
    so_far: PhraseSet<()>,
    still_denied: PhraseSet<()>,
}

/// What a denial ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpTo {
    /// With a time since when it is there.
    ATime,
    /// "No fever till now": perhaps since now, perhaps not to this day.
    ThisDay,
}

impl Untils {
    pub(super) fn new(words: &ScopeWords) -> Self {
        Self {
            untils: PhraseSet::of(&words.untils),
            befores: PhraseSet::of(&words.befores),
            so_far: PhraseSet::of(&words.so_far),
            still_denied: PhraseSet::of(&words.still_denied),
        }
    }

    /// Where the time begins up to which a denial reaches whose words end at `from`, with a finding between. Another denial,
    /// "but", a word that is no part of a finding, or a comma over which the list does not go on ends the search. `in_time`:
    /// the tokens that tell a time; `carried`: those of findings.
    pub(super) fn behind(
        &self,
        (reading, in_time, carried): (&Reading<'_>, &[bool], &[bool]),
        from: usize,
        list_goes_on: impl Fn(usize) -> bool,
    ) -> Option<(usize, UpTo)> {
        // Most texts have no such word.
        if from >= reading.len() || !reading.marks.has_any(Mark::Until) {
            return None;
        }
        let mut reached = false;
        let mut until = None;
        let end = reading.sentence_of(from).end;
        for (at, &carried) in (from..).zip(&carried[from..end]) {
            if reached && reading.marks.has(at, Mark::Until) {
                until = Some(at);
                break;
            }
            reached |= carried;
            let is_other =
                !carried && !reading.is_light(at) && !reading.marks.has(at, Mark::Joiner);
            let ends = reading.marks.has_one_of(at, [Mark::Barrier, Mark::Trigger])
                || (reading.words[at] == "," && !list_goes_on(at))
                || (reached && is_other);
            if ends && !carried {
                return None;
            }
        }
        let until = until?;
        // "Never had fits before today and has none today", "no fever before today's visit", "none from Monday until today".
        let is_timed = |at: usize| in_time.get(at) == Some(&true);
        let is_span = (from..until).any(|at| reading.words[at] == "from" && is_timed(at + 1));
        if is_span || self.still_denied.begins_in(&reading.keys, until..end) {
            return None;
        }
        let is_number = |at: usize| {
            reading
                .traits
                .get(at)
                .is_some_and(|it| it.has(Trait::Number))
        };
        if let length @ 1.. = self.untils.length_at(&reading.keys, until) {
            let time = until + length;
            if self.so_far.length_at(&reading.keys, time) > 0 {
                return Some((until, UpTo::ThisDay));
            }
            return (is_timed(time) || is_number(time)).then_some((until, UpTo::ATime));
        }
        let time = until + self.befores.length_at(&reading.keys, until);
        // "Before now" was; "before 2 years" is an age.
        let is_now = reading.marks.has(time, Mark::Now);
        ((is_timed(time) && !is_number(time)) || is_now).then_some((until, UpTo::ATime))
    }
}
