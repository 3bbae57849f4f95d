//! The four triage levels of the API, and the timeframe.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// The triage level, ordered by danger: the greater, the more dangerous.
///
/// # Example
///
/// ```
/// use lafiya_model::TriageLevel;
///
/// // More danger is greater, so the higher of two levels is their maximum.
/// assert!(TriageLevel::Emergency > TriageLevel::Urgent);
/// assert_eq!(TriageLevel::SelfCare.as_str(), "self-care");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriageLevel {
    /// Can be treated at home.
    SelfCare,
    /// Should be seen, but not today.
    Routine,
    /// Should be seen today.
    Urgent,
    /// Should go to a hospital now.
    Emergency,
}

word_enum!(TriageLevel {
    SelfCare => "self-care",
    Routine => "routine",
    Urgent => "urgent",
    Emergency => "emergency",
});

/// How soon the patient should be seen, ordered by urgency: the greater, the sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timeframe {
    /// Whenever it suits the patient.
    WhenConvenient,
    /// Within two weeks.
    #[serde(rename = "within_2_weeks")]
    Within2Weeks,
    /// Within 72 hours.
    #[serde(rename = "within_72_hours")]
    Within72Hours,
    /// Within 24 hours.
    #[serde(rename = "within_24_hours")]
    Within24Hours,
    /// Within two hours.
    #[serde(rename = "within_2_hours")]
    Within2Hours,
    /// Immediately.
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
    /// Must go to a hospital now.
    Emergency,
    /// Needs an ambulance, with care on the way.
    EmergencyAmbulance,
}

word_enum!(Seriousness {
    Serious => "serious",
    Emergency => "emergency",
    EmergencyAmbulance => "emergency_ambulance",
});

impl Seriousness {
    /// Returns the lowest level that a patient with such a flag can get.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::{Seriousness, TriageLevel};
    ///
    /// assert_eq!(Seriousness::Serious.floor(), TriageLevel::Urgent);
    /// assert_eq!(Seriousness::Emergency.floor(), TriageLevel::Emergency);
    /// ```
    pub fn floor(self) -> TriageLevel {
        match self {
            Self::Serious => TriageLevel::Urgent,
            Self::Emergency | Self::EmergencyAmbulance => TriageLevel::Emergency,
        }
    }
}
