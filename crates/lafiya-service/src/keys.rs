//! API keys: how they are generated, stored and ended. The plain text of a key exists only in the
//! response that shows it once.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use lafiya_model::{Environment, KeyId, TenantId};
use lafiya_storage::store::{KeyRecord, NewKey, StoreError};
use rand::RngExt;
use sha2::Sha256;
use uuid::Uuid;

use crate::authenticate::Caller;
use crate::context::Context;
use crate::error::{FieldError, ServiceError};

/// Characters after the prefix, enough base62 digits for 32 random bytes.
const SECRET_CHARACTERS: usize = 43;
/// Number of characters after the prefix that are stored to identify a key in lists.
const DISPLAY_CHARACTERS: usize = 4;
/// The display form of the web app's key.
const WEB_APP: &str = "web app";
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Computes the keyed hash under which a key is stored and looked up.
#[derive(Clone)]
pub struct KeyHasher {
    keyed: Hmac<Sha256>,
}

impl KeyHasher {
    /// Creates a hasher with the installation's secret.
    pub fn new(secret: &[u8]) -> Self {
        Self {
            keyed: Hmac::new_from_slice(secret).expect("HMAC takes a key of any length"),
        }
    }

    /// Returns the stored form of a key.
    pub fn hash(&self, key: &str) -> [u8; 32] {
        self.keyed(key.as_bytes())
    }

    /// Returns the keyed hash of other data that must be recognised but not stored.
    pub fn keyed(&self, bytes: &[u8]) -> [u8; 32] {
        let mut mac = self.keyed.clone();
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }
}

impl std::fmt::Debug for KeyHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyHasher(…)")
    }
}

/// Whether a text has the form of an API key. Cheap, and reveals nothing about its validity.
pub fn looks_like_a_key(text: &str) -> bool {
    Environment::ALL
        .iter()
        .filter_map(|environment| text.strip_prefix(environment.key_prefix()))
        .any(is_random_text)
}

/// Generates a new key in plain text, to be shown once.
pub fn generate(environment: Environment) -> String {
    format!("{}{}", environment.key_prefix(), random_text())
}

/// Generates random base62 digits, enough for 32 bytes, for keys, sessions and links.
pub(crate) fn random_text() -> String {
    let mut random = rand::rng();
    (0..SECRET_CHARACTERS)
        .map(|_| char::from(BASE62[random.random_range(0..BASE62.len())]))
        .collect()
}

/// Whether a text has the form of [`random_text`].
pub(crate) fn is_random_text(text: &str) -> bool {
    text.len() == SECRET_CHARACTERS && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the form of a key that identifies it in lists: its prefix and first characters.
pub fn display_form(key: &str, environment: Environment) -> String {
    // Four characters of 43 leave a key as hard to guess as before.
    let shown = environment.key_prefix().len() + DISPLAY_CHARACTERS;
    format!("{}…", key.get(..shown).unwrap_or_default())
}

/// A newly created key, the only time its plain text exists.
pub struct FreshKey {
    /// The key in plain text.
    pub key: String,
    /// The stored record.
    pub record: KeyRecord,
}

/// Returns what to store for a new key.
pub fn new_key(
    hasher: &KeyHasher,
    key: &str,
    tenant: TenantId,
    environment: Environment,
    now: Timestamp,
    expires_at: Option<Timestamp>,
    rotated_from: Option<KeyId>,
) -> NewKey {
    NewKey {
        id: KeyId(Uuid::now_v7()),
        tenant,
        environment,
        hash: hasher.hash(key),
        display: display_form(key, environment),
        created_at: now,
        expires_at,
        rotated_from,
    }
}

/// Creates a key for a tenant.
pub async fn create(
    context: &Context,
    tenant: TenantId,
    environment: Environment,
    expires_at: Option<Timestamp>,
    actor: &str,
) -> Result<FreshKey, ServiceError> {
    let now = context.clock.now();
    check_expiry(expires_at, now)?;
    let key = generate(environment);
    let new = new_key(
        &context.hasher,
        &key,
        tenant,
        environment,
        now,
        expires_at,
        None,
    );
    let record = context.store.create_key(new, actor).await?;
    Ok(FreshKey { key, record })
}

/// Lists the keys of a tenant that people created, newest first. The web app's own key is excluded.
pub async fn list(context: &Context, tenant: TenantId) -> Result<Vec<KeyRecord>, ServiceError> {
    let keys = context.store.list_keys(Some(tenant)).await?;
    Ok(keys
        .into_iter()
        .filter(|key| key.display != WEB_APP)
        .collect())
}

/// Finds a key of a tenant by its id, among those that people created.
pub async fn find(
    context: &Context,
    tenant: TenantId,
    id: KeyId,
) -> Result<KeyRecord, ServiceError> {
    let keys = list(context, tenant).await?;
    keys.into_iter()
        .find(|key| key.id == id)
        .ok_or(ServiceError::NotFound("a key of that id"))
}

/// Returns the key under which the web app's assessments are recorded, and creates it if necessary.
/// Its plain text is discarded at creation, so no request can use it.
pub(crate) async fn of_web_app(context: &Context, tenant: TenantId) -> Result<KeyId, ServiceError> {
    let now = context.clock.now();
    let keys = context.store.list_keys(Some(tenant)).await?;
    let made = keys
        .iter()
        .filter(|key| key.display == WEB_APP && key.is_active(now))
        .min_by_key(|key| key.id);
    if let Some(key) = made {
        return Ok(key.id);
    }
    let environment = Environment::Live;
    let key = generate(environment);
    let new = NewKey {
        display: WEB_APP.to_owned(),
        ..new_key(&context.hasher, &key, tenant, environment, now, None, None)
    };
    Ok(context.store.create_key(new, WEB_APP).await?.id)
}

/// When a replacement key expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// When the old key would have.
    Inherited,
    /// Never.
    Never,
    /// At this time.
    At(Timestamp),
}

/// Replaces the caller's own key with a new one. It expires when the old one would have, or earlier
/// on request: the holder of a key must not be able to extend its lifetime. Of several concurrent
/// calls one succeeds; the others fail because the old key is already revoked.
pub async fn rotate_own(
    context: &Context,
    caller: &Caller,
    expires_at: Option<Timestamp>,
) -> Result<FreshKey, ServiceError> {
    let old = context.store.find_key_by_id(caller.key_id).await?;
    let old = old.ok_or(ServiceError::InvalidApiKey)?;
    if let (Some(asked), Some(last)) = (expires_at, old.expires_at)
        && asked > last
    {
        return Err(ServiceError::InvalidRequest(vec![FieldError::new(
            "/expires_at",
            format!("must not be later than that of the key it replaces, {last}"),
        )]));
    }
    let expiry = expires_at.map_or(Expiry::Inherited, Expiry::At);
    let actor = format!("key {}", caller.key_id);
    match rotate(context, &old, expiry, &actor).await {
        Err(ServiceError::Conflict(_)) => Err(ServiceError::InvalidApiKey),
        other => other,
    }
}

/// Replaces a key with a new one of the same tenant and environment.
pub async fn rotate(
    context: &Context,
    old: &KeyRecord,
    expiry: Expiry,
    actor: &str,
) -> Result<FreshKey, ServiceError> {
    let now = context.clock.now();
    let expires_at = match expiry {
        Expiry::Inherited => old.expires_at,
        Expiry::Never => None,
        Expiry::At(at) => {
            check_expiry(Some(at), now)?;
            Some(at)
        }
    };
    let key = generate(old.environment);
    let new = new_key(
        &context.hasher,
        &key,
        old.tenant,
        old.environment,
        now,
        expires_at,
        Some(old.id),
    );
    let record = context.store.rotate_key(old.id, new, actor, now).await?;
    context.api_key_cache.forget(old.id);
    Ok(FreshKey { key, record })
}

/// Revokes a key permanently.
pub async fn revoke(context: &Context, key: KeyId, actor: &str) -> Result<KeyRecord, ServiceError> {
    let record = context
        .store
        .revoke_key(key, actor, context.clock.now())
        .await
        .map_err(|error| match error {
            StoreError::NotFound => ServiceError::NotFound("a key of that id"),
            other => other.into(),
        })?;
    context.api_key_cache.forget(key);
    Ok(record)
}

fn check_expiry(expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), ServiceError> {
    match expires_at {
        Some(at) if at <= now => Err(ServiceError::InvalidRequest(vec![FieldError::new(
            "/expires_at",
            "must lie in the future",
        )])),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_keys_are_well_formed_and_unique() {
        for &environment in Environment::ALL {
            let key = generate(environment);
            assert!(looks_like_a_key(&key), "{key}");
            assert_ne!(key, generate(environment));
        }
    }

    #[test]
    fn other_texts_do_not_look_like_keys() {
        for text in [
            "",
            "sk_live_",
            "sk_live_short",
            "sk_prod_0123456789012345678901234567890123456789012",
        ] {
            assert!(!looks_like_a_key(text), "{text}");
        }
    }

    #[test]
    fn the_hash_depends_on_the_secret_and_the_whole_key() {
        let hasher = KeyHasher::new(b"one");
        assert_eq!(hasher.hash("a"), hasher.hash("a"));
        assert_ne!(hasher.hash("a"), hasher.hash("b"));
        assert_ne!(hasher.hash("a"), KeyHasher::new(b"two").hash("a"));
    }
}
