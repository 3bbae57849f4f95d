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
    /// Until when it may set a password without the old one.
    pub password_reset_until: Option<Timestamp>,
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
    /// Until when it may set a password without the old one, once; `None`: it may not.
    pub password_reset_until: Option<Timestamp>,
}

/// How many attempts from one source an account takes within a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptBound {
    /// Whose attempts are counted together, such as all from one address.
    pub source: String,
    /// How many may be taken.
    pub limit: u64,
    /// When a count that begins now ends.
    pub ends_at: Timestamp,
}

/// A password to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPassword {
    /// Argon2id in PHC form.
    pub hash: String,
    /// The session that sets it: the only one that goes on.
    pub session: [u8; 32],
    /// Whether it is set without the old one, which uses up what the session may.
    pub without_old: bool,
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

    /// Sets a password; ends every other session, the one-time links and the counted attempts of
    /// the account. `Conflict` when the session may not, or no longer, do without the old one.
    async fn set_password(
        &self,
        id: AccountId,
        new: NewPassword,
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

    /// Takes one attempt under each of the bounds in turn. `false`: one of them has none left, and
    /// nothing may be compared. Exact, however many try at once.
    async fn take_attempt(
        &self,
        id: AccountId,
        bounds: Vec<AttemptBound>,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// After an attempt that was right: gives the one that was taken back to every bound, and
    /// starts the count of `source` anew.
    async fn settle_attempt(
        &self,
        id: AccountId,
        bounds: Vec<AttemptBound>,
        source: String,
    ) -> Result<(), StoreError>;

    /// Begins a session.
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
