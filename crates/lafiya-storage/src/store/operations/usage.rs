//! Usage, read from counters only: no report scans the assessments.

use jiff::civil::Date;
use lafiya_model::{TenantId, TriageLevel};

use crate::store::connection::{Connection, sql};
use crate::store::{ConditionCount, Month, StoreError, TOP_CONDITIONS_MAX, UsageReport};

pub(in crate::store) async fn report(
    connection: &mut Connection,
    tenant: TenantId,
    from: Date,
    to: Date,
) -> Result<UsageReport, StoreError> {
    let mut report = UsageReport::default();
    let days = sql("select date, level, count from usage_day
         where tenant = $1 and date >= $2 and date <= $3 and count > 0");
    for row in days
        .bind(tenant)
        .bind(from)
        .bind(to)
        .all(connection)
        .await?
    {
        let count = row.count("count")?;
        let level: TriageLevel = row.parsed("level")?;
        report.total += count;
        *report.by_level.entry(level).or_default() += count;
        *report.by_day.entry(row.parsed("date")?).or_default() += count;
    }
    let months = sql("select month, used from usage_month
         where tenant = $1 and month >= $2 and month <= $3")
    .bind(tenant)
    .bind(Month::from(from))
    .bind(Month::from(to));
    for row in months.all(connection).await? {
        report.months.insert(row.text("month")?, row.count("used")?);
    }
    report.over_quota = over_quota(connection, tenant, from, to).await?;
    report.earlier_in_month = earlier_in_month(connection, tenant, from).await?;
    report.top_conditions = top_conditions(connection, tenant, from, to).await?;
    Ok(report)
}

/// Returns what was counted in the month of `from` before that day.
async fn earlier_in_month(
    connection: &mut Connection,
    tenant: TenantId,
    from: Date,
) -> Result<u64, StoreError> {
    let row = sql(
        "select cast(coalesce(sum(count), 0) as bigint) as total from usage_day
         where tenant = $1 and date >= $2 and date < $3",
    )
    .bind(tenant)
    .bind(from.first_of_month())
    .bind(from)
    .optional(connection)
    .await?;
    row.map_or(Ok(0), |row| row.count("total"))
}

async fn over_quota(
    connection: &mut Connection,
    tenant: TenantId,
    from: Date,
    to: Date,
) -> Result<u64, StoreError> {
    let row = sql(
        "select cast(coalesce(sum(count), 0) as bigint) as total from usage_over_quota
         where tenant = $1 and date >= $2 and date <= $3",
    )
    .bind(tenant)
    .bind(from)
    .bind(to)
    .optional(connection)
    .await?;
    row.map_or(Ok(0), |row| row.count("total"))
}

async fn top_conditions(
    connection: &mut Connection,
    tenant: TenantId,
    from: Date,
    to: Date,
) -> Result<Vec<ConditionCount>, StoreError> {
    let rows = sql(
        "select condition_id, max(name) as name, cast(sum(count) as bigint) as total
         from usage_condition_day
         where tenant = $1 and date >= $2 and date <= $3
         group by condition_id having sum(count) > 0
         order by total desc, condition_id limit $4",
    )
    .bind(tenant)
    .bind(from)
    .bind(to)
    .bind(TOP_CONDITIONS_MAX as u64)
    .all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(ConditionCount {
                id: row.text("condition_id")?,
                name: row.text("name")?,
                count: row.count("total")?,
            })
        })
        .collect()
}

pub(in crate::store) async fn this_month(
    connection: &mut Connection,
    tenant: TenantId,
    month: Month,
) -> Result<u64, StoreError> {
    let row = sql("select used from usage_month where tenant = $1 and month = $2")
        .bind(tenant)
        .bind(month)
        .optional(connection)
        .await?;
    row.map_or(Ok(0), |row| row.count("used"))
}
