//! A set of phrases that matches whole words in a token sequence, longest match first.
//!
//! One automaton is used for everything the parser looks for: findings, negations, times,
//! medicines. Words are compared by key, which the parser computes once.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use smallvec::SmallVec;

use crate::bloom_filter::BloomFilter;
use crate::hash::{KeyMap, SPREAD, key};

/// A trie of phrases, each with its values.
#[derive(Clone, Debug)]
pub(crate) struct PhraseSet<T> {
    words: BTreeSet<String>,
    /// Transitions: a node and a word key, combined into one number, to the next node.
    steps: KeyMap<u32>,
    /// Bloom filter over the transitions.
    bloom_filter: BloomFilter,
    /// Index into `values` for the phrases that end at a node; 0 if none does, as at most nodes.
    ends: Vec<u32>,
    /// The values of the phrases; nearly always one each.
    values: Vec<SmallVec<[T; 1]>>,
    /// Whether a longer phrase continues from a node.
    leads_on: Vec<bool>,
}

/// A matched first word of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhrasePrefix {
    /// The node it leads to, which is never the root.
    node: NonZeroU32,
    /// Whether the word is a complete phrase.
    ends: bool,
}

impl PhrasePrefix {
    #[inline]
    fn node(self) -> u32 {
        self.node.get()
    }
}

/// Combines a node and a word key into one number. For a given word, no two nodes collide;
/// collisions between words do not happen in practice with 64 bits.
#[inline]
fn step_key(node: u32, key: u64) -> u64 {
    key ^ u64::from(node).wrapping_mul(SPREAD)
}

impl<T> Default for PhraseSet<T> {
    fn default() -> Self {
        Self {
            words: BTreeSet::new(),
            steps: KeyMap::default(),
            bloom_filter: BloomFilter::of(0),
            ends: vec![0],
            values: vec![SmallVec::new()],
            leads_on: vec![false],
        }
    }
}

impl<T> PhraseSet<T> {
    /// Adds a phrase, given as its words.
    pub(crate) fn add<S: AsRef<str>>(&mut self, phrase: &[S], value: T) {
        let mut node = 0;
        for word in phrase {
            self.words.insert(word.as_ref().to_owned());
            let next = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
            let step = step_key(node, key(word.as_ref()));
            self.leads_on[node as usize] = true;
            node = *self.steps.entry(step).or_insert(next);
            if node == next {
                self.ends.push(0);
                self.leads_on.push(false);
                self.sift(step);
            }
        }
        let end = &mut self.ends[node as usize];
        if *end == 0 {
            *end = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
            self.values.push(SmallVec::new());
        }
        self.values[*end as usize].push(value);
    }

    /// Returns the values of the phrases that end at a node, if any do.
    #[inline]
    fn values_at(&self, node: u32) -> Option<&[T]> {
        let end = self.ends[node as usize];
        (end != 0).then(|| self.values[end as usize].as_slice())
    }

    /// Adds a phrase whose words are separated by spaces.
    pub(crate) fn add_phrase(&mut self, phrase: &str, value: T) {
        self.add(&phrase.split(' ').collect::<Vec<_>>(), value);
    }

    /// Adds a new transition to the Bloom filter, or rebuilds a larger filter if it is full.
    fn sift(&mut self, step: u64) {
        if self.bloom_filter.is_full(self.steps.len()) {
            self.bloom_filter = BloomFilter::of(self.steps.len());
            self.steps
                .keys()
                .for_each(|step| self.bloom_filter.add(*step));
        } else {
            self.bloom_filter.add(step);
        }
    }

    /// Returns every word of every phrase.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Returns the state after a word that begins a phrase.
    #[inline]
    pub(crate) fn begun(&self, key: u64) -> Option<PhrasePrefix> {
        let node = self.step(0, key).and_then(NonZeroU32::new)?;
        let ends = self.ends[node.get() as usize] != 0;
        Some(PhrasePrefix { node, ends })
    }

    /// Whether a longer phrase may begin with this word.
    pub(crate) fn goes_on(&self, begun: PhrasePrefix) -> bool {
        self.leads_on[begun.node() as usize]
    }

    /// Whether a phrase may begin with a word that was already looked up, followed by the next one.
    /// Usually none does, and nothing else has to be checked.
    #[inline]
    pub(crate) fn may_begin(&self, begun: PhrasePrefix, next: Option<u64>) -> bool {
        begun.ends || self.may_go_on(begun, next)
    }

    /// Whether a longer phrase may begin with a word that was already looked up, followed by the
    /// next one.
    #[inline]
    pub(crate) fn may_go_on(&self, begun: PhrasePrefix, next: Option<u64>) -> bool {
        next.is_some_and(|next| self.bloom_filter.may_hold(step_key(begun.node(), next)))
    }

    /// Calls back for every phrase that begins with a word that was already looked up, with its
    /// length in words and its values, shortest first. `rest` are the words after it.
    #[inline]
    pub(crate) fn each_from<'s>(
        &'s self,
        begun: PhrasePrefix,
        rest: impl Iterator<Item = u64>,
        mut tell: impl FnMut(usize, &'s [T]),
    ) {
        let mut node = begun.node();
        let mut rest = rest;
        for length in 1.. {
            if let Some(values) = self.values_at(node) {
                tell(length, values);
            }
            match rest.next().and_then(|next| self.step(node, next)) {
                Some(next) => node = next,
                None => break,
            }
        }
    }

    /// Returns the node that the next word leads to.
    #[inline]
    fn step(&self, node: u32, next: u64) -> Option<u32> {
        let step = step_key(node, next);
        if self.bloom_filter.may_hold(step) {
            self.steps.get(&step).copied()
        } else {
            None
        }
    }

    /// Returns the longest phrase that begins at a position.
    #[inline]
    pub(crate) fn longest_at<'s>(&'s self, keys: &[u64], at: usize) -> Option<(usize, &'s [T])> {
        let key = *keys.get(at)?;
        // Fast path: most words begin no phrase.
        let may_begin = self.bloom_filter.may_hold(step_key(0, key));
        may_begin
            .then(|| self.longest_sifted(key, keys, at))
            .flatten()
    }

    /// Slow path of `longest_at`, for a word that passed the Bloom filter.
    // Rarely taken: kept out of line so that the fast path stays small.
    #[inline(never)]
    fn longest_sifted(&self, key: u64, keys: &[u64], at: usize) -> Option<(usize, &[T])> {
        self.longest_with(self.begun(key)?, keys, at)
    }

    /// Returns the longest phrase at a position whose word was already looked up.
    #[inline]
    pub(crate) fn longest_with<'s>(
        &'s self,
        begun: PhrasePrefix,
        keys: &[u64],
        at: usize,
    ) -> Option<(usize, &'s [T])> {
        self.longest_begun(begun, keys[at + 1..].iter().copied())
    }

    /// Returns the longest phrase that begins with a word that was already looked up. `rest` are
    /// the words after it.
    #[inline]
    pub(crate) fn longest_begun(
        &self,
        begun: PhrasePrefix,
        rest: impl Iterator<Item = u64> + Clone,
    ) -> Option<(usize, &[T])> {
        if self.may_go_on(begun, rest.clone().next()) {
            return self.longest_from(begun, rest);
        }
        self.values_at(begun.node()).map(|values| (1, values))
    }

    // Rarely taken: kept out of line so that the fast path stays small.
    #[inline(never)]
    fn longest_from(
        &self,
        begun: PhrasePrefix,
        rest: impl Iterator<Item = u64>,
    ) -> Option<(usize, &[T])> {
        let mut longest = None;
        self.each_from(begun, rest, |length, values| {
            longest = Some((length, values));
        });
        longest
    }

    /// Sorts the values of each phrase; the sort is stable.
    pub(crate) fn sort_by_key<K: Ord>(&mut self, order: impl Fn(&T) -> K) {
        for values in &mut self.values {
            values.sort_by_key(&order);
        }
    }
}

impl PhraseSet<()> {
    /// Builds a set from a plain list of phrases.
    pub(crate) fn of(phrases: &[String]) -> Self {
        let mut set = Self::default();
        for phrase in phrases {
            set.add_phrase(phrase, ());
        }
        set
    }

    /// Whether a phrase begins at one of the positions.
    #[inline]
    pub(crate) fn begins_in(&self, keys: &[u64], mut places: std::ops::Range<usize>) -> bool {
        places.any(|at| self.length_at(keys, at) > 0)
    }

    /// Returns the length of the longest phrase at a position; 0 if none begins there.
    #[inline]
    pub(crate) fn length_at(&self, keys: &[u64], at: usize) -> usize {
        self.longest_at(keys, at).map_or(0, |(length, _)| length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_at_a_position_is_found() {
        let set = PhraseSet::of(&["no".to_owned(), "no history of".to_owned()]);
        let words = ["no", "history", "of", "fever"].map(key);
        assert_eq!(set.length_at(&words, 0), 3);
        assert_eq!(set.length_at(&words, 1), 0);
        assert_eq!(set.length_at(&words[..2], 0), 1);
        assert_eq!(set.length_at(&words, 9), 0);
    }
}
