//! People who sign in: their accounts, sessions and one-time links. Secrets never reach the store
//! in the clear: passwords come as Argon2id, session and link tokens as keyed hashes; the secret of
//! one-time codes, which must be readable, is sealed with the data key like a document.

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::{AccountId, Role, TenantId};

use super::{StoreError, TenantRecord};

/// An account about to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAccount {
    /// Its id.
    pub id: AccountId,
    /// Where it belongs.
    pub tenant: TenantId,
    /// In lower case; unique in the installation.
    pub email: String,
    /// What it may do.
    pub role: Role,
    /// Whether it runs the installation.
    pub operator: bool,
    /// When.
    pub created_at: Timestamp,
}

/// An account as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRecord {
    /// Its id.
    pub id: AccountId,
    /// Where it belongs.
    pub tenant: TenantId,
    /// In lower case.
    pub email: String,
    /// What it may do.
    pub role: Role,
    /// Whether it runs the installation.
    pub operator: bool,
    /// Argon2id in PHC form; `None` until a password is set.
    pub password_hash: Option<String>,
    /// Whether one-time codes are on.
    pub has_codes: bool,
    /// The last time step whose code was used.
    pub totp_step: u64,
    /// Wrong passwords since the last right one.
    pub failures: u64,
    /// Until when no password is looked at.
    pub locked_until: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When somebody last signed in.
    pub last_sign_in_at: Option<Timestamp>,
}

/// A living session: who, and where they belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// Who.
    pub account: AccountRecord,
    /// Where they belong.
    pub tenant: TenantRecord,
    /// When it was last used, as far as written down.
    pub seen_at: Timestamp,
}

/// A session about to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// The keyed hash of its token.
    pub hash: [u8; 32],
    /// Whose.
    pub account: AccountId,
    /// Now.
    pub created_at: Timestamp,
    /// Its last moment.
    pub expires_at: Timestamp,
}

/// What the store does for people who sign in.
#[async_trait]
pub trait Accounts: Send + Sync + 'static {
    /// Creates an account. `Conflict` when the address is taken, `NotFound` without its tenant.
    async fn create_account(
        &self,
        account: NewAccount,
        actor: &str,
    ) -> Result<AccountRecord, StoreError>;

    /// The account of an address: the read before a password is checked.
    async fn find_account(&self, email: &str) -> Result<Option<AccountRecord>, StoreError>;

    /// The members of a tenant, by address.
    async fn list_accounts(&self, tenant: TenantId) -> Result<Vec<AccountRecord>, StoreError>;

    /// Gives a member of the tenant another role.
    async fn set_account_role(
        &self,
        tenant: TenantId,
        id: AccountId,
        role: Role,
        actor: &str,
        now: Timestamp,
    ) -> Result<AccountRecord, StoreError>;

    /// Removes a member of the tenant with all sessions and links.
    async fn remove_account(
        &self,
        tenant: TenantId,
        id: AccountId,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sets a password; ends every other session of the account and its lock.
    async fn set_password(
        &self,
        id: AccountId,
        password_hash: &str,
        kept_session: Option<[u8; 32]>,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Turns one-time codes on (with their secret) or off.
    async fn set_totp(
        &self,
        id: AccountId,
        secret: Option<String>,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The shared secret of an account's one-time codes in base 32, where they are on.
    async fn totp_secret(&self, id: AccountId) -> Result<Option<String>, StoreError>;

    /// Takes a time step for a code. Says no when it or a later one was taken before.
    async fn take_totp_step(&self, id: AccountId, step: u64) -> Result<bool, StoreError>;

    /// Counts a wrong password; locks the account until `locked_until` from the `limit`th on.
    /// Says how many there were.
    async fn record_sign_in_failure(
        &self,
        id: AccountId,
        limit: u64,
        locked_until: Timestamp,
        now: Timestamp,
    ) -> Result<u64, StoreError>;

    /// Begins a session; forgets wrong passwords.
    async fn begin_session(&self, session: NewSession, how: &str) -> Result<(), StoreError>;

    /// The session of this hash, while it lives and was seen after `idle_since`.
    async fn find_session(
        &self,
        hash: &[u8; 32],
        idle_since: Timestamp,
        now: Timestamp,
    ) -> Result<Option<SessionRecord>, StoreError>;

    /// Notes that a session is in use.
    async fn touch_session(&self, hash: &[u8; 32], now: Timestamp) -> Result<(), StoreError>;

    /// Ends a session. Ending it again changes nothing.
    async fn end_session(&self, hash: &[u8; 32]) -> Result<(), StoreError>;

    /// Keeps a one-time link; earlier links of the account no longer work.
    async fn create_sign_in_link(
        &self,
        account: AccountId,
        hash: [u8; 32],
        expires_at: Timestamp,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Whose link this is, while it works.
    async fn find_sign_in_link(
        &self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, StoreError>;

    /// Uses a link up. Of several tries at once one succeeds.
    async fn take_sign_in_link(
        &self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, StoreError>;
}
