//! The usage of a tenant and its cost. Read from counters that are updated as assessments are
//! recorded, so the time of a report does not depend on their number.

use jiff::civil::Date;
use lafiya_model::Tier;
use lafiya_storage::store::{Month, UsageReport};

use crate::authenticate::Caller;
use crate::clock::lagos_date;
use crate::context::Context;
use crate::error::ServiceError;
use crate::quota;

/// Usage between two days in Lagos, both inclusive.
#[derive(Clone, Debug)]
pub struct Usage {
    /// The first day.
    pub start: Date,
    /// The last day.
    pub end: Date,
    /// The counts.
    pub report: UsageReport,
    /// The cost, and the usage of the current month.
    pub cost: Cost,
}

/// The cost of a period, at the tenant's current tier and quota.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The tier.
    pub tier: Tier,
    /// Assessments included per month; `None` if that depends on an agreement.
    pub included_per_month: Option<u64>,
    /// Assessments of the period beyond those included in their month.
    pub beyond_included: u64,
    /// Assessments of the period that the web app answered although the quota was used up. They are
    /// never charged.
    pub over_quota: u64,
    /// The cost of those beyond the included ones that were not over quota.
    pub total_naira: u64,
    /// Assessments used in the current month.
    pub used_this_month: u64,
}

impl Cost {
    /// Returns the used share of the current month's quota, 0 to 100.
    pub fn usage_percentage(&self) -> f64 {
        match self.included_per_month {
            None => 0.0,
            Some(0) => 100.0,
            Some(included) => (self.used_this_month as f64 * 100.0 / included as f64).min(100.0),
        }
    }
}

/// Returns the caller's usage. A sandbox key sees its tenant's live usage, because the sandbox is
/// not counted.
pub async fn report(
    context: &Context,
    caller: &Caller,
    start: Date,
    end: Date,
) -> Result<Usage, ServiceError> {
    let this_month = Month::from(lagos_date(context.clock.now()));
    let report = context.store.usage(caller.tenant_id, start, end).await?;
    let used_this_month = context
        .store
        .usage_this_month(caller.tenant_id, this_month)
        .await?;
    let included_per_month = quota::rule(caller).limit;
    let beyond_included = included_per_month.map_or(0, |included| beyond(&report, start, included));
    Ok(Usage {
        start,
        end,
        cost: Cost {
            tier: caller.tier,
            included_per_month,
            beyond_included,
            over_quota: report.over_quota,
            total_naira: beyond_included.saturating_sub(report.over_quota)
                * caller.tier.naira_beyond_included(),
            used_this_month,
        },
        report,
    })
}

/// Returns the number of assessments beyond the included ones. Each month has its own included
/// number, and excess is counted on the day it occurs, so the costs of two halves of a month add up
/// to the cost of the month.
fn beyond(report: &UsageReport, start: Date, included: u64) -> u64 {
    let mut month = Month::from(start);
    let mut before = report.earlier_in_month;
    let mut beyond = 0;
    for (&day, &count) in &report.by_day {
        if Month::from(day) != month {
            month = Month::from(day);
            before = 0;
        }
        let after = before + count;
        beyond += after.max(included) - before.max(included);
        before = after;
    }
    beyond
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn report(earlier_in_month: u64, days: &[(i8, i8, u64)]) -> UsageReport {
        let day = |&(month, day, count): &(i8, i8, u64)| (date(2026, month, day), count);
        UsageReport {
            by_day: days.iter().map(day).collect(),
            earlier_in_month,
            ..UsageReport::default()
        }
    }

    #[test]
    fn only_assessments_beyond_the_monthly_included_number_cost() {
        let check = |earlier, days: &[(i8, i8, u64)], expected| {
            let start = date(2026, days[0].0, days[0].1);
            assert_eq!(
                beyond(&report(earlier, days), start, 10),
                expected,
                "{days:?}"
            );
        };
        check(0, &[(3, 1, 10)], 0);
        check(0, &[(3, 1, 13)], 3);
        check(8, &[(3, 9, 5)], 3);
        check(20, &[(3, 9, 5)], 5);
        check(0, &[(3, 30, 9), (4, 1, 9)], 0);
        check(8, &[(3, 30, 4), (4, 1, 11)], 3);
    }

    #[test]
    fn parts_of_a_month_add_up_to_the_cost_of_the_month() {
        let whole = beyond(
            &report(0, &[(3, 1, 7), (3, 15, 8), (3, 31, 9)]),
            date(2026, 3, 1),
            10,
        );
        let first = beyond(&report(0, &[(3, 1, 7)]), date(2026, 3, 1), 10);
        let second = beyond(&report(7, &[(3, 15, 8)]), date(2026, 3, 2), 10);
        let third = beyond(&report(15, &[(3, 31, 9)]), date(2026, 3, 16), 10);
        assert_eq!(first + second + third, whole);
    }

    #[test]
    fn the_percentage_is_capped_at_100() {
        let cost = |included_per_month, used_this_month| Cost {
            tier: Tier::Professional,
            included_per_month,
            beyond_included: 0,
            over_quota: 0,
            total_naira: 0,
            used_this_month,
        };
        assert_eq!(cost(Some(200), 5).usage_percentage(), 2.5);
        assert_eq!(cost(Some(200), 500).usage_percentage(), 100.0);
        assert_eq!(cost(Some(0), 0).usage_percentage(), 100.0);
        assert_eq!(cost(None, 5).usage_percentage(), 0.0);
    }
}
