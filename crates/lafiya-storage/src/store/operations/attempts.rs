//! Sign-in attempts: counted before anything is compared, so that concurrent attempts are counted
//! one after the other.

use jiff::Timestamp;
use lafiya_model::AccountId;
use serde_json::json;

use super::audit::Act;
use crate::store::connection::{Connection, sql};
use crate::store::{AttemptBound, StoreError};

/// Counts an attempt under each limit in turn. If a limit refuses it, it stays counted under those
/// before, because the attempt was made all the same.
pub(in crate::store) async fn take(
    connection: &mut Connection,
    account: AccountId,
    bounds: &[AttemptBound],
    now: Timestamp,
) -> Result<bool, StoreError> {
    for bound in bounds {
        let Some(taken) = take_one(connection, account, bound, now).await? else {
            return Ok(false);
        };
        // Logged at the last attempt allowed and not at each one refused, so that an attacker
        // cannot fill the log.
        if taken == bound.limit {
            log_last(connection, account, bound, now).await?;
        }
    }
    Ok(true)
}

/// Returns the number of attempts including this one; `None` if none is left. Locks the row until
/// the end of the transaction.
async fn take_one(
    connection: &mut Connection,
    account: AccountId,
    bound: &AttemptBound,
    now: Timestamp,
) -> Result<Option<u64>, StoreError> {
    let row = sql(
        "insert into sign_in_attempt (account, source, taken, ends_at) values ($1, $2, 1, $3)
         on conflict (account, source) do update set
             taken = case when sign_in_attempt.ends_at <= $5
                 then 1 else sign_in_attempt.taken + 1 end,
             ends_at = case when sign_in_attempt.ends_at <= $5
                 then excluded.ends_at else sign_in_attempt.ends_at end
         where sign_in_attempt.ends_at <= $5 or sign_in_attempt.taken < $4
         returning taken",
    )
    .bind(account)
    .bind(&bound.source)
    .bind(bound.ends_at)
    .bind(bound.limit)
    .bind(now)
    .optional(connection)
    .await?;
    row.map(|row| row.count("taken")).transpose()
}

/// Logs that a limit was reached. The log names the kind of the source and not the source itself,
/// to protect the user's privacy.
async fn log_last(
    connection: &mut Connection,
    account: AccountId,
    bound: &AttemptBound,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = sql("select tenant from account where id = $1")
        .bind(account)
        .optional(connection)
        .await?
        .ok_or(StoreError::NotFound)?;
    // A source is "kind:value", such as an address behind the colon.
    let kind = bound.source.split(':').next().unwrap_or_default();
    Act {
        at: now,
        actor: "sign-in",
        action: "sign_in.lock",
        tenant: row.parsed("tenant")?,
        subject: account.to_string(),
        detail: json!({ "attempts": bound.limit, "from": kind, "until": bound.ends_at.to_string() }),
    }
    .log(connection)
    .await
}

pub(in crate::store) async fn settle(
    connection: &mut Connection,
    account: AccountId,
    bounds: &[AttemptBound],
    source: &str,
) -> Result<(), StoreError> {
    for bound in bounds {
        // The row may have been purged or restarted since the attempt was counted.
        sql("update sign_in_attempt set taken = taken - 1
             where account = $1 and source = $2 and taken > 0")
        .bind(account)
        .bind(&bound.source)
        .execute(connection)
        .await?;
    }
    sql("delete from sign_in_attempt where account = $1 and source = $2")
        .bind(account)
        .bind(source)
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes all counted attempts on an account.
pub(super) async fn forget(
    connection: &mut Connection,
    account: AccountId,
) -> Result<(), StoreError> {
    sql("delete from sign_in_attempt where account = $1")
        .bind(account)
        .execute(connection)
        .await?;
    Ok(())
}
