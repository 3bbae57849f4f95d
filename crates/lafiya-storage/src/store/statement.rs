//! Statements and their arguments, for either database.

use std::borrow::Cow;

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
pub(super) struct Statement<'a> {
    text: &'static str,
    values: Vec<Value<'a>>,
}

/// Creates a statement; bind its arguments in the order of `$1`, `$2`, …
pub(super) fn sql<'a>(text: &'static str) -> Statement<'a> {
    Statement {
        text,
        // Most statements have fewer arguments.
        values: Vec::with_capacity(16),
    }
}

type PostgresQuery<'a> = sqlx::query::Query<'a, Postgres, sqlx::postgres::PgArguments>;

impl<'a> Statement<'a> {
    pub(super) fn bind(mut self, value: impl Into<Value<'a>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs it; returns the number of changed rows.
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

    /// Runs it; returns all rows.
    pub(super) async fn all(self, connection: &mut Connection) -> Result<Vec<Row>, StoreError> {
        match &mut connection.handle {
            Handle::Sqlite(sqlite) => {
                let rows = sqlite_rows::all(sqlite, self.text, &self.values)?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Handle::Postgres(postgres) => fetched(self.for_postgres(), postgres).await,
        }
    }

    /// Runs it; returns the first row, if any.
    pub(super) async fn optional(
        self,
        connection: &mut Connection,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.all(connection).await?.into_iter().next())
    }

    /// Runs it together with others that do not depend on each other; returns its own rows. On
    /// PostgreSQL they are sent as one statement, which saves a round trip for each.
    pub(super) async fn all_beside(
        self,
        others: Vec<Statement<'a>>,
        connection: &mut Connection,
    ) -> Result<Vec<Row>, StoreError> {
        match &mut connection.handle {
            Handle::Sqlite(_) => {
                let rows = self.all(connection).await?;
                // In any order: on PostgreSQL no part of a joined statement sees the changes of the
                // others.
                for other in others {
                    other.execute(connection).await?;
                }
                Ok(rows)
            }
            Handle::Postgres(postgres) => fetched(self.joined_with(others), postgres).await,
        }
    }

    fn for_postgres(self) -> PostgresQuery<'a> {
        bound(sqlx::query(self.text), self.values)
    }

    /// Joins the statements as `with part_1 as (…), part_2 as (…) …` and renumbers their arguments.
    fn joined_with(self, others: Vec<Statement<'a>>) -> PostgresQuery<'a> {
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
        #[expect(
            clippy::disallowed_methods,
            reason = "joined of literal strings; what callers give is among the arguments"
        )]
        let text = sqlx::AssertSqlSafe(text);
        bound(sqlx::query(text), values)
    }
}

async fn fetched(
    query: PostgresQuery<'_>,
    postgres: &mut PgConnection,
) -> Result<Vec<Row>, StoreError> {
    let rows = query.fetch_all(postgres).await;
    let rows = rows.map_err(StoreError::from_sqlx)?;
    Ok(rows.into_iter().map(Row::Postgres).collect())
}

fn bound<'a>(query: PostgresQuery<'a>, values: Vec<Value<'a>>) -> PostgresQuery<'a> {
    let bound = |query: PostgresQuery<'a>, value| match value {
        Value::Text(value) => query.bind(value),
        // As text in both databases, so that the statements are the same.
        Value::Id(value) => query.bind(value.map(|id| id.to_string())),
        Value::Integer(value) => query.bind(value),
        Value::Bytes(value) => query.bind(value),
    };
    values.into_iter().fold(query, bound)
}

/// Appends a statement with its arguments renumbered to follow `others` earlier ones.
fn push_renumbered(text: &mut String, statement: &str, others: usize) {
    let mut parts = statement.split('$');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part
            // `$1` and `$10` begin alike, so a plain replacement of text would confuse them.
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(part.len());
        let number: usize = part[..end].parse().unwrap_or_default();
        text.push_str(&format!("${}{}", number + others, &part[end..]));
    }
}

/// An argument of a statement. Long or static values are borrowed.
pub(super) enum Value<'a> {
    Text(Option<Cow<'a, str>>),
    /// An id, stored as text.
    Id(Option<Uuid>),
    Integer(Option<i64>),
    Bytes(&'a [u8]),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Some(text).into()
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text.map(Cow::Borrowed))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a Bytes> for Value<'a> {
    fn from(bytes: &'a Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        i64::from(number).into()
    }
}

/// Counts are far below the maximum of an `i64`; a larger one means "no limit".
impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        i64::try_from(number).unwrap_or(i64::MAX).into()
    }
}

impl From<Option<u64>> for Value<'_> {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::Integer(None), Self::from)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(time: Timestamp) -> Self {
        time.as_millisecond().into()
    }
}

impl From<Option<Timestamp>> for Value<'_> {
    fn from(time: Option<Timestamp>) -> Self {
        Self::Integer(time.map(Timestamp::as_millisecond))
    }
}

/// Implements conversions for types, and for options of them, to one kind of argument.
macro_rules! values {
    ($kind:ident, $turn:expr; $($type:ty),+) => {$(
        impl From<$type> for Value<'_> {
            fn from(value: $type) -> Self {
                Some(value).into()
            }
        }

        impl From<Option<$type>> for Value<'_> {
            fn from(value: Option<$type>) -> Self {
                Self::$kind(value.map($turn))
            }
        }
    )+};
}

values!(Id, |id| id.0; AccountId, AdverseEventId, AssessmentId, DeliveryId, InterviewId, KeyId, TenantId, WebhookId);
values!(Id, |id| id; Uuid);
values!(
    Text, |text| Cow::Borrowed(text.as_str());
    AdverseSeriousness, DeliveryStatus, Environment, EventKind, Role, TenantStatus, TextToProvider, Tier, TriageLevel
);
values!(Text, |value| Cow::Owned(value.to_string()); Date, Month);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_statements_renumber_their_arguments() {
        let mut text = String::new();
        push_renumbered(&mut text, "insert into t values ($1, $2), ($10)", 7);
        assert_eq!(text, "insert into t values ($8, $9), ($17)");
        push_renumbered(&mut text, "; select 1", 3);
        assert_eq!(text, "insert into t values ($8, $9), ($17); select 1");
    }
}
