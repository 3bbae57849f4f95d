//! The reach of an uncertainty. In "It may be a stroke, his mouth is bent", the disease is
//! uncertain and the sign is not.

use std::ops::Range;

use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use crate::hash::{FastSet, set_of};
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The phrases that end an uncertainty.
#[derive(Clone, Debug)]
pub(super) struct UncertaintyScope {
    /// Phrases that introduce an observation: "with", "as".
    ends: PhraseSet<()>,
    /// Words before these that keep the uncertainty going: "may present with fever".
    goes_on: FastSet<String>,
}

impl UncertaintyScope {
    pub(super) fn new(words: &ScopeWords) -> Self {
        Self {
            ends: PhraseSet::of(&words.doubt_ends),
            goes_on: set_of(&words.doubt_goes_on),
        }
    }

    /// Returns the part of its reach that an uncertainty governs: up to the first comma, colon or
    /// "with" that ends it. An uncertainty about findings extends along their list ("not sure if
    /// fever, cough"), and so does one whose list ends in "or"; for a comma, `goes_on` decides
    /// this.
    pub(super) fn governed(
        &self,
        reading: &Reading<'_>,
        drafts: &[DraftMention],
        reach: Range<usize>,
        goes_on: impl Fn(usize) -> bool,
    ) -> Range<usize> {
        let Range { start, end } = reach;
        let ends = |at: usize| {
            // "Possible: fever, cough" is uncertain as a whole.
            if at == start {
                return false;
            }
            let governs_finding = || {
                drafts
                    .iter()
                    .any(|mention| mention.is_finding() && (start..at).contains(&mention.first()))
            };
            match reading.words[at] {
                ":" => !governs_finding(),
                "," if goes_on(at) => false,
                "," => reading.marks.has(at + 1, Mark::Possessive) || !governs_finding(),
                _ => self.shows(reading, start, at) && !governs_finding(),
            }
        };
        start..(start..end).find(|&at| ends(at)).unwrap_or(end)
    }

    /// Whether an observation begins after a word: "unlikely to be malaria as he has a stiff neck".
    /// Something uncertain must precede it.
    fn shows(&self, reading: &Reading<'_>, start: usize, at: usize) -> bool {
        self.ends.length_at(&reading.keys, at) > 0
            && !reading.is_one_of(at - 1, &self.goes_on)
            && (start..at).any(|n| !reading.is_light(n))
    }
}
