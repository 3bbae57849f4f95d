//! Sign-in to the web app: by password or one-time link, and with a one-time code if codes are on.
//! A token exists in plain text only in its cookie or link; the store has its keyed hash.
//! `sign_in_attempts` limits the attempts; `members` decides who may be a member.

use std::net::IpAddr;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lafiya_model::{AccountId, Role, TenantStatus};
use lafiya_storage::store::{AccountRecord, NewSession, TenantRecord};
use tokio::time::Instant;

use crate::context::Context;
use crate::error::ServiceError;
use crate::rate_limit::{self, RateLimitKey};
use crate::sign_in_attempts::{Secret, Source};
use crate::{keys, known_device, one_time_code, passwords, sign_in_attempts};

/// A session ends after this time without use.
const SESSION_IDLE: SignedDuration = SignedDuration::from_hours(12);
/// Maximum lifetime of a session.
const SESSION_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Minimum interval between two updates of a session's last use.
const SESSION_TOUCHED_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// How long a session that began with a one-time link may set a password without the old one.
pub const PASSWORD_RESET_LIFE: SignedDuration = SignedDuration::from_mins(30);
/// Minimum duration of a refused attempt, so that the time does not reveal whether something was
/// written to the store.
const REFUSED_AFTER: Duration = Duration::from_millis(300);

/// A signed-in user.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The account's id.
    pub account: AccountId,
    /// Their email address.
    pub email: String,
    /// Their role.
    pub role: Role,
    /// Whether they operate the installation.
    pub operator: bool,
    /// Their tenant.
    pub tenant: TenantRecord,
    /// Whether a password is set.
    pub has_password: bool,
    /// Whether one-time codes are on.
    pub has_codes: bool,
    /// Whether this session may set a password without the old one.
    pub may_reset_password: bool,
    pub(crate) session_hash: [u8; 32],
}

impl SignedIn {
    /// Returns their name in the audit log.
    pub fn actor(&self) -> &str {
        &self.email
    }
}

/// What a browser sends with a sign-in attempt.
#[derive(Clone, Copy, Debug)]
pub struct Browser<'a> {
    /// Its IP address.
    pub address: IpAddr,
    /// Its cookie of accounts that signed in before; empty if there is none.
    pub device: &'a str,
}

/// The cookies of a browser that signed in.
#[derive(Debug)]
pub struct Admitted {
    /// The session token.
    pub session: String,
    /// The cookie that identifies the browser at the next sign-in.
    pub device: String,
}

/// The result of a sign-in attempt.
#[derive(Debug)]
pub enum Attempt {
    /// Signed in.
    In(Admitted),
    /// The email address, the password or the code is wrong, or there were too many attempts. Which
    /// one is not revealed, because that would reveal which addresses have accounts.
    Wrong,
    /// The password is right; the one-time code is missing.
    CodeNeeded,
}

/// Signs in with email address, password and, if codes are on, a one-time code.
pub async fn sign_in(
    context: &Context,
    browser: Browser<'_>,
    email: &str,
    password: &str,
    code: &str,
) -> Result<Attempt, ServiceError> {
    rate_limit::count(context, RateLimitKey::SignIn(browser.address), None).await?;
    let earliest = Instant::now() + REFUSED_AFTER;
    let attempt = judged(context, browser, email, password, code).await?;
    if matches!(attempt, Attempt::Wrong) {
        tokio::time::sleep_until(earliest).await;
    }
    Ok(attempt)
}

async fn judged(
    context: &Context,
    browser: Browser<'_>,
    email: &str,
    password: &str,
    code: &str,
) -> Result<Attempt, ServiceError> {
    let Some(account) = context.store.find_account(&folded(email)).await? else {
        // Takes as long as a real comparison, so that the time does not reveal which addresses have
        // accounts.
        passwords::verified(password, None).await?;
        return Ok(Attempt::Wrong);
    };
    let source = source_of(context, browser, account.id);
    let taken = sign_in_attempts::take(context, account.id, Secret::Password, &source).await?;
    let Some(taken) = taken else {
        // Here too: a blocked account must not answer faster than an unknown one.
        passwords::verified(password, None).await?;
        return Ok(Attempt::Wrong);
    };
    if !passwords::verified(password, account.password_hash.as_deref()).await? {
        return Ok(Attempt::Wrong);
    }
    taken.was_right(context).await?;
    // Only after the right password, or this answer would reveal that the account exists.
    if account.has_codes && code.trim().is_empty() {
        return Ok(Attempt::CodeNeeded);
    }
    if !code_is_right(context, &account, &source, code).await? {
        return Ok(Attempt::Wrong);
    }
    let admitted = admit(context, browser, account.id, SignInMethod::Password).await?;
    Ok(Attempt::In(admitted))
}

fn source_of(context: &Context, browser: Browser<'_>, account: AccountId) -> Source {
    match known_device::known(context, browser.device, account) {
        Some(id) => Source::KnownDevice(id),
        None => Source::Address(browser.address),
    }
}

/// Whether a code is valid and was not used before. Always true for an account without codes.
async fn code_is_right(
    context: &Context,
    account: &AccountRecord,
    source: &Source,
    code: &str,
) -> Result<bool, ServiceError> {
    if !account.has_codes {
        return Ok(true);
    }
    let taken = sign_in_attempts::take(context, account.id, Secret::Code, source).await?;
    let Some(taken) = taken else {
        return Ok(false);
    };
    let Some(secret) = context.store.totp_secret(account.id).await? else {
        return Ok(false);
    };
    let Some(step) = one_time_code::step_of(&secret, code, context.clock.now()) else {
        return Ok(false);
    };
    // A code is valid for its whole time step; taking the step makes it work once.
    if !context.store.take_totp_step(account.id, step).await? {
        return Ok(false);
    }
    taken.was_right(context).await?;
    Ok(true)
}

/// How a user signed in, for the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignInMethod {
    Password,
    Link,
}

async fn admit(
    context: &Context,
    browser: Browser<'_>,
    account: AccountId,
    how: SignInMethod,
) -> Result<Admitted, ServiceError> {
    let now = context.clock.now();
    let after = |life| now.checked_add(life).unwrap_or(Timestamp::MAX);
    let token = keys::random_text();
    let session = NewSession {
        hash: session_hash(context, &token),
        account,
        created_at: now,
        expires_at: after(SESSION_LIFE),
        password_reset_until: (how == SignInMethod::Link).then(|| after(PASSWORD_RESET_LIFE)),
    };
    let how = match how {
        SignInMethod::Password => "password",
        SignInMethod::Link => "link",
    };
    context.store.begin_session(session, how).await?;
    Ok(Admitted {
        session: token,
        device: known_device::remember(context, browser.device, account),
    })
}

/// Returns the user of a session token. Members of a suspended tenant have no session.
pub async fn session(context: &Context, token: &str) -> Result<Option<SignedIn>, ServiceError> {
    let now = context.clock.now();
    let hash = session_hash(context, token);
    let idle_since = now.checked_sub(SESSION_IDLE).unwrap_or(Timestamp::MIN);
    let Some(found) = context.store.find_session(&hash, idle_since, now).await? else {
        return Ok(None);
    };
    // The session stays stored, and works again when the tenant does.
    if found.tenant.status == TenantStatus::Suspended {
        return Ok(None);
    }
    // A write for every page would cost more than it tells.
    if now.duration_since(found.seen_at) > SESSION_TOUCHED_EVERY {
        context.store.touch_session(&hash, now).await?;
    }
    Ok(Some(SignedIn {
        account: found.account.id,
        email: found.account.email,
        role: found.account.role,
        operator: found.account.operator,
        tenant: found.tenant,
        has_password: found.account.password_hash.is_some(),
        has_codes: found.account.has_codes,
        may_reset_password: found.password_reset_until.is_some_and(|until| now < until),
        session_hash: hash,
    }))
}

/// Ends the session.
pub async fn sign_out(context: &Context, who: &SignedIn) -> Result<(), ServiceError> {
    Ok(context.store.end_session(&who.session_hash).await?)
}

/// The account that a one-time link signs in to.
#[derive(Clone, Debug)]
pub struct LinkOwner {
    /// Its email address.
    pub email: String,
    /// Whether the link also needs a one-time code.
    pub has_codes: bool,
    /// Whether a password is set.
    pub has_password: bool,
}

/// Returns the owner of a one-time link without using it.
pub async fn link_owner(context: &Context, token: &str) -> Result<Option<LinkOwner>, ServiceError> {
    let hash = link_hash(context, token);
    let owner = context
        .store
        .find_sign_in_link(&hash, context.clock.now())
        .await?;
    Ok(owner.map(|account| LinkOwner {
        email: account.email,
        has_codes: account.has_codes,
        has_password: account.password_hash.is_some(),
    }))
}

/// The result of using a one-time link.
#[derive(Debug)]
pub enum LinkAttempt {
    /// Signed in; the link is used up.
    In(Admitted),
    /// The code is missing or wrong, or there were too many attempts. The link still works.
    WrongCode,
    /// The link was used before or has expired.
    Gone,
}

/// Signs in with a one-time link. The link replaces the password, never the one-time code.
pub async fn use_link(
    context: &Context,
    browser: Browser<'_>,
    token: &str,
    code: &str,
) -> Result<LinkAttempt, ServiceError> {
    rate_limit::count(context, RateLimitKey::SignIn(browser.address), None).await?;
    let hash = link_hash(context, token);
    let now = context.clock.now();
    let Some(owner) = context.store.find_sign_in_link(&hash, now).await? else {
        return Ok(LinkAttempt::Gone);
    };
    let source = source_of(context, browser, owner.id);
    // No attempt is counted for a code that was not entered.
    let missing = owner.has_codes && code.trim().is_empty();
    if missing || !code_is_right(context, &owner, &source, code).await? {
        return Ok(LinkAttempt::WrongCode);
    }
    // Taken last: a wrong code must not use up the link.
    match context.store.take_sign_in_link(&hash, now).await? {
        // One-time codes may have been turned on since the link was looked up.
        Some(account) if account.has_codes == owner.has_codes => {
            let admitted = admit(context, browser, account.id, SignInMethod::Link).await?;
            Ok(LinkAttempt::In(admitted))
        }
        _ => Ok(LinkAttempt::Gone),
    }
}

/// Creates a one-time link for an account; returns the token that follows `/sign-in/link/`.
pub(crate) async fn new_link(
    context: &Context,
    account: AccountId,
    life: SignedDuration,
    actor: &str,
) -> Result<String, ServiceError> {
    let now = context.clock.now();
    let token = keys::random_text();
    let hash = link_hash(context, &token);
    let expires_at = now.checked_add(life).unwrap_or(Timestamp::MAX);
    context
        .store
        .create_sign_in_link(account, hash, expires_at, actor, now)
        .await?;
    Ok(token)
}

/// Returns the CSRF token of a form. It is bound to the cookie and useless without it.
pub fn form_token(context: &Context, cookie: &str) -> String {
    let hash = context.hasher.hash(&format!("form:{cookie}"));
    hex::encode(&hash[..16])
}

/// Normalises an email address: addresses are compared in lower case, without surrounding spaces.
pub(crate) fn folded(email: &str) -> String {
    email.trim().to_lowercase()
}

fn session_hash(context: &Context, token: &str) -> [u8; 32] {
    context.hasher.hash(&format!("session:{token}"))
}

fn link_hash(context: &Context, token: &str) -> [u8; 32] {
    context.hasher.hash(&format!("link:{token}"))
}
