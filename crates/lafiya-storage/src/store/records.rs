//! What goes into the store and what comes out: tenants, keys and the log of who changed them.
//!
//! Plain values without behaviour beyond simple questions. Assessments and usage have their own
//! files, [`super::assessments`] and [`super::usage`].

use jiff::Timestamp;
use lafiya_model::{Environment, KeyId, TenantId, TenantStatus, TextToProvider, Tier};

/// A tenant about to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTenant {
    /// Its id.
    pub id: TenantId,
    /// Its name, unique among all tenants.
    pub name: String,
    /// What it has bought.
    pub tier: Tier,
    /// Assessments included per month, where an agreement differs from the tier's own figure.
    pub monthly_quota: Option<u64>,
    /// The country in which a place name that exists in several is looked for (ISO code).
    pub home_country: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// A tenant as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantRecord {
    /// Its id.
    pub id: TenantId,
    /// Its name, unique among all tenants.
    pub name: String,
    /// What it has bought.
    pub tier: Tier,
    /// Whether it may call.
    pub status: TenantStatus,
    /// Assessments included per month, where an agreement differs from the tier's own figure.
    pub monthly_quota: Option<u64>,
    /// The country in which a place name that exists in several is looked for (ISO code).
    pub home_country: Option<String>,
    /// Whether its texts may go to the AI provider.
    pub text_to_provider: TextToProvider,
    /// When it was created.
    pub created_at: Timestamp,
}

impl TenantRecord {
    /// Assessments included in a month: as agreed, else as the tier says.
    pub fn included_per_month(&self) -> Option<u64> {
        self.monthly_quota.or(self.tier.included_per_month())
    }
}

/// A key about to be created. The key itself never reaches the store, only its keyed hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Its id.
    pub id: KeyId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Live or sandbox.
    pub environment: Environment,
    /// The keyed hash of the key.
    pub hash: [u8; 32],
    /// What people may see of it, such as `sk_live_abcd…`.
    pub display: String,
    /// When.
    pub created_at: Timestamp,
    /// From when on it is no longer accepted.
    pub expires_at: Option<Timestamp>,
    /// The key it replaces. [`super::Store::rotate_key`] sets this itself.
    pub rotated_from: Option<KeyId>,
}

/// A key as stored, without its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id.
    pub id: KeyId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Live or sandbox.
    pub environment: Environment,
    /// What people may see of it.
    pub display: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// From when on it is no longer accepted.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked or rotated away.
    pub revoked_at: Option<Timestamp>,
    /// The key it replaced.
    pub rotated_from: Option<KeyId>,
    /// The last use that was written down; trails the truth by a little.
    pub last_used_at: Option<Timestamp>,
    /// Requests made with it, as far as written down.
    pub requests: u64,
}

impl KeyRecord {
    /// Whether a request at `now` may use it.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// What the authentication read finds: the key, whatever its state, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key.
    pub key: KeyRecord,
    /// Its tenant.
    pub tenant: TenantRecord,
}

/// Uses of one key since they were last written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Which key.
    pub key: KeyId,
    /// How many requests to add.
    pub requests: u64,
    /// The latest of them.
    pub last_used_at: Timestamp,
}

/// One line of the append-only log of administrative acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number; later acts have greater ones.
    pub id: u64,
    /// When.
    pub at: Timestamp,
    /// Who, in words: `cli`, `key:<id>`, `user:<id>`.
    pub actor: String,
    /// What, such as `key.rotate`.
    pub action: String,
    /// The tenant it concerned.
    pub tenant: Option<TenantId>,
    /// The id of the thing it was done to.
    pub subject: String,
    /// The particulars, as a JSON object.
    pub detail: String,
}
