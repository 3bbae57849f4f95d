//! Changes that users make to their own account: the password and the one-time codes.

use lafiya_storage::store::{NewPassword, StoreError};

use crate::context::Context;
use crate::error::{FieldError, ServiceError};
use crate::sign_in::{self, SignedIn};
use crate::sign_in_attempts::{self, Secret, Source, TRIES_MAX};
use crate::{one_time_code, passwords};

/// Minimum password length, in characters.
pub const PASSWORD_CHARACTERS_MIN: usize = 10;
const PASSWORD_CHARACTERS_MAX: usize = 200;

/// Sets or changes the password. Other sessions and one-time links of the account end. A session
/// that began with a one-time link may omit the old password once.
pub async fn set_password(
    context: &Context,
    who: &SignedIn,
    current: &str,
    new: &str,
) -> Result<(), ServiceError> {
    check_new_password(who, new)?;
    let without_old = who.has_password && who.may_reset_password && current.is_empty();
    if who.has_password && !without_old {
        require_password(context, who, current, "/current").await?;
    }
    let new = NewPassword {
        hash: passwords::hashed(new).await?,
        session: who.session_hash,
        without_old,
    };
    let now = context.clock.now();
    let set = context
        .store
        .set_password(who.account, new, who.actor(), now);
    match set.await {
        Err(StoreError::Conflict) => Err(wrong(
            "/current",
            "is needed: the time to set a password without it is over",
        )),
        other => Ok(other?),
    }
}

fn check_new_password(who: &SignedIn, new: &str) -> Result<(), ServiceError> {
    let length = new.chars().count();
    if !(PASSWORD_CHARACTERS_MIN..=PASSWORD_CHARACTERS_MAX).contains(&length) {
        return Err(wrong(
            "/new",
            format!("must have {PASSWORD_CHARACTERS_MIN} to {PASSWORD_CHARACTERS_MAX} characters"),
        ));
    }
    if sign_in::folded(new) == who.email {
        return Err(wrong("/new", "must not be your address"));
    }
    Ok(())
}

/// Turns on one-time codes, after a valid code proves that the app has the secret.
pub async fn turn_codes_on(
    context: &Context,
    who: &SignedIn,
    secret: &str,
    code: &str,
) -> Result<(), ServiceError> {
    if who.has_codes {
        return Err(ServiceError::Conflict("one-time codes are on already"));
    }
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
    require_password(context, who, password, "/password").await?;
    let now = context.clock.now();
    Ok(context
        .store
        .set_totp(who.account, None, who.actor(), now)
        .await?)
}

/// Requires the current password, so that someone who finds an open session cannot change it.
/// Attempts are limited, so that they cannot guess it either.
async fn require_password(
    context: &Context,
    who: &SignedIn,
    password: &str,
    pointer: &str,
) -> Result<(), ServiceError> {
    let source = Source::Session;
    let taken = sign_in_attempts::take(context, who.account, Secret::Password, &source).await?;
    let Some(taken) = taken else {
        return Err(wrong(
            pointer,
            format!(
                "was wrong {TRIES_MAX} times; wait {} minutes",
                sign_in_attempts::WINDOW.as_mins()
            ),
        ));
    };
    let account = context.store.find_account(&who.email).await?;
    let hash = account.and_then(|account| account.password_hash);
    if !passwords::verified(password, hash.as_deref()).await? {
        return Err(wrong(pointer, "is not your password"));
    }
    taken.was_right(context).await
}

fn wrong(pointer: &str, reason: impl Into<String>) -> ServiceError {
    ServiceError::InvalidRequest(vec![FieldError::new(pointer, reason)])
}
