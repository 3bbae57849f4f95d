//! The operations as SQL. Each function is the body of one transaction and does not depend on how
//! it is run; its statements are written next to it.

use crate::store::connection::Row;
use crate::store::{Paged, StoreError};

/// A tenant's columns in a query of another table; `tenants::joined_from` reads them.
macro_rules! joined_tenant_columns {
    () => {
        "tenant.name as tenant_name, tenant.tier as tenant_tier, \
         tenant.status as tenant_status, tenant.monthly_quota as tenant_monthly_quota, \
         tenant.home_country as tenant_home_country, \
         tenant.text_to_provider as tenant_text_to_provider, tenant.created_at as tenant_created_at"
    };
}

pub(super) mod accounts;
pub(super) mod adverse_events;
pub(super) mod assessments;
pub(super) mod attempts;
pub(super) mod audit;
pub(super) mod chores;
pub(super) mod claims;
pub(super) mod deliveries;
pub(super) mod keeping;
pub(super) mod keys;
pub(super) mod outbox;
pub(super) mod phrase_tables;
pub(super) mod record;
pub(super) mod rights;
pub(super) mod sealing;
pub(super) mod tenants;
pub(super) mod usage;
pub(super) mod webhooks;

/// Builds a page from its rows and from the row that contains the `total`.
fn paged<T>(
    rows: &[Row],
    counted: Option<Row>,
    read: impl Fn(&Row) -> Result<T, StoreError>,
) -> Result<Paged<T>, StoreError> {
    Ok(Paged {
        items: rows.iter().map(read).collect::<Result<_, _>>()?,
        total: counted.map_or(Ok(0), |row| row.count("total"))?,
    })
}
