//! Data keys and what they encrypt: which keys the database needs, and re-encryption.

use std::fmt::{self, Display};

use jiff::Timestamp;
use lafiya_model::{AccountId, AssessmentId, Environment, InterviewId, TenantId, WebhookId};

use super::{accounts, webhooks};
use crate::store::connection::{Connection, Engine, sql};
use crate::store::sealing::{DataKeys, Sealed};
use crate::store::{Resealed, StoreError};

/// Maximum number of documents re-encrypted per transaction, because the writer must not be blocked
/// for long.
const RESEAL_BATCH: u32 = 200;

/// Returns what an assessment's document is bound to.
pub(in crate::store) fn assessment_place(
    tenant: TenantId,
    environment: Environment,
    id: AssessmentId,
) -> impl Display {
    fmt::from_fn(move |f| write!(f, "assessment {tenant} {environment} {id}"))
}

/// Returns what an interview's document is bound to.
pub(in crate::store) fn interview_place(
    tenant: TenantId,
    environment: Environment,
    id: InterviewId,
) -> impl Display {
    fmt::from_fn(move |f| write!(f, "interview {tenant} {environment} {id}"))
}

/// Returns the ids of keys that documents may need and that are not configured. If there are none,
/// records the current key as in use.
pub(in crate::store) async fn settle_keys(
    connection: &mut Connection,
    keys: &DataKeys,
    now: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let rows = sql("select id from data_key order by id")
        .all(connection)
        .await?;
    let mut missing = Vec::new();
    for row in rows {
        let id = row.text("id")?;
        if !keys.hold(&id) {
            missing.push(id);
        }
    }
    // Recorded before the first document uses it, so that a later start without this key is refused
    // instead of failing at the first read.
    if let (true, Some(current)) = (missing.is_empty(), keys.current_id()) {
        sql("insert into data_key (id, first_used_at) values ($1, $2) on conflict (id) do nothing")
            .bind(current)
            .bind(now)
            .execute(connection)
            .await?;
    }
    Ok(missing)
}

/// Re-encrypts the next assessments after `after` that do not use the current key.
pub(in crate::store) async fn reseal_assessments(
    connection: &mut Connection,
    keys: &DataKeys,
    after: Option<AssessmentId>,
) -> Result<Resealed, StoreError> {
    let after = after.map_or_else(String::new, |id| id.to_string());
    let rows = sql(
        "select id, tenant, environment, document, document_key from assessment
         where id > $1 order by id limit $2",
    )
    .bind(&after)
    .bind(RESEAL_BATCH)
    .all(connection)
    .await?;
    let mut outcome = Resealed::default();
    for row in rows {
        let id = row.parsed("id")?;
        // Also for documents that are skipped, or the next call would read them again.
        outcome.last = Some(id);
        let key = row.optional_text("document_key")?;
        if key.as_deref() == keys.current_id() {
            continue;
        }
        let place = assessment_place(row.parsed("tenant")?, row.parsed("environment")?, id);
        let bytes = row.bytes("document")?.into();
        let plain = keys.open(&place, Sealed { key, bytes })?;
        let sealed = keys.seal(&place, plain)?;
        outcome.resealed +=
            sql("update assessment set document = $2, document_key = $3 where id = $1")
                .bind(id)
                .bind(&sealed.bytes)
                .bind(sealed.key.as_deref())
                .execute(connection)
                .await?;
    }
    Ok(outcome)
}

/// Re-encrypts some interviews with the current key. Those that a turn has locked are skipped,
/// because waiting for them could cause a deadlock.
pub(in crate::store) async fn reseal_interviews(
    connection: &mut Connection,
    keys: &DataKeys,
) -> Result<u64, StoreError> {
    let statement = match connection.engine() {
        Engine::Sqlite => {
            "select id, tenant, environment, document, document_key from interview
             where document_key is distinct from $1 limit $2"
        }
        Engine::Postgres => {
            "select id, tenant, environment, document, document_key from interview
             where document_key is distinct from $1 limit $2 for update skip locked"
        }
    };
    let rows = sql(statement)
        .bind(keys.current_id())
        .bind(RESEAL_BATCH)
        .all(connection)
        .await?;
    let mut resealed = 0;
    for row in rows {
        let id: InterviewId = row.parsed("id")?;
        let tenant: TenantId = row.parsed("tenant")?;
        let environment: Environment = row.parsed("environment")?;
        let place = interview_place(tenant, environment, id);
        let sealed = Sealed {
            key: row.optional_text("document_key")?,
            bytes: row.bytes("document")?.into(),
        };
        let sealed = keys.seal(&place, keys.open(&place, sealed)?)?;
        resealed += sql("update interview set document = $4, document_key = $5
             where tenant = $1 and environment = $2 and id = $3")
        .bind(tenant)
        .bind(environment)
        .bind(id)
        .bind(&sealed.bytes)
        .bind(sealed.key.as_deref())
        .execute(connection)
        .await?;
    }
    Ok(resealed)
}

/// Re-encrypts the TOTP secrets with the current key. There are as many as accounts with one-time
/// codes, which are few.
pub(in crate::store) async fn reseal_codes(
    connection: &mut Connection,
    keys: &DataKeys,
) -> Result<u64, StoreError> {
    let statement = match connection.engine() {
        Engine::Sqlite => {
            "select id, totp_secret, totp_secret_key from account
             where totp_secret is not null and totp_secret_key is distinct from $1 limit $2"
        }
        Engine::Postgres => {
            "select id, totp_secret, totp_secret_key from account
             where totp_secret is not null and totp_secret_key is distinct from $1 limit $2
             for update skip locked"
        }
    };
    let rows = sql(statement)
        .bind(keys.current_id())
        .bind(RESEAL_BATCH)
        .all(connection)
        .await?;
    let mut resealed = 0;
    for row in rows {
        let id: AccountId = row.parsed("id")?;
        let Some(secret) = accounts::opened_secret(keys, id, &row)? else {
            continue;
        };
        let (held, key) = accounts::sealed_secret(keys, id, &secret)?;
        resealed += sql("update account set totp_secret = $2, totp_secret_key = $3 where id = $1")
            .bind(id)
            .bind(held.as_str())
            .bind(key.as_deref())
            .execute(connection)
            .await?;
    }
    Ok(resealed)
}

/// Re-encrypts the secrets of some webhooks with the current key. Those that are being changed at
/// the same time are skipped.
pub(in crate::store) async fn reseal_webhook_secrets(
    connection: &mut Connection,
    keys: &DataKeys,
) -> Result<u64, StoreError> {
    let statement = match connection.engine() {
        Engine::Sqlite => {
            "select id, secret, secret_key, previous_secret, previous_secret_key from webhook
             where secret_key is distinct from $1
                or (previous_secret is not null and previous_secret_key is distinct from $1)
             limit $2"
        }
        Engine::Postgres => {
            "select id, secret, secret_key, previous_secret, previous_secret_key from webhook
             where secret_key is distinct from $1
                or (previous_secret is not null and previous_secret_key is distinct from $1)
             limit $2 for update skip locked"
        }
    };
    let rows = sql(statement)
        .bind(keys.current_id())
        .bind(RESEAL_BATCH)
        .all(connection)
        .await?;
    let mut resealed = 0;
    for row in rows {
        let id: WebhookId = row.parsed("id")?;
        if let Some(secret) = webhooks::opened_secret(keys, id, &row, webhooks::SECRET)? {
            let sealed = webhooks::sealed_secret(keys, id, &secret)?;
            resealed += sql("update webhook set secret = $2, secret_key = $3 where id = $1")
                .bind(id)
                .bind(&sealed.bytes)
                .bind(sealed.key.as_deref())
                .execute(connection)
                .await?;
        }
        if let Some(secret) = webhooks::opened_secret(keys, id, &row, webhooks::PREVIOUS_SECRET)? {
            // Not counted: the result is the number of webhooks.
            let sealed = webhooks::sealed_secret(keys, id, &secret)?;
            sql("update webhook set previous_secret = $2, previous_secret_key = $3 where id = $1")
                .bind(id)
                .bind(&sealed.bytes)
                .bind(sealed.key.as_deref())
                .execute(connection)
                .await?;
        }
    }
    Ok(resealed)
}

/// Deletes every recorded key but the current one, unless a document still needs another. Returns
/// how many documents do.
pub(in crate::store) async fn retire_keys(
    connection: &mut Connection,
    keys: &DataKeys,
) -> Result<u64, StoreError> {
    let row = sql("select
             (select count(*) from assessment where document_key is distinct from $1)
             + (select count(*) from interview where document_key is distinct from $1)
             + (select count(*) from account where totp_secret is not null
                and totp_secret_key is distinct from $1)
             + (select count(*) from webhook where secret_key is distinct from $1
                or (previous_secret is not null and previous_secret_key is distinct from $1))
             as remaining")
    .bind(keys.current_id())
    .optional(connection)
    .await?;
    let remaining = row.map_or(Ok(0), |row| row.count("remaining"))?;
    // A recorded key must be configured at every start. It may be forgotten only when nothing needs
    // it.
    if remaining == 0 {
        sql("delete from data_key where id is distinct from $1")
            .bind(keys.current_id())
            .execute(connection)
            .await?;
    }
    Ok(remaining)
}
