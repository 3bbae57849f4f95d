//! Values of the acts that concern all of a tenant's data: export, erasure, sealing anew.

use jiff::Timestamp;
use lafiya_model::{AssessmentId, InterviewId, TenantId};

/// An administrative act to be logged that changes nothing else in the store.
#[derive(Clone, Debug)]
pub struct NewAct {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// What, such as `tenant.export`.
    pub action: &'static str,
    /// The tenant it concerns, if it is one.
    pub tenant: Option<TenantId>,
    /// The id of the thing it is done to.
    pub subject: String,
    /// The particulars, as a JSON object.
    pub detail: String,
}

/// An interview with everything that is kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptInterview {
    /// Its id.
    pub id: InterviewId,
    /// The last turn recorded.
    pub turn: u32,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// What it knows.
    pub document: Vec<u8>,
}

/// What one step of an erasure did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    /// Rows removed.
    pub removed: u64,
    /// Whether the tenant is gone with all it had.
    pub complete: bool,
}

/// What one step of sealing anew did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// The last assessment looked at; none when there are no more.
    pub last: Option<AssessmentId>,
    /// Documents that were sealed with the current key.
    pub resealed: u64,
}
