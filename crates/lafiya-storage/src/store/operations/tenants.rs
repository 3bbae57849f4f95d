//! Tenants: created, listed, suspended, changed.

use jiff::Timestamp;
use lafiya_model::{TenantId, TenantStatus, TextToProvider, Tier};
use serde_json::json;

use super::audit::Act;
use super::keys;
use crate::store::connection::{Connection, Engine, Row, Statement, sql};
use crate::store::{NewKey, NewTenant, StoreError, TenantRecord};

/// The columns that [`record_from`] reads.
macro_rules! tenant_columns {
    () => {
        "id, name, tier, status, monthly_quota, created_at, \
         home_country, text_to_provider"
    };
}

/// The actor in the audit log when the service creates the first tenant.
const FIRST_START: &str = "first-start";

pub(in crate::store) async fn create(
    connection: &mut Connection,
    tenant: &NewTenant,
    actor: &str,
) -> Result<TenantRecord, StoreError> {
    let record = TenantRecord {
        id: tenant.id,
        name: tenant.name.clone(),
        tier: tenant.tier,
        status: TenantStatus::Active,
        monthly_quota: tenant.monthly_quota,
        home_country: tenant.home_country.clone(),
        text_to_provider: TextToProvider::Never,
        created_at: tenant.created_at,
    };
    sql(
        "insert into tenant (id, name, tier, status, monthly_quota, created_at, home_country)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(record.id)
    .bind(&record.name)
    .bind(record.tier)
    .bind(record.status)
    .bind(record.monthly_quota)
    .bind(record.created_at)
    .bind(record.home_country.as_deref())
    .execute(connection)
    .await?;
    Act {
        at: record.created_at,
        actor,
        action: "tenant.create",
        tenant: record.id,
        subject: record.id.to_string(),
        detail: json!({
            "name": record.name,
            "tier": record.tier,
            "monthly_quota": record.monthly_quota,
            "home_country": record.home_country,
        }),
    }
    .log(connection)
    .await?;
    Ok(record)
}

pub(in crate::store) async fn first_start(
    connection: &mut Connection,
    tenant: &NewTenant,
    new_keys: &[NewKey],
) -> Result<bool, StoreError> {
    if connection.engine() == Engine::Postgres {
        // This lock allows reads, and makes other transactions that create a tenant wait and check
        // again.
        connection
            .run("lock table tenant in share row exclusive mode")
            .await?;
    }
    let first = sql("select 1 as one from tenant limit 1")
        .optional(connection)
        .await?;
    if first.is_some() {
        return Ok(false);
    }
    create(connection, tenant, FIRST_START).await?;
    for key in new_keys {
        keys::create(connection, key, FIRST_START).await?;
    }
    Ok(true)
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
) -> Result<Vec<TenantRecord>, StoreError> {
    let rows = sql(concat!(
        "select ",
        tenant_columns!(),
        " from tenant order by name, id"
    ))
    .all(connection)
    .await?;
    rows.iter().map(record_from).collect()
}

pub(in crate::store) async fn find(
    connection: &mut Connection,
    id: TenantId,
) -> Result<Option<TenantRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        tenant_columns!(),
        " from tenant where id = $1"
    ))
    .bind(id)
    .optional(connection)
    .await?;
    row.as_ref().map(record_from).transpose()
}

pub(in crate::store) async fn find_by_name(
    connection: &mut Connection,
    name: &str,
) -> Result<Option<TenantRecord>, StoreError> {
    let row = sql(concat!(
        "select ",
        tenant_columns!(),
        " from tenant where name = $1"
    ))
    .bind(name)
    .optional(connection)
    .await?;
    row.as_ref().map(record_from).transpose()
}

/// A change of a tenant, for the audit log.
struct Change<'a> {
    id: TenantId,
    action: &'static str,
    detail: serde_json::Value,
    actor: &'a str,
    now: Timestamp,
}

impl Change<'_> {
    /// Runs a statement that returns the changed tenant, and logs the action.
    async fn make(
        self,
        connection: &mut Connection,
        statement: Statement<'_>,
    ) -> Result<TenantRecord, StoreError> {
        let row = statement
            .optional(connection)
            .await?
            .ok_or(StoreError::NotFound)?;
        Act {
            at: self.now,
            actor: self.actor,
            action: self.action,
            tenant: self.id,
            subject: self.id.to_string(),
            detail: self.detail,
        }
        .log(connection)
        .await?;
        record_from(&row)
    }
}

pub(in crate::store) async fn set_status(
    connection: &mut Connection,
    id: TenantId,
    status: TenantStatus,
    actor: &str,
    now: Timestamp,
) -> Result<TenantRecord, StoreError> {
    let statement = sql(concat!(
        "update tenant set status = $2 where id = $1 returning ",
        tenant_columns!()
    ))
    .bind(id)
    .bind(status);
    Change {
        id,
        action: "tenant.set_status",
        detail: json!({ "status": status }),
        actor,
        now,
    }
    .make(connection, statement)
    .await
}

pub(in crate::store) async fn set_tier(
    connection: &mut Connection,
    id: TenantId,
    tier: Tier,
    monthly_quota: Option<u64>,
    actor: &str,
    now: Timestamp,
) -> Result<TenantRecord, StoreError> {
    let statement = sql(concat!(
        "update tenant set tier = $2, monthly_quota = $3 where id = $1 returning ",
        tenant_columns!()
    ))
    .bind(id)
    .bind(tier)
    .bind(monthly_quota);
    Change {
        id,
        action: "tenant.set_tier",
        detail: json!({ "tier": tier, "monthly_quota": monthly_quota }),
        actor,
        now,
    }
    .make(connection, statement)
    .await
}

pub(in crate::store) async fn set_home_country(
    connection: &mut Connection,
    id: TenantId,
    home_country: Option<&str>,
    actor: &str,
    now: Timestamp,
) -> Result<TenantRecord, StoreError> {
    let statement = sql(concat!(
        "update tenant set home_country = $2 where id = $1 returning ",
        tenant_columns!()
    ))
    .bind(id)
    .bind(home_country);
    Change {
        id,
        action: "tenant.set_home_country",
        detail: json!({ "home_country": home_country }),
        actor,
        now,
    }
    .make(connection, statement)
    .await
}

pub(in crate::store) async fn set_text_to_provider(
    connection: &mut Connection,
    id: TenantId,
    allowed: TextToProvider,
    actor: &str,
    now: Timestamp,
) -> Result<TenantRecord, StoreError> {
    let statement = sql(concat!(
        "update tenant set text_to_provider = $2 where id = $1 returning ",
        tenant_columns!()
    ))
    .bind(id)
    .bind(allowed);
    Change {
        id,
        action: "tenant.set_text_to_provider",
        detail: json!({ "text_to_provider": allowed }),
        actor,
        now,
    }
    .make(connection, statement)
    .await
}

/// Reads the tenant from a query that also selects `joined_tenant_columns!`.
pub(super) fn joined_from(row: &Row, id: TenantId) -> Result<TenantRecord, StoreError> {
    Ok(TenantRecord {
        id,
        name: row.text("tenant_name")?,
        tier: row.parsed("tenant_tier")?,
        status: row.parsed("tenant_status")?,
        monthly_quota: row.optional_count("tenant_monthly_quota")?,
        home_country: row.optional_text("tenant_home_country")?,
        text_to_provider: row.parsed("tenant_text_to_provider")?,
        created_at: row.time("tenant_created_at")?,
    })
}

fn record_from(row: &Row) -> Result<TenantRecord, StoreError> {
    Ok(TenantRecord {
        id: row.parsed("id")?,
        name: row.text("name")?,
        tier: row.parsed("tier")?,
        status: row.parsed("status")?,
        monthly_quota: row.optional_count("monthly_quota")?,
        home_country: row.optional_text("home_country")?,
        text_to_provider: row.parsed("text_to_provider")?,
        created_at: row.time("created_at")?,
    })
}
