//! Fast maps for words. The maps are filled once from trusted lists and only asked afterwards, so a hash that an attacker
//! could make collide costs nobody anything.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map that is filled once and asked often.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;
/// A set that is filled once and asked often.
pub(crate) type FastSet<K> = HashSet<K, BuildHasherDefault<Fnv>>;

/// The words of a list, to be asked for each.
pub(crate) fn set_of(words: &[String]) -> FastSet<String> {
    words.iter().cloned().collect()
}

/// A map of keys: they are hashes already.
pub(crate) type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<AsIs>>;

/// Takes a key for its own hash.
#[derive(Clone, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = Fnv(self.0);
        hasher.write(bytes);
        self.0 = hasher.0;
    }

    #[inline]
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// FNV-1a, 64 bits, but eight bytes at a time: most words are one step.
#[derive(Clone)]
pub(crate) struct Fnv(u64);

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
/// Has bits everywhere, so that every letter of a step reaches both ends of the hash. Odd: no two steps fall together.
pub(crate) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bytes that are taken in at once.
pub(crate) const STEP: usize = 8;

impl Fnv {
    /// Takes in eight bytes of a word, or what is left of it with zeros behind.
    #[inline]
    pub(crate) fn step(&mut self, bytes: u64) {
        let mixed = (self.0 ^ bytes).wrapping_mul(SPREAD);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// The key of the word whose bytes were taken in.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        self.0
    }
}

impl Default for Fnv {
    fn default() -> Self {
        Self(OFFSET)
    }
}

impl Hasher for Fnv {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (steps, rest) = bytes.as_chunks::<STEP>();
        for step in steps {
            self.step(u64::from_le_bytes(*step));
        }
        // No word has a zero byte, so those that fill the last step are told from letters.
        if !rest.is_empty() {
            self.step(low_bytes(rest));
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        // Behind every text stands one and the same byte, which tells no two texts apart.
        self.0 ^= u64::from(number);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // Whole words at once, with the high bits mixed down: the map uses both ends.
        let mixed = (self.0 ^ number).wrapping_mul(PRIME);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_isize(&mut self, number: isize) {
        // Which of several kinds a key is: a small number.
        self.write_u64(number.cast_unsigned() as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// One to seven bytes as the low bytes of a number. Taken in few pieces that overlap: where they do, they are the same.
#[inline]
fn low_bytes(bytes: &[u8]) -> u64 {
    let last = bytes.len() - 1;
    if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (low, high) = (u32::from_le_bytes(*low), u32::from_le_bytes(*high));
        u64::from(low) | u64::from(high) << (8 * (last - 3))
    } else {
        let byte = |n: usize| u64::from(bytes[n]) << (8 * n);
        byte(0) | byte(bytes.len() / 2) | byte(last)
    }
}

/// A word as a number. Two words that share one would be mistaken for each other: with 64 bits that does not happen.
pub(crate) fn key(word: &str) -> u64 {
    key_of(word.as_bytes())
}

/// The key of a word, given as its bytes.
#[inline]
pub(crate) fn key_of(word: &[u8]) -> u64 {
    let mut hasher = Fnv::default();
    hasher.write(word);
    hasher.key()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bytes_are_those_of_the_number() {
        for length in 1..STEP {
            let bytes: Vec<u8> = (1..=length).map(|it| it as u8).collect();
            let mut whole = [0; STEP];
            whole[..length].copy_from_slice(&bytes);
            assert_eq!(low_bytes(&bytes), u64::from_le_bytes(whole), "{length}");
        }
    }

    #[test]
    fn words_have_keys_of_their_own() {
        let letters = || ('a'..='z').chain(['é', '.']);
        let pairs = || letters().flat_map(move |a| letters().map(move |b| format!("{a}{b}")));
        let long = pairs().flat_map(|it| {
            [
                format!("{it}breathe"),
                format!("breathe{it}"),
                format!("breath{it}lessness"),
                format!("{it}{it}{it}{it}"),
            ]
        });
        let words: HashSet<String> = pairs().chain(long).collect();
        let keys: HashSet<u64> = words.iter().map(|word| key(word)).collect();
        assert_eq!(keys.len(), words.len());
    }
}
