//! Where the store is, and how patiently it is approached.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::DataKeys;

/// The address of a store: `sqlite://path/to/file` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// A file of this machine.
    Sqlite(PathBuf),
    /// A PostgreSQL server, or one that speaks its protocol.
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

/// The password in a PostgreSQL address belongs in no log.
impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// An address of no store we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a store address is sqlite://path/to/file or postgres://user@host/database")]
pub struct UnknownStoreUrl;

/// Where the store is, and how patiently it is approached.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// Where it is.
    pub url: StoreUrl,
    /// Connections to PostgreSQL at most. SQLite has one writer and four readers.
    pub connections_max: u32,
    /// How long a call waits for a free connection or a place in the queue.
    pub acquire_timeout: Duration,
    /// How long one transaction may take on PostgreSQL before it counts as lost.
    pub transaction_timeout: Duration,
    /// What documents are sealed with.
    pub data_keys: DataKeys,
}

impl StoreSettings {
    /// The usual patience for this address.
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
    fn addresses_are_files_or_postgres_servers() {
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
