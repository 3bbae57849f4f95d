//! `belts.toml`, `regions/<cc>.toml` and `population.toml`: where people live and how that affects
//! the priors.

use std::collections::BTreeMap;

use lafiya_model::AgeBand;
use serde::{Deserialize, Serialize};

use crate::words::{Setting, SexLimit};

/// A belt: a group of places with the same common diseases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belt {
    /// Such as `meningitis-belt`.
    pub id: String,
    /// The places that belong to it.
    pub says: String,
    /// Risk factors of everyone who is there.
    #[serde(default)]
    pub implies: Vec<String>,
    /// Source id.
    #[serde(default)]
    pub source: String,
}

/// A country and its regions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Country {
    /// ISO code, two letters.
    pub country: String,
    /// The name.
    pub name: String,
    /// Belts of the whole country.
    #[serde(default)]
    pub belts: Vec<String>,
    /// Other names and spellings.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Source id.
    #[serde(default)]
    pub source: String,
    /// Its regions.
    #[serde(default)]
    pub region: Vec<Region>,
}

/// A state, province or city.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Lower case, as accepted by the API.
    pub slug: String,
    /// The name.
    pub name: String,
    /// Belts in addition to those of the country.
    #[serde(default)]
    pub belts: Vec<String>,
    /// Belts of the country that do not include this region.
    #[serde(default)]
    pub without: Vec<String>,
    /// Other names and spellings.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Set if nearly everyone lives in this setting.
    #[serde(default)]
    pub setting: Option<Setting>,
}

/// A group's share of the people who seek care.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PopulationShare {
    /// `pregnant`, `postpartum`, `rural`, ...
    pub id: String,
    /// What is counted.
    #[serde(default)]
    pub says: String,
    /// The sex that the share refers to.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Percentage of each band. A band left out is 0.
    pub of_100: BTreeMap<AgeBand, f32>,
    /// Source id.
    #[serde(default)]
    pub source: String,
}
