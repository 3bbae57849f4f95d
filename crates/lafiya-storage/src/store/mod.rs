//! The store: tenants, keys, interviews, assessments, usage, webhooks and the log of who changed
//! what.
//!
//! [`Store`] is a list of the product's verbs; those around webhooks are [`WebhookStore`]. One method is one transaction, and every method
//! that reads a tenant's data takes the tenant. [`connect`] opens SQLite or PostgreSQL; both run
//! the same verbs and must pass the same `conformance` suite. No business decision is made here
//! beyond what must be decided inside a transaction.

mod accounts;
mod assessments;
mod backup;
#[cfg(test)]
mod conformance;
mod connection;
mod error;
mod migrations;
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
mod verbs;
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

/// Opens the store and brings its tables up to date. Any number of processes may do so at once.
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

/// What outlives a request.
#[async_trait]
pub trait Store: Accounts + WebhookStore {
    /// Proves that the store takes and gives: writes a row and reads it back.
    async fn probe(&self, now: Timestamp) -> Result<(), StoreError>;

    /// The secret kept under a name. The first caller's `fresh` bytes become the secret; every
    /// other caller, at the same moment or years later, gets those.
    async fn secret(&self, name: &str, fresh: &[u8]) -> Result<Vec<u8>, StoreError>;

    /// Creates a tenant. `Conflict` when the name is taken.
    async fn create_tenant(
        &self,
        tenant: NewTenant,
        actor: &str,
    ) -> Result<TenantRecord, StoreError>;

    /// Creates a tenant and its keys, only when no tenant exists at all. Says whether it did.
    async fn first_start(&self, tenant: NewTenant, keys: Vec<NewKey>) -> Result<bool, StoreError>;

    /// All tenants, by name.
    async fn list_tenants(&self) -> Result<Vec<TenantRecord>, StoreError>;

    /// The tenant with this name.
    async fn find_tenant_by_name(&self, name: &str) -> Result<Option<TenantRecord>, StoreError>;

    /// The tenant with this id.
    async fn find_tenant(&self, id: TenantId) -> Result<Option<TenantRecord>, StoreError>;

    /// Lets a tenant call, or stops it.
    async fn set_tenant_status(
        &self,
        id: TenantId,
        status: TenantStatus,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Changes what a tenant has bought.
    async fn set_tenant_tier(
        &self,
        id: TenantId,
        tier: Tier,
        monthly_quota: Option<u64>,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Changes the country in which a tenant's place names are looked for first.
    async fn set_tenant_home_country(
        &self,
        id: TenantId,
        home_country: Option<String>,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Allows or forbids that a tenant's texts go to the AI provider.
    async fn set_text_to_provider(
        &self,
        id: TenantId,
        allowed: TextToProvider,
        actor: &str,
        now: Timestamp,
    ) -> Result<TenantRecord, StoreError>;

    /// Creates a key. `NotFound` when its tenant does not exist.
    async fn create_key(&self, key: NewKey, actor: &str) -> Result<KeyRecord, StoreError>;

    /// The key with this hash and its tenant, in whatever state: the authentication read.
    async fn find_key(&self, hash: &[u8; 32]) -> Result<Option<FoundKey>, StoreError>;

    /// The key with this id.
    async fn find_key_by_id(&self, id: KeyId) -> Result<Option<KeyRecord>, StoreError>;

    /// The keys of one tenant, or of all, newest first.
    async fn list_keys(&self, tenant: Option<TenantId>) -> Result<Vec<KeyRecord>, StoreError>;

    /// Revokes a key for good. Revoking it again changes nothing.
    async fn revoke_key(
        &self,
        id: KeyId,
        actor: &str,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError>;

    /// Revokes one key and creates another of the same tenant. `Conflict` when the old one is no
    /// longer active: of several rotations at once exactly one succeeds.
    async fn rotate_key(
        &self,
        old: KeyId,
        new: NewKey,
        actor: &str,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError>;

    /// Adds to the counters of keys. Keys that do not exist are passed over.
    async fn record_key_use(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Administrative acts, latest first.
    async fn list_audit(
        &self,
        tenant: Option<TenantId>,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, StoreError>;

    /// Keeps a book, the texts that documents name by number; one that is kept already stays as it is.
    async fn keep_book(&self, id: &str, phrases: Bytes, now: Timestamp) -> Result<(), StoreError>;

    /// The book with this id.
    async fn find_book(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Records an assessment, its interview, usage, events and idempotency key: all, or nothing.
    async fn record_assessment(&self, record: RecordAssessment) -> Result<Recorded, RecordRefusal>;

    /// The assessment with this id.
    async fn find_assessment(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: AssessmentId,
    ) -> Result<Option<StoredAssessment>, StoreError>;

    /// The assessment that replaced this one, directly or by way of others, and was not replaced itself; this one
    /// where none did.
    async fn newest_after(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: AssessmentId,
    ) -> Result<AssessmentId, StoreError>;

    /// Assessments, latest first, from the one after `before` on.
    async fn list_assessments(
        &self,
        tenant: TenantId,
        environment: Environment,
        limit: u32,
        before: Option<AssessmentId>,
    ) -> Result<Vec<AssessmentSummary>, StoreError>;

    /// The interview with this id, while it lives.
    async fn load_interview(
        &self,
        tenant: TenantId,
        environment: Environment,
        id: InterviewId,
        now: Timestamp,
    ) -> Result<Option<StoredInterview>, StoreError>;

    /// What an idempotency key of this API key stands for, while it lives.
    async fn find_idempotent(
        &self,
        key: KeyId,
        key_text: &str,
        now: Timestamp,
    ) -> Result<Option<IdempotentHit>, StoreError>;

    /// What a tenant used between two days, both included.
    async fn usage(
        &self,
        tenant: TenantId,
        from: Date,
        to: Date,
    ) -> Result<UsageReport, StoreError>;

    /// What a tenant used in a month, as counted against its quota.
    async fn usage_this_month(&self, tenant: TenantId, month: Month) -> Result<u64, StoreError>;

    /// Removes a bounded number of expired interviews and idempotency keys, and of assessments
    /// from before `kept_since`; says how many. Call again while it removes any. Of several
    /// replicas one purges at a time.
    async fn purge(&self, now: Timestamp, kept_since: Option<Timestamp>)
    -> Result<u64, StoreError>;

    /// Removes a bounded number of sandbox assessments from before `kept_since`, and of the oldest of
    /// each tenant that has more than `kept_max`, with the interviews that they end; says how many
    /// assessments. Call again while it removes any.
    async fn purge_sandbox(
        &self,
        kept_since: Option<Timestamp>,
        kept_max: u32,
    ) -> Result<u64, StoreError>;

    /// The ids of data keys that documents here may be sealed with and that this store was not
    /// given. When none is missing, the key that seals from now on is written down.
    async fn settle_data_keys(&self, now: Timestamp) -> Result<Vec<String>, StoreError>;

    /// Seals a bounded number of assessments with the current data key, from the one after `after`
    /// on.
    async fn reseal_assessments(&self, after: Option<AssessmentId>)
    -> Result<Resealed, StoreError>;

    /// Seals a bounded number of interviews with the current data key; says how many.
    async fn reseal_interviews(&self) -> Result<u64, StoreError>;

    /// Seals a bounded number of secrets of one-time codes with the current data key; says how many.
    async fn reseal_codes(&self) -> Result<u64, StoreError>;

    /// Seals the secrets of a bounded number of webhooks with the current data key; says how many.
    async fn reseal_webhook_secrets(&self) -> Result<u64, StoreError>;

    /// Forgets all data keys but the current one, unless documents still need them; says how many
    /// documents do.
    async fn retire_data_keys(&self) -> Result<u64, StoreError>;

    /// Logs an administrative act that changes nothing else here.
    async fn log_act(&self, act: NewAct) -> Result<(), StoreError>;

    /// Assessments with their documents, latest first, a bounded number from the one after
    /// `before` on.
    async fn export_assessments(
        &self,
        tenant: TenantId,
        environment: Environment,
        before: Option<AssessmentId>,
    ) -> Result<Vec<StoredAssessment>, StoreError>;

    /// Interviews with their documents, by id, a bounded number from the one after `after` on.
    async fn export_interviews(
        &self,
        tenant: TenantId,
        environment: Environment,
        after: Option<InterviewId>,
    ) -> Result<Vec<KeptInterview>, StoreError>;

    /// Suspends a tenant and removes a bounded part of what it has; call again until complete.
    /// Then the tenant is gone, and only the log of administrative acts still names it.
    async fn erase_tenant(
        &self,
        id: TenantId,
        actor: &str,
        now: Timestamp,
    ) -> Result<Erased, StoreError>;

    /// Finishes what was accepted and lets go of the database. Later calls get `Unavailable`.
    async fn close(&self);
}
