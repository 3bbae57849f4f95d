//! Exceptions: the one body part that has what no other has: "nothing pains me except the chest",
//! "no pain apart from the belly".

use super::reading::Reading;
use crate::phrases::PhraseSet;
use crate::words::BodyWords;

/// The phrases for exceptions.
#[derive(Clone, Debug)]
pub(super) struct Exceptions {
    nowhere: PhraseSet<()>,
    exceptions: PhraseSet<()>,
}

/// Maximum tokens from "nothing" to the complaint, and from there to the body part.
const NOWHERE_REACH: usize = 4;
const PART_REACH: usize = 7;

impl Exceptions {
    pub(super) fn new(words: &BodyWords) -> Self {
        Self {
            nowhere: PhraseSet::of(&words.nowhere),
            exceptions: PhraseSet::of(&words.exceptions),
        }
    }

    /// Whether a negated complaint excepts the body part after it.
    pub(super) fn leave_out(&self, reading: &Reading<'_>, complaint: usize, part: usize) -> bool {
        let clause = reading.clause_of(complaint);
        let before = complaint.saturating_sub(NOWHERE_REACH).max(clause.start)..complaint;
        clause.contains(&part)
            && complaint < part
            && part - complaint <= PART_REACH
            && self
                .exceptions
                .begins_in(&reading.keys, complaint + 1..part)
            && self.nowhere.begins_in(&reading.keys, before)
    }
}
