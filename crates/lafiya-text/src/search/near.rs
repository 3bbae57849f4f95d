//! Phrases that are one or two slips from the whole query, spaces included: "labiallulcer", "no fithold urne". The words
//! of such a query are no words of the index, so the phrases are compared as a whole, after two cheap questions that
//! nearly all of them fail.

use rapidfuzz::distance::osa;

/// Slips that are forgiven.
const SLIPS_MAX: usize = 2;
/// Shorter queries are near to anything.
const LETTERS_MIN: usize = 8;
/// A phrase that is found so is offered, never taken for granted: "able to drink" is two letters from its opposite.
const OFFERED: f64 = 0.49;
/// What a slip costs.
const SLIP: f64 = 0.04;

/// So many phrases are asked for their letters together.
const ROW: usize = 16;

/// The most that a phrase can get here, however trusted it is.
pub(super) const NEARBY_MAX: f64 = OFFERED - SLIP;

/// Every phrase of the index with its letters, the shortest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    /// The letters of each phrase.
    letters: Vec<Letters>,
    phrases: Vec<(String, Vec<u32>)>,
}

impl Nearby {
    pub(super) fn of<'a>(exact: impl Iterator<Item = (&'a String, &'a Vec<u32>)>) -> Self {
        let mut phrases: Vec<(String, Vec<u32>)> = exact
            .filter(|(phrase, _)| phrase.len() + SLIPS_MAX >= LETTERS_MIN)
            .map(|(phrase, entries)| (phrase.clone(), entries.clone()))
            .collect();
        phrases.sort_unstable_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
        Self {
            letters: phrases
                .iter()
                .map(|(phrase, _)| Letters::of(phrase))
                .collect(),
            phrases,
        }
    }

    /// Gives every entry whose phrase is near to `keep`, with how much of its trust is left.
    pub(super) fn find(&self, query: &str, mut keep: impl FnMut(u32, f64)) {
        if query.len() < LETTERS_MIN {
            return;
        }
        let from = self.longer_than(query.len() - SLIPS_MAX - 1);
        let to = self.longer_than(query.len() + SLIPS_MAX);
        let letters = Letters::of(query);
        let comparator = osa::BatchComparator::new(query.chars());
        let cutoff = osa::Args::default().score_cutoff(SLIPS_MAX);
        let mut compare = |at: usize| {
            let (phrase, entries) = &self.phrases[at];
            if let Some(slips @ 1..) = comparator.distance_with_args(phrase.chars(), &cutoff) {
                let left = OFFERED - SLIP * slips as f64;
                entries.iter().for_each(|&at| keep(at, left));
            }
        };
        // A whole row at a time, without a branch for each: most rows have nothing near.
        let (rows, rest) = self.letters[from..to].as_chunks::<ROW>();
        for (n, row) in rows.iter().enumerate() {
            let near = |its: &Letters| letters.may_be_near(*its, SLIPS_MAX);
            let hits = row.iter().fold(0, |hits, its| hits + u64::from(near(its)));
            if hits > 0 {
                let hits = (0..ROW).filter(|&at| near(&row[at]));
                hits.for_each(|at| compare(from + n * ROW + at));
            }
        }
        for (its, at) in rest.iter().zip(to - rest.len()..to) {
            if letters.may_be_near(*its, SLIPS_MAX) {
                compare(at);
            }
        }
    }

    /// Where the phrases of more bytes begin.
    fn longer_than(&self, bytes: usize) -> usize {
        self.phrases
            .partition_point(|(phrase, _)| phrase.len() <= bytes)
    }
}

/// The letters of a text, as bits: which it has at all, and which it has twice or more. Letters that share a bit count as
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letters(u64);

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let (mut once, mut twice) = (0_u32, 0_u32);
        for c in text.chars() {
            let bit = 1 << (u32::from(c) % u32::BITS);
            twice |= once & bit;
            once |= bit;
        }
        Self(u64::from(twice) << 32 | u64::from(once))
    }

    /// Whether another text may be so many slips away: a slip takes at most one letter away and brings one.
    #[inline]
    pub(super) fn may_be_near(self, other: Self, slips: usize) -> bool {
        // Bits are taken away one by one, since few differ where it matters.
        let mut differing = self.0 ^ other.0;
        for _ in 0..2 * slips {
            differing &= differing.wrapping_sub(1);
        }
        differing == 0
    }
}
