//! Limits on attempts to enter a password or a code. Every attempt is counted in the store before
//! anything is compared, so concurrent attempts are counted one after the other.
//!
//! An attacker who knows only the email address cannot lock out its owner: attempts are counted per
//! network, and a browser that has signed in to the account before has its own count. The limit on
//! all other browsers together covers a whole day and does not affect known browsers.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use lafiya_model::AccountId;
use lafiya_storage::store::AttemptBound;

use crate::context::Context;
use crate::error::ServiceError;
use crate::rate_limit;

/// Maximum number of attempts from one source within [`WINDOW`].
pub const TRIES_MAX: u64 = 5;
/// The window in which attempts from one source are counted, starting with the first one.
pub const WINDOW: SignedDuration = SignedDuration::from_mins(15);
/// Maximum number of attempts per day from all browsers that have not signed in to the account
/// before.
pub const NEW_BROWSERS_PER_DAY_MAX: u64 = 100;
/// Maximum number of wrong codes per day, because a code has only six digits.
pub const CODES_PER_DAY_MAX: u64 = 20;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The source of an attempt.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A browser that has signed in to this account before, identified by the id in its cookie.
    KnownDevice(String),
    /// Any other browser, identified by its address.
    Address(IpAddr),
    /// A session of the account itself.
    Session,
}

/// What is being entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secret {
    Password,
    Code,
}

/// Counts an attempt. `None` means that no attempts are left and that nothing may be compared.
pub(crate) async fn take(
    context: &Context,
    account: AccountId,
    secret: Secret,
    source: &Source,
) -> Result<Option<Taken>, ServiceError> {
    let now = context.clock.now();
    let bounds = bounds(context, secret, source, now);
    let taken = context
        .store
        .take_attempt(account, bounds.clone(), now)
        .await?;
    Ok(taken.then_some(Taken { account, bounds }))
}

/// An attempt that was counted.
#[must_use]
pub(crate) struct Taken {
    account: AccountId,
    bounds: Vec<AttemptBound>,
}

impl Taken {
    /// Settles an attempt with the right secret: it is not counted, and earlier attempts from the
    /// same source are reset.
    pub(crate) async fn was_right(self, context: &Context) -> Result<(), ServiceError> {
        // The first bound is the narrowest, the one of this source.
        let source = self.bounds.first().map(|bound| bound.source.clone());
        let settled =
            context
                .store
                .settle_attempt(self.account, self.bounds, source.unwrap_or_default());
        Ok(settled.await?)
    }
}

/// Returns the limits of an attempt, the narrowest first. The text before the colon appears in the
/// audit log.
fn bounds(context: &Context, secret: Secret, source: &Source, now: Timestamp) -> Vec<AttemptBound> {
    let bound = |source: String, limit, length| AttemptBound {
        source,
        limit,
        ends_at: now.checked_add(length).unwrap_or(Timestamp::MAX),
    };
    match (secret, source) {
        (Secret::Password, Source::KnownDevice(id)) => {
            vec![bound(format!("known browser:{id}"), TRIES_MAX, WINDOW)]
        }
        (Secret::Password, Source::Session) => {
            vec![bound("own session:".to_owned(), TRIES_MAX, WINDOW)]
        }
        (Secret::Password, Source::Address(address)) => vec![
            bound(address_source(context, *address), TRIES_MAX, WINDOW),
            bound("new browsers:".to_owned(), NEW_BROWSERS_PER_DAY_MAX, DAY),
        ],
        // Only a user with the password or a one-time link gets here.
        (Secret::Code, Source::KnownDevice(id)) => vec![
            bound(format!("codes of known browser:{id}"), TRIES_MAX, WINDOW),
            bound(
                format!("codes of known browser, day:{id}"),
                CODES_PER_DAY_MAX,
                DAY,
            ),
        ],
        (Secret::Code, Source::Address(_) | Source::Session) => vec![
            bound("codes:".to_owned(), TRIES_MAX, WINDOW),
            bound("codes, day:".to_owned(), CODES_PER_DAY_MAX, DAY),
        ],
    }
}

/// Identifies a network by a keyed hash, so that the address itself is not stored.
fn address_source(context: &Context, address: IpAddr) -> String {
    let network = rate_limit::client_network(address);
    let hash = context.hasher.hash(&format!("sign-in address:{network}"));
    let hash: String = hash
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("address:{hash}")
}
