//! Customers, their tiers and the two worlds a call can live in.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! word_enum {
    ($name:ty { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it in the API, the command line and the store.
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

/// A word that is none of the allowed ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// What was given.
    pub word: String,
    /// What would have been understood.
    pub allowed: &'static [&'static str],
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be one of {}", self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Which world a call lives in. Sandbox answers are mock data and never billed.
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
    /// The prefix of API keys of this environment.
    pub fn key_prefix(self) -> &'static str {
        match self {
            Self::Live => "sk_live_",
            Self::Test => "sk_test_",
        }
    }
}

/// What a tenant has bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// A fixed number of assessments a month, then refused.
    Pilot,
    /// A number included, then billed one by one.
    Professional,
    /// As agreed with the tenant.
    Enterprise,
}

word_enum!(Tier { Pilot => "pilot", Professional => "professional", Enterprise => "enterprise" });

impl Tier {
    /// Assessments included in a calendar month; `None` where only an agreement can say.
    pub fn included_per_month(self) -> Option<u64> {
        match self {
            Self::Pilot => Some(200),
            Self::Professional => Some(2_500),
            Self::Enterprise => None,
        }
    }

    /// What each assessment beyond the included number costs, in naira. Where it is refused, or
    /// only an agreement can say, nothing is charged here.
    pub fn naira_beyond_included(self) -> u64 {
        match self {
            Self::Professional => 100,
            Self::Pilot | Self::Enterprise => 0,
        }
    }

    /// Whether calls beyond the included number are refused (rather than billed).
    pub fn refuses_beyond_quota(self) -> bool {
        matches!(self, Self::Pilot)
    }
}

/// Whether texts of a tenant may go to the AI provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextToProvider {
    /// They stay here.
    #[default]
    Never,
    /// With the people taken out of them.
    Scrubbed,
}

/// Whether a tenant may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TenantStatus {
    /// May call.
    Active,
    /// Every call gets 403.
    Suspended,
}

word_enum!(TextToProvider { Never => "never", Scrubbed => "scrubbed" });

word_enum!(TenantStatus { Active => "active", Suspended => "suspended" });
