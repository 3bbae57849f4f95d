//! Browsers that have signed in before. Their cookie contains a random id and, for each account
//! that signed in there, a keyed hash of id and account. The hash cannot be forged, and only this
//! service can tell which accounts it stands for. The cookie grants no access; it keeps other
//! people's failed attempts from locking out the owner.

use lafiya_model::AccountId;
use subtle::ConstantTimeEq;

use crate::context::Context;
use crate::keys;

/// Maximum number of accounts per browser, enough for a computer shared by a ward.
const ACCOUNTS_MAX: usize = 16;
/// Maximum size of a cookie that is read, in bytes.
const COOKIE_BYTES_MAX: usize = 1_024;
const MARK_BYTES: usize = 16;

/// Returns the id of the browser if it has signed in to this account before.
pub(crate) fn known(context: &Context, cookie: &str, account: AccountId) -> Option<String> {
    let (id, marks) = parts(cookie)?;
    let expected = mark(context, id, account);
    let is_known = marks
        .into_iter()
        // Compared in constant time: the time must not reveal how much of a forged mark is right.
        .any(|mark| mark.as_bytes().ct_eq(expected.as_bytes()).into());
    is_known.then(|| id.to_owned())
}

/// Returns the cookie of a browser that signs in to this account. If it is full, the account that
/// signed in longest ago is dropped.
pub(crate) fn remember(context: &Context, cookie: &str, account: AccountId) -> String {
    let fresh = keys::random_text();
    let (id, marks) = parts(cookie).unwrap_or((&fresh, Vec::new()));
    let own = mark(context, id, account);
    // Its own mark moves to the front, so that the account that signed in longest ago is dropped.
    let others = marks.into_iter().filter(|mark| *mark != own);
    let kept: Vec<&str> = others.take(ACCOUNTS_MAX - 1).collect();
    [&[id, own.as_str()], kept.as_slice()].concat().join(".")
}

/// Parses a cookie into its id and its marks.
fn parts(cookie: &str) -> Option<(&str, Vec<&str>)> {
    let plain = cookie
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    if !plain || cookie.len() > COOKIE_BYTES_MAX {
        return None;
    }
    let mut words = cookie.split('.');
    let id = words.next().filter(|id| keys::is_random_text(id))?;
    Some((id, words.collect()))
}

fn mark(context: &Context, id: &str, account: AccountId) -> String {
    let hash = context.hasher.hash(&format!("device:{id}:{account}"));
    hash.iter()
        .take(MARK_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
