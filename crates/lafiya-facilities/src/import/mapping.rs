//! Which column is what. A small TOML file says it; what it leaves out is recognised by its usual name.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::record::{Field, Record};
use crate::fold::fold;

/// Headers that make up an address when the mapping names none.
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
/// Parts of an address that are kept.
const ADDRESS_PARTS_MAX: usize = 3;

/// A mapping, as its file says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// What answers say of where a facility is from.
    #[serde(default)]
    pub source: Option<String>,
    /// What parts the columns; a comma where nothing is said.
    #[serde(default)]
    delimiter: Option<char>,
    /// ISO code, for a list of one country.
    #[serde(default)]
    country: String,
    /// Field to column.
    #[serde(default)]
    columns: BTreeMap<String, String>,
    /// Columns that make up the address, in order.
    #[serde(default)]
    address: Vec<String>,
    /// The register's word for a type to the id of a kind.
    #[serde(default)]
    types: BTreeMap<String, String>,
    /// Column to values of rows that are left out.
    #[serde(default)]
    skip: BTreeMap<String, Vec<String>>,
}

/// Why a mapping is refused.
#[derive(Debug, thiserror::Error)]
pub enum NotAMapping {
    /// Not valid TOML, or a key that is none.
    #[error("the mapping is not valid: {0}")]
    Invalid(String),
    /// A field that is none.
    #[error(
        "the mapping names a field `{0}`; fields are id, name, type, latitude, longitude, country, phone, rating, services"
    )]
    UnknownField(String),
    /// A kind that is none.
    #[error("the mapping names a type `{0}` that services.toml does not have")]
    UnknownType(String),
}

impl Mapping {
    /// Reads a mapping file.
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

    /// The folded headers a field may stand under, the likeliest first.
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

    /// The kind that the mapping gives a register's word for a type.
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
