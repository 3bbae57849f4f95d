//! People who sign in to the web app, and what their role lets them do.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// What a member of a tenant may do. Every role may consult.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Consults and reads cases.
    Clinician,
    /// Besides: keys, webhooks, usage.
    Developer,
    /// Besides: members and the log of who changed what.
    Owner,
}

word_enum!(Role { Clinician => "clinician", Developer => "developer", Owner => "owner" });

impl Role {
    /// Whether keys, webhooks and usage are this role's business.
    pub fn may_integrate(self) -> bool {
        matches!(self, Self::Developer | Self::Owner)
    }

    /// Whether members and the audit log are this role's business.
    pub fn may_administer(self) -> bool {
        matches!(self, Self::Owner)
    }
}
