//! Standard Webhooks signatures (standardwebhooks.com): HMAC-SHA256 over id, timestamp and body,
//! one for each currently valid secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use rand::RngExt;
use sha2::Sha256;

const SECRET_PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// A signing secret. Shown once, in the format that webhook libraries expect.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Generates a new secret.
    pub fn generate() -> Self {
        let mut bytes = vec![0; SECRET_BYTES];
        rand::rng().fill(bytes.as_mut_slice());
        Self(bytes)
    }

    /// Creates a secret from its stored bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes to store.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the form for users and libraries: `whsec_` and base64.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_webhooks::Secret;
    ///
    /// assert!(Secret::generate().reveal().starts_with("whsec_"));
    /// ```
    pub fn reveal(&self) -> String {
        format!("{SECRET_PREFIX}{}", STANDARD.encode(&self.0))
    }

    fn sign(&self, id: &str, at: Timestamp, body: &str) -> String {
        let mut mac: Hmac<Sha256> =
            Hmac::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(format!("{id}.{}.{body}", at.as_second()).as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Returns the value of the `webhook-signature` header.
///
/// # Example
///
/// ```
/// use jiff::Timestamp;
/// use lafiya_webhooks::{Secret, signature::signature};
///
/// let (old, new) = (Secret::generate(), Secret::generate());
/// // While a secret is rotated, both sign.
/// let header = signature(&[new, old], "msg_1", Timestamp::now(), "{}");
/// assert_eq!(header.split(' ').count(), 2);
/// ```
pub fn signature(secrets: &[Secret], id: &str, at: Timestamp, body: &str) -> String {
    let all: Vec<String> = secrets
        .iter()
        .map(|secret| secret.sign(id, at, body))
        .collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_matches_the_example_of_the_specification() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let at = Timestamp::from_second(1_614_265_330).unwrap();
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signed = signature(
            &[Secret::from_bytes(secret)],
            id,
            at,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_second_secret_adds_a_second_signature() {
        let secrets = [Secret::generate(), Secret::generate()];
        let signed = signature(&secrets, "id", Timestamp::UNIX_EPOCH, "{}");
        let (new, old) = signed.split_once(' ').unwrap();
        assert_eq!(
            new,
            signature(&secrets[..1], "id", Timestamp::UNIX_EPOCH, "{}")
        );
        assert_eq!(
            old,
            signature(&secrets[1..], "id", Timestamp::UNIX_EPOCH, "{}")
        );
        assert_ne!(new, old);
    }

    #[test]
    fn a_secret_is_shown_only_by_reveal() {
        let secret = Secret::generate();
        assert!(secret.reveal().starts_with("whsec_"));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_ne!(secret.reveal(), Secret::generate().reveal());
    }
}
