//! The URL and the timeouts of the store.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::DataKeys;

/// The URL of a store: `sqlite://path/to/file` or `postgres://…`.
///
/// # Example
///
/// ```
/// use lafiya_storage::store::StoreUrl;
///
/// let file: StoreUrl = "sqlite://data/lafiya.db".parse()?;
/// assert_eq!(file, StoreUrl::Sqlite("data/lafiya.db".into()));
/// # Ok::<(), lafiya_storage::store::UnknownStoreUrl>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// A local file.
    Sqlite(PathBuf),
    /// A PostgreSQL server or a compatible one.
    Postgres(String),
}

impl FromStr for StoreUrl {
    type Err = UnknownStoreUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let file = text
            .strip_prefix("sqlite://")
            .or_else(|| text.strip_prefix("sqlite:"));
        if let Some(path) = file {
            if path.is_empty() || path.contains(":memory:") {
                return Err(UnknownStoreUrl);
            }
            return Ok(Self::Sqlite(path.into()));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(UnknownStoreUrl)
    }
}

/// The password in a PostgreSQL URL must not be logged.
impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// The error for a URL of an unknown store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a store address is sqlite://path/to/file or postgres://user@host/database")]
pub struct UnknownStoreUrl;

/// The URL and the timeouts of the store.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The URL.
    pub url: StoreUrl,
    /// Maximum number of PostgreSQL connections. SQLite has one writer and four readers.
    pub connections_max: u32,
    /// Acquire timeout: how long a call waits for a free connection or for space in the queue.
    pub acquire_timeout: Duration,
    /// Timeout of one transaction on PostgreSQL.
    pub transaction_timeout: Duration,
    /// The keys that documents are encrypted with.
    pub data_keys: DataKeys,
}

impl StoreSettings {
    /// Creates settings with the default timeouts.
    pub fn new(url: StoreUrl) -> Self {
        Self {
            url,
            connections_max: 16,
            acquire_timeout: Duration::from_secs(3),
            transaction_timeout: Duration::from_secs(10),
            data_keys: DataKeys::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_sqlite_files_or_postgres_servers() {
        let file = |path: &str| Ok(StoreUrl::Sqlite(path.into()));
        let server = |text: &str| Ok(StoreUrl::Postgres(text.to_owned()));
        for (text, expected) in [
            ("sqlite://data/lafiya.db", file("data/lafiya.db")),
            ("sqlite:///var/lib/lafiya.db", file("/var/lib/lafiya.db")),
            ("postgres://u@h/d", server("postgres://u@h/d")),
            ("postgresql://u@h/d", server("postgresql://u@h/d")),
            ("sqlite://:memory:", Err(UnknownStoreUrl)),
            ("mysql://u@h/d", Err(UnknownStoreUrl)),
            ("", Err(UnknownStoreUrl)),
        ] {
            assert_eq!(text.parse::<StoreUrl>(), expected, "{text}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let url: StoreUrl = "postgres://u:hunter2@h/d".parse().unwrap();
        assert!(!format!("{url:?}").contains("hunter2"));
    }
}
