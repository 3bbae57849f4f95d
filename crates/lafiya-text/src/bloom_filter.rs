//! A Bloom filter: rejects keys that are not in a set without a hash look-up. Most words of a text
//! are in none of the sets.

use crate::hash::KeyMap;

/// A Bloom filter with one bit per key.
#[derive(Clone, Debug)]
pub(crate) struct BloomFilter(Vec<u64>);

/// Keys per word of the filter. With one bit in sixteen set, one absent key in sixteen passes.
const KEYS_A_WORD: usize = 4;

impl BloomFilter {
    /// Creates a filter with room for twice the given number of keys.
    pub(crate) fn of(keys: usize) -> Self {
        let words = (2 * keys).div_ceil(KEYS_A_WORD);
        Self(vec![0; words.next_power_of_two()])
    }

    pub(crate) fn is_full(&self, keys: usize) -> bool {
        keys > self.0.len() * KEYS_A_WORD
    }

    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        // The number of words is a power of two. The bit index comes from the top bits, which are
        // mixed best: the low bits, together with those of the word index, would reflect little
        // more than a first letter.
        let word = (key >> 32) as usize & (self.0.len() - 1);
        (word, 1 << (key >> 58))
    }

    pub(crate) fn add(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        self.0[word] |= bit;
    }

    #[inline]
    pub(crate) fn may_hold(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.0[word] & bit != 0
    }
}

/// A set of keys for which most look-ups miss.
#[derive(Clone, Debug)]
pub(crate) struct KeySet {
    bloom_filter: BloomFilter,
    keys: KeyMap<()>,
}

impl FromIterator<u64> for KeySet {
    fn from_iter<I: IntoIterator<Item = u64>>(keys: I) -> Self {
        let keys: KeyMap<()> = keys.into_iter().map(|key| (key, ())).collect();
        let mut bloom_filter = BloomFilter::of(keys.len());
        keys.keys().for_each(|key| bloom_filter.add(*key));
        Self { bloom_filter, keys }
    }
}

impl KeySet {
    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        self.bloom_filter.may_hold(key) && self.keys.contains_key(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::key;

    #[test]
    fn a_set_holds_what_was_put_into_it_and_nothing_else() {
        let words = |range: std::ops::Range<u32>| range.map(|n| key(&n.to_string()));
        let set: KeySet = words(0..100).collect();
        assert!(words(0..100).all(|key| set.contains(key)));
        assert!(!words(100..5_000).any(|key| set.contains(key)));
        let none: KeySet = [].into_iter().collect();
        assert!(!words(0..100).any(|key| none.contains(key)));
    }

    #[test]
    fn most_absent_keys_are_rejected() {
        let set: KeySet = (0..100).map(|n: u32| key(&n.to_string())).collect();
        let absent = (100..5_100).map(|n: u32| key(&n.to_string()));
        let passed = absent.filter(|key| set.bloom_filter.may_hold(*key)).count();
        assert!(passed < 500, "{passed} of 5,000");
    }
}
