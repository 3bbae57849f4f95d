//! Statements on SQLite and the rows they return. Each statement is prepared once per connection.

use std::sync::Arc;

use rusqlite::types::{FromSql, Null};
use rusqlite::{CachedStatement, Connection};
use uuid::Uuid;

use super::StoreError;
use super::connection::Value;

/// Capacity of the prepared statement cache of a connection, larger than the number of statements.
pub(super) const STATEMENTS_KEPT: usize = 256;

/// Runs a statement; returns the number of changed rows.
pub(super) fn execute(
    connection: &Connection,
    text: &str,
    values: &[Value<'_>],
) -> Result<u64, StoreError> {
    let changed = prepared(connection, text, values)?.raw_execute();
    Ok(changed.map_err(StoreError::from_rusqlite)? as u64)
}

/// Runs a statement; returns all rows.
pub(super) fn all(
    connection: &Connection,
    text: &str,
    values: &[Value<'_>],
) -> Result<Vec<SqliteRow>, StoreError> {
    let mut statement = prepared(connection, text, values)?;
    let names = statement.column_names();
    // One list of names for all rows of the result.
    let columns: Arc<[Box<str>]> = names.into_iter().map(Box::from).collect();
    let mut found = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(StoreError::from_rusqlite)? {
        let values: Result<_, _> = (0..columns.len()).map(|at| row.get(at)).collect();
        found.push(SqliteRow {
            columns: Arc::clone(&columns),
            values: values.map_err(StoreError::from_rusqlite)?,
        });
    }
    Ok(found)
}

/// Prepares a statement and binds its arguments. SQLite numbers parameters in order of appearance,
/// so the number is taken from each parameter's name.
fn prepared<'c>(
    connection: &'c Connection,
    text: &str,
    values: &[Value<'_>],
) -> Result<CachedStatement<'c>, StoreError> {
    let mut statement = connection
        .prepare_cached(text)
        .map_err(StoreError::from_rusqlite)?;
    for place in 1..=statement.parameter_count() {
        let name = statement.parameter_name(place).unwrap_or_default();
        let number: Option<usize> = name
            .strip_prefix('$')
            .and_then(|digits| digits.parse().ok());
        let value = number.and_then(|number| values.get(number.checked_sub(1)?));
        let value = value.ok_or_else(|| {
            StoreError::corrupt(format!("a statement has no value for its argument {name}"))
        })?;
        bind(&mut statement, place, value).map_err(StoreError::from_rusqlite)?;
    }
    Ok(statement)
}

fn bind(
    statement: &mut rusqlite::Statement<'_>,
    place: usize,
    value: &Value<'_>,
) -> rusqlite::Result<()> {
    match value {
        Value::Text(text) => statement.raw_bind_parameter(place, text.as_deref()),
        Value::Id(None) => statement.raw_bind_parameter(place, Null),
        Value::Id(Some(id)) => {
            // On the stack: ids are bound in every statement.
            let mut text = Uuid::encode_buffer();
            let text: &str = id.hyphenated().encode_lower(&mut text);
            statement.raw_bind_parameter(place, text)
        }
        Value::Integer(number) => statement.raw_bind_parameter(place, number),
        Value::Bytes(bytes) => statement.raw_bind_parameter(place, bytes),
    }
}

/// A row of a result.
pub(super) struct SqliteRow {
    columns: Arc<[Box<str>]>,
    values: Vec<rusqlite::types::Value>,
}

impl SqliteRow {
    /// Returns the value of a column.
    pub(super) fn get<T: FromSql>(&self, column: &str) -> Result<T, StoreError> {
        let place = self.columns.iter().position(|name| **name == *column);
        let value = place.and_then(|place| self.values.get(place));
        let value = value.ok_or_else(|| StoreError::corrupt(format!("no column {column}")))?;
        T::column_result(value.into())
            .map_err(|cause| StoreError::corrupt(format!("column {column}: {cause}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> [Value<'static>; 2] {
        [Value::from("first"), Value::from(2_i64)]
    }

    #[test]
    fn arguments_are_bound_by_number_not_by_position() {
        let connection = Connection::open_in_memory().unwrap();
        let rows = all(&connection, "select $2 as b, $1 as a, $2 as c", &values()).unwrap();
        assert_eq!(rows[0].get::<String>("a").unwrap(), "first");
        assert_eq!(rows[0].get::<i64>("b").unwrap(), 2);
        assert_eq!(rows[0].get::<i64>("c").unwrap(), 2);
    }

    #[test]
    fn missing_arguments_columns_and_wrong_types_are_errors() {
        let connection = Connection::open_in_memory().unwrap();
        assert!(all(&connection, "select $3 as a", &values()).is_err());
        let rows = all(&connection, "select $1 as a", &values()).unwrap();
        assert!(rows[0].get::<String>("b").is_err());
        assert!(rows[0].get::<i64>("a").is_err());
    }
}
