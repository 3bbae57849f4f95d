//! Types for actions on all of a tenant's data: export, erasure, re-encryption.

use jiff::Timestamp;
use lafiya_model::{AssessmentId, InterviewId, TenantId};

/// An administrative action to log that changes nothing else in the store.
#[derive(Clone, Debug)]
pub struct NewAct {
    /// When it happened.
    pub at: Timestamp,
    /// Who did it.
    pub actor: String,
    /// The action, such as `tenant.export`.
    pub action: &'static str,
    /// The tenant it concerns, if any.
    pub tenant: Option<TenantId>,
    /// The id of the affected object.
    pub subject: String,
    /// Details as a JSON object.
    pub detail: String,
}

/// An interview with everything stored about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptInterview {
    /// Its id.
    pub id: InterviewId,
    /// The last turn recorded.
    pub turn: u32,
    /// When it started.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Its state.
    pub document: Vec<u8>,
}

/// The result of one step of an erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    /// Rows deleted.
    pub removed: u64,
    /// Whether the tenant and all its data are deleted.
    pub complete: bool,
}

/// The result of one step of a re-encryption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// The last assessment processed; `None` if there are no more.
    pub last: Option<AssessmentId>,
    /// Documents that were encrypted with the current key.
    pub resealed: u64,
}
