//! Phrases that are one or two slips from the whole query, spaces included: "labiallulcer", "no fithold urne". The words
//! of such a query are no words of the index, so the phrases are compared as a whole, after two cheap questions that
//! nearly all of them fail.

use std::ops::Range;

use rapidfuzz::distance::osa;
use smallvec::SmallVec;

use crate::hash::SPREAD;

/// Slips that are forgiven.
const SLIPS_MAX: u32 = 2;
/// Shorter queries are near to anything.
const LETTERS_MIN: usize = 8;
/// A phrase that is found so is offered, never taken for granted: "able to drink" is two letters from its opposite.
const OFFERED: f64 = 0.49;
/// What a slip costs.
const SLIP: f64 = 0.04;

/// The entries that one phrase leads to: nearly always one.
pub(super) type Entries = SmallVec<[u32; 2]>;

/// So many phrases are asked for their letters together.
const ROW: usize = 16;

/// The most that a phrase can get here, however trusted it is.
pub(super) const NEARBY_MAX: f64 = OFFERED - SLIP;

/// Every phrase of the index with its letters, the shortest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    /// The letters that each phrase has at all, and those that it has twice: the first alone tell nearly all phrases
    /// apart, so they lie by themselves.
    once: Vec<u32>,
    twice: Vec<u32>,
    phrases: Vec<(Box<str>, Entries)>,
    /// The long ones of plain letters (one byte each) by their pieces.
    pieces: Pieces,
    /// The long ones that have other letters.
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
        let long = || (0..).zip(&phrases).filter(|(_, (it, _))| is_cut(it.len()));
        let plain = long().filter(|(_, (phrase, _))| phrase.is_ascii());
        let foreign = long().filter(|(_, (phrase, _))| !phrase.is_ascii());
        Self {
            once: letters().map(|it| it.once).collect(),
            twice: letters().map(|it| it.twice).collect(),
            pieces: Pieces::of(plain.map(|(at, (phrase, _))| (at, phrase.as_bytes()))),
            foreign: foreign.map(|(at, _)| at).collect(),
            phrases,
        }
    }

    /// Gives every entry whose phrase is near to `keep`, with how much of its trust is left.
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
        // Bytes are letters only where all are plain; else nothing is concluded from their number.
        let slips = SLIPS_MAX as usize;
        let lengths = query.len() - slips..=query.len() + slips;
        let by_pieces = |length: &usize| query.is_ascii() && is_cut(*length);
        for length in lengths.clone().filter(by_pieces) {
            let longer = u32::try_from(length.abs_diff(query.len())).unwrap_or_default();
            let differing = differing_max(SLIPS_MAX, longer);
            let near = |at: u32| compare(at as usize, differing);
            self.pieces.for_each_near(query.as_bytes(), length, near);
        }
        for length in lengths.clone().filter(|it| !by_pieces(it)) {
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

    /// Where the phrases of more bytes begin.
    fn longer_than(&self, bytes: usize) -> usize {
        self.phrases
            .partition_point(|(phrase, _)| phrase.len() <= bytes)
    }
}

/// Two slips spoil at most four pieces of a phrase (each of them two, where it turns two letters round a cut), so that
/// one of five is found in the query as it is.
const PIECES: usize = 2 * SLIPS_MAX as usize + 1;
/// From here on the pieces have letters enough to tell phrases apart.
const CUT_FROM: usize = 2 * PIECES;
const BUCKET_BITS: u32 = 16;

/// Whether phrases of so many letters are looked up by their pieces.
fn is_cut(length: usize) -> bool {
    length >= CUT_FROM
}

/// The pieces of long phrases, each with its place and the length of its phrase, thrown into buckets. Two pieces of one bucket
/// need not be the same: whoever is found is looked at anyway.
#[derive(Clone, Debug, Default)]
struct Pieces {
    /// Where each bucket begins among the phrases, and where the last one ends.
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
        thrown.sort_unstable();
        let before = |bucket: usize| thrown.partition_point(|(it, _)| *it < bucket) as u32;
        Self {
            starts: (0..=1 << BUCKET_BITS).map(before).collect(),
            phrases: thrown.iter().map(|(_, at)| *at).collect(),
        }
    }

    /// Gives the phrases of a length that share a piece with the query, some of them more than once. A piece moves by as
    /// many letters as were put in before it, and what is put in before and behind it are slips together.
    fn for_each_near(&self, query: &[u8], length: usize, mut found: impl FnMut(u32)) {
        let slips = i64::from(SLIPS_MAX);
        let longer = query.len() as i64 - length as i64;
        let shifts = (-slips..=slips).filter(|it| it.abs() + (longer - it).abs() <= slips);
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

/// Where the piece of a number lies in a phrase.
fn cut(length: usize, piece: usize) -> Range<usize> {
    piece * length / PIECES..(piece + 1) * length / PIECES
}

fn bucket(length: usize, piece: usize, letters: &[u8]) -> usize {
    let start = (length * PIECES + piece) as u64;
    let add = |sum: u64, letter: &u8| (sum ^ u64::from(*letter)).wrapping_mul(SPREAD);
    let sum = letters.iter().fold(start.wrapping_mul(SPREAD), |sum, it| {
        add(sum.rotate_left(23), it)
    });
    (sum >> (u64::BITS - BUCKET_BITS)) as usize
}

/// Gives the places of those numbers to `found` that differ from `bits` in at most `MAX` bits. How many is fixed when the
/// program is built: whole rows then go through the wide registers of the processor.
#[inline(never)]
fn for_each_near<const MAX: u32>(numbers: &[u32], bits: u32, mut found: impl FnMut(usize)) {
    // A whole row at a time, without a branch for each: most rows have nothing near.
    let (rows, rest) = numbers.as_chunks::<ROW>();
    for (n, row) in rows.iter().enumerate() {
        let near = |it: &u32| differ_by_at_most::<MAX>(*it, bits);
        let hits = row.iter().fold(0, |hits, it| hits + u32::from(near(it)));
        if hits > 0 {
            let hits = (0..ROW).filter(|&at| near(&row[at]));
            hits.for_each(|at| found(n * ROW + at));
        }
    }
    for (it, at) in rest.iter().zip(rows.len() * ROW..) {
        if differ_by_at_most::<MAX>(*it, bits) {
            found(at);
        }
    }
}

/// Bits are taken away one by one, since few differ where it matters.
#[inline]
fn differ_by_at_most<const MAX: u32>(one: u32, other: u32) -> bool {
    let mut differing = one ^ other;
    for _ in 0..MAX {
        differing &= differing.wrapping_sub(1);
    }
    differing == 0
}

/// The letters of a text, as bits: which it has at all, and which it has twice or more. Letters that share a bit count as
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letters {
    once: u32,
    twice: u32,
}

/// In how many bits two texts may differ at most.
const DIFFERING_MAX: u32 = differing_max(SLIPS_MAX, 0);

/// In how many bits two texts may differ that are so many slips apart, where one has so many letters more: a slip that
/// makes a text longer brings one letter, any other takes at most one away and brings one.
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

    /// Whether they differ in at most so many bits, which are never more than slips can change. Nearly all texts differ in more,
    /// which a look at the letters that they have at all shows: counting bits takes longer.
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

    /// Every word one slip away, over a few letters that the word has and lacks.
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
    fn letters_differ_by_no_more_than_the_slips_allow() {
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
    fn rows_of_few_differing_bits_are_found_in_every_place() {
        let rows: Vec<u32> = (0..40).collect();
        let mut near: Vec<usize> = Vec::new();
        for_each_near::<1>(&rows, 0b10_0001, |at| near.push(at));
        let by_count = |it: &usize| (rows[*it] ^ 0b10_0001).count_ones() <= 1;
        let counted: Vec<usize> = (0..40).filter(by_count).collect();
        assert_eq!(near, counted);
    }
}
