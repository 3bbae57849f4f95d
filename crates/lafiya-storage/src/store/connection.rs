//! A connection to either database, and the rows it returns.
//!
//! Both databases accept the same statements with `$1` placeholders, so an operation is written
//! once for [`Connection`]. Where they differ (locks), an operation checks [`Connection::engine`].
//! SQLite runs synchronously on the calling thread, so futures on it never suspend.

use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;

use jiff::Timestamp;
use lafiya_model::TenantId;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Executor, Row as _};

use super::StoreError;
use super::sqlite_rows::{self, SqliteRow};
pub(super) use super::statement::{Statement, Value, sql};

/// A boxed future that is `Send`.
pub(super) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The database engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

/// A connection borrowed from its pool.
pub(super) struct Connection {
    pub(super) handle: Handle,
    unsettled: bool,
    /// The tenant whose lock this transaction holds.
    locked: Option<TenantId>,
}

pub(super) enum Handle {
    Sqlite(rusqlite::Connection),
    Postgres(PoolConnection<Postgres>),
}

impl From<rusqlite::Connection> for Connection {
    fn from(connection: rusqlite::Connection) -> Self {
        Self {
            handle: Handle::Sqlite(connection),
            unsettled: false,
            locked: None,
        }
    }
}

impl From<PoolConnection<Postgres>> for Connection {
    fn from(connection: PoolConnection<Postgres>) -> Self {
        Self {
            handle: Handle::Postgres(connection),
            unsettled: false,
            locked: None,
        }
    }
}

/// Work that was interrupted by a timeout, a cancelled request or a panic must not return its
/// connection to the pool with an open transaction: the connection is closed, which rolls it back.
/// An SQLite connection is closed whenever it is dropped.
impl Drop for Connection {
    fn drop(&mut self) {
        if let (true, Handle::Postgres(connection)) = (self.unsettled, &mut self.handle) {
            connection.close_on_drop();
        }
    }
}

impl Connection {
    pub(super) fn engine(&self) -> Engine {
        match self.handle {
            Handle::Sqlite(_) => Engine::Sqlite,
            Handle::Postgres(_) => Engine::Postgres,
        }
    }

    /// Begins a write transaction. SQLite takes its write lock here, because a transaction that
    /// starts with a read can no longer wait for the lock.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        // Set before the statement: if the future is dropped while it waits, the connection must
        // count as having an open transaction.
        self.unsettled = true;
        self.locked = None;
        match self.engine() {
            Engine::Sqlite => self.run("begin immediate").await,
            Engine::Postgres => self.run("begin").await,
        }
    }

    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit").await?;
        self.unsettled = false;
        Ok(())
    }

    pub(super) async fn roll_back(&mut self) -> Result<(), StoreError> {
        self.run("rollback").await?;
        self.unsettled = false;
        Ok(())
    }

    /// Sets a savepoint for [`Self::roll_back_to_savepoint`].
    pub(super) async fn set_savepoint(&mut self) -> Result<(), StoreError> {
        self.run("savepoint work").await
    }

    /// Rolls back to the savepoint and releases the locks taken since.
    pub(super) async fn roll_back_to_savepoint(&mut self) -> Result<(), StoreError> {
        self.locked = None;
        self.run("rollback to savepoint work").await
    }

    /// Releases the savepoint and keeps the changes made since.
    pub(super) async fn release_savepoint(&mut self) -> Result<(), StoreError> {
        self.run("release savepoint work").await
    }

    /// Locks the tenant row until the end of the transaction. Every transaction that changes a
    /// tenant's data takes this lock first. It then has exclusive access to the tenant's counters
    /// and interviews, so later locks cannot deadlock. SQLite has a single writer and needs no
    /// lock.
    pub(super) async fn lock_tenant(&mut self, tenant: TenantId) -> Result<(), StoreError> {
        if self.engine() == Engine::Sqlite || self.locked == Some(tenant) {
            return Ok(());
        }
        // Not "for update": that would also block inserts of rows that refer to the tenant.
        let found = sql("select id from tenant where id = $1 for no key update")
            .bind(tenant)
            .optional(self)
            .await?;
        found.ok_or(StoreError::NotFound)?;
        self.locked = Some(tenant);
        Ok(())
    }

    /// Whether a transaction is open or the connection was given up.
    pub(super) fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    /// Marks a connection whose result is no longer awaited, so that it will be closed.
    pub(super) fn give_up(&mut self) {
        self.unsettled = true;
    }

    /// Runs a statement without arguments or result.
    pub(super) async fn run(&mut self, statement: &'static str) -> Result<(), StoreError> {
        match &mut self.handle {
            Handle::Sqlite(connection) => {
                sqlite_rows::execute(connection, statement, &[]).map(drop)
            }
            Handle::Postgres(connection) => connection
                .execute(statement)
                .await
                .map(drop)
                .map_err(StoreError::from_sqlx),
        }
    }
}

/// A row of a result.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

macro_rules! get {
    ($row:expr, $column:expr) => {
        match $row {
            Row::Sqlite(row) => row.get($column),
            Row::Postgres(row) => row.try_get($column).map_err(StoreError::from_sqlx),
        }
    };
}

impl Row {
    pub(super) fn text(&self, column: &str) -> Result<String, StoreError> {
        get!(self, column)
    }

    pub(super) fn optional_text(&self, column: &str) -> Result<Option<String>, StoreError> {
        get!(self, column)
    }

    pub(super) fn bytes(&self, column: &str) -> Result<Vec<u8>, StoreError> {
        get!(self, column)
    }

    pub(super) fn optional_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, StoreError> {
        get!(self, column)
    }

    pub(super) fn digest(&self, column: &str) -> Result<[u8; 32], StoreError> {
        self.bytes(column)?
            .try_into()
            .map_err(|_| unreadable(column, "not 32 bytes"))
    }

    pub(super) fn integer(&self, column: &str) -> Result<i64, StoreError> {
        get!(self, column)
    }

    pub(super) fn count(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.integer(column)?).map_err(|_| unreadable(column, "negative"))
    }

    pub(super) fn optional_count(&self, column: &str) -> Result<Option<u64>, StoreError> {
        let number: Option<i64> = get!(self, column)?;
        number
            .map(|number| u64::try_from(number).map_err(|_| unreadable(column, "negative")))
            .transpose()
    }

    pub(super) fn count_u32(&self, column: &str) -> Result<u32, StoreError> {
        u32::try_from(self.integer(column)?).map_err(|_| unreadable(column, "out of range"))
    }

    pub(super) fn time(&self, column: &str) -> Result<Timestamp, StoreError> {
        time_from(self.integer(column)?, column)
    }

    pub(super) fn optional_time(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        let number: Option<i64> = get!(self, column)?;
        number.map(|number| time_from(number, column)).transpose()
    }

    /// Parses a column as an id, an enumeration or a date.
    pub(super) fn parsed<T: FromStr>(&self, column: &str) -> Result<T, StoreError> {
        let text = self.text(column)?;
        text.parse()
            .map_err(|_| unreadable(column, "not a word of its kind"))
    }

    pub(super) fn optional_parsed<T: FromStr>(
        &self,
        column: &str,
    ) -> Result<Option<T>, StoreError> {
        self.optional_text(column)?
            .map(|text| {
                text.parse()
                    .map_err(|_| unreadable(column, "not a word of its kind"))
            })
            .transpose()
    }
}

fn time_from(milliseconds: i64, column: &str) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(milliseconds).map_err(|_| unreadable(column, "no time"))
}

fn unreadable(column: &str, why: &str) -> StoreError {
    StoreError::corrupt(format!("column {column}: {why}"))
}
