//! Phrases that are one or two slips from the whole query, spaces included: "labiallulcer", "no fithold urne". The words
//! of such a query are no words of the index, so the phrases are compared as a whole, after two cheap questions that
//! nearly all of them fail.

use rapidfuzz::distance::osa;

/// Slips that are forgiven.
const SLIPS_MAX: usize = 2;
/// Shorter queries are near to anything.
const LETTERS_MIN: usize = 8;
/// One slip changes at most two of the letters that a phrase has at all.
const LETTERS_CHANGED_MAX: u32 = 2 * SLIPS_MAX as u32;
/// A phrase that is found so is offered, never taken for granted: "able to drink" is two letters from its opposite.
const OFFERED: f64 = 0.49;
/// What a slip costs.
const SLIP: f64 = 0.04;

/// Every phrase of the index with its letters.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    /// The letters of each phrase as bits, and its length.
    sketches: Vec<(u32, u32)>,
    phrases: Vec<(String, Vec<u32>)>,
}

impl Nearby {
    pub(super) fn of<'a>(exact: impl Iterator<Item = (&'a String, &'a Vec<u32>)>) -> Self {
        let mut phrases: Vec<(String, Vec<u32>)> = exact
            .filter(|(phrase, _)| phrase.len() + SLIPS_MAX >= LETTERS_MIN)
            .map(|(phrase, entries)| (phrase.clone(), entries.clone()))
            .collect();
        phrases.sort_unstable();
        Self {
            sketches: phrases.iter().map(|(phrase, _)| sketch(phrase)).collect(),
            phrases,
        }
    }

    /// Gives every entry whose phrase is near to `keep`, with how much of its trust is left.
    pub(super) fn find(&self, query: &str, mut keep: impl FnMut(u32, f64)) {
        if query.len() < LETTERS_MIN {
            return;
        }
        let (letters, length) = sketch(query);
        for (&(its_letters, its_length), (phrase, entries)) in
            self.sketches.iter().zip(&self.phrases)
        {
            if (letters ^ its_letters).count_ones() > LETTERS_CHANGED_MAX
                || length.abs_diff(its_length) > SLIPS_MAX as u32
            {
                continue;
            }
            let slips = osa::distance(query.chars(), phrase.chars());
            if (1..=SLIPS_MAX).contains(&slips) {
                let left = OFFERED - SLIP * slips as f64;
                entries.iter().for_each(|&at| keep(at, left));
            }
        }
    }
}

fn sketch(phrase: &str) -> (u32, u32) {
    let letters = phrase
        .bytes()
        .fold(0, |letters, byte| letters | 1 << (byte & 31));
    (letters, u32::try_from(phrase.len()).unwrap_or(u32::MAX))
}
