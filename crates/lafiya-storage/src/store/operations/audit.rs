//! The audit log, written in the transaction of the action itself.

use jiff::Timestamp;
use lafiya_model::TenantId;

use crate::store::connection::{Connection, Row, sql};
use crate::store::{AuditRecord, StoreError};

/// An administrative action to log.
pub(super) struct Act<'a> {
    pub(super) at: Timestamp,
    pub(super) actor: &'a str,
    pub(super) action: &'static str,
    pub(super) tenant: TenantId,
    pub(super) subject: String,
    pub(super) detail: serde_json::Value,
}

impl Act<'_> {
    pub(super) async fn log(self, connection: &mut Connection) -> Result<(), StoreError> {
        sql(
            "insert into audit_log (at, actor, action, tenant, subject, detail)
             values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(self.at)
        .bind(self.actor)
        .bind(self.action)
        .bind(self.tenant)
        .bind(&self.subject)
        .bind(&self.detail.to_string())
        .execute(connection)
        .await?;
        Ok(())
    }
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    tenant: Option<TenantId>,
    limit: u32,
) -> Result<Vec<AuditRecord>, StoreError> {
    let statement = match tenant {
        Some(tenant) => sql(
            "select id, at, actor, action, tenant, subject, detail from audit_log
                 where tenant = $2 order by id desc limit $1",
        )
        .bind(limit)
        .bind(tenant),
        None => sql(
            "select id, at, actor, action, tenant, subject, detail from audit_log
             order by id desc limit $1",
        )
        .bind(limit),
    };
    let rows = statement.all(connection).await?;
    rows.iter().map(record_from).collect()
}

fn record_from(row: &Row) -> Result<AuditRecord, StoreError> {
    Ok(AuditRecord {
        id: row.count("id")?,
        at: row.time("at")?,
        actor: row.text("actor")?,
        action: row.text("action")?,
        tenant: row.optional_parsed("tenant")?,
        subject: row.text("subject")?,
        detail: row.text("detail")?,
    })
}
