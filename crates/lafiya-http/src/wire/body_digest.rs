//! Recognises a repeated request body. The interview is excluded: it may be named in the body or in
//! a header, and a client that repeats a first turn knows its interview only from the response.

use memchr::memmem;
use sha2::{Digest, Sha256};

const INTERVIEW: &str = "interview_id";

/// Returns the digest of a JSON body without its interview id.
pub(crate) fn digest(body: &[u8]) -> [u8; 32] {
    let [before, behind] = around_interview(body).unwrap_or([body, b""]);
    let digest = Sha256::new().chain_update(before).chain_update(behind);
    digest.finalize().into()
}

/// Returns the parts of the body before and after the interview id, which concatenated give the
/// body without it. `None` if the body contains no interview id, writes the key with escapes, or is
/// not JSON.
fn around_interview(body: &[u8]) -> Option<[&[u8]; 2]> {
    // Most bodies contain no interview id, so they are not parsed.
    memmem::find(body, INTERVIEW.as_bytes())?;
    let value = sonic_rs::get_from_slice(body, [INTERVIEW]).ok()?;
    let value = value.as_raw_str();
    let start = value.as_ptr().addr().checked_sub(body.as_ptr().addr())?;
    let (head, rest) = body.split_at_checked(start)?;
    let behind = rest.get(value.len()..)?;
    let named = head.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let named = named.strip_suffix(b"\"")?;
    let before = named.strip_suffix(INTERVIEW.as_bytes())?;
    let before = before.strip_suffix(b"\"")?;
    // One comma is removed as well: the one before the field, or the one after it if the field
    // comes first.
    if let Some(others) = before.trim_ascii_end().strip_suffix(b",") {
        return Some([others, behind]);
    }
    let next = behind.trim_ascii_start().strip_prefix(b",");
    Some([before, next.map_or(behind, <[u8]>::trim_ascii_start)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(body: &str) -> Option<String> {
        let parts = around_interview(body.as_bytes())?;
        Some(String::from_utf8(parts.concat()).unwrap())
    }

    #[test]
    fn the_digest_ignores_the_interview_id() {
        let plain = r#"{"patient": {"age": 3}, "evidence": ["interview_id"]}"#;
        let named = [
            r#"{"patient": {"age": 3}, "evidence": ["interview_id"], "interview_id": "a"}"#,
            r#"{"patient": {"age": 3}, "interview_id": "b", "evidence": ["interview_id"]}"#,
            r#"{"interview_id" : null, "patient": {"age": 3}, "evidence": ["interview_id"]}"#,
        ];
        for body in named {
            assert_eq!(without(body).as_deref(), Some(plain));
            assert_eq!(digest(body.as_bytes()), digest(plain.as_bytes()));
        }
        let lines = "{\n  \"a\": 1,\n  \"interview_id\": \"x\"\n}";
        assert_eq!(without(lines).as_deref(), Some("{\n  \"a\": 1\n}"));
        assert_eq!(without(r#"{"interview_id":"x"}"#).as_deref(), Some("{}"));
    }

    #[test]
    fn without_a_top_level_interview_id_the_whole_body_is_hashed() {
        for body in [
            r#"{"evidence": ["interview_id"]}"#,
            r#"{"patient": {"interview_id": "x"}}"#,
            r#"{"interview\u005fid": "x"}"#,
            r#"["interview_id"]"#,
            r#"{"interview_id": "#,
            "interview_id",
            "",
        ] {
            assert_eq!(without(body), None, "{body}");
            let whole: [u8; 32] = Sha256::digest(body).into();
            assert_eq!(digest(body.as_bytes()), whole);
        }
    }

    #[test]
    fn different_bodies_have_different_digests() {
        let one = r#"{"interview_id": "x", "age": 3}"#;
        let other = r#"{"interview_id": "x", "age": 4}"#;
        assert_ne!(digest(one.as_bytes()), digest(other.as_bytes()));
    }
}
