//! The store: tenants, keys, interviews, assessments, usage, webhooks and the audit log.
//!
//! [`Store`] lists the operations of the product; those for webhooks are in [`WebhookStore`]. One
//! method is one transaction, and every method that reads a tenant's data takes the tenant.
//! [`connect`] opens SQLite or PostgreSQL; both run the same operations and must pass the same
//! `conformance` suite. This module makes no business decisions beyond those that must be made
//! inside a transaction.

mod accounts;
mod assessments;
mod backup;
#[cfg(test)]
mod conformance;
mod connection;
mod error;
mod migrations;
mod operations;
mod postgres;
mod records;
mod rights;
mod sealing;
mod sql_accounts;
mod sql_store;
mod sql_webhooks;
mod sqlite;
mod sqlite_checkpoints;
mod sqlite_rows;
mod statement;
mod url;
mod usage;
mod webhooks;
mod work;

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::{Timestamp, civil::Date};
use lafiya_model::{
    AssessmentId, Environment, InterviewId, KeyId, TenantId, TenantStatus, TextToProvider, Tier,
};

pub use accounts::*;
pub use assessments::*;
pub use backup::back_up_sqlite;
pub use error::{Cause, StoreError};
pub use records::*;
pub use rights::*;
pub use sealing::{DataKeys, NotDataKeys};
pub use url::{StoreSettings, StoreUrl, UnknownStoreUrl};
pub use usage::*;
pub use webhooks::*;

use postgres::Postgres;
use sql_store::{Database, SqlStore};
use sqlite::Sqlite;

/// Opens the store and migrates its tables. Several processes may do so concurrently.
///
/// # Example
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use lafiya_storage::store::{self, StoreSettings};
///
/// let settings = StoreSettings::new("sqlite://data/lafiya.db".parse()?);
/// let store = store::connect(&settings).await?;
/// for tenant in store.list_tenants().await? {
///     println!("{}", tenant.name);
/// }
/// # Ok(())
/// # }
/// ```
pub async fn connect(settings: &StoreSettings) -> Result<Arc<dyn Store>, StoreError> {
    let database = match &settings.url {
        StoreUrl::Sqlite(path) => Database::Sqlite(Sqlite::open(path, settings).await?),
        StoreUrl::Postgres(url) => Database::Postgres(Postgres::connect(url, settings).await?),
    };
    Ok(Arc::new(SqlStore {
        database,
        data_keys: settings.data_keys.clone(),
    }))
}

/// Durable storage.
#[async_trait]
pub trait Store: Accounts + WebhookStore {
    /// Checks that the store is writable and readable: writes a row and reads it back.
    async fn probe(&self, now: Timestamp) -> Result<(), StoreError>;

    /// Returns the secret stored under a name. The first caller's `fresh` bytes become the secret;
    /// every other caller, concurrent or later, gets those.
    async fn secret(&self, name: &str, fresh: &[u8]) -> Result<Vec<u8>, StoreError>;

    /// Creates a tenant. `Conflict` if the name is taken.
    async fn create_tenant(
        &self,
        tenant: NewTenant,
        actor: &str,
    ) -> Result<TenantRecord, StoreError>;

    /// Creates a tenant and its keys only if no tenant exists. Returns whether it did.
    async fn first_start(&self, tenant: NewTenant, keys: Vec<NewKey>) -> Result<bool, StoreError>;

    /// Lists all tenants by name.
    async fn list_tenants(&self) -> Result<Vec<TenantRecord>, StoreError>;

    /// Finds a tenant by its name.
    async fn find_tenant_by_name(&self, name: &str) -> Result<Option<TenantRecord>, StoreError>;

    /// Finds a tenant by its id.
    async fn find_tenant(&self, id: TenantId) -> Result<Option<TenantRecord>, StoreError>;

    /// Activates or suspends a tenant.
    async fn set_tenant_status(
        &self,
        id: TenantId,
        status: TenantStatus,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Changes the tier of a tenant.
    async fn set_tenant_tier(
        &self,
        id: TenantId,
        tier: Tier,
        monthly_quota: Option<u64>,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Changes the country whose place names are searched first.
    async fn set_tenant_home_country(
        &self,
        id: TenantId,
        home_country: Option<String>,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Sets whether a tenant's texts may be sent to the AI provider.
    async fn set_text_to_provider(
        &self,
        id: TenantId,
        allowed: TextToProvider,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Creates a key. `NotFound` if its tenant does not exist.
    async fn create_key(&self, key: NewKey, actor: &str) -> Result<KeyRecord, StoreError>;

    /// Finds a key by its hash, with its tenant and in any state: the look-up of authentication.
    async fn find_key(&self, hash: &[u8; 32]) -> Result<Option<FoundKey>, StoreError>;

    /// Finds a key by its id.
    async fn find_key_by_id(&self, id: KeyId) -> Result<Option<KeyRecord>, StoreError>;

    /// Lists the keys of one tenant or of all, newest first.
    async fn list_keys(&self, tenant: Option<TenantId>) -> Result<Vec<KeyRecord>, StoreError>;

    /// Revokes a key permanently. Does nothing if it is already revoked.
    async fn revoke_key(
        &self,
        id: KeyId,
        actor: &str,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError>;

    /// Revokes a key and creates another of the same tenant. `Conflict` if the old one is no longer
    /// active: of several concurrent rotations exactly one succeeds.
    async fn rotate_key(
        &self,
        old: KeyId,
        new: NewKey,
        actor: &str,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError>;

    /// Adds to the usage counters of keys. Keys that do not exist are skipped.
    async fn record_key_use(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Lists administrative actions, latest first.
    async fn list_audit(
        &self,
        tenant: Option<TenantId>,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, StoreError>;

    /// Stores a phrase table, the texts that documents refer to by number. One that exists is not
    /// changed.
    async fn store_phrase_table(
        &self,
        id: &str,
        phrases: Bytes,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Finds a phrase table by its id.
    async fn find_phrase_table(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Records an assessment with its interview, usage, events and idempotency key in one
    /// transaction.
    async fn record_assessment(&self, record: RecordAssessment) -> Result<Recorded, RecordRefusal>;

    /// Finds an assessment by its id.
    async fn find_assessment(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: AssessmentId,
    ) -> Result<Option<StoredAssessment>, StoreError>;

    /// The assessment that replaced this one, directly or by way of others, and was not replaced
    /// itself; this one where none did.
    async fn newest_after(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: AssessmentId,
    ) -> Result<AssessmentId, StoreError>;

    /// Lists assessments, latest first, starting after `before`.
    async fn list_assessments(
        &self,
        tenant: TenantId,
        environment: Environment,
        limit: u32,
        before: Option<AssessmentId>,
    ) -> Result<Vec<AssessmentSummary>, StoreError>;

    /// Loads an interview that has not expired.
    async fn load_interview(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: InterviewId,
        now: Timestamp,
    ) -> Result<Option<StoredInterview>, StoreError>;

    /// Returns the stored result of an idempotency key of this API key that has not expired.
    async fn find_idempotent(
        &self,
        key: KeyId,
        key_text: &str,
        now: Timestamp,
    ) -> Result<Option<IdempotentHit>, StoreError>;

    /// Returns the usage of a tenant between two days, both inclusive.
    async fn usage(
        &self,
        tenant: TenantId,
        from: Date,
        to: Date,
    ) -> Result<UsageReport, StoreError>;

    /// Returns the usage of a tenant in a month, as counted against its quota.
    async fn usage_this_month(&self, tenant: TenantId, month: Month) -> Result<u64, StoreError>;

    /// Deletes a limited number of expired interviews and idempotency keys, and of assessments
    /// older than `kept_since`; returns how many. Call it again until it returns 0. Only one
    /// replica purges at a time.
    async fn purge(&self, now: Timestamp, kept_since: Option<Timestamp>)
    -> Result<u64, StoreError>;

    /// Deletes a limited number of sandbox assessments older than `kept_since`, and the oldest of
    /// each tenant that has more than `kept_max`, with the interviews that they end; returns the
    /// number of assessments. Call it again until it returns 0.
    async fn purge_sandbox(
        &self,
        kept_since: Option<Timestamp>,
        kept_max: u32,
    ) -> Result<u64, StoreError>;

    /// Returns the ids of data keys that documents may be encrypted with and that are not
    /// configured. If none is missing, records the current key as in use.
    async fn settle_data_keys(&self, now: Timestamp) -> Result<Vec<String>, StoreError>;

    /// Encrypts a limited number of assessments with the current data key, starting after `after`.
    async fn reseal_assessments(&self, after: Option<AssessmentId>)
    -> Result<Resealed, StoreError>;

    /// Encrypts a limited number of interviews with the current data key; returns how many.
    async fn reseal_interviews(&self) -> Result<u64, StoreError>;

    /// Encrypts a limited number of TOTP secrets with the current data key; returns how many.
    async fn reseal_codes(&self) -> Result<u64, StoreError>;

    /// Encrypts the secrets of a limited number of webhooks with the current data key; returns how
    /// many.
    async fn reseal_webhook_secrets(&self) -> Result<u64, StoreError>;

    /// Removes all recorded data keys but the current one, unless documents still need them;
    /// returns how many documents do.
    async fn retire_data_keys(&self) -> Result<u64, StoreError>;

    /// Logs an administrative action that changes nothing in the store.
    async fn log_act(&self, act: NewAct) -> Result<(), StoreError>;

    /// Lists a limited number of assessments with their documents, latest first, starting after
    /// `before`.
    async fn export_assessments(
        &self,
        tenant: TenantId,
        environment: Environment,
        before: Option<AssessmentId>,
    ) -> Result<Vec<StoredAssessment>, StoreError>;

    /// Lists a limited number of interviews with their documents, by id, starting after `after`.
    async fn export_interviews(
        &self,
        tenant: TenantId,
        environment: Environment,
        after: Option<InterviewId>,
    ) -> Result<Vec<KeptInterview>, StoreError>;

    /// Suspends a tenant and deletes a limited part of its data; call it again until complete.
    /// After that only the audit log still names the tenant.
    async fn erase_tenant(
        &self,
        id: TenantId,
        actor: &str,
        now: Timestamp,
    ) -> Result<Erased, StoreError>;

    /// Completes accepted work and closes the database. Later calls fail with `Unavailable`.
    async fn close(&self);
}
