//! Maps columns to fields. A small TOML file defines the mapping; fields it leaves out are
//! recognised by their usual names.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::record::{Field, Record};
use crate::fold::fold;

/// Headers that form the address if the mapping does not name any.
const USUAL_ADDRESS: &[&str] = &[
    "address",
    "addr full",
    "adresse",
    "addr street",
    "village",
    "town",
    "city",
    "addr city",
    "ward",
    "lga",
    "district",
    "admin2",
    "county",
    "state",
    "admin1",
];
/// The maximum number of parts of an address.
const ADDRESS_PARTS_MAX: usize = 3;

/// A mapping, as in its file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The source stated in answers.
    #[serde(default)]
    pub source: Option<String>,
    /// The column delimiter; a comma by default.
    #[serde(default)]
    delimiter: Option<char>,
    /// The ISO code, for a list of one country.
    #[serde(default)]
    country: String,
    /// Maps fields to columns.
    #[serde(default)]
    columns: BTreeMap<String, String>,
    /// Columns that form the address, in order.
    #[serde(default)]
    address: Vec<String>,
    /// Maps the register's words for a type to type ids.
    #[serde(default)]
    types: BTreeMap<String, String>,
    /// Maps columns to values of rows that are left out.
    #[serde(default)]
    skip: BTreeMap<String, Vec<String>>,
}

/// The reason why a mapping was rejected.
#[derive(Debug, thiserror::Error)]
pub enum NotAMapping {
    /// The TOML is invalid or contains an unknown key.
    #[error("the mapping is not valid: {0}")]
    Invalid(String),
    /// An unknown field.
    #[error(
        "the mapping names a field `{0}`; fields are id, name, type, latitude, longitude, country, phone, rating, services"
    )]
    UnknownField(String),
    /// An unknown facility type.
    #[error("the mapping names a type `{0}` that services.toml does not have")]
    UnknownType(String),
}

impl Mapping {
    /// Parses a mapping file.
    pub fn from_toml(text: &str, types: &crate::Types) -> Result<Self, NotAMapping> {
        let mapping: Self = toml::from_str(text)
            .map_err(|error| NotAMapping::Invalid(error.message().to_owned()))?;
        for field in mapping.columns.keys() {
            if !Field::ALL.iter().any(|known| known.word() == field) {
                return Err(NotAMapping::UnknownField(field.clone()));
            }
        }
        if let Some(unknown) = mapping.types.values().find(|id| types.find(id).is_none()) {
            return Err(NotAMapping::UnknownType(unknown.clone()));
        }
        Ok(Self {
            types: folded_keys(mapping.types),
            skip: folded_keys(mapping.skip),
            ..mapping
        })
    }

    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
            .and_then(|c| u8::try_from(c).ok())
            .unwrap_or(b',')
    }

    pub(super) fn country(&self) -> &str {
        &self.country
    }

    /// Returns the folded headers that a field may have, most likely first.
    pub(super) fn headers(&self, field: Field) -> Vec<String> {
        match self.columns.get(field.word()) {
            Some(column) => vec![fold(column)],
            None => field
                .usual_headers()
                .iter()
                .map(|&header| header.to_owned())
                .collect(),
        }
    }

    /// Returns the type id that the mapping assigns to a register's word.
    pub(super) fn kind(&self, written: &str) -> Option<&str> {
        if self.types.is_empty() {
            return None;
        }
        self.types.get(&fold(written)).map(String::as_str)
    }

    pub(super) fn skips(&self, record: &Record<'_>) -> bool {
        self.skip.iter().any(|(column, values)| {
            let value = (record.column)(column).map(fold).unwrap_or_default();
            values.iter().any(|unwanted| fold(unwanted) == value)
        })
    }

    pub(super) fn address(&self, record: &Record<'_>) -> String {
        let named = self.address.iter().map(|column| fold(column));
        let usual = USUAL_ADDRESS.iter().filter(|_| self.address.is_empty());
        let columns = named.chain(usual.map(|&column| column.to_owned()));
        let mut parts: Vec<&str> = Vec::new();
        for part in columns.filter_map(|column| (record.column)(&column)) {
            let part = part.trim();
            if !part.is_empty() && !parts.contains(&part) && parts.len() < ADDRESS_PARTS_MAX {
                parts.push(part);
            }
        }
        parts
            .join(", ")
            .chars()
            .take(super::FIELD_CHARACTERS_MAX)
            .collect()
    }
}

fn folded_keys<T>(map: BTreeMap<String, T>) -> BTreeMap<String, T> {
    map.into_iter()
        .map(|(key, value)| (fold(&key), value))
        .collect()
}
