//! Spelling correction: an unknown word that is one edit away from a word of the lexicon (up to two
//! edits from eight letters on) is replaced by it.
//!
//! Only the first letter is assumed to be correct. A word that the knowledge base uses anywhere in
//! its texts is never corrected.

use std::ops::Range;

use lafiya_knowledge::KnowledgeBase;
use rapidfuzz::distance::osa;

use crate::fold;
use crate::hash::{FastSet, KeyMap, key};

/// Known words, and the words of the lexicon, indexed by their variants with one letter deleted.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling {
    known: FastSet<String>,
    /// The words of the lexicon that a word may be corrected to.
    words: Vec<String>,
    /// For the key of each deletion variant, the range in `leading` of the words it may come from.
    dropped: KeyMap<Range<u32>>,
    /// Indices into `words`. There are about 100,000 deletion variants, so they are numbers in a
    /// single list.
    leading: Vec<u32>,
}

/// Shorter words are too ambiguous to correct.
const LETTERS_MIN: usize = 4;

impl Spelling {
    /// Builds the corrector. `lexicon` are the possible corrections; `others` are words of the word
    /// lists, which are known but never a correction.
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
            spelling
                .leading
                .extend(of_one_key.iter().map(|entry| entry.1));
            let places = from..spelling.leading.len() as u32;
            spelling.dropped.insert(of_one_key[0].0, places);
        }
        spelling.known.extend(others.map(str::to_owned));
        for text in texts(base) {
            spelling.known.extend(fold::words(text));
        }
        spelling
    }

    /// Returns every known word.
    pub(super) fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }

    /// Returns the correction of an unknown word: the closest word one edit away, or up to two
    /// edits for words of eight letters or more.
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
                // Candidates with another first letter are excluded, and each candidate is counted
                // once.
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

    /// Returns the words that equal this one if at most one of their letters is deleted.
    fn led_to_by(&self, rest: &str) -> impl Iterator<Item = &str> {
        let places = self.dropped.get(&key(rest)).cloned().unwrap_or_default();
        let places = &self.leading[places.start as usize..places.end as usize];
        places
            .iter()
            .map(|&place| self.words[place as usize].as_str())
    }

    fn is_known(&self, word: &str) -> bool {
        self.known.contains(word) || self.known.contains(&crate::stem::singular(word)) || {
            // Inflected forms of a known word are known: "walked", "coughs".
            ["ed", "ing", "s", "es", "d", "ly", "er"]
                .iter()
                .any(|suffix| {
                    word.strip_suffix(suffix)
                        .is_some_and(|root| root.len() > 2 && self.known.contains(root))
                })
        }
    }
}

/// Returns a word without the letter at a position; at its end, the whole word.
fn without<'a>(word: &str, at: usize, rest: &'a mut String) -> &'a str {
    rest.clear();
    rest.push_str(&word[..at]);
    rest.push_str(word.get(at + 1..).unwrap_or_default());
    rest
}

/// Returns the prose texts of the knowledge base, a source of plain English words.
fn texts(base: &KnowledgeBase) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    for finding in base.findings() {
        texts.extend([
            &*finding.text.question,
            &finding.text.caregiver_question,
            &finding.text.explanation,
        ]);
    }
    for risk in base.risks() {
        texts.extend([
            &*risk.text.question,
            &risk.text.caregiver_question,
            &risk.text.explanation,
        ]);
    }
    for condition in base.conditions() {
        let education = &condition.text.education;
        texts.extend([
            &*condition.text.description,
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
