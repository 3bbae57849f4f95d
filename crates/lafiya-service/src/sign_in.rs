//! Signing in to the web app: passwords (Argon2id), one-time codes, one-time links and sessions.
//! A token exists in the clear only in the cookie or link that carries it; the store keeps its keyed
//! hash. Wrong passwords lock an account for a while. Who may be a member is decided in `members`.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use jiff::{SignedDuration, Timestamp};
use lafiya_model::{AccountId, Role, TenantStatus};
use lafiya_storage::store::{AccountRecord, NewSession, TenantRecord};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::context::Context;
use crate::error::{FieldError, ServiceError};
use crate::rate_limit::{self, Counted};
use crate::{keys, one_time_code};

/// A session that nobody uses ends after this.
const SESSION_IDLE: SignedDuration = SignedDuration::from_hours(12);
/// And in any case after this.
const SESSION_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Use is written down at most this often.
const SESSION_TOUCHED_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// Wrong passwords in a row before an account is locked.
pub const FAILURES_MAX: u64 = 5;
/// How long it stays locked.
pub const LOCKED_FOR: SignedDuration = SignedDuration::from_mins(15);
/// No refusal leaves earlier, so that it takes no longer where there is something to write down.
const REFUSED_AFTER: Duration = Duration::from_millis(300);
/// Shortest password.
pub const PASSWORD_CHARACTERS_MIN: usize = 10;
const PASSWORD_CHARACTERS_MAX: usize = 200;
/// Each hash takes 19 MiB; this bounds what a flood of sign-ins can take.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(4));
/// Compared against when the address is unknown, so that the answer takes as long.
static NOBODYS_HASH: LazyLock<String> = LazyLock::new(|| hash_of("nobody's password"));

/// Somebody who has signed in.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// Who.
    pub account: AccountId,
    /// Their address.
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// Whether they run the installation.
    pub operator: bool,
    /// Where they belong.
    pub tenant: TenantRecord,
    /// Whether a password is set.
    pub has_password: bool,
    /// Whether one-time codes are on.
    pub has_codes: bool,
    hash: [u8; 32],
}

impl SignedIn {
    /// How the audit log names them.
    pub fn actor(&self) -> &str {
        &self.email
    }
}

/// What became of an attempt.
#[derive(Debug)]
pub enum Attempt {
    /// Signed in; the token for the cookie.
    In(String),
    /// The address, the password or the code is wrong, or the account is locked. Which one is not said:
    /// it would tell which addresses have accounts.
    Wrong,
    /// The password is right; the one-time code is missing.
    CodeNeeded,
}

/// Signs in with address, password and, where codes are on, a code.
pub async fn sign_in(
    context: &Context,
    address: IpAddr,
    email: &str,
    password: &str,
    code: &str,
) -> Result<Attempt, ServiceError> {
    rate_limit::count(context, Counted::SignIn(address), None).await?;
    let earliest = Instant::now() + REFUSED_AFTER;
    let attempt = judged(context, email, password, code).await?;
    if matches!(attempt, Attempt::Wrong) {
        tokio::time::sleep_until(earliest).await;
    }
    Ok(attempt)
}

async fn judged(
    context: &Context,
    email: &str,
    password: &str,
    code: &str,
) -> Result<Attempt, ServiceError> {
    let now = context.clock.now();
    let Some(account) = context.store.find_account(&folded(email)).await? else {
        verified(password, NOBODYS_HASH.clone()).await?;
        return Ok(Attempt::Wrong);
    };
    if account.locked_until.is_some_and(|until| now < until) {
        verified(password, NOBODYS_HASH.clone()).await?;
        return Ok(Attempt::Wrong);
    }
    let hash = account
        .password_hash
        .clone()
        .unwrap_or_else(|| NOBODYS_HASH.clone());
    let right = verified(password, hash).await? && account.password_hash.is_some();
    if right && account.has_codes && code.trim().is_empty() {
        return Ok(Attempt::CodeNeeded);
    }
    if !(right && code_is_right(context, &account, code, now).await?) {
        count_failure(context, &account, now).await?;
        return Ok(Attempt::Wrong);
    }
    begin(context, account.id, "password")
        .await
        .map(Attempt::In)
}

/// Enough of them lock the account.
async fn count_failure(
    context: &Context,
    account: &AccountRecord,
    now: Timestamp,
) -> Result<(), ServiceError> {
    let until = now.checked_add(LOCKED_FOR).unwrap_or(Timestamp::MAX);
    context
        .store
        .record_sign_in_failure(account.id, FAILURES_MAX, until, now)
        .await?;
    Ok(())
}

async fn code_is_right(
    context: &Context,
    account: &AccountRecord,
    code: &str,
    now: Timestamp,
) -> Result<bool, ServiceError> {
    let Some(secret) = context.store.totp_secret(account.id).await? else {
        return Ok(true);
    };
    match one_time_code::step_of(&secret, code, now) {
        Some(step) => Ok(context.store.take_totp_step(account.id, step).await?),
        None => Ok(false),
    }
}

async fn begin(context: &Context, account: AccountId, how: &str) -> Result<String, ServiceError> {
    let now = context.clock.now();
    let token = keys::random_text();
    let session = NewSession {
        hash: session_hash(context, &token),
        account,
        created_at: now,
        expires_at: now.checked_add(SESSION_LIFE).unwrap_or(Timestamp::MAX),
    };
    context.store.begin_session(session, how).await?;
    Ok(token)
}

/// Who is behind a cookie's token. A suspended tenant's members are nobody.
pub async fn session(context: &Context, token: &str) -> Result<Option<SignedIn>, ServiceError> {
    let now = context.clock.now();
    let hash = session_hash(context, token);
    let idle_since = now.checked_sub(SESSION_IDLE).unwrap_or(Timestamp::MIN);
    let Some(found) = context.store.find_session(&hash, idle_since, now).await? else {
        return Ok(None);
    };
    if found.tenant.status == TenantStatus::Suspended {
        return Ok(None);
    }
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
        hash,
    }))
}

/// Ends the session.
pub async fn sign_out(context: &Context, who: &SignedIn) -> Result<(), ServiceError> {
    Ok(context.store.end_session(&who.hash).await?)
}

/// Whose one-time link this is, without using it up.
pub async fn link_owner(context: &Context, token: &str) -> Result<Option<String>, ServiceError> {
    let hash = link_hash(context, token);
    let owner = context
        .store
        .find_sign_in_link(&hash, context.clock.now())
        .await?;
    Ok(owner.map(|account| account.email))
}

/// Uses a one-time link up; the token for the cookie, when it still worked.
pub async fn use_link(context: &Context, token: &str) -> Result<Option<String>, ServiceError> {
    let hash = link_hash(context, token);
    let owner = context
        .store
        .take_sign_in_link(&hash, context.clock.now())
        .await?;
    match owner {
        Some(account) => begin(context, account.id, "link").await.map(Some),
        None => Ok(None),
    }
}

/// Makes a one-time link for an account; returns the token to put behind `/sign-in/link/`.
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

/// Sets or changes the password. Other sessions of the account end.
pub async fn set_password(
    context: &Context,
    who: &SignedIn,
    current: &str,
    new: &str,
) -> Result<(), ServiceError> {
    if who.has_password && !password_is(context, who, current).await? {
        return Err(wrong("/current", "is not your current password"));
    }
    let length = new.chars().count();
    if !(PASSWORD_CHARACTERS_MIN..=PASSWORD_CHARACTERS_MAX).contains(&length) {
        return Err(wrong(
            "/new",
            format!("must have {PASSWORD_CHARACTERS_MIN} to {PASSWORD_CHARACTERS_MAX} characters"),
        ));
    }
    if folded(new) == who.email {
        return Err(wrong("/new", "must not be your address"));
    }
    let new = new.to_owned();
    let hash = in_turn(move || hash_of(&new)).await?;
    let now = context.clock.now();
    context
        .store
        .set_password(who.account, &hash, Some(who.hash), who.actor(), now)
        .await?;
    Ok(())
}

/// Turns one-time codes on, once a code shows that the app has the secret.
pub async fn turn_codes_on(
    context: &Context,
    who: &SignedIn,
    secret: &str,
    code: &str,
) -> Result<(), ServiceError> {
    let now = context.clock.now();
    let Some(step) = one_time_code::step_of(secret, code, now) else {
        return Err(wrong(
            "/code",
            "does not match; check the clock of your phone",
        ));
    };
    let kept = Some(secret.to_owned());
    context
        .store
        .set_totp(who.account, kept, who.actor(), now)
        .await?;
    context.store.take_totp_step(who.account, step).await?;
    Ok(())
}

/// Turns one-time codes off.
pub async fn turn_codes_off(
    context: &Context,
    who: &SignedIn,
    password: &str,
) -> Result<(), ServiceError> {
    if !password_is(context, who, password).await? {
        return Err(wrong("/password", "is not your password"));
    }
    let now = context.clock.now();
    Ok(context
        .store
        .set_totp(who.account, None, who.actor(), now)
        .await?)
}

/// What a form must carry to be believed: bound to the cookie, useless without it.
pub fn form_token(context: &Context, cookie: &str) -> String {
    let hash = context.hasher.hash(&format!("form:{cookie}"));
    hex::encode(&hash[..16])
}

async fn password_is(
    context: &Context,
    who: &SignedIn,
    password: &str,
) -> Result<bool, ServiceError> {
    let account = context.store.find_account(&who.email).await?;
    match account.and_then(|account| account.password_hash) {
        Some(hash) => verified(password, hash).await,
        None => Ok(false),
    }
}

/// Addresses are compared in lower case, without spaces around them.
pub(crate) fn folded(email: &str) -> String {
    email.trim().to_lowercase()
}

fn session_hash(context: &Context, token: &str) -> [u8; 32] {
    context.hasher.hash(&format!("session:{token}"))
}

fn link_hash(context: &Context, token: &str) -> [u8; 32] {
    context.hasher.hash(&format!("link:{token}"))
}

fn wrong(pointer: &str, reason: impl Into<String>) -> ServiceError {
    ServiceError::InvalidRequest(vec![FieldError::new(pointer, reason)])
}

async fn verified(password: &str, hash: String) -> Result<bool, ServiceError> {
    let password = password.to_owned();
    in_turn(move || {
        PasswordHash::new(&hash).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), &hash)
                .is_ok()
        })
    })
    .await
}

fn hash_of(password: &str) -> String {
    let salt = SaltString::generate(&mut OsRng);
    Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .expect("the default parameters are valid and the password is bounded")
        .to_string()
}

/// Runs the slow part off the request threads, a few at a time.
async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ServiceError> {
    let _turn = HASHING
        .acquire()
        .await
        .map_err(|closed| ServiceError::Internal(closed.to_string()))?;
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|lost| ServiceError::Internal(lost.to_string()))
}
