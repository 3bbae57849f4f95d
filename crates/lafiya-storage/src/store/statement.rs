//! Statements and their arguments, for either database.

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{
    AccountId, AdverseEventId, AdverseSeriousness, AssessmentId, DeliveryId, DeliveryStatus,
    Environment, EventKind, InterviewId, KeyId, Role, TenantId, TenantStatus, TextToProvider, Tier,
    TriageLevel, WebhookId,
};
use sqlx::postgres::{PgConnection, Postgres};
use uuid::Uuid;

use super::connection::{Connection, Handle, Row};
use super::{Month, StoreError, sqlite_rows};

/// A statement with its arguments.
pub(super) struct Statement {
    text: &'static str,
    values: Vec<Value>,
}

/// A statement, to be followed by its arguments in the order of `$1`, `$2`, …
pub(super) fn sql(text: &'static str) -> Statement {
    Statement {
        text,
        // Most have fewer.
        values: Vec::with_capacity(16),
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
            Handle::Postgres(postgres) => fetched(self.for_postgres(), postgres).await,
        }
    }

    /// The row, if there is one.
    pub(super) async fn optional(
        self,
        connection: &mut Connection,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.all(connection).await?.into_iter().next())
    }

    /// Runs it together with others, none of which depends on another; its rows. PostgreSQL gets all
    /// of them as one statement: every one by itself is a way there and back.
    pub(super) async fn all_beside(
        self,
        others: Vec<Statement>,
        connection: &mut Connection,
    ) -> Result<Vec<Row>, StoreError> {
        match &mut connection.handle {
            Handle::Sqlite(_) => {
                let rows = self.all(connection).await?;
                for other in others {
                    other.execute(connection).await?;
                }
                Ok(rows)
            }
            Handle::Postgres(postgres) => fetched(self.joined_with(others), postgres).await,
        }
    }

    fn for_postgres(self) -> PostgresQuery {
        bound(sqlx::query(self.text), self.values)
    }

    /// `with part_1 as (…), part_2 as (…) …`, the arguments numbered through.
    fn joined_with(self, others: Vec<Statement>) -> PostgresQuery {
        let mut text = String::new();
        let mut values = Vec::new();
        for (place, other) in others.into_iter().enumerate() {
            text.push_str(if place == 0 { "with " } else { ", " });
            text.push_str(&format!("part_{} as (", place + 1));
            push_renumbered(&mut text, other.text, values.len());
            text.push(')');
            values.extend(other.values);
        }
        text.push(' ');
        push_renumbered(&mut text, self.text, values.len());
        values.extend(self.values);
        // Made of texts in this program; what callers say is among the arguments.
        bound(sqlx::query(sqlx::AssertSqlSafe(text)), values)
    }
}

async fn fetched(
    query: PostgresQuery,
    postgres: &mut PgConnection,
) -> Result<Vec<Row>, StoreError> {
    let rows = query.fetch_all(postgres).await;
    let rows = rows.map_err(StoreError::from_sqlx)?;
    Ok(rows.into_iter().map(Row::Postgres).collect())
}

fn bound(query: PostgresQuery, values: Vec<Value>) -> PostgresQuery {
    let bound = |query: PostgresQuery, value| match value {
        Value::Text(value) => query.bind(value),
        Value::Integer(value) => query.bind(value),
        Value::Bytes(value) => query.bind(Vec::from(value)),
    };
    values.into_iter().fold(query, bound)
}

/// Adds a statement whose `$1` is to be read as `$1` after so many others.
fn push_renumbered(text: &mut String, statement: &str, others: usize) {
    let mut parts = statement.split('$');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(part.len());
        let number: usize = part[..end].parse().unwrap_or_default();
        text.push_str(&format!("${}{}", number + others, &part[end..]));
    }
}

/// An argument of a statement.
pub(super) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
    Bytes(Bytes),
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
        Self::Bytes(Bytes::copy_from_slice(bytes))
    }
}

/// A document is long: it is handed on, not copied.
impl From<&Bytes> for Value {
    fn from(bytes: &Bytes) -> Self {
        Self::Bytes(bytes.clone())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_statements_number_their_arguments_through() {
        let mut text = String::new();
        push_renumbered(&mut text, "insert into t values ($1, $2), ($10)", 7);
        assert_eq!(text, "insert into t values ($8, $9), ($17)");
        push_renumbered(&mut text, "; select 1", 3);
        assert_eq!(text, "insert into t values ($8, $9), ($17); select 1");
    }
}
