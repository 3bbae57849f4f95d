//! Errors of the store, in terms that a caller can act on.

use std::sync::Arc;

use super::RecordRefusal;

/// SQLite's extended result codes for constraint violations.
const SQLITE_FOREIGN_KEY: i32 = 787;
const SQLITE_PRIMARY_KEY: i32 = 1555;
const SQLITE_UNIQUE: i32 = 2067;

/// An error of the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is unreachable, overloaded, locked or full: a retry may succeed. If the connection
    /// broke during a commit, the change may have been made.
    #[error("the store is out of reach: {0}")]
    Unavailable(Cause),
    /// The value is already taken: a name, an id, a key that was already rotated.
    #[error("the store already holds something else in that place")]
    Conflict,
    /// The record does not exist.
    #[error("the store does not hold what the call is about")]
    NotFound,
    /// The store contains or returned data that this version does not understand.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(Cause),
}

impl StoreError {
    pub(super) fn unavailable(text: impl Into<Arc<str>>) -> Self {
        Self::Unavailable(Cause {
            text: text.into(),
            worth_repeating: false,
        })
    }

    pub(super) fn corrupt(text: impl Into<Arc<str>>) -> Self {
        Self::Corrupt(Cause {
            text: text.into(),
            worth_repeating: false,
        })
    }
}

/// The error message of a library or database, for the log.
#[derive(Clone, Debug)]
pub struct Cause {
    text: Arc<str>,
    worth_repeating: bool,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// An error of an operation, which any store error can be converted to.
pub(super) trait Failure: From<StoreError> + Send + 'static {
    fn store_error(&self) -> Option<&StoreError>;

    /// Whether the database aborted the work only because of concurrent work (a deadlock, a
    /// serialization failure, a lock).
    fn is_worth_repeating(&self) -> bool {
        matches!(self.store_error(), Some(StoreError::Unavailable(cause)) if cause.worth_repeating)
    }
}

impl Failure for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

impl Failure for RecordRefusal {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

/// Conversions from the errors of the database library. They are not `From` implementations,
/// because that would expose the library to callers.
impl StoreError {
    pub(super) fn from_sqlx(error: sqlx::Error) -> Self {
        let text: Arc<str> = error.to_string().into();
        match error {
            sqlx::Error::Database(database) => from_database(&*database, text),
            sqlx::Error::RowNotFound => Self::NotFound,
            sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. }
            | sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::Decode(_)
            | sqlx::Error::Encode(_)
            | sqlx::Error::TypeNotFound { .. } => Self::corrupt(text),
            _ => Self::unavailable(text),
        }
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "stands in `map_err`, like its neighbours"
    )]
    pub(super) fn from_rusqlite(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(code, _) = &error else {
            return Self::corrupt(error.to_string());
        };
        let code = code.extended_code;
        match code {
            SQLITE_UNIQUE | SQLITE_PRIMARY_KEY => Self::Conflict,
            SQLITE_FOREIGN_KEY => Self::NotFound,
            _ if sqlite_may_pass(code) => Self::Unavailable(Cause {
                text: error.to_string().into(),
                worth_repeating: sqlite_was_busy(code),
            }),
            _ => Self::corrupt(error.to_string()),
        }
    }

    pub(super) fn from_migration(error: sqlx::migrate::MigrateError) -> Self {
        use sqlx::migrate::MigrateError;
        match error {
            MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => {
                Self::from_sqlx(cause)
            }
            other => Self::corrupt(other.to_string()),
        }
    }
}

fn from_database(error: &dyn sqlx::error::DatabaseError, text: Arc<str>) -> StoreError {
    if error.is_unique_violation() {
        return StoreError::Conflict;
    }
    if error.is_foreign_key_violation() {
        return StoreError::NotFound;
    }
    let code = error.code().unwrap_or_default();
    let is_sqlite = error
        .try_downcast_ref::<sqlx::sqlite::SqliteError>()
        .is_some();
    let may_pass = if is_sqlite {
        sqlite_may_pass(code.parse().unwrap_or_default())
    } else {
        postgres_may_pass(&code)
    };
    if may_pass {
        let worth_repeating = if is_sqlite {
            sqlite_was_busy(code.parse().unwrap_or_default())
        } else {
            matches!(&*code, "40001" | "40P01")
        };
        StoreError::Unavailable(Cause {
            text,
            worth_repeating,
        })
    } else {
        StoreError::corrupt(text)
    }
}

/// Whether a retry may succeed. SQLite's extended result codes contain the primary code in the low
/// byte: busy, locked, out of memory, read-only, interrupted, I/O error, disk full, cannot open,
/// protocol (WAL race).
fn sqlite_may_pass(code: i32) -> bool {
    matches!(code & 0xff, 5..=10 | 13..=15)
}

/// Whether the database was busy, locked, or lost a race on the write-ahead log.
fn sqlite_was_busy(code: i32) -> bool {
    matches!(code & 0xff, 5 | 6 | 15)
}

/// Whether a retry may succeed, by PostgreSQL's error classes: connection, transaction rollback,
/// read-only (a demoted primary), insufficient resources, object in use, operator intervention,
/// system error.
fn postgres_may_pass(code: &str) -> bool {
    code == "25006"
        || ["08", "40", "53", "55", "57", "58"]
            .iter()
            .any(|class| code.starts_with(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_and_full_are_transient_but_damaged_is_not() {
        for (code, expected) in [
            (5, true),
            (517, true),
            (13, true),
            (11, false),
            (26, false),
            (1, false),
        ] {
            assert_eq!(sqlite_may_pass(code), expected, "SQLite code {code}");
        }
        for (code, expected) in [
            ("57P01", true),
            ("53300", true),
            ("40P01", true),
            ("42P01", false),
            ("22P02", false),
        ] {
            assert_eq!(postgres_may_pass(code), expected, "PostgreSQL code {code}");
        }
    }
}
