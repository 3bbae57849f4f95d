//! Typing errors: a word that nobody knows and that is one slip from a word of the lexicon is taken for it.
//!
//! Only the first letter is trusted. A word that the base uses anywhere in its texts is never corrected.

use lafiya_knowledge::KnowledgeBase;
use rapidfuzz::distance::osa;

use crate::fold;
use crate::hash::{FastMap, FastSet};

/// Known words, and the words of the lexicon by what is left when one letter is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling {
    known: FastSet<String>,
    dropped: FastMap<String, Vec<String>>,
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
        for word in lexicon {
            spelling.known.insert(word.to_owned());
            if word.len() > LETTERS_MIN && word.is_ascii() {
                for rest in drops(word) {
                    spelling
                        .dropped
                        .entry(rest)
                        .or_default()
                        .push(word.to_owned());
                }
            }
        }
        for list in spelling.dropped.values_mut() {
            list.sort();
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
            // Without its letter at this place; at the end, the whole word.
            rest.clear();
            rest.push_str(&word[..at]);
            rest.push_str(word.get(at + 1..).unwrap_or_default());
            for candidate in self.dropped.get(&rest).into_iter().flatten() {
                // One that begins otherwise is not meant; one that was met before is not counted again.
                let met = best.is_some_and(|(_, chosen)| chosen == candidate);
                if met || candidate.as_bytes().first() != first {
                    continue;
                }
                let slips = osa::distance(word.bytes(), candidate.bytes());
                let better = best
                    .is_none_or(|(known, chosen)| (slips, candidate.as_str()) < (known, chosen));
                if slips <= allowed && better {
                    best = Some((slips, candidate));
                }
            }
        }
        best.map(|(_, word)| word)
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

/// The word without each of its letters in turn, and the word itself.
fn drops(word: &str) -> Vec<String> {
    let mut all: Vec<String> = (0..word.len())
        .map(|n| format!("{}{}", &word[..n], &word[n + 1..]))
        .collect();
    all.push(word.to_owned());
    all
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
