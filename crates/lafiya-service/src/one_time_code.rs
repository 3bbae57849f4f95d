//! One-time codes of authenticator apps (TOTP, RFC 6238: SHA-1, six digits, 30 seconds). The secret
//! is encoded in base32, as the apps expect.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use rand::RngExt;
use sha1::Sha1;
use subtle::ConstantTimeEq;

const STEP_SECONDS: u64 = 30;
const SECRET_BYTES: usize = 20;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Generates a new secret in base32.
pub fn new_secret() -> String {
    let mut bytes = [0_u8; SECRET_BYTES];
    rand::rng().fill(&mut bytes);
    encoded(&bytes)
}

/// Returns the `otpauth://` URL for authenticator apps.
pub fn app_address(email: &str, secret: &str) -> String {
    let email = email.replace('@', "%40").replace('+', "%2B");
    format!("otpauth://totp/Lafiya:{email}?secret={secret}&issuer=Lafiya")
}

/// Returns the time step that a code is valid for: the current one, or one before or after to allow
/// for clock differences.
pub(crate) fn step_of(secret: &str, code: &str, now: Timestamp) -> Option<u64> {
    let code: String = code
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let key = decoded(secret)?;
    let this = u64::try_from(now.as_second()).ok()? / STEP_SECONDS;
    [this, this.saturating_sub(1), this + 1]
        .into_iter()
        .find(|&step| code_at(&key, step).as_bytes().ct_eq(code.as_bytes()).into())
}

fn code_at(key: &[u8], step: u64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 0x0f);
    let mut word = [0_u8; 4];
    word.copy_from_slice(&hash[offset..offset + 4]);
    let number = (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000;
    format!("{number:06}")
}

fn encoded(bytes: &[u8]) -> String {
    let bit = |at: usize| {
        bytes
            .get(at / 8)
            .is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1)
    };
    (0..bytes.len() * 8)
        .step_by(5)
        .map(|start| (start..start + 5).fold(0, |value, at| value * 2 + usize::from(bit(at))))
        .map(|value| char::from(BASE32[value]))
        .collect()
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bits = 0_u32;
    let mut held = 0_u32;
    let mut bytes = Vec::new();
    for letter in text.bytes() {
        let value = BASE32.iter().position(|&known| known == letter)?;
        held = (held << 5 | u32::try_from(value).ok()?) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SHA-1 test vectors of RFC 6238, truncated to six digits.
    #[test]
    fn codes_match_the_rfc_6238_test_vectors() {
        let secret = encoded(b"12345678901234567890");
        assert_eq!(secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_234_567_890, "005924"),
            (20_000_000_000, "353130"),
        ] {
            let now = Timestamp::from_second(second).unwrap();
            let step = u64::try_from(second).unwrap() / STEP_SECONDS;
            assert_eq!(step_of(&secret, code, now), Some(step), "{second}");
            let later = Timestamp::from_second(second + 90).unwrap();
            assert_eq!(step_of(&secret, code, later), None, "{second}");
        }
    }

    #[test]
    fn a_new_secret_decodes() {
        let secret = new_secret();
        assert_eq!(decoded(&secret).unwrap().len(), SECRET_BYTES);
        assert_eq!(encoded(&decoded(&secret).unwrap()), secret);
        assert_ne!(secret, new_secret());
    }
}
