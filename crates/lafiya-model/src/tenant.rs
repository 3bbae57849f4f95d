//! Tenants, their tiers and the two environments of a call.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! word_enum {
    ($name:ty { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name used in the API, on the command line and in the database.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::tenant::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::tenant::UnknownWord { word: text.to_owned(), allowed: &[$($word),+] }),
                }
            }
        }
    };
}
pub(crate) use word_enum;

/// A word that is not one of the allowed ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// The word that was given.
    pub word: String,
    /// The allowed words.
    pub allowed: &'static [&'static str],
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be one of {}", self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// The environment of a call. Sandbox answers are mock data and never billed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// Real assessments, metered and billed.
    Live,
    /// Sandbox.
    Test,
}

word_enum!(Environment { Live => "live", Test => "test" });

impl Environment {
    /// Returns the prefix of API keys for this environment.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Environment;
    ///
    /// assert_eq!(Environment::Live.key_prefix(), "sk_live_");
    /// assert_eq!(Environment::Test.key_prefix(), "sk_test_");
    /// ```
    pub fn key_prefix(self) -> &'static str {
        match self {
            Self::Live => "sk_live_",
            Self::Test => "sk_test_",
        }
    }
}

/// A tenant's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// A fixed number of assessments per month; further ones are refused.
    Pilot,
    /// A number of assessments is included; further ones are billed individually.
    Professional,
    /// As agreed with the tenant.
    Enterprise,
}

word_enum!(Tier { Pilot => "pilot", Professional => "professional", Enterprise => "enterprise" });

impl Tier {
    /// Returns the number of assessments included per calendar month; `None` if it depends on an
    /// agreement.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Tier;
    ///
    /// assert_eq!(Tier::Pilot.included_per_month(), Some(200));
    /// assert_eq!(Tier::Professional.included_per_month(), Some(2_500));
    /// ```
    pub fn included_per_month(self) -> Option<u64> {
        match self {
            Self::Pilot => Some(200),
            Self::Professional => Some(2_500),
            Self::Enterprise => None,
        }
    }

    /// Returns the price in naira of each assessment beyond the included number; 0 if further ones
    /// are refused or the price depends on an agreement.
    pub fn naira_beyond_included(self) -> u64 {
        match self {
            Self::Professional => 100,
            Self::Pilot | Self::Enterprise => 0,
        }
    }

    /// Whether calls beyond the included number are refused rather than billed.
    pub fn refuses_beyond_quota(self) -> bool {
        matches!(self, Self::Pilot)
    }
}

/// Whether a tenant's texts may be sent to the AI provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextToProvider {
    /// They are never sent.
    #[default]
    Never,
    /// They are sent after identifying data were removed.
    Scrubbed,
}

/// Whether a tenant may use the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TenantStatus {
    /// Calls are accepted.
    Active,
    /// Every call is answered with 403.
    Suspended,
}

word_enum!(TextToProvider { Never => "never", Scrubbed => "scrubbed" });

word_enum!(TenantStatus { Active => "active", Suspended => "suspended" });
