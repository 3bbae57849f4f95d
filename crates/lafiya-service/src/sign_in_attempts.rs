//! How often somebody may try a password or a code. Every try is taken from the bounds, in the
//! store, before anything is compared: tries sent at once are counted one after the other.
//!
//! Nobody can be kept out of an account by its address alone: tries are counted for each network
//! they come from, and a browser that has signed in to the account before has a count of its own.
//! The bound on all other browsers together is slow and does not touch those.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use lafiya_model::AccountId;
use lafiya_storage::store::AttemptBound;

use crate::context::Context;
use crate::error::ServiceError;
use crate::rate_limit;

/// Tries from one source within [`WINDOW`].
pub const TRIES_MAX: u64 = 5;
/// How long tries of one source are counted together, from the first one on.
pub const WINDOW: SignedDuration = SignedDuration::from_mins(15);
/// Tries within a day from all browsers together that have not signed in to the account before.
pub const NEW_BROWSERS_PER_DAY_MAX: u64 = 100;
/// Wrong codes within a day: a code has only six digits.
pub const CODES_PER_DAY_MAX: u64 = 20;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Where a try comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A browser that has signed in to this account before, by the id in its cookie.
    KnownDevice(String),
    /// Any other, by its address.
    Address(IpAddr),
    /// A session of the account itself.
    Session,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secret {
    Password,
    Code,
}

/// Takes a try. `None`: there is none left, and nothing may be compared.
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

/// A try that was taken.
#[must_use]
pub(crate) struct Taken {
    account: AccountId,
    bounds: Vec<AttemptBound>,
}

impl Taken {
    /// The secret was right: the try does not count, and those before it from the same source are
    /// forgotten.
    pub(crate) async fn was_right(self, context: &Context) -> Result<(), ServiceError> {
        let source = self.bounds.first().map(|bound| bound.source.clone());
        let settled =
            context
                .store
                .settle_attempt(self.account, self.bounds, source.unwrap_or_default());
        Ok(settled.await?)
    }
}

/// The bounds on a try, the narrowest first. The word before the colon goes into the audit log.
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
        // Only who has the password or a one-time link gets here.
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

/// The network is recognised by a keyed hash: the address itself is not kept.
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
