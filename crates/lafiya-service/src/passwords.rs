//! Passwords, hashed with Argon2id on blocking threads and a few at a time.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use tokio::sync::Semaphore;

use crate::error::ServiceError;

/// Each hash takes 19 MiB; this limits the memory that many concurrent sign-ins can use.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(4));
/// A dummy hash to compare against when there is none, so that the response takes the same time.
static NOBODYS_HASH: LazyLock<String> = LazyLock::new(|| hash_of("nobody's password"));

/// Whether a password matches a hash. Without a hash the result is false, after the same time.
pub(crate) async fn verified(password: &str, hash: Option<&str>) -> Result<bool, ServiceError> {
    let password = password.to_owned();
    let has_hash = hash.is_some();
    let hash = hash.map(str::to_owned);
    let right = in_turn(move || {
        let hash = hash.as_deref().unwrap_or(&NOBODYS_HASH);
        PasswordHash::new(hash).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), &hash)
                .is_ok()
        })
    });
    Ok(right.await? && has_hash)
}

/// Returns the hash to store, in PHC format.
pub(crate) async fn hashed(password: &str) -> Result<String, ServiceError> {
    let password = password.to_owned();
    in_turn(move || hash_of(&password)).await
}

fn hash_of(password: &str) -> String {
    let salt = SaltString::generate(&mut OsRng);
    Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .expect("the default parameters are valid and the password is bounded")
        .to_string()
}

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
