//! How urgent, in the four levels of the interface, and how soon.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// The triage level. The order is the order of danger: more danger is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriageLevel {
    /// Can be looked after at home.
    SelfCare,
    /// Should be seen, not today.
    Routine,
    /// Should be seen today.
    Urgent,
    /// Should be in a hospital now.
    Emergency,
}

word_enum!(TriageLevel {
    SelfCare => "self-care",
    Routine => "routine",
    Urgent => "urgent",
    Emergency => "emergency",
});

/// How soon. The order is the order of hurry: sooner is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timeframe {
    /// At the patient's own pace.
    WhenConvenient,
    /// Within two weeks.
    #[serde(rename = "within_2_weeks")]
    Within2Weeks,
    /// Within three days.
    #[serde(rename = "within_72_hours")]
    Within72Hours,
    /// Today or tomorrow.
    #[serde(rename = "within_24_hours")]
    Within24Hours,
    /// Within two hours.
    #[serde(rename = "within_2_hours")]
    Within2Hours,
    /// Now.
    Immediately,
}

word_enum!(Timeframe {
    WhenConvenient => "when_convenient",
    Within2Weeks => "within_2_weeks",
    Within72Hours => "within_72_hours",
    Within24Hours => "within_24_hours",
    Within2Hours => "within_2_hours",
    Immediately => "immediately",
});

/// How serious a red flag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seriousness {
    /// Must be seen today.
    Serious,
    /// To a hospital now.
    Emergency,
    /// By ambulance, with help on the way.
    EmergencyAmbulance,
}

word_enum!(Seriousness {
    Serious => "serious",
    Emergency => "emergency",
    EmergencyAmbulance => "emergency_ambulance",
});

impl Seriousness {
    /// The level below which a patient with such a flag may never end.
    pub fn floor(self) -> TriageLevel {
        match self {
            Self::Serious => TriageLevel::Urgent,
            Self::Emergency | Self::EmergencyAmbulance => TriageLevel::Emergency,
        }
    }
}
