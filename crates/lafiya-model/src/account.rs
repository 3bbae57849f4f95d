//! Accounts for the web app and the permissions of their roles.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// The role of a tenant's member. Every role may run assessments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Runs assessments and reads cases.
    Clinician,
    /// Also manages API keys and webhooks, and sees usage.
    Developer,
    /// Also manages members and reads the audit log.
    Owner,
}

word_enum!(Role { Clinician => "clinician", Developer => "developer", Owner => "owner" });

impl Role {
    /// Whether the role may manage keys and webhooks and see usage.
    pub fn may_integrate(self) -> bool {
        matches!(self, Self::Developer | Self::Owner)
    }

    /// Whether the role may manage members and read the audit log.
    pub fn may_administer(self) -> bool {
        matches!(self, Self::Owner)
    }
}
