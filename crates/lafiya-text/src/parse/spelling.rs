//! Typing errors: a word that nobody knows and that is one slip from a word of the lexicon is taken for it.
//!
//! Only the first letter is trusted. A word that the base uses anywhere in its texts is never corrected.

use std::ops::Range;

use lafiya_knowledge::KnowledgeBase;
use rapidfuzz::distance::osa;

use crate::fold;
use crate::hash::{FastSet, KeyMap, key};

/// Known words, and the words of the lexicon by what is left when one letter is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling {
    known: FastSet<String>,
    /// The words of the lexicon that another may be a slip of.
    words: Vec<String>,
    /// By the key of what is left: where in `leading` the words stand that it may come from.
    dropped: KeyMap<Range<u32>>,
    /// Places in `words`. There are a hundred thousand ways to drop a letter, so they are numbers in one list.
    leading: Vec<u32>,
}

/// Shorter words are too alike to be guessed at.
const LETTERS_MIN: usize = 4;

impl Spelling {
    /// `lexicon`: words worth finding. `others`: words of the word lists, known but never a correction.
    pub(super) fn build<'a>(
        base: &KnowledgeBase,
        lexicon: impl Iterator<Item = &'a str>,
        others: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut spelling = Self::default();
        let mut drops: Vec<(u64, u32)> = Vec::new();
        for word in lexicon {
            spelling.known.insert(word.to_owned());
            if word.len() > LETTERS_MIN && word.is_ascii() {
                let place = spelling.words.len() as u32;
                let mut rest = String::with_capacity(word.len());
                let mut key_without = |at| key(without(word, at, &mut rest));
                drops.extend((0..=word.len()).map(|at| (key_without(at), place)));
                spelling.words.push(word.to_owned());
            }
        }
        drops.sort_unstable();
        drops.dedup();
        for of_one_key in drops.chunk_by(|(a, _), (b, _)| a == b) {
            let from = spelling.leading.len() as u32;
            spelling.leading.extend(of_one_key.iter().map(|it| it.1));
            let places = from..spelling.leading.len() as u32;
            spelling.dropped.insert(of_one_key[0].0, places);
        }
        spelling.known.extend(others.map(str::to_owned));
        for text in texts(base) {
            spelling.known.extend(fold::words(text));
        }
        spelling
    }

    /// Every known word.
    pub(super) fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }

    /// The word that was meant, where the one typed is unknown and exactly one slip away.
    pub(super) fn correct(&self, word: &str) -> Option<&str> {
        if word.len() < LETTERS_MIN || !word.is_ascii() || self.is_known(word) {
            return None;
        }
        let first = word.as_bytes().first();
        let allowed = if word.len() >= 8 { 2 } else { 1 };
        let mut best: Option<(usize, &str)> = None;
        let mut rest = String::with_capacity(word.len());
        for at in 0..=word.len() {
            for candidate in self.led_to_by(without(word, at, &mut rest)) {
                // One that begins otherwise is not meant; one that was met before is not counted again.
                let met = best.is_some_and(|(_, chosen)| chosen == candidate);
                if met || candidate.as_bytes().first() != first {
                    continue;
                }
                let slips = osa::distance(word.bytes(), candidate.bytes());
                let better =
                    best.is_none_or(|(known, chosen)| (slips, candidate) < (known, chosen));
                if slips <= allowed && better {
                    best = Some((slips, candidate));
                }
            }
        }
        best.map(|(_, word)| word)
    }

    /// The words that are this one when one of their letters, or none, is dropped.
    fn led_to_by(&self, rest: &str) -> impl Iterator<Item = &str> {
        let places = self.dropped.get(&key(rest)).cloned().unwrap_or_default();
        let places = &self.leading[places.start as usize..places.end as usize];
        places.iter().map(|&it| self.words[it as usize].as_str())
    }

    fn is_known(&self, word: &str) -> bool {
        self.known.contains(word) || self.known.contains(&crate::stem::singular(word)) || {
            // A form of a known word is known: "walked", "coughs".
            ["ed", "ing", "s", "es", "d", "ly", "er"]
                .iter()
                .any(|suffix| {
                    word.strip_suffix(suffix)
                        .is_some_and(|root| root.len() > 2 && self.known.contains(root))
                })
        }
    }
}

/// A word without its letter at a place; at its end, the whole word.
fn without<'a>(word: &str, at: usize, rest: &'a mut String) -> &'a str {
    rest.clear();
    rest.push_str(&word[..at]);
    rest.push_str(word.get(at + 1..).unwrap_or_default());
    rest
}

/// The running texts of the base: a store of plain English.
fn texts(base: &KnowledgeBase) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    for it in base.findings() {
        texts.extend([
            &*it.text.question,
            &it.text.caregiver_question,
            &it.text.explanation,
        ]);
    }
    for it in base.risks() {
        texts.extend([
            &*it.text.question,
            &it.text.caregiver_question,
            &it.text.explanation,
        ]);
    }
    for it in base.conditions() {
        let education = &it.text.education;
        texts.extend([
            &*it.text.description,
            &education.overview,
            &education.when_to_seek_care,
        ]);
        let lists = [
            &education.prevention,
            &education.home_care,
            &education.key_facts,
            &education.symptoms,
        ];
        texts.extend(lists.into_iter().flatten().map(String::as_str));
    }
    texts
}
