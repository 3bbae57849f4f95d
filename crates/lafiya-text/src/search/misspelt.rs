//! Finds the index words within one or two edits of a typed word: a wrong, missing or extra letter,
//! or two letters swapped.
//!
//! Words are sorted by length, so the words of suitable lengths are one contiguous range of every
//! posting list. A near word shares a trigram with the typed word; comparing letter sets then
//! rejects nearly all other candidates.

use std::ops::Range;

use rapidfuzz::distance::osa;
use smallvec::SmallVec;

use super::near::{Letters, differing_max};
use crate::hash::FastMap;

/// Shorter words are close to too many others.
pub(super) const LETTERS_MIN: usize = 4;
/// From this length on, two edits are allowed.
const LETTERS_FOR_TWO: usize = 7;
/// One edit changes at most three trigrams; a swap changes four.
const SPOILT_BY_SLIP: usize = 4;
/// Inline capacity: most words are no longer.
const LETTERS_LIKELY: usize = 16;

type Trigrams = SmallVec<[u64; LETTERS_LIKELY]>;

/// The words of the index, sorted by length.
#[derive(Clone, Debug, Default)]
pub(super) struct Misspelt {
    /// The number of each word, and its length and letters.
    words: Vec<u32>,
    shapes: Vec<Shape>,
    /// Where the words of each length begin, and where the longest end.
    starts: Vec<u32>,
    /// Posting lists: for each trigram, the positions of the words that contain it, in ascending
    /// order.
    trigrams: FastMap<u64, Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    length: u32,
    letters: Letters,
}

impl Shape {
    fn of(word: &str) -> Self {
        Self {
            length: number(word.chars().count()),
            letters: Letters::of(word),
        }
    }

    /// Whether a word with the other shape can be within the given number of edits.
    #[inline]
    fn may_be_near(self, other: Self, slips: u32) -> bool {
        let longer = self.length.abs_diff(other.length);
        self.letters
            .differ_by_at_most(other.letters, differing_max(slips, longer))
    }
}

impl Misspelt {
    /// Builds the list from the words of an index, given in the order of their numbers.
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut words: Vec<(Shape, u32, &str)> = (0..)
            .zip(texts)
            .map(|(number, text)| (Shape::of(text), number, text))
            .collect();
        words.sort_by_key(|(shape, ..)| shape.length);
        let longest = words.last().map_or(0, |(shape, ..)| shape.length);
        let shorter_than = |length: u32| words.partition_point(|(shape, ..)| shape.length < length);
        let mut by_trigram: FastMap<u64, Vec<u32>> = FastMap::default();
        for (place, (_, _, text)) in (0..).zip(&words) {
            for trigram in trigrams(text) {
                let list = by_trigram.entry(trigram).or_default();
                // A word that has a trigram twice is listed once.
                if list.last() != Some(&place) {
                    list.push(place);
                }
            }
        }
        Self {
            // One more than the longest length, so that every range has an end.
            starts: (0..=longest + 1)
                .map(|length| number(shorter_than(length)))
                .collect(),
            words: words.iter().map(|(_, number, _)| *number).collect(),
            shapes: words.iter().map(|(shape, ..)| *shape).collect(),
            trigrams: by_trigram,
        }
    }

    /// Calls back for every word near `found`, with its number of edits. `text_of` returns a word
    /// by its number.
    pub(super) fn for_each_near<'a>(
        &self,
        text: &str,
        text_of: impl Fn(u32) -> &'a str,
        mut found: impl FnMut(u32, usize),
    ) {
        let shape = Shape::of(text);
        let length = shape.length as usize;
        let slips = match length {
            0..LETTERS_MIN => return,
            LETTERS_MIN..LETTERS_FOR_TWO => 1,
            _ => 2,
        };
        let stretch = self.of_lengths((length - slips).max(LETTERS_MIN)..length + slips + 1);
        let comparator = osa::BatchComparator::new(text.chars());
        let cutoff = osa::Args::default().score_cutoff(slips);
        let mut compared: SmallVec<[u32; LETTERS_LIKELY]> = SmallVec::new();
        for &place in self
            .sharing(text, slips, &stretch)
            .iter()
            .copied()
            .flatten()
        {
            let other = self.shapes[place as usize];
            if !shape.may_be_near(other, number(slips)) || compared.contains(&place) {
                continue;
            }
            compared.push(place);
            let word = self.words[place as usize];
            if let Some(slips) = comparator.distance_with_args(text_of(word).chars(), &cutoff) {
                found(word, slips);
            }
        }
    }

    /// Returns the positions of the words whose lengths are in a range.
    fn of_lengths(&self, lengths: Range<usize>) -> Range<u32> {
        let start = |length: usize| self.starts.get(length).or(self.starts.last()).copied();
        let [from, to] =
            [lengths.start, lengths.end].map(|length| start(length).unwrap_or_default());
        from..to
    }

    /// Selects posting lists of a range such that every near word is in at least one of them.
    fn sharing(
        &self,
        text: &str,
        slips: usize,
        stretch: &Range<u32>,
    ) -> SmallVec<[&[u32]; LETTERS_LIKELY]> {
        let list = |trigram: &u64| self.trigrams.get(trigram).map_or(&[][..], Vec::as_slice);
        let own = trigrams(text);
        let lists = own.iter().map(|trigram| within(list(trigram), stretch));
        let mut lists: SmallVec<[&[u32]; LETTERS_LIKELY]> = lists.collect();
        // A near word shares this many trigrams, so it is also in one of the other lists: the
        // longest lists can be skipped.
        let shared = own.len().saturating_sub(SPOILT_BY_SLIP * slips).max(1);
        lists.sort_unstable_by_key(|list| list.len());
        lists.truncate(own.len() + 1 - shared);
        lists
    }
}

/// Returns the part of a list that falls into a range.
fn within<'a>(list: &'a [u32], stretch: &Range<u32>) -> &'a [u32] {
    let from = list.partition_point(|&place| place < stretch.start);
    let list = &list[from..];
    &list[..list.partition_point(|&place| place < stretch.end)]
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the trigrams of a word with start and end markers, each packed into one number.
fn trigrams(text: &str) -> Trigrams {
    let marked = std::iter::once('^').chain(text.chars()).chain(['$']);
    // A character has at most 21 bits, so three of them fit into one number.
    let mut last = 0_u64;
    let ends = marked.map(|letter| {
        last = (last << 21 | u64::from(letter)) & ((1 << 63) - 1);
        last
    });
    ends.skip(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] = [
        "breath",
        "breathe",
        "breast",
        "wreath",
        "shortness",
        "sorted",
        "ebola",
        "fits",
        "cough",
    ];

    fn near(text: &str) -> Vec<(&'static str, usize)> {
        let mut found = Vec::new();
        let text_of = |word: u32| WORDS[word as usize];
        let take = |word: u32, slips: usize| found.push((text_of(word), slips));
        Misspelt::of(WORDS.into_iter()).for_each_near(text, text_of, take);
        found.sort_unstable();
        found
    }

    #[test]
    fn misspelt_words_are_found_with_their_edit_distance() {
        assert_eq!(near("breth"), [("breath", 1)]);
        assert_eq!(near("shortnes"), [("shortness", 1)]);
        assert_eq!(near("shrotnes"), [("shortness", 2)]);
        assert_eq!(
            near("breathe"),
            [("breath", 1), ("breathe", 0), ("wreath", 2)]
        );
        assert_eq!(near("fit"), [], "too short");
        assert_eq!(near("incomprehensibilities"), [], "longer than any");
    }

    #[test]
    fn the_index_finds_what_brute_force_finds() {
        let slips = |text: &str| if text.len() < LETTERS_FOR_TWO { 1 } else { 2 };
        for word in WORDS.into_iter().filter(|word| word.len() > LETTERS_MIN) {
            for at in 0..word.len() {
                for letter in ["", "a", "th"] {
                    let text = format!("{}{letter}{}", &word[..at], &word[at + 1..]);
                    let distance = |word: &&str| osa::distance(word.chars(), text.chars());
                    let mut by_all: Vec<_> =
                        WORDS.iter().map(|word| (*word, distance(word))).collect();
                    by_all.retain(|word| word.1 <= slips(&text));
                    by_all.sort_unstable();
                    assert_eq!(near(&text), by_all, "{text}");
                }
            }
        }
    }
}
