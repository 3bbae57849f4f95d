//! Positional negations, which negate only in certain positions. French "plus de fièvre" negates at
//! the start of a clause, "ni" if it occurs twice, and "ne ... plus" if the finding is in between.

use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::fold::Token;
use crate::phrases::PhraseSet;
use crate::words::ScopeWords;

/// The phrases of positional negations.
#[derive(Clone, Debug)]
pub(super) struct PositionalNegation {
    opening: PhraseSet<()>,
    paired: PhraseSet<()>,
    before_paired: PhraseSet<()>,
    frame_before: PhraseSet<()>,
    frame_behind: PhraseSet<()>,
}

/// Maximum tokens from the first word of a frame to the finding: "n'a vomi", "ne la gratte".
const FRAME_REACH: usize = 2;

impl PositionalNegation {
    pub(super) fn new(words: &ScopeWords) -> Self {
        Self {
            opening: PhraseSet::of(&words.opening_negators),
            paired: PhraseSet::of(&words.paired_negators),
            before_paired: PhraseSet::of(&words.before_paired),
            frame_before: PhraseSet::of(&words.frame_before),
            frame_behind: PhraseSet::of(&words.frame_behind),
        }
    }

    /// Whether a word begins the second part of a frame.
    pub(super) fn begins_frame(&self, key: u64) -> bool {
        self.frame_behind.begun(key).is_some()
    }

    /// Whether a negation is allowed at a token. Most are allowed anywhere.
    pub(super) fn denies_at(&self, reading: &Reading<'_>, at: usize) -> bool {
        if let length @ 1.. = self.opening.length_at(&reading.keys, at) {
            // "Plus de 3 jours" is a duration.
            let counts = reading.traits.get(at + length);
            let is_count = counts.is_some_and(|count| count.has(Trait::Number));
            return reading.clause_of(at).start == at && !is_count;
        }
        self.paired.length_at(&reading.keys, at) == 0 || self.is_paired(reading, at)
    }

    /// Whether a negation precedes it in the clause, or the same word occurs twice in the sentence
    /// and no other word there indicates another language.
    fn is_paired(&self, reading: &Reading<'_>, at: usize) -> bool {
        let before = reading.clause_of(at).start..at;
        if self.before_paired.begins_in(&reading.keys, before) {
            return true;
        }
        let sentence = reading.sentence_of(at);
        let is_same = |n: usize| reading.keys[n] == reading.keys[at];
        let is_twice = sentence.clone().any(|n| n != at && is_same(n));
        is_twice && !{ sentence }.any(|n| reading.traits[n].has(Trait::Cue) && !is_same(n))
    }

    /// Whether a frame encloses a finding and what follows ends the statement about it: "elle ne
    /// vomit plus mais ...".
    pub(super) fn frames(&self, reading: &Reading<'_>, mention: &DraftMention) -> bool {
        let behind = mention.last() + 1;
        let length = self.frame_behind.length_at(&reading.keys, behind);
        let before = mention.first().saturating_sub(FRAME_REACH)..mention.last();
        if length == 0 || !self.frame_before.begins_in(&reading.keys, before) {
            return false;
        }
        let end = behind + length;
        let goes_on = [Mark::Barrier, Mark::Beginning, Mark::Joiner];
        reading.tokens.get(end).is_none_or(Token::is_sign) || reading.marks.has_one_of(end, goes_on)
    }
}
