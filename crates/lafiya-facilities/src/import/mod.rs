//! Reads the registers of operators: CSV with any columns, GeoJSON, and FHIR Bundles of Location.
//!
//! A row that cannot be used is reported with its line and left out; a file without any usable row
//! is rejected. `mapping` maps columns to fields, `merge` finds rows for the same facility. Nothing
//! is written here.

mod geojson;
mod location_bundle;
mod mapping;
mod merge;
mod record;
mod rows;

use lafiya_model::Coordinate;

pub use mapping::{Mapping, NotAMapping};
pub use merge::{combined, replaced_source};

use crate::atlas::Atlas;
use crate::fold::fold;
use crate::register::Facility;
use crate::types::Types;
use record::{Field, Record};

/// The number of rows between two progress reports.
const PROGRESS_EVERY: usize = 1_000;
/// The maximum number of errors that are kept; further ones are only counted.
const ERRORS_KEPT_MAX: usize = 1_000;
/// The maximum length of a field; longer texts are truncated.
const FIELD_CHARACTERS_MAX: usize = 300;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// A GeoJSON FeatureCollection.
    GeoJson,
    /// A FHIR R4 Bundle of Location resources.
    LocationBundle,
}

impl Format {
    /// Detects the format from the start of the file; its name does not matter.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_facilities::import::Format;
    ///
    /// assert_eq!(Format::of("name,latitude,longitude"), Format::Csv);
    /// ```
    pub fn of(text: &str) -> Self {
        let start: String = text
            .trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t'])
            .chars()
            .take(4_000)
            .collect();
        if !start.starts_with('{') {
            Self::Csv
        } else if start.contains("\"Bundle\"") {
            Self::LocationBundle
        } else {
            Self::GeoJson
        }
    }
}

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// Its line in the file, from 1.
    pub line: u64,
    /// The reason.
    pub reason: String,
}

/// The result of reading a file.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The facilities, duplicates merged.
    pub facilities: Vec<Facility>,
    /// Rows of the file.
    pub rows: usize,
    /// Rows merged into another row for the same facility.
    pub merged: usize,
    /// Rows left out on purpose: closed facilities, or other kinds of objects.
    pub skipped: usize,
    /// The first thousand rows that could not be used.
    pub errors: Vec<RowError>,
    /// The number of rows that could not be used.
    pub failed: usize,
}

/// The reason why a whole file was rejected.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is not valid in its format.
    #[error("line {line}: {reason}")]
    Unreadable {
        /// The line, from 1.
        line: u64,
        /// The reason.
        reason: String,
    },
    /// No column is known for a required field.
    #[error(
        "no column is known to be the {field}; the file has: {columns}. Name it in a mapping file"
    )]
    NoColumn {
        /// The missing field.
        field: &'static str,
        /// The columns of the file.
        columns: String,
    },
    /// No row could be used.
    #[error("none of the {0} rows could be used; nothing was changed")]
    Nothing(usize),
}

/// Reads a register. `source` is the source stated in answers. `progress` is called with the number
/// of bytes processed.
pub fn read(
    text: &str,
    mapping: &Mapping,
    source: &str,
    atlas: &Atlas,
    types: &Types,
    progress: &mut dyn FnMut(u64),
) -> Result<Imported, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reading = ImportState {
        mapping,
        source,
        atlas,
        types,
        progress,
        found: Imported::default(),
    };
    match Format::of(text) {
        Format::Csv => rows::read(text, mapping, &mut reading)?,
        Format::GeoJson => geojson::read(text, mapping, &mut reading)?,
        Format::LocationBundle => location_bundle::read(text, &mut reading)?,
    }
    let mut found = reading.found;
    if found.facilities.is_empty() {
        return Err(ImportError::Nothing(found.rows));
    }
    let before = found.facilities.len();
    found.facilities = merge::merged(std::mem::take(&mut found.facilities), types);
    found.merged = before - found.facilities.len();
    Ok(found)
}

/// The state while reading a file.
struct ImportState<'a> {
    mapping: &'a Mapping,
    source: &'a str,
    atlas: &'a Atlas,
    types: &'a Types,
    progress: &'a mut dyn FnMut(u64),
    found: Imported,
}

impl ImportState<'_> {
    /// Processes one row; `done` is the number of bytes before it.
    fn take(&mut self, line: u64, done: u64, record: &Record<'_>) {
        self.found.rows += 1;
        if self.found.rows.is_multiple_of(PROGRESS_EVERY) {
            (self.progress)(done);
        }
        if self.mapping.skips(record) {
            self.found.skipped += 1;
            return;
        }
        match self.facility(record) {
            Ok(facility) => self.found.facilities.push(facility),
            Err(reason) => self.refuse(line, reason),
        }
    }

    fn refuse(&mut self, line: u64, reason: String) {
        self.found.failed += 1;
        if self.found.errors.len() < ERRORS_KEPT_MAX {
            self.found.errors.push(RowError { line, reason });
        }
    }

    fn facility(&self, record: &Record<'_>) -> Result<Facility, String> {
        let text = |field: Field| {
            let value = record.get(field).unwrap_or_default().trim();
            value.chars().take(FIELD_CHARACTERS_MAX).collect::<String>()
        };
        let name = text(Field::Name);
        if name.is_empty() {
            return Err("has no name".to_owned());
        }
        let position = position(&text(Field::Latitude), &text(Field::Longitude))?;
        let written = text(Field::Type);
        let kind = match self.mapping.kind(&written) {
            Some(kind) => kind.to_owned(),
            None => self
                .types
                .read(&written, &name)
                .map_or(written, |kind| kind.id.clone()),
        };
        let optional = |field: Field| Some(text(field)).filter(|text| !text.is_empty());
        let rating = optional(Field::Rating).and_then(|text| text.parse::<f64>().ok());
        Ok(Facility {
            id: text(Field::Id),
            name,
            kind,
            address: self.mapping.address(record),
            country: self.country(&text(Field::Country), position),
            position,
            approximate: false,
            phone: optional(Field::Phone),
            rating: rating.filter(|rating| rating.is_finite()),
            services: text(Field::Services)
                .split([';', ',', '|', ' '])
                .map(|word| fold(word).replace(' ', "_"))
                .filter(|word| !word.is_empty())
                .collect(),
            source: self.source.to_owned(),
        })
    }

    /// Returns the country as written, or else that of the mapping, or else that of the nearest
    /// town.
    fn country(&self, written: &str, position: Coordinate) -> String {
        let written = if written.is_empty() {
            self.mapping.country()
        } else {
            written
        };
        if written.len() == 2 && self.atlas.knows_country(written) {
            return written.to_uppercase();
        }
        match self.atlas.country_code(written) {
            Some(code) => code.to_owned(),
            None => self.atlas.at(position).country,
        }
    }
}

fn position(latitude: &str, longitude: &str) -> Result<Coordinate, String> {
    let degrees = |text: &str, what: &str| -> Result<f64, String> {
        let plain = text.replace(',', ".");
        plain.trim().parse().map_err(|_| {
            if text.is_empty() {
                format!("has no {what}")
            } else {
                format!("has a {what} that is not a number")
            }
        })
    };
    let (latitude, longitude) = (
        degrees(latitude, "latitude")?,
        degrees(longitude, "longitude")?,
    );
    if latitude == 0.0 && longitude == 0.0 {
        return Err("lies at 0, 0, which means that its position is not known".to_owned());
    }
    Coordinate::new(latitude, longitude)
        .ok_or_else(|| format!("lies at {latitude}, {longitude}, which is not on the globe"))
}
