//! Fast maps for words. The maps are filled once from trusted lists and only read afterwards, so
//! hash-flooding is not a risk.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map that is filled once and read often.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;
/// A set that is filled once and read often.
pub(crate) type FastSet<K> = HashSet<K, BuildHasherDefault<WordHasher>>;

/// Builds a set of the words of a list.
pub(crate) fn set_of(words: &[String]) -> FastSet<String> {
    words.iter().cloned().collect()
}

/// A map with word keys. Keys are already hashes.
pub(crate) type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<IdentityHasher>>;

/// Identity hasher: uses a key as its own hash.
#[derive(Clone, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = WordHasher(self.0);
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

/// Word hasher: FNV-1a with 64 bits, but eight bytes at a time, so that most words take one step.
#[derive(Clone)]
pub(crate) struct WordHasher(u64);

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
/// Multiplier with bits set throughout, so that every letter of a step affects both ends of the
/// hash. It is odd, so no two steps collide.
pub(crate) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bytes per step.
pub(crate) const STEP: usize = 8;

impl WordHasher {
    /// Mixes in eight bytes of a word, or the remaining bytes padded with zeros.
    #[inline]
    pub(crate) fn step(&mut self, bytes: u64) {
        let mixed = (self.0 ^ bytes).wrapping_mul(SPREAD);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// Returns the key of the word hashed so far.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        self.0
    }
}

impl Default for WordHasher {
    fn default() -> Self {
        Self(OFFSET)
    }
}

impl Hasher for WordHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (steps, rest) = bytes.as_chunks::<STEP>();
        for step in steps {
            self.step(u64::from_le_bytes(*step));
        }
        // No word contains a zero byte, so the padding cannot be confused with letters.
        if !rest.is_empty() {
            self.step(low_bytes(rest));
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        // `str` hashing appends one constant byte to every string; it does not distinguish strings.
        self.0 ^= u64::from(number);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // Mixes the high bits down, because the hash map uses both ends.
        let mixed = (self.0 ^ number).wrapping_mul(PRIME);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_isize(&mut self, number: isize) {
        // An enum discriminant: a small number.
        self.write_u64(number.cast_unsigned() as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Loads one to seven bytes as the low bytes of a number, with a few overlapping reads.
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

/// Hashes a word to a 64-bit key. Two words with the same key would be confused; with 64 bits this
/// does not happen in practice.
pub(crate) fn key(word: &str) -> u64 {
    key_of(word.as_bytes())
}

/// Returns the key of a word given as bytes.
#[inline]
pub(crate) fn key_of(word: &[u8]) -> u64 {
    let mut hasher = WordHasher::default();
    hasher.write(word);
    hasher.key()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bytes_reads_short_slices_as_little_endian() {
        for length in 1..STEP {
            let bytes: Vec<u8> = (1..=length).map(|byte| byte as u8).collect();
            let mut whole = [0; STEP];
            whole[..length].copy_from_slice(&bytes);
            assert_eq!(low_bytes(&bytes), u64::from_le_bytes(whole), "{length}");
        }
    }

    #[test]
    fn different_words_have_different_keys() {
        let letters = || ('a'..='z').chain(['é', '.']);
        let pairs = || letters().flat_map(move |a| letters().map(move |b| format!("{a}{b}")));
        let long = pairs().flat_map(|pair| {
            [
                format!("{pair}breathe"),
                format!("breathe{pair}"),
                format!("breath{pair}lessness"),
                format!("{pair}{pair}{pair}{pair}"),
            ]
        });
        let words: HashSet<String> = pairs().chain(long).collect();
        let keys: HashSet<u64> = words.iter().map(|word| key(word)).collect();
        assert_eq!(keys.len(), words.len());
    }
}
