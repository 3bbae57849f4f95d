//! Records of the store: tenants, keys and the audit log.
//!
//! Plain values with only simple methods. Assessments and usage are in [`super::assessments`] and
//! [`super::usage`].

use jiff::Timestamp;
use lafiya_model::{Environment, KeyId, TenantId, TenantStatus, TextToProvider, Tier};

/// A tenant to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTenant {
    /// Its id.
    pub id: TenantId,
    /// Its name, unique among all tenants.
    pub name: String,
    /// Its tier.
    pub tier: Tier,
    /// Assessments included per month, if an agreement differs from the tier's figure.
    pub monthly_quota: Option<u64>,
    /// The country (ISO code) that is preferred for a place name that exists in several.
    pub home_country: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A tenant as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantRecord {
    /// Its id.
    pub id: TenantId,
    /// Its name, unique among all tenants.
    pub name: String,
    /// Its tier.
    pub tier: Tier,
    /// Whether it is active or suspended.
    pub status: TenantStatus,
    /// Assessments included per month, if an agreement differs from the tier's figure.
    pub monthly_quota: Option<u64>,
    /// The country (ISO code) that is preferred for a place name that exists in several.
    pub home_country: Option<String>,
    /// Whether its texts may be sent to the AI provider.
    pub text_to_provider: TextToProvider,
    /// When it was created.
    pub created_at: Timestamp,
}

impl TenantRecord {
    /// Returns the assessments included per month: the agreed number, or else the tier's.
    pub fn included_per_month(&self) -> Option<u64> {
        self.monthly_quota.or(self.tier.included_per_month())
    }
}

/// A key to create. The key itself never reaches the store, only its keyed hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its id.
    pub id: KeyId,
    /// Its tenant.
    pub tenant: TenantId,
    /// Live or sandbox.
    pub environment: Environment,
    /// The keyed hash of the key.
    pub hash: [u8; 32],
    /// The displayed part of the key, such as `sk_live_abcd…`.
    pub display: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// The key it replaces. [`super::Store::rotate_key`] sets this itself.
    pub rotated_from: Option<KeyId>,
}

/// A key as stored, without its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id.
    pub id: KeyId,
    /// Its tenant.
    pub tenant: TenantId,
    /// Live or sandbox.
    pub environment: Environment,
    /// The displayed part of the key.
    pub display: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked or rotated.
    pub revoked_at: Option<Timestamp>,
    /// The key it replaced.
    pub rotated_from: Option<KeyId>,
    /// The last recorded use, which may be slightly outdated.
    pub last_used_at: Option<Timestamp>,
    /// Recorded number of requests made with it.
    pub requests: u64,
}

impl KeyRecord {
    /// Whether it may be used at `now`.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// The result of the authentication look-up: the key in any state, and its tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key.
    pub key: KeyRecord,
    /// Its tenant.
    pub tenant: TenantRecord,
}

/// Uses of a key since they were last recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The key's id.
    pub key: KeyId,
    /// Number of requests to add.
    pub requests: u64,
    /// The time of the latest request.
    pub last_used_at: Timestamp,
}

/// An entry of the append-only audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number; later entries have higher numbers.
    pub id: u64,
    /// When it was created.
    pub at: Timestamp,
    /// Who did it: `cli`, `key:<id>`, `user:<id>`.
    pub actor: String,
    /// The action, such as `key.rotate`.
    pub action: String,
    /// The tenant it concerned.
    pub tenant: Option<TenantId>,
    /// The id of the changed object.
    pub subject: String,
    /// Details as a JSON object.
    pub detail: String,
}
