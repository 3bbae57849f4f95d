//! A set of phrases, found in a row of words as whole words, longest first.
//!
//! The one automaton behind everything the reader looks for: findings, negators, times, medicines.

use std::collections::HashMap;

/// Phrases, each with what it leads to.
#[derive(Clone, Debug)]
pub(crate) struct PhraseSet<T> {
    words: HashMap<String, u32>,
    steps: HashMap<(u32, u32), u32>,
    ends: Vec<Vec<T>>,
}

impl<T> Default for PhraseSet<T> {
    fn default() -> Self {
        Self {
            words: HashMap::new(),
            steps: HashMap::new(),
            ends: vec![Vec::new()],
        }
    }
}

impl<T> PhraseSet<T> {
    /// Adds a phrase, given as its words.
    pub(crate) fn add<S: AsRef<str>>(&mut self, phrase: &[S], value: T) {
        let mut node = 0;
        for word in phrase {
            let fresh = number(self.words.len());
            let word = *self.words.entry(word.as_ref().to_owned()).or_insert(fresh);
            let next = number(self.ends.len());
            node = *self.steps.entry((node, word)).or_insert(next);
            if node == next {
                self.ends.push(Vec::new());
            }
        }
        self.ends[node as usize].push(value);
    }

    /// Every word of every phrase.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.keys().map(String::as_str)
    }

    /// Every phrase that begins at a place: its length in words and what it leads to. Shortest first.
    pub(crate) fn all_at<S: AsRef<str>>(&self, words: &[S], at: usize) -> Vec<(usize, &[T])> {
        let mut found = Vec::new();
        let mut node = 0;
        for (n, word) in words[at..].iter().enumerate() {
            let next = self
                .words
                .get(word.as_ref())
                .and_then(|&word| self.steps.get(&(node, word)));
            let Some(&next) = next else { break };
            node = next;
            let values = &self.ends[node as usize];
            if !values.is_empty() {
                found.push((n + 1, values.as_slice()));
            }
        }
        found
    }

    /// The longest phrase that begins at a place.
    pub(crate) fn longest_at<S: AsRef<str>>(
        &self,
        words: &[S],
        at: usize,
    ) -> Option<(usize, &[T])> {
        self.all_at(words, at).pop()
    }
}

impl PhraseSet<()> {
    /// A plain list of phrases.
    pub(crate) fn of(phrases: &[String]) -> Self {
        let mut set = Self::default();
        for phrase in phrases {
            set.add(&phrase.split(' ').collect::<Vec<_>>(), ());
        }
        set
    }

    /// The length of the longest phrase at a place; 0 where none begins.
    pub(crate) fn length_at<S: AsRef<str>>(&self, words: &[S], at: usize) -> usize {
        self.longest_at(words, at).map_or(0, |(length, _)| length)
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_at_a_place_is_found() {
        let set = PhraseSet::of(&["no".to_owned(), "no history of".to_owned()]);
        let words = ["no", "history", "of", "fever"];
        assert_eq!(set.length_at(&words, 0), 3);
        assert_eq!(set.length_at(&words, 1), 0);
        assert_eq!(set.length_at(&["no", "history"], 0), 1);
    }
}
