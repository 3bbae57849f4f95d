//! Encryption of documents at rest with XChaCha20-Poly1305 and a key from the settings.
//!
//! Several keys may be configured: the first encrypts and all of them decrypt, so that keys can be
//! replaced while replicas run. A ciphertext is bound to its row: moved to another row it cannot be
//! decrypted. The key id is stored in its own column; null means "not encrypted".

use std::fmt::{self, Display};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

use super::StoreError;

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// Bytes of a key's fingerprint that form its id: enough to tell keys apart, and no help to an
/// attacker.
const ID_BYTES: usize = 6;

/// The keys that documents are encrypted and decrypted with. Without any, documents are stored in
/// plain text.
#[derive(Clone, Default)]
pub struct DataKeys {
    keys: Arc<[DataKey]>,
}

struct DataKey {
    id: String,
    cipher: XChaCha20Poly1305,
}

/// The error for a text that is not a list of data keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a data key is 32 random bytes in base64 or hexadecimal (make one with `openssl rand -base64 32`); \
     several are separated by commas, the first seals"
)]
pub struct NotDataKeys;

impl DataKeys {
    /// Parses keys separated by commas. An empty text disables encryption.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_storage::store::DataKeys;
    ///
    /// let key = "00".repeat(32);
    /// assert!(DataKeys::parse(&key).is_ok_and(|keys| keys.seal_documents()));
    /// assert!(DataKeys::parse("").is_ok_and(|keys| !keys.seal_documents()));
    /// assert!(DataKeys::parse("too short").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, NotDataKeys> {
        let words = text.split(',').map(str::trim);
        let keys: Result<Vec<DataKey>, NotDataKeys> = words
            .filter(|word| !word.is_empty())
            .map(|word| DataKey::parse(word).ok_or(NotDataKeys))
            .collect();
        Ok(Self { keys: keys?.into() })
    }

    /// Whether documents are encrypted.
    pub fn seal_documents(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Returns the id of the key that encrypts.
    pub fn current_id(&self) -> Option<&str> {
        self.keys.first().map(|key| key.id.as_str())
    }

    pub(super) fn hold(&self, id: &str) -> bool {
        self.keys.iter().any(|key| key.id == id)
    }

    /// Encrypts a document for the row that `place` names. Without a key, `place` is not formatted.
    pub(super) fn seal(
        &self,
        place: &(impl Display + ?Sized),
        plain: impl Into<Bytes>,
    ) -> Result<Sealed, StoreError> {
        let plain = plain.into();
        let Some(key) = self.keys.first() else {
            return Ok(Sealed {
                key: None,
                bytes: plain,
            });
        };
        let nonce = XNonce::generate();
        let place = place.to_string();
        let payload = Payload {
            msg: &plain,
            aad: place.as_bytes(),
        };
        let ciphertext = key
            .cipher
            .encrypt(&nonce, payload)
            .map_err(|_| StoreError::corrupt("a document could not be sealed"))?;
        let mut bytes = Vec::with_capacity(NONCE_BYTES + ciphertext.len());
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&ciphertext);
        Ok(Sealed {
            key: Some(key.id.clone()),
            bytes: bytes.into(),
        })
    }

    /// Decrypts a document of the same row.
    pub(super) fn open(
        &self,
        place: &(impl Display + ?Sized),
        sealed: Sealed,
    ) -> Result<Vec<u8>, StoreError> {
        let Some(id) = sealed.key else {
            return Ok(sealed.bytes.into());
        };
        let key = self.keys.iter().find(|key| key.id == id).ok_or_else(|| {
            StoreError::corrupt(format!("the data key {id} is not among those configured"))
        })?;
        let (nonce, ciphertext) = sealed
            .bytes
            .split_at_checked(NONCE_BYTES)
            .ok_or_else(|| StoreError::corrupt("a sealed document is too short"))?;
        let nonce = XNonce::try_from(nonce)
            .map_err(|_| StoreError::corrupt("a sealed document has no nonce"))?;
        let place = place.to_string();
        let payload = Payload {
            msg: ciphertext,
            aad: place.as_bytes(),
        };
        key.cipher
            .decrypt(&nonce, payload)
            .map_err(|_| StoreError::corrupt("a sealed document was changed or moved"))
    }
}

impl DataKey {
    fn parse(word: &str) -> Option<Self> {
        let bytes = read_key(word)?;
        let mut fingerprint = Sha256::new();
        fingerprint.update(b"lafiya data key");
        fingerprint.update(bytes);
        let digest = fingerprint.finalize();
        Some(Self {
            id: hex::encode(&digest[..ID_BYTES]),
            cipher: XChaCha20Poly1305::new(&bytes.into()),
        })
    }
}

fn read_key(word: &str) -> Option<[u8; KEY_BYTES]> {
    if word.len() == KEY_BYTES * 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let mut bytes = [0; KEY_BYTES];
        hex::decode_to_slice(word, &mut bytes).ok()?;
        return Some(bytes);
    }
    let word = word.trim_end_matches('=');
    let decoded = STANDARD_NO_PAD
        .decode(word)
        .or_else(|_| URL_SAFE_NO_PAD.decode(word));
    decoded.ok()?.try_into().ok()
}

/// Neither the keys nor their number may be logged.
impl fmt::Debug for DataKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKeys(…)")
    }
}

/// A document as stored in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sealed {
    /// The id of the key that decrypts it; `None` if it is not encrypted.
    pub(super) key: Option<String>,
    pub(super) bytes: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const TWO: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

    fn keys(text: &str) -> DataKeys {
        DataKeys::parse(text).unwrap()
    }

    #[test]
    fn sealed_data_opens_only_with_its_key_and_context() {
        let sealed = keys(ONE).seal("here", b"the patient".to_vec()).unwrap();
        assert!(!sealed.bytes.windows(7).any(|part| part == b"patient"));
        let opened = keys(ONE).open("here", sealed.clone());
        assert_eq!(opened.unwrap(), b"the patient");
        assert!(keys(ONE).open("there", sealed.clone()).is_err());
        assert!(keys(TWO).open("here", sealed.clone()).is_err());
        let mut bytes = Vec::from(sealed.bytes.clone());
        *bytes.last_mut().unwrap() ^= 1;
        let changed = Sealed {
            bytes: bytes.into(),
            ..sealed
        };
        assert!(keys(ONE).open("here", changed).is_err());
    }

    #[test]
    fn the_first_key_seals_and_every_key_opens() {
        let before = keys(ONE).seal("here", b"old".to_vec()).unwrap();
        let both = keys(&format!("{TWO}, {ONE}"));
        assert_eq!(both.open("here", before).unwrap(), b"old");
        let after = both.seal("here", b"new".to_vec()).unwrap();
        assert_eq!(after.key.as_deref(), keys(TWO).current_id());
        assert_eq!(keys(TWO).open("here", after).unwrap(), b"new");
    }

    #[test]
    fn sealing_is_randomised() {
        let seal = || keys(ONE).seal("here", b"same".to_vec()).unwrap().bytes;
        assert_ne!(seal(), seal());
    }

    #[test]
    fn without_keys_documents_stay_in_plain_text() {
        let none = keys("");
        assert!(!none.seal_documents());
        let kept = none.seal("here", b"plain".to_vec()).unwrap();
        assert_eq!((kept.key.clone(), &*kept.bytes), (None, &b"plain"[..]));
        assert_eq!(keys(ONE).open("here", kept).unwrap(), b"plain");
    }

    #[test]
    fn a_key_has_exactly_thirty_two_bytes() {
        for text in ["short", "AAEC", &ONE[1..], &TWO[2..], &format!("{ONE},x")] {
            assert_eq!(DataKeys::parse(text).unwrap_err(), NotDataKeys, "{text}");
        }
        assert!(!format!("{:?}", keys(ONE)).contains("AAEC"));
    }
}
