//! Where help is: how much a facility can do, and a facility as answered.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// How much a facility can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FacilityLevel {
    /// Medicines and advice.
    Pharmacy,
    /// Health centres, clinics, health posts.
    Primary,
    /// General and district hospitals, and hospitals for one thing.
    Hospital,
    /// Teaching, regional and national hospitals.
    Referral,
}

word_enum!(FacilityLevel {
    Pharmacy => "pharmacy",
    Primary => "primary",
    Hospital => "hospital",
    Referral => "referral",
});

/// A facility near the patient, as answered and stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearestFacility {
    /// Its name.
    pub name: String,
    /// Where, in words.
    pub address: String,
    /// Its telephone, where known.
    pub phone: Option<String>,
    /// What kind, for people.
    pub kind: String,
    /// How much it can do.
    pub level: FacilityLevel,
    /// Kilometres in a straight line.
    pub distance_km: f64,
    /// What users think of it, where known.
    pub rating: Option<f64>,
    /// Whether it is open now, where known.
    pub open_now: Option<bool>,
    /// What to know before setting off.
    pub travel_hint: String,
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// The register it comes from.
    pub source: String,
}
