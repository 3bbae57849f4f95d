//! `belts.toml`, `regions/<cc>.toml`, `population.toml`: where people live and what that makes likelier.

use std::collections::BTreeMap;

use lafiya_model::AgeBand;
use serde::{Deserialize, Serialize};

use crate::words::{Setting, SexLimit};

/// A belt: places that share what is common there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belt {
    /// Such as `meningitis-belt`.
    pub id: String,
    /// What places belong to it.
    pub says: String,
    /// Risk factors that everybody has who is there.
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
    /// Its name.
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
    /// Lower case, as the API takes it.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Belts besides the country's.
    #[serde(default)]
    pub belts: Vec<String>,
    /// Belts of the country that do not reach here.
    #[serde(default)]
    pub without: Vec<String>,
    /// Other names and spellings.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// Set where nearly everybody lives so.
    #[serde(default)]
    pub setting: Option<Setting>,
}

/// A share of the people who come for care.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PopulationShare {
    /// `pregnant`, `postpartum`, `rural`, ...
    pub id: String,
    /// What is counted.
    #[serde(default)]
    pub says: String,
    /// Among which sex.
    #[serde(default)]
    pub sex: Option<SexLimit>,
    /// Of 100 of the band. A band left out is none.
    pub of_100: BTreeMap<AgeBand, f32>,
    /// Source id.
    #[serde(default)]
    pub source: String,
}
