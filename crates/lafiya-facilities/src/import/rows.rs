//! CSV: the header names the columns, and each row is a facility.

use std::collections::HashMap;

use super::mapping::Mapping;
use super::record::{Field, Record};
use super::{ImportError, ImportState};
use crate::fold::fold;

pub(super) fn read(
    text: &str,
    mapping: &Mapping,
    reading: &mut ImportState<'_>,
) -> Result<(), ImportError> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(mapping.delimiter())
        .flexible(true)
        .from_reader(text.as_bytes());
    let unreadable = |cause: &csv::Error| ImportError::Unreadable {
        line: cause.position().map_or(1, csv::Position::line),
        reason: cause.to_string(),
    };
    let header = reader
        .headers()
        .map_err(|cause| unreadable(&cause))?
        .clone();
    let columns: HashMap<String, usize> = header.iter().map(fold).zip(0..).collect();
    let fields = fields(&header, &columns, mapping)?;
    let mut row = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut row) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(cause) => {
                let line = cause.position().map_or(0, csv::Position::line);
                reading.refuse(line, "is not valid CSV".to_owned());
                continue;
            }
        }
        let (line, done) = row.position().map_or((0, 0), |at| (at.line(), at.byte()));
        let column = |name: &str| columns.get(name).and_then(|&at| row.get(at));
        let record = Record {
            fields: fields
                .iter()
                .filter_map(|&(field, at)| Some((field, row.get(at)?)))
                .collect(),
            column: &column,
        };
        reading.take(line, done, &record);
    }
}

fn fields(
    header: &csv::StringRecord,
    columns: &HashMap<String, usize>,
    mapping: &Mapping,
) -> Result<Vec<(Field, usize)>, ImportError> {
    let at = |field: Field| {
        mapping
            .headers(field)
            .iter()
            .find_map(|name| columns.get(name).copied())
    };
    for field in [Field::Name, Field::Latitude, Field::Longitude] {
        if at(field).is_none() {
            return Err(ImportError::NoColumn {
                field: field.word(),
                columns: header.iter().take(30).collect::<Vec<_>>().join(", "),
            });
        }
    }
    Ok(Field::ALL
        .into_iter()
        .filter_map(|field| Some((field, at(field)?)))
        .collect())
}
