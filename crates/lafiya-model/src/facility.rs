//! Health facilities: the level of care, and a facility as returned in an answer.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// The level of care that a facility offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FacilityLevel {
    /// Medicines and advice.
    Pharmacy,
    /// Health centres, clinics, health posts.
    Primary,
    /// General, district and specialised hospitals.
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

/// A facility near the patient, as returned and stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearestFacility {
    /// Its name.
    pub name: String,
    /// The address as text.
    pub address: String,
    /// The telephone number, if known.
    pub phone: Option<String>,
    /// The type of facility, for display.
    pub kind: String,
    /// The level of care.
    pub level: FacilityLevel,
    /// The straight-line distance in kilometres.
    pub distance_km: f64,
    /// The users' rating, if known.
    pub rating: Option<f64>,
    /// Whether it is open now, if known.
    pub open_now: Option<bool>,
    /// What to know before travelling there.
    pub travel_hint: String,
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// The register it comes from.
    pub source: String,
}
