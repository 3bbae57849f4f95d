//! `services.toml`: kinds of facilities, what they offer, and what a patient needs of them.

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
    /// Kinds of facilities, the most particular first.
    #[serde(default)]
    pub facility_type: Vec<FacilityType>,
}

impl Services {
    /// What a triage level needs.
    pub fn care_at(&self, level: TriageLevel) -> Option<&Care> {
        self.care.iter().find(|care| care.level == level)
    }

    /// Whom a triage level asks for by itself, whatever the case: who gives the first service that it always asks for.
    pub fn specialist_at(&self, level: TriageLevel) -> Option<&str> {
        let always = self.care_at(level)?.services.first()?;
        let service = self.service.iter().find(|it| it.id == *always)?;
        service.asked_by.specialists.first().map(String::as_str)
    }

    /// The name for people of a service.
    pub fn name_of(&self, service: &str) -> Option<&str> {
        let found = self.service.iter().find(|it| it.id == service)?;
        Some(&found.name)
    }
}

/// Something a facility may offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Such as `maternity`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Whether a facility with this service alone is right for who needs it.
    #[serde(default)]
    pub stands_alone: bool,
    /// When a case asks for it.
    #[serde(default)]
    pub asked_by: Asks,
}

/// When a case asks for a service: any of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asks {
    /// One of these specialists is to be seen.
    #[serde(default)]
    pub specialists: Vec<String>,
    /// The leading condition is of one of these categories.
    #[serde(default)]
    pub categories: Vec<String>,
    /// One of these stands in the leading condition's `refer_to`.
    #[serde(default)]
    pub words: Vec<String>,
    /// The patient is younger than so many years.
    #[serde(default)]
    pub below_years: Option<u32>,
}

/// What a triage level needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Care {
    /// The level.
    pub level: TriageLevel,
    /// Facilities that are right.
    pub facilities: Vec<FacilityLevel>,
    /// Facilities that are better than none.
    #[serde(default)]
    pub otherwise: Vec<FacilityLevel>,
    /// Services that are always asked for.
    #[serde(default)]
    pub services: Vec<String>,
    /// What may ask for more.
    #[serde(default)]
    pub by: Vec<AskedBy>,
}

/// A kind of facility.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacilityType {
    /// Such as `teaching_hospital`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// How much it can do.
    pub level: FacilityLevel,
    /// What it usually offers.
    #[serde(default)]
    pub services: Vec<String>,
    /// Where it is there for one thing only: the services, one of which a case must ask for.
    #[serde(default)]
    pub only_for: Option<Vec<String>>,
    /// Words by which a register's own type is recognised, in lower case without accents.
    #[serde(default)]
    pub words: Vec<String>,
}
