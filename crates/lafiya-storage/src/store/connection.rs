//! One connection to either database, and the statements, values and rows that pass over it.
//!
//! Both databases understand the same statements with `$1` for arguments, so a verb is written
//! once over [`Connection`]. Where the two differ (locks), a verb asks [`Connection::engine`].
//! SQLite answers at once, on the thread that asks: what runs on it never waits inside.

use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{
    AccountId, AdverseEventId, AdverseSeriousness, AssessmentId, DeliveryId, DeliveryStatus,
    Environment, EventKind, InterviewId, KeyId, Role, TenantId, TenantStatus, TextToProvider, Tier,
    TriageLevel, WebhookId,
};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Executor, Row as _};
use uuid::Uuid;

use super::sqlite_rows::{self, SqliteRow};
use super::{Month, StoreError};

/// A future that can travel between threads.
pub(super) type Promise<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Which database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

/// One connection, on loan from its pool.
pub(super) struct Connection {
    handle: Handle,
    unsettled: bool,
}

enum Handle {
    Sqlite(rusqlite::Connection),
    Postgres(PoolConnection<Postgres>),
}

impl From<rusqlite::Connection> for Connection {
    fn from(connection: rusqlite::Connection) -> Self {
        Self {
            handle: Handle::Sqlite(connection),
            unsettled: false,
        }
    }
}

impl From<PoolConnection<Postgres>> for Connection {
    fn from(connection: PoolConnection<Postgres>) -> Self {
        Self {
            handle: Handle::Postgres(connection),
            unsettled: false,
        }
    }
}

/// Work that was broken off (by a timeout, a caller who left, a panic) must not go back into the
/// pool with its transaction open: the connection is closed, which rolls it back. That of SQLite
/// is closed whenever it is dropped.
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

    /// Begins a transaction that may write. SQLite takes its write lock here and not later, since
    /// a transaction that reads first can no longer wait for the lock.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        self.unsettled = true;
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

    /// Whether it is in the middle of something.
    pub(super) fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    /// Marks a connection whose answer nobody waits for any more: it will be closed.
    pub(super) fn give_up(&mut self) {
        self.unsettled = true;
    }

    /// Runs a statement without arguments or answer.
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

/// A statement with its arguments.
pub(super) struct Statement {
    text: &'static str,
    values: Vec<Value>,
}

/// A statement, to be followed by its arguments in the order of `$1`, `$2`, …
pub(super) fn sql(text: &'static str) -> Statement {
    Statement {
        text,
        values: Vec::new(),
    }
}

type PostgresQuery = sqlx::query::Query<'static, Postgres, sqlx::postgres::PgArguments>;

impl Statement {
    pub(super) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs it; says how many rows it changed.
    pub(super) async fn execute(self, connection: &mut Connection) -> Result<u64, StoreError> {
        match &mut connection.handle {
            Handle::Sqlite(sqlite) => sqlite_rows::execute(sqlite, self.text, &self.values),
            Handle::Postgres(postgres) => self
                .for_postgres()
                .execute(&mut **postgres)
                .await
                .map(|done| done.rows_affected())
                .map_err(StoreError::from_sqlx),
        }
    }

    /// All rows.
    pub(super) async fn all(self, connection: &mut Connection) -> Result<Vec<Row>, StoreError> {
        match &mut connection.handle {
            Handle::Sqlite(sqlite) => {
                let rows = sqlite_rows::all(sqlite, self.text, &self.values)?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Handle::Postgres(postgres) => {
                let rows = self.for_postgres().fetch_all(&mut **postgres).await;
                let rows = rows.map_err(StoreError::from_sqlx)?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// The row, if there is one.
    pub(super) async fn optional(
        self,
        connection: &mut Connection,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.all(connection).await?.into_iter().next())
    }

    fn for_postgres(self) -> PostgresQuery {
        let bound = |query: PostgresQuery, value| match value {
            Value::Text(value) => query.bind(value),
            Value::Integer(value) => query.bind(value),
            Value::Bytes(value) => query.bind(value),
        };
        self.values.into_iter().fold(sqlx::query(self.text), bound)
    }
}

/// An argument of a statement.
pub(super) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
    Bytes(Vec<u8>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        i64::from(number).into()
    }
}

/// Counts are far from the end of an `i64`; one beyond it means "as many as can be".
impl From<u64> for Value {
    fn from(number: u64) -> Self {
        i64::try_from(number).unwrap_or(i64::MAX).into()
    }
}

impl From<Option<u64>> for Value {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::Integer(None), Self::from)
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Self {
        time.as_millisecond().into()
    }
}

impl From<Option<Timestamp>> for Value {
    fn from(time: Option<Timestamp>) -> Self {
        Self::Integer(time.map(Timestamp::as_millisecond))
    }
}

macro_rules! values_as_text {
    ($($type:ty),+) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Text(Some(value.to_string()))
            }
        }

        impl From<Option<$type>> for Value {
            fn from(value: Option<$type>) -> Self {
                Self::Text(value.map(|value| value.to_string()))
            }
        }
    )+};
}

values_as_text!(
    AdverseEventId,
    AdverseSeriousness,
    AccountId,
    AssessmentId,
    Date,
    DeliveryId,
    DeliveryStatus,
    Environment,
    EventKind,
    InterviewId,
    KeyId,
    Month,
    Role,
    TenantId,
    TenantStatus,
    TextToProvider,
    Tier,
    TriageLevel,
    Uuid,
    WebhookId
);

/// A row of an answer.
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

    pub(super) fn turn(&self, column: &str) -> Result<u32, StoreError> {
        u32::try_from(self.integer(column)?).map_err(|_| unreadable(column, "out of range"))
    }

    pub(super) fn time(&self, column: &str) -> Result<Timestamp, StoreError> {
        time_from(self.integer(column)?, column)
    }

    pub(super) fn optional_time(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        let number: Option<i64> = get!(self, column)?;
        number.map(|number| time_from(number, column)).transpose()
    }

    /// An id, word or date, from its text.
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
