//! A FHIR R4 Bundle of Location resources (mCSD). Inactive ones are left out, and other resources
//! are ignored.

use std::collections::HashMap;

use serde_json::Value;

use super::geojson::elements;
use super::record::{Field, Record};
use super::{ImportError, ImportState};

pub(super) fn read(text: &str, reading: &mut ImportState<'_>) -> Result<(), ImportError> {
    for element in elements(text, "entry")? {
        let (line, done) = (element.line, element.start);
        let entry: Value = serde_json::from_str(element.text).unwrap_or_default();
        let resource = &entry["resource"];
        let is_location = resource["resourceType"] == "Location";
        if !is_location || resource["status"] == "inactive" {
            reading.found.rows += 1;
            reading.found.skipped += 1;
            continue;
        }
        take(resource, reading, line, done);
    }
    Ok(())
}

fn take(resource: &Value, reading: &mut ImportState<'_>, line: u64, done: u64) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let degrees = |name: &str| {
        resource["position"][name]
            .as_f64()
            .map(|degrees| degrees.to_string())
    };
    let phone = resource["telecom"]
        .as_array()
        .into_iter()
        .flatten()
        .find_map(|telecom| {
            (telecom["system"] == "phone")
                .then(|| text(&telecom["value"]))
                .flatten()
        });
    let kind = resource["type"]
        .as_array()
        .into_iter()
        .flatten()
        .find_map(|kind| text(&kind["text"]).or_else(|| text(&kind["coding"][0]["display"])));
    let address = &resource["address"];
    let written = [
        (Field::Id, text(&resource["id"])),
        (Field::Name, text(&resource["name"])),
        (Field::Type, kind),
        (Field::Latitude, degrees("latitude")),
        (Field::Longitude, degrees("longitude")),
        (Field::Country, text(&address["country"])),
        (Field::Phone, phone),
    ];
    let places: HashMap<&str, String> = [
        (
            "address",
            text(&address["text"]).or_else(|| text(&address["line"][0])),
        ),
        ("city", text(&address["city"])),
        ("district", text(&address["district"])),
        ("state", text(&address["state"])),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect();
    let column = |name: &str| places.get(name).map(String::as_str);
    let record = Record {
        fields: written
            .iter()
            .filter_map(|(field, value)| Some((*field, value.as_deref()?)))
            .collect(),
        column: &column,
    };
    reading.take(line, done, &record);
}
