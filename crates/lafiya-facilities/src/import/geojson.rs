//! GeoJSON: each feature is a facility; an outline is reduced to its centre.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::mapping::Mapping;
use super::record::{Field, Record};
use super::{ImportError, ImportState};
use crate::fold::fold;

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
    reading: &mut ImportState<'_>,
) -> Result<(), ImportError> {
    for element in elements(text, "features")? {
        let (line, done) = (element.line, element.start);
        match serde_json::from_str::<Feature>(element.text) {
            Ok(feature) => take(&feature, mapping, reading, line, done),
            Err(_) => {
                reading.found.rows += 1;
                reading.refuse(line, "is not a GeoJSON feature".to_owned());
            }
        }
    }
    Ok(())
}

fn take(feature: &Feature, mapping: &Mapping, reading: &mut ImportState<'_>, line: u64, done: u64) {
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

/// Returns the centre of the geometry's bounding box: longitude, latitude.
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

/// One object of a list, and its position.
pub(super) struct Element<'a> {
    pub(super) text: &'a str,
    pub(super) line: u64,
    pub(super) start: u64,
}

/// Returns the objects of the list under a key of the root object one by one, so that an invalid
/// one does not affect the others. A text that is not JSON is rejected with its line.
pub(super) fn elements<'a>(text: &'a str, key: &str) -> Result<Vec<Element<'a>>, ImportError> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|cause| ImportError::Unreadable {
        line: cause.line() as u64,
        reason: cause.to_string(),
    })?;
    let mut found = Vec::new();
    let (mut depth, mut line) = (0_usize, 1_u64);
    let (mut in_list, mut begin) = (false, (0, 1));
    let (mut last_string, mut string_from, mut escaped) = ("", None, false);
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'\n' {
            line += 1;
        }
        if let Some(from) = string_from {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    last_string = text.get(from..at).unwrap_or_default();
                    string_from = None;
                }
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => string_from = Some(at + 1),
            b'{' | b'[' => {
                in_list |= depth == 1 && byte == b'[' && last_string == key;
                if in_list && depth == 2 {
                    begin = (at, line);
                }
                depth += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if in_list && depth == 2 && byte == b'}' {
                    found.push(Element {
                        text: text.get(begin.0..=at).unwrap_or_default(),
                        line: begin.1,
                        start: begin.0 as u64,
                    });
                }
                in_list &= depth >= 2;
            }
            _ => {}
        }
    }
    Ok(found)
}
