//! `services.toml`: types of facilities, what they offer, and what a patient needs.

use lafiya_model::{FacilityLevel, TriageLevel};
use serde::{Deserialize, Serialize};

use crate::words::AskedBy;

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Services {
    /// What a facility may offer.
    #[serde(default)]
    pub service: Vec<Service>,
    /// What each triage level needs.
    #[serde(default)]
    pub care: Vec<Care>,
    /// Types of facilities, most specific first.
    #[serde(default)]
    pub facility_type: Vec<FacilityType>,
}

impl Services {
    /// The needs of a triage level.
    pub fn care_at(&self, level: TriageLevel) -> Option<&Care> {
        self.care.iter().find(|care| care.level == level)
    }

    /// Returns the specialist that a triage level requires in every case: the first specialist of
    /// the first service that it always requires.
    pub fn specialist_at(&self, level: TriageLevel) -> Option<&str> {
        let always = self.care_at(level)?.services.first()?;
        let service = self.service.iter().find(|service| service.id == *always)?;
        service.asked_by.specialists.first().map(String::as_str)
    }

    /// Returns the display name of a service.
    pub fn name_of(&self, service: &str) -> Option<&str> {
        let found = self.service.iter().find(|listed| listed.id == service)?;
        Some(&found.name)
    }
}

/// A service that a facility may offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Such as `maternity`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// Whether a facility that offers only this service suits a patient who needs it.
    #[serde(default)]
    pub stands_alone: bool,
    /// When a case requires it.
    #[serde(default)]
    pub asked_by: Asks,
}

/// When a case requires a service: any of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asks {
    /// One of these specialists is to be seen.
    #[serde(default)]
    pub specialists: Vec<String>,
    /// The leading condition is of one of these categories.
    #[serde(default)]
    pub categories: Vec<String>,
    /// One of these words occurs in the leading condition's `refer_to`.
    #[serde(default)]
    pub words: Vec<String>,
    /// The patient is younger than this, in years.
    #[serde(default)]
    pub below_years: Option<u32>,
}

/// The needs of a triage level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Care {
    /// The level.
    pub level: TriageLevel,
    /// Suitable facilities.
    pub facilities: Vec<FacilityLevel>,
    /// Facilities that are better than none.
    #[serde(default)]
    pub otherwise: Vec<FacilityLevel>,
    /// Services that are always required.
    #[serde(default)]
    pub services: Vec<String>,
    /// Parts of the case that can require further services.
    #[serde(default)]
    pub by: Vec<AskedBy>,
}

/// A type of facility.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacilityType {
    /// Such as `teaching_hospital`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The level of care.
    pub level: FacilityLevel,
    /// What it usually offers.
    #[serde(default)]
    pub services: Vec<String>,
    /// Set for a specialised facility: a case must require one of these services.
    #[serde(default)]
    pub only_for: Option<Vec<String>>,
    /// Words that identify the type in a facility register, in lower case without accents.
    #[serde(default)]
    pub words: Vec<String>,
}
