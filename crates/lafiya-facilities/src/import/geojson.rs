//! GeoJSON: each feature is a facility; of an outline the middle is taken.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::mapping::Mapping;
use super::record::{Field, Record};
use super::{ImportError, Reading};
use crate::fold::fold;

#[derive(Deserialize)]
struct Collection<'a> {
    #[serde(borrow, default)]
    features: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Feature {
    #[serde(default)]
    geometry: Value,
    #[serde(default)]
    properties: Map<String, Value>,
}

pub(super) fn read(
    text: &str,
    mapping: &Mapping,
    reading: &mut Reading<'_>,
) -> Result<(), ImportError> {
    let collection: Collection<'_> = parse(text)?;
    let mut lines = Lines::new(text);
    for raw in collection.features {
        let (line, done) = lines.place_of(raw);
        match serde_json::from_str::<Feature>(raw.get()) {
            Ok(feature) => take(&feature, mapping, reading, line, done),
            Err(_) => {
                reading.found.rows += 1;
                reading.refuse(line, "is not a GeoJSON feature".to_owned());
            }
        }
    }
    Ok(())
}

fn take(feature: &Feature, mapping: &Mapping, reading: &mut Reading<'_>, line: u64, done: u64) {
    let mut columns: HashMap<String, String> = feature
        .properties
        .iter()
        .filter_map(|(key, value)| Some((fold(key), plain(value)?)))
        .collect();
    if let Some((longitude, latitude)) = middle(&feature.geometry) {
        columns.insert("latitude".to_owned(), latitude.to_string());
        columns.insert("longitude".to_owned(), longitude.to_string());
    }
    let column = |name: &str| columns.get(name).map(String::as_str);
    let fields = Field::ALL.into_iter().filter_map(|field| {
        let found = mapping.headers(field).iter().find_map(|name| column(name));
        let in_geometry = matches!(field, Field::Latitude | Field::Longitude)
            .then(|| column(field.word()))
            .flatten();
        Some((field, in_geometry.or(found)?))
    });
    let record = Record {
        fields: fields.collect(),
        column: &column,
    };
    reading.take(line, done, &record);
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The middle of the box around every point of the geometry: longitude, latitude.
fn middle(geometry: &Value) -> Option<(f64, f64)> {
    let mut points = Vec::new();
    gather(geometry.get("coordinates")?, &mut points);
    let first = *points.first()?;
    let bounds = points.iter().fold((first, first), |(low, high), point| {
        (
            (low.0.min(point.0), low.1.min(point.1)),
            (high.0.max(point.0), high.1.max(point.1)),
        )
    });
    let ((west, south), (east, north)) = bounds;
    Some((f64::midpoint(west, east), f64::midpoint(south, north)))
}

fn gather(coordinates: &Value, points: &mut Vec<(f64, f64)>) {
    let Some(list) = coordinates.as_array() else {
        return;
    };
    if let [Value::Number(x), Value::Number(y), ..] = list.as_slice() {
        points.extend(x.as_f64().zip(y.as_f64()));
        return;
    }
    for inner in list {
        gather(inner, points);
    }
}

pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ImportError> {
    serde_json::from_str(text).map_err(|cause| ImportError::Unreadable {
        line: cause.line() as u64,
        reason: cause.to_string(),
    })
}

/// Counts lines up to pieces of a text that come in order.
pub(super) struct Lines<'a> {
    text: &'a str,
    counted_to: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            counted_to: 0,
            line: 1,
        }
    }

    /// Line and byte at which a borrowed piece of the text begins.
    pub(super) fn place_of(&mut self, piece: &RawValue) -> (u64, u64) {
        let start = (piece.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let between = self
            .text
            .as_bytes()
            .get(self.counted_to..start)
            .unwrap_or_default();
        self.line += between.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.counted_to = self.counted_to.max(start);
        (self.line, start as u64)
    }
}
