//! A set of phrases, found in a row of words as whole words, longest first.
//!
//! The one automaton behind everything the reader looks for: findings, negators, times, medicines. Words are compared by
//! their keys, which the reading computes once.

use std::collections::BTreeSet;

use crate::hash::{FastMap, key};

/// Phrases, each with what it leads to.
#[derive(Clone, Debug)]
pub(crate) struct PhraseSet<T> {
    words: BTreeSet<String>,
    /// From a node and the key of a word, as one number, to the next node.
    steps: FastMap<u64, u32>,
    ends: Vec<Vec<T>>,
    /// For each node, the words that may follow, one bit for many of them: nearly all others are told apart by this.
    follows: Vec<u64>,
    firsts: Firsts,
}

/// The first word of a phrase, found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun(u32);

/// Which words may begin a phrase, as a sieve of one bit each: most words of a text begin none, and this says so
/// without a look-up.
#[derive(Clone, Debug)]
struct Firsts([u64; FIRSTS_WORDS]);

const FIRSTS_WORDS: usize = 64;

impl Firsts {
    fn place(key: u64) -> (usize, u64) {
        let bits = FIRSTS_WORDS as u64 * 64;
        let at = (key ^ (key >> 32)) % bits;
        ((at / 64) as usize, 1 << (at % 64))
    }

    fn add(&mut self, key: u64) {
        let (word, bit) = Self::place(key);
        self.0[word] |= bit;
    }

    fn may_hold(&self, key: u64) -> bool {
        let (word, bit) = Self::place(key);
        self.0[word] & bit != 0
    }
}

fn follow_bit(key: u64) -> u64 {
    1 << ((key ^ (key >> 32)) % 64)
}

/// A node and the key of a word as one number. Odd, so no two nodes fall together for one word; that different words do
/// does not happen with 64 bits.
#[inline]
fn step_key(node: u32, key: u64) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    key ^ u64::from(node).wrapping_mul(SPREAD)
}

impl<T> Default for PhraseSet<T> {
    fn default() -> Self {
        Self {
            words: BTreeSet::new(),
            steps: FastMap::default(),
            ends: vec![Vec::new()],
            follows: vec![0],
            firsts: Firsts([0; FIRSTS_WORDS]),
        }
    }
}

impl<T> PhraseSet<T> {
    /// Adds a phrase, given as its words.
    pub(crate) fn add<S: AsRef<str>>(&mut self, phrase: &[S], value: T) {
        let mut node = 0;
        if let Some(first) = phrase.first() {
            self.firsts.add(key(first.as_ref()));
        }
        for word in phrase {
            self.words.insert(word.as_ref().to_owned());
            let next = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
            let key = key(word.as_ref());
            self.follows[node as usize] |= follow_bit(key);
            node = *self.steps.entry(step_key(node, key)).or_insert(next);
            if node == next {
                self.ends.push(Vec::new());
                self.follows.push(0);
            }
        }
        self.ends[node as usize].push(value);
    }

    /// Every word of every phrase.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether a phrase is this one word, or may go on with the next. Nearly always it is "no", and then nothing else is
    /// asked.
    #[inline]
    fn may_end_behind(&self, begun: Begun, next: Option<u64>) -> bool {
        let node = begun.0 as usize;
        let follows = |key: u64| self.follows[node] & follow_bit(key) != 0;
        next.is_some_and(follows) || !self.ends[node].is_empty()
    }

    /// Where a word leads to that begins a phrase.
    #[inline]
    pub(crate) fn begun(&self, key: u64) -> Option<Begun> {
        if !self.firsts.may_hold(key) {
            return None;
        }
        self.steps.get(&step_key(0, key)).copied().map(Begun)
    }

    /// Whether a longer phrase may begin with this one word.
    pub(crate) fn goes_on(&self, begun: Begun) -> bool {
        self.follows[begun.0 as usize] != 0
    }

    /// Every phrase that begins with a word, looked up before: its length in words and what it leads to. Shortest first.
    /// `rest` are the words behind it.
    #[inline]
    pub(crate) fn all_from<'s>(
        &'s self,
        begun: Option<Begun>,
        rest: impl Iterator<Item = u64> + Clone + 's,
    ) -> impl Iterator<Item = (usize, &'s [T])> {
        let begun = begun.filter(|it| self.may_end_behind(*it, rest.clone().next()));
        let mut rest = rest;
        let nodes = std::iter::successors(begun.map(|it| it.0), move |node| {
            self.step(*node, rest.next()?)
        });
        nodes
            .map(|node| self.ends[node as usize].as_slice())
            .enumerate()
            .filter(|(_, values)| !values.is_empty())
            .map(|(n, values)| (n + 1, values))
    }

    /// Where the next word leads to.
    #[inline]
    fn step(&self, node: u32, next: u64) -> Option<u32> {
        if self.follows[node as usize] & follow_bit(next) == 0 {
            return None;
        }
        self.steps.get(&step_key(node, next)).copied()
    }

    /// The longest phrase that begins at a place.
    #[inline]
    pub(crate) fn longest_at<'s>(&'s self, keys: &[u64], at: usize) -> Option<(usize, &'s [T])> {
        let (&first, rest) = keys.get(at..)?.split_first()?;
        if self.firsts.may_hold(first) {
            self.longest_from(self.begun(first)?, rest)
        } else {
            None
        }
    }

    fn longest_from(&self, begun: Begun, rest: &[u64]) -> Option<(usize, &[T])> {
        let mut node = begun.0;
        let mut longest = None;
        let mut rest = rest.iter();
        for length in 1.. {
            let values = self.ends[node as usize].as_slice();
            if !values.is_empty() {
                longest = Some((length, values));
            }
            match rest.next().and_then(|next| self.step(node, *next)) {
                Some(next) => node = next,
                None => break,
            }
        }
        longest
    }

    /// Puts what each phrase leads to in order; equals stay as they were added.
    pub(crate) fn sort_by_key<K: Ord>(&mut self, order: impl Fn(&T) -> K) {
        for values in &mut self.ends {
            values.sort_by_key(&order);
        }
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
    #[inline]
    pub(crate) fn length_at(&self, keys: &[u64], at: usize) -> usize {
        self.longest_at(keys, at).map_or(0, |(length, _)| length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_at_a_place_is_found() {
        let set = PhraseSet::of(&["no".to_owned(), "no history of".to_owned()]);
        let words = ["no", "history", "of", "fever"].map(key);
        assert_eq!(set.length_at(&words, 0), 3);
        assert_eq!(set.length_at(&words, 1), 0);
        assert_eq!(set.length_at(&words[..2], 0), 1);
        assert_eq!(set.length_at(&words, 9), 0);
    }
}
