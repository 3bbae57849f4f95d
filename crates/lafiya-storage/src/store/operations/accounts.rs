//! Accounts, sessions and one-time links.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use lafiya_model::{AccountId, Role, TenantId};
use serde_json::json;

use super::audit::Act;
use super::{attempts, tenants};
use crate::store::connection::{Connection, Row, sql};
use crate::store::sealing::{DataKeys, Sealed};
use crate::store::{AccountRecord, NewAccount, NewPassword, NewSession, SessionRecord, StoreError};

macro_rules! account_columns {
    () => {
        "account.id, account.tenant, account.email, account.role, account.operator, \
         account.password_hash, \
         cast(case when account.totp_secret is null then 0 else 1 end as bigint) as has_codes, \
         account.totp_step, account.created_at, account.last_sign_in_at"
    };
}

pub(in crate::store) async fn create(
    connection: &mut Connection,
    new: &NewAccount,
    actor: &str,
) -> Result<AccountRecord, StoreError> {
    let row = sql(concat!(
        "insert into account (id, tenant, email, role, operator, created_at)
         values ($1, $2, $3, $4, $5, $6) returning ",
        account_columns!()
    ))
    .bind(new.id)
    .bind(new.tenant)
    .bind(&new.email)
    .bind(new.role)
    .bind(u32::from(new.operator))
    .bind(new.created_at)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let record = record_from(&row)?;
    log(
        connection,
        &record,
        "member.add",
        actor,
        new.created_at,
        json!({ "email": record.email, "role": record.role, "operator": record.operator }),
    )
    .await?;
    Ok(record)
}

pub(in crate::store) async fn find(
    connection: &mut Connection,
    email: &str,
) -> Result<Option<AccountRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        account_columns!(),
        " from account where email = $1"
    ))
    .bind(email)
    .optional(connection)
    .await?;
    row.as_ref().map(record_from).transpose()
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    tenant: TenantId,
) -> Result<Vec<AccountRecord>, StoreError> {
    let rows = sql(concat!(
        "select ",
        account_columns!(),
        " from account where tenant = $1 order by email"
    ))
    .bind(tenant)
    .all(connection)
    .await?;
    rows.iter().map(record_from).collect()
}

pub(in crate::store) async fn set_role(
    connection: &mut Connection,
    tenant: TenantId,
    id: AccountId,
    role: Role,
    actor: &str,
    now: Timestamp,
) -> Result<AccountRecord, StoreError> {
    let row = sql(concat!(
        "update account set role = $3 where id = $1 and tenant = $2 returning ",
        account_columns!()
    ))
    .bind(id)
    .bind(tenant)
    .bind(role)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let record = record_from(&row)?;
    let detail = json!({ "email": record.email, "role": role });
    log(connection, &record, "member.role", actor, now, detail).await?;
    Ok(record)
}

pub(in crate::store) async fn remove(
    connection: &mut Connection,
    tenant: TenantId,
    id: AccountId,
    actor: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = sql(concat!(
        "delete from account where id = $1 and tenant = $2 returning ",
        account_columns!()
    ))
    .bind(id)
    .bind(tenant)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    attempts::forget(connection, id).await?;
    let record = record_from(&row)?;
    let detail = json!({ "email": record.email });
    log(connection, &record, "member.remove", actor, now, detail).await
}

pub(in crate::store) async fn set_password(
    connection: &mut Connection,
    id: AccountId,
    new: &NewPassword,
    actor: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let ended = sql("update sign_in_session set password_reset_until = null
         where hash = $1 and account = $2 and password_reset_until > $3")
    .bind(new.session.as_slice())
    .bind(id)
    .bind(now)
    .execute(connection)
    .await?;
    if new.without_old && ended == 0 {
        return Err(StoreError::Conflict);
    }
    let row = sql(concat!(
        "update account set password_hash = $2 where id = $1 returning ",
        account_columns!()
    ))
    .bind(id)
    .bind(&new.hash)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    sql("delete from sign_in_session where account = $1 and hash <> $2")
        .bind(id)
        .bind(new.session.as_slice())
        .execute(connection)
        .await?;
    sql("delete from sign_in_link where account = $1")
        .bind(id)
        .execute(connection)
        .await?;
    attempts::forget(connection, id).await?;
    let record = record_from(&row)?;
    let detail = json!({ "without_old": new.without_old });
    log(connection, &record, "member.password", actor, now, detail).await
}

/// Returns what the TOTP secret of an account is bound to.
pub(super) fn codes_place(id: AccountId) -> String {
    format!("one-time codes {id}")
}

/// Returns the secret as stored: plain without a data key, otherwise encrypted and in base64.
pub(super) fn sealed_secret(
    keys: &DataKeys,
    id: AccountId,
    secret: &str,
) -> Result<(String, Option<String>), StoreError> {
    let sealed = keys.seal(&codes_place(id), secret.as_bytes().to_vec())?;
    Ok(match sealed.key {
        None => (secret.to_owned(), None),
        Some(key) => (STANDARD.encode(sealed.bytes), Some(key)),
    })
}

/// Reads the secret from its two columns.
pub(super) fn opened_secret(
    keys: &DataKeys,
    id: AccountId,
    row: &Row,
) -> Result<Option<String>, StoreError> {
    let Some(held) = row.optional_text("totp_secret")? else {
        return Ok(None);
    };
    let Some(key) = row.optional_text("totp_secret_key")? else {
        return Ok(Some(held));
    };
    let unreadable = || StoreError::corrupt("the secret of one-time codes cannot be read");
    let sealed = Sealed {
        key: Some(key),
        bytes: STANDARD.decode(held).map_err(|_| unreadable())?.into(),
    };
    let plain = keys.open(&codes_place(id), sealed)?;
    let plain = String::from_utf8(plain).map_err(|_| unreadable())?;
    Ok(Some(plain))
}

pub(in crate::store) async fn set_totp(
    connection: &mut Connection,
    keys: &DataKeys,
    id: AccountId,
    secret: Option<&str>,
    actor: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sealed = secret
        .map(|secret| sealed_secret(keys, id, secret))
        .transpose()?;
    let (held, key) = sealed.map_or((None, None), |(held, key)| (Some(held), key));
    let row = sql(concat!(
        "update account set totp_secret = $2, totp_secret_key = $3 where id = $1 returning ",
        account_columns!()
    ))
    .bind(id)
    .bind(held.as_deref())
    .bind(key.as_deref())
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let record = record_from(&row)?;
    let detail = json!({ "on": secret.is_some() });
    log(connection, &record, "member.codes", actor, now, detail).await
}

pub(in crate::store) async fn totp_secret(
    connection: &mut Connection,
    keys: &DataKeys,
    id: AccountId,
) -> Result<Option<String>, StoreError> {
    let row = sql("select totp_secret, totp_secret_key from account where id = $1")
        .bind(id)
        .optional(connection)
        .await?
        .ok_or(StoreError::NotFound)?;
    opened_secret(keys, id, &row)
}

pub(in crate::store) async fn take_totp_step(
    connection: &mut Connection,
    id: AccountId,
    step: u64,
) -> Result<bool, StoreError> {
    let taken = sql("update account set totp_step = $2 where id = $1 and totp_step < $2")
        .bind(id)
        .bind(step)
        .execute(connection)
        .await?;
    Ok(taken == 1)
}

pub(in crate::store) async fn begin_session(
    connection: &mut Connection,
    session: &NewSession,
    how: &str,
) -> Result<(), StoreError> {
    sql("delete from sign_in_session where account = $1 and expires_at <= $2")
        .bind(session.account)
        .bind(session.created_at)
        .execute(connection)
        .await?;
    let row = sql(concat!(
        "update account set last_sign_in_at = $2 where id = $1 returning ",
        account_columns!()
    ))
    .bind(session.account)
    .bind(session.created_at)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    sql("insert into sign_in_session
             (hash, account, created_at, seen_at, expires_at, password_reset_until)
         values ($1, $2, $3, $3, $4, $5)")
    .bind(session.hash.as_slice())
    .bind(session.account)
    .bind(session.created_at)
    .bind(session.expires_at)
    .bind(session.password_reset_until)
    .execute(connection)
    .await?;
    let record = record_from(&row)?;
    let actor = record.email.clone();
    let detail = json!({ "how": how });
    log(
        connection,
        &record,
        "sign_in",
        &actor,
        session.created_at,
        detail,
    )
    .await
}

pub(in crate::store) async fn find_session(
    connection: &mut Connection,
    hash: &[u8; 32],
    idle_since: Timestamp,
    now: Timestamp,
) -> Result<Option<SessionRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        account_columns!(),
        ", sign_in_session.seen_at, sign_in_session.password_reset_until, ",
        joined_tenant_columns!(),
        "
         from sign_in_session
         join account on account.id = sign_in_session.account
         join tenant on tenant.id = account.tenant
         where sign_in_session.hash = $1 and sign_in_session.seen_at > $2
             and sign_in_session.expires_at > $3"
    ))
    .bind(hash.as_slice())
    .bind(idle_since)
    .bind(now)
    .optional(connection)
    .await?;
    row.as_ref().map(session_from).transpose()
}

pub(in crate::store) async fn touch_session(
    connection: &mut Connection,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<(), StoreError> {
    sql("update sign_in_session set seen_at = $2 where hash = $1 and seen_at < $2")
        .bind(hash.as_slice())
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::store) async fn end_session(
    connection: &mut Connection,
    hash: &[u8; 32],
) -> Result<(), StoreError> {
    sql("delete from sign_in_session where hash = $1")
        .bind(hash.as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::store) async fn create_link(
    connection: &mut Connection,
    account: AccountId,
    hash: &[u8; 32],
    expires_at: Timestamp,
    actor: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    sql("delete from sign_in_link where account = $1")
        .bind(account)
        .execute(connection)
        .await?;
    sql("insert into sign_in_link (hash, account, expires_at) values ($1, $2, $3)")
        .bind(hash.as_slice())
        .bind(account)
        .bind(expires_at)
        .execute(connection)
        .await?;
    let row = sql(concat!(
        "select ",
        account_columns!(),
        " from account where id = $1"
    ))
    .bind(account)
    .optional(connection)
    .await?
    .ok_or(StoreError::NotFound)?;
    let record = record_from(&row)?;
    let detail = json!({ "email": record.email });
    log(connection, &record, "member.link", actor, now, detail).await
}

pub(in crate::store) async fn find_link(
    connection: &mut Connection,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<AccountRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        account_columns!(),
        " from sign_in_link join account on account.id = sign_in_link.account
         where sign_in_link.hash = $1 and sign_in_link.expires_at > $2"
    ))
    .bind(hash.as_slice())
    .bind(now)
    .optional(connection)
    .await?;
    row.as_ref().map(record_from).transpose()
}

pub(in crate::store) async fn take_link(
    connection: &mut Connection,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<AccountRecord>, StoreError> {
    let found = find_link(connection, hash, now).await?;
    let taken = sql("delete from sign_in_link where hash = $1")
        .bind(hash.as_slice())
        .execute(connection)
        .await?;
    Ok(found.filter(|_| taken == 1))
}

async fn log(
    connection: &mut Connection,
    account: &AccountRecord,
    action: &'static str,
    actor: &str,
    at: Timestamp,
    detail: serde_json::Value,
) -> Result<(), StoreError> {
    Act {
        at,
        actor,
        action,
        tenant: account.tenant,
        subject: account.id.to_string(),
        detail,
    }
    .log(connection)
    .await
}

fn session_from(row: &Row) -> Result<SessionRecord, StoreError> {
    let account = record_from(row)?;
    let tenant = tenants::joined_from(row, account.tenant)?;
    Ok(SessionRecord {
        account,
        tenant,
        seen_at: row.time("seen_at")?,
        password_reset_until: row.optional_time("password_reset_until")?,
    })
}

fn record_from(row: &Row) -> Result<AccountRecord, StoreError> {
    Ok(AccountRecord {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        email: row.text("email")?,
        role: row.parsed("role")?,
        operator: row.count("operator")? != 0,
        password_hash: row.optional_text("password_hash")?,
        has_codes: row.count("has_codes")? != 0,
        totp_step: row.count("totp_step")?,
        created_at: row.time("created_at")?,
        last_sign_in_at: row.optional_time("last_sign_in_at")?,
    })
}
