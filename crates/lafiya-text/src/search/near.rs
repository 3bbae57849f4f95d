//! Finds phrases within one or two edits of the whole query, spaces included: "labiallulcer", "no
//! fithold urne". The words of such a query are not in the index, so whole phrases are compared,
//! after two cheap checks that reject nearly all of them.

use std::ops::Range;

use rapidfuzz::distance::osa;
use smallvec::SmallVec;

use crate::hash::SPREAD;

/// Maximum number of edits.
const SLIPS_MAX: u32 = 2;
/// Shorter queries are close to too many phrases.
const LETTERS_MIN: usize = 8;
/// Below the acceptance limit of 0.5: such a match is only suggested. "Able to drink" is two
/// letters from its opposite.
const OFFERED: f64 = 0.49;
/// Penalty per edit.
const SLIP: f64 = 0.04;

/// The entries of one phrase; nearly always one.
pub(super) type Entries = SmallVec<[u32; 2]>;

/// Number of phrases whose letters are compared in one batch.
const ROW: usize = 16;

/// The highest similarity possible here, whatever the trust of the entry.
pub(super) const NEARBY_MAX: f64 = OFFERED - SLIP;

/// Every phrase of the index with its letters, sorted by length.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    /// Letter masks of each phrase: letters that occur, and letters that occur twice. The first
    /// mask alone rejects nearly all phrases, so it is stored separately.
    once: Vec<u32>,
    twice: Vec<u32>,
    phrases: Vec<(Box<str>, Entries)>,
    /// Long ASCII phrases (one byte per letter), indexed by piece.
    pieces: Pieces,
    /// Long phrases with other letters.
    foreign: Vec<u32>,
}

impl Nearby {
    pub(super) fn of(whole: impl Iterator<Item = (String, Entries)>) -> Self {
        let mut phrases: Vec<(Box<str>, Entries)> = whole
            .filter(|(phrase, _)| phrase.len() + SLIPS_MAX as usize >= LETTERS_MIN)
            .map(|(phrase, entries)| (phrase.into(), entries))
            .collect();
        phrases.sort_unstable_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
        let letters = || phrases.iter().map(|(phrase, _)| Letters::of(phrase));
        let long = || {
            (0..)
                .zip(&phrases)
                .filter(|(_, (phrase, _))| is_cut(phrase.len()))
        };
        let plain = long().filter(|(_, (phrase, _))| phrase.is_ascii());
        let foreign = long().filter(|(_, (phrase, _))| !phrase.is_ascii());
        Self {
            once: letters().map(|letter| letter.once).collect(),
            twice: letters().map(|letter| letter.twice).collect(),
            pieces: Pieces::of(plain.map(|(at, (phrase, _))| (at, phrase.as_bytes()))),
            foreign: foreign.map(|(at, _)| at).collect(),
            phrases,
        }
    }

    /// Calls `keep` for every entry whose phrase is near, with the factor that remains of its
    /// trust.
    pub(super) fn find(&self, query: &str, mut keep: impl FnMut(u32, f64)) {
        if query.len() < LETTERS_MIN {
            return;
        }
        let letters = Letters::of(query);
        let comparator = osa::BatchComparator::new(query.chars());
        let cutoff = osa::Args::default().score_cutoff(SLIPS_MAX as usize);
        let mut compared: SmallVec<[usize; 16]> = SmallVec::new();
        let mut compare = |at: usize, differing: u32| {
            let its = Letters {
                once: self.once[at],
                twice: self.twice[at],
            };
            if !letters.differ_by_at_most(its, differing) || compared.contains(&at) {
                return;
            }
            compared.push(at);
            let (phrase, entries) = &self.phrases[at];
            if let Some(slips @ 1..) = comparator.distance_with_args(phrase.chars(), &cutoff) {
                let left = OFFERED - SLIP * slips as f64;
                entries.iter().for_each(|&at| keep(at, left));
            }
        };
        // The byte length equals the number of letters only in ASCII text; otherwise it cannot be
        // used as a filter.
        let slips = SLIPS_MAX as usize;
        let lengths = query.len() - slips..=query.len() + slips;
        let by_pieces = |length: &usize| query.is_ascii() && is_cut(*length);
        for length in lengths.clone().filter(by_pieces) {
            let longer = u32::try_from(length.abs_diff(query.len())).unwrap_or_default();
            let differing = differing_max(SLIPS_MAX, longer);
            let near = |at: u32| compare(at as usize, differing);
            self.pieces.for_each_near(query.as_bytes(), length, near);
        }
        for length in lengths.clone().filter(|length| !by_pieces(length)) {
            let (from, to) = (self.longer_than(length - 1), self.longer_than(length));
            let near = |at: usize| compare(from + at, DIFFERING_MAX);
            let numbers = &self.once[from..to];
            for_each_near::<DIFFERING_MAX>(numbers, letters.once, near);
        }
        if query.is_ascii() {
            for at in self.foreign.iter().map(|&at| at as usize) {
                if lengths.contains(&self.phrases[at].0.len()) {
                    compare(at, DIFFERING_MAX);
                }
            }
        }
    }

    /// Returns the position of the first phrase with more bytes.
    fn longer_than(&self, bytes: usize) -> usize {
        self.phrases
            .partition_point(|(phrase, _)| phrase.len() <= bytes)
    }
}

/// Two edits change at most four pieces of a phrase (each changes two if it swaps two letters
/// across a cut), so at least one of five pieces occurs unchanged in the query.
const PIECES: usize = 2 * SLIPS_MAX as usize + 1;
/// From this length on, the pieces are long enough to be distinctive.
const CUT_FROM: usize = 2 * PIECES;
const BUCKET_BITS: u32 = 16;

/// Whether phrases of this length are looked up by pieces.
fn is_cut(length: usize) -> bool {
    length >= CUT_FROM
}

/// Hash buckets of the pieces of long phrases, each piece with its position and the length of its
/// phrase. Different pieces may share a bucket, because every candidate is verified anyway.
#[derive(Clone, Debug, Default)]
struct Pieces {
    /// Where the phrases of each bucket begin, and where the last bucket ends.
    starts: Vec<u32>,
    phrases: Vec<u32>,
}

impl Pieces {
    fn of<'a>(phrases: impl Iterator<Item = (u32, &'a [u8])>) -> Self {
        let mut thrown: Vec<(usize, u32)> = Vec::new();
        for (at, phrase) in phrases {
            let piece = |n: usize| bucket(phrase.len(), n, &phrase[cut(phrase.len(), n)]);
            thrown.extend((0..PIECES).map(|n| (piece(n), at)));
        }
        // By bucket, so that each bucket is one range.
        thrown.sort_unstable();
        let before = |bucket: usize| thrown.partition_point(|(number, _)| *number < bucket) as u32;
        Self {
            starts: (0..=1 << BUCKET_BITS).map(before).collect(),
            phrases: thrown.iter().map(|(_, at)| *at).collect(),
        }
    }

    /// Calls back for the phrases of a length that share a piece with the query; a phrase may be
    /// reported more than once. A piece shifts by the number of letters inserted before it, and
    /// insertions before and after it together count as edits.
    fn for_each_near(&self, query: &[u8], length: usize, mut found: impl FnMut(u32)) {
        let slips = i64::from(SLIPS_MAX);
        let longer = query.len() as i64 - length as i64;
        let shifts = (-slips..=slips).filter(|shift| shift.abs() + (longer - shift).abs() <= slips);
        for shift in shifts {
            for n in 0..PIECES {
                let piece = cut(length, n);
                let from = usize::try_from(piece.start as i64 + shift).ok();
                let moved = from.and_then(|from| query.get(from..from + piece.len()));
                if let Some(moved) = moved {
                    let bucket = bucket(length, n, moved);
                    let (from, to) = (self.starts[bucket], self.starts[bucket + 1]);
                    let phrases = &self.phrases[from as usize..to as usize];
                    phrases.iter().for_each(|&at| found(at));
                }
            }
        }
    }
}

/// Returns the range of a piece, given by number, within a phrase.
fn cut(length: usize, piece: usize) -> Range<usize> {
    piece * length / PIECES..(piece + 1) * length / PIECES
}

fn bucket(length: usize, piece: usize, letters: &[u8]) -> usize {
    let start = (length * PIECES + piece) as u64;
    let add = |sum: u64, letter: &u8| (sum ^ u64::from(*letter)).wrapping_mul(SPREAD);
    let sum = letters
        .iter()
        .fold(start.wrapping_mul(SPREAD), |sum, letter| {
            add(sum.rotate_left(23), letter)
        });
    (sum >> (u64::BITS - BUCKET_BITS)) as usize
}

/// Calls `found` with the positions of the numbers that differ from `bits` in at most `MAX` bits.
/// `MAX` is a constant so that the compiler can vectorize whole rows.
#[inline(never)]
fn for_each_near<const MAX: u32>(numbers: &[u32], bits: u32, mut found: impl FnMut(usize)) {
    // Processes a whole row without a branch per element, because most rows contain no match.
    let (rows, rest) = numbers.as_chunks::<ROW>();
    for (n, row) in rows.iter().enumerate() {
        let near = |number: &u32| differ_by_at_most::<MAX>(*number, bits);
        let hits = row
            .iter()
            .fold(0, |hits, number| hits + u32::from(near(number)));
        if hits > 0 {
            let hits = (0..ROW).filter(|&at| near(&row[at]));
            hits.for_each(|at| found(n * ROW + at));
        }
    }
    for (number, at) in rest.iter().zip(rows.len() * ROW..) {
        if differ_by_at_most::<MAX>(*number, bits) {
            found(at);
        }
    }
}

/// Clears set bits one by one instead of counting them, because few bits differ in the relevant
/// cases.
#[inline]
fn differ_by_at_most<const MAX: u32>(one: u32, other: u32) -> bool {
    let mut differing = one ^ other;
    for _ in 0..MAX {
        differing &= differing.wrapping_sub(1);
    }
    differing == 0
}

/// The letters of a text as bit masks: those that occur, and those that occur twice or more.
/// Letters that share a bit count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letters {
    once: u32,
    twice: u32,
}

/// The maximum number of differing bits between two texts.
const DIFFERING_MAX: u32 = differing_max(SLIPS_MAX, 0);

/// Returns the maximum number of differing bits between two texts that are `slips` edits apart, one
/// of them `longer` letters longer. An insertion adds one letter; any other edit removes at most
/// one and adds one.
pub(super) const fn differing_max(slips: u32, longer: u32) -> u32 {
    (2 * slips).saturating_sub(longer)
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let (mut once, mut twice) = (0_u32, 0_u32);
        for c in text.chars() {
            let bit = 1 << (u32::from(c) % u32::BITS);
            twice |= once & bit;
            once |= bit;
        }
        Self { once, twice }
    }

    /// Whether they differ in at most `bits` bits. Nearly all texts differ in more, which the first
    /// mask alone shows; counting all bits takes longer.
    #[inline]
    pub(super) fn differ_by_at_most(self, other: Self, bits: u32) -> bool {
        debug_assert!(bits <= DIFFERING_MAX, "more than slips can change");
        let differing =
            || u64::from(self.once ^ other.once) << 32 | u64::from(self.twice ^ other.twice);
        differ_by_at_most::<DIFFERING_MAX>(self.once, other.once)
            && differing().count_ones() <= bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be_near(one: &str, other: &str, slips: u32) -> bool {
        let longer = u32::try_from(one.len().abs_diff(other.len())).unwrap();
        Letters::of(one).differ_by_at_most(Letters::of(other), differing_max(slips, longer))
    }

    /// Returns every word one edit away, over a few letters that the word contains and lacks.
    fn slipped(word: &str) -> Vec<String> {
        let mut all = Vec::new();
        for at in 0..=word.len() {
            let (before, behind) = word.split_at(at);
            let rest = behind.get(1..).unwrap_or_default();
            all.push(format!("{before}{rest}"));
            for letter in ["a", "h", "x", "z"] {
                all.push(format!("{before}{letter}{behind}"));
                all.push(format!("{before}{letter}{rest}"));
            }
            if let Some(next) = behind.get(1..2) {
                all.push(format!("{before}{next}{}{}", &behind[..1], &behind[2..]));
            }
        }
        all
    }

    #[test]
    fn the_letter_filter_keeps_every_word_within_the_distance() {
        let word = "headache";
        for once in slipped(word) {
            assert!(may_be_near(word, &once, 1), "{once}");
            for twice in slipped(&once) {
                assert!(may_be_near(word, &twice, 2), "{twice}");
            }
        }
        assert!(!may_be_near(word, "headxy", 2));
        assert!(!may_be_near(word, "hxyzache", 2));
        assert!(!may_be_near(word, "hexdache", 0));
    }

    #[test]
    fn rows_within_the_bit_distance_are_all_found() {
        let rows: Vec<u32> = (0..40).collect();
        let mut near: Vec<usize> = Vec::new();
        for_each_near::<1>(&rows, 0b10_0001, |at| near.push(at));
        let by_count = |row: &usize| (rows[*row] ^ 0b10_0001).count_ones() <= 1;
        let counted: Vec<usize> = (0..40).filter(by_count).collect();
        assert_eq!(near, counted);
    }
}
