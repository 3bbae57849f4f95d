//! Users: their accounts, sessions and one-time links. Secrets never reach the store in plain text:
//! passwords arrive as Argon2id hashes, session and link tokens as keyed hashes. The TOTP secret
//! must be readable, so it is encrypted with the data key like a document.

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::{AccountId, Role, TenantId};

use super::{StoreError, TenantRecord};

/// An account to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAccount {
    /// Its id.
    pub id: AccountId,
    /// Its tenant.
    pub tenant: TenantId,
    /// The email address in lower case; unique in the installation.
    pub email: String,
    /// Its role.
    pub role: Role,
    /// Whether it operates the installation.
    pub operator: bool,
    /// When it was created.
    pub created_at: Timestamp,
}

/// An account as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRecord {
    /// Its id.
    pub id: AccountId,
    /// Its tenant.
    pub tenant: TenantId,
    /// The email address in lower case.
    pub email: String,
    /// Its role.
    pub role: Role,
    /// Whether it operates the installation.
    pub operator: bool,
    /// The Argon2id hash in PHC format; `None` until a password is set.
    pub password_hash: Option<String>,
    /// Whether one-time codes are on.
    pub has_codes: bool,
    /// The last TOTP time step that was used.
    pub totp_step: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the user last signed in.
    pub last_sign_in_at: Option<Timestamp>,
}

/// An active session with its account and tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// The account.
    pub account: AccountRecord,
    /// The tenant.
    pub tenant: TenantRecord,
    /// When it was last used, as far as recorded.
    pub seen_at: Timestamp,
    /// Until when it may set a password without the old one.
    pub password_reset_until: Option<Timestamp>,
}

/// A session to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// The keyed hash of its token.
    pub hash: [u8; 32],
    /// Its account.
    pub account: AccountId,
    /// The current time.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Until when it may set a password without the old one, once; `None` if it may not.
    pub password_reset_until: Option<Timestamp>,
}

/// A limit on the attempts from one source on an account within a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptBound {
    /// The source whose attempts are counted together, such as one address.
    pub source: String,
    /// Maximum number of attempts.
    pub limit: u64,
    /// When a count that starts now ends.
    pub ends_at: Timestamp,
}

/// A password to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPassword {
    /// The Argon2id hash in PHC format.
    pub hash: String,
    /// The session that sets it, which is the only one that stays valid.
    pub session: [u8; 32],
    /// Whether it is set without the old password, which uses up the session's permission to do so.
    pub without_old: bool,
}

/// Storage of accounts and sessions.
#[async_trait]
pub trait Accounts: Send + Sync + 'static {
    /// Creates an account. `Conflict` if the email address is taken, `NotFound` if the tenant does
    /// not exist.
    async fn create_account(
        &self,
        account: NewAccount,
        actor: &str,
    ) -> Result<AccountRecord, StoreError>;

    /// Finds an account by its email address, before its password is checked.
    async fn find_account(&self, email: &str) -> Result<Option<AccountRecord>, StoreError>;

    /// Lists the members of a tenant by email address.
    async fn list_accounts(&self, tenant: TenantId) -> Result<Vec<AccountRecord>, StoreError>;

    /// Changes the role of a member of the tenant.
    async fn set_account_role(
        &self,
        tenant: TenantId,
        id: AccountId,
        role: Role,
        actor: &str,
        now: Timestamp,
    ) -> Result<AccountRecord, StoreError>;

    /// Removes a member of the tenant with all their sessions and links.
    async fn remove_account(
        &self,
        tenant: TenantId,
        id: AccountId,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sets a password. Ends every other session, deletes the one-time links and resets the counted
    /// attempts of the account. `Conflict` if the session may not, or no longer, omit the old
    /// password.
    async fn set_password(
        &self,
        id: AccountId,
        new: NewPassword,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Turns on one-time codes (with their secret) or turns them off.
    async fn set_totp(
        &self,
        id: AccountId,
        secret: Option<String>,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the TOTP secret of an account in base32, if one-time codes are on.
    async fn totp_secret(&self, id: AccountId) -> Result<Option<String>, StoreError>;

    /// Uses up a TOTP time step. Returns `false` if it or a later one was used before.
    async fn take_totp_step(&self, id: AccountId, step: u64) -> Result<bool, StoreError>;

    /// Counts one attempt under each of the limits in turn. Returns `false` if one of them is
    /// exhausted; then nothing may be compared. Exact under concurrency.
    async fn take_attempt(
        &self,
        id: AccountId,
        bounds: Vec<AttemptBound>,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Settles an attempt with the right secret: takes it back from every limit and resets the
    /// count of `source`.
    async fn settle_attempt(
        &self,
        id: AccountId,
        bounds: Vec<AttemptBound>,
        source: String,
    ) -> Result<(), StoreError>;

    /// Creates a session.
    async fn begin_session(&self, session: NewSession, how: &str) -> Result<(), StoreError>;

    /// Finds a session by its hash, if it has not expired and was used after `idle_since`.
    async fn find_session(
        &self,
        hash: &[u8; 32],
        idle_since: Timestamp,
        now: Timestamp,
    ) -> Result<Option<SessionRecord>, StoreError>;

    /// Records that a session was used.
    async fn touch_session(&self, hash: &[u8; 32], now: Timestamp) -> Result<(), StoreError>;

    /// Ends a session. Does nothing if it has already ended.
    async fn end_session(&self, hash: &[u8; 32]) -> Result<(), StoreError>;

    /// Stores a one-time link and invalidates earlier links of the account.
    async fn create_sign_in_link(
        &self,
        account: AccountId,
        hash: [u8; 32],
        expires_at: Timestamp,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Finds the account of a link that is still valid.
    async fn find_sign_in_link(
        &self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, StoreError>;

    /// Uses up a link. Of several concurrent calls one succeeds.
    async fn take_sign_in_link(
        &self,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, StoreError>;
}
