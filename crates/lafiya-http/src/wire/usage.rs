//! The wire types of `/usage`.

use jiff::Span;
use jiff::civil::Date;
use lafiya_model::TriageLevel;
use lafiya_service::usage::{Cost, Usage};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::error::ApiError;
use crate::wire::query::Params;

const PERIOD_DAYS_MAX: i32 = 366;

/// The period.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "documents what `read` reads")]
pub(crate) struct UsageParams {
    /// First day, `YYYY-MM-DD`
    #[param(format = Date, example = "2026-11-01")]
    start_date: String,
    /// Last day, inclusive; the period may have at most 366 days
    #[param(format = Date, example = "2026-11-30")]
    end_date: String,
}

/// Reads the first and the last day.
pub(crate) fn read(mut params: Params) -> Result<(Date, Date), ApiError> {
    let start = params.date("start_date");
    let end = params.date("end_date");
    if let (Some(start), Some(end)) = (start, end) {
        if end < start {
            params
                .problems
                .note("/end_date", "must not lie before start_date");
        } else if days_between(start, end) > PERIOD_DAYS_MAX {
            params.problems.note(
                "/end_date",
                format!("may end a period of at most {PERIOD_DAYS_MAX} days"),
            );
        }
    }
    params.problems.into_result(|| start.zip(end))
}

/// Number of days in the period, both ends included.
fn days_between(start: Date, end: Date) -> i32 {
    start
        .until(end)
        .map_or(i32::MAX, |span: Span| span.get_days().saturating_add(1))
}

/// Usage between two days.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsageAnswer {
    period: Period,
    /// Interviews that were billed
    total_assessments: u64,
    breakdown: Breakdown,
    cost: CostAnswer,
    /// Every day of the period, in order
    daily: Vec<Day>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Period {
    #[schema(format = Date)]
    start: String,
    #[schema(format = Date)]
    end: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Breakdown {
    by_urgency: ByUrgency,
    /// The top conditions, most frequent first, at most ten
    top_conditions: Vec<TopCondition>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ByUrgency {
    emergency: u64,
    urgent: u64,
    routine: u64,
    #[serde(rename = "self-care")]
    self_care: u64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TopCondition {
    id: String,
    name: String,
    count: u64,
}

/// The cost, at the current tier and quota.
#[derive(Serialize, ToSchema)]
pub(crate) struct CostAnswer {
    /// Cost of the assessments beyond the included ones
    total_naira: u64,
    /// `pilot`, `professional` or `enterprise`
    current_tier: &'static str,
    /// Share of the current month's quota, 0 to 100
    usage_percentage: f64,
    /// Assessments included per month
    included_per_month: Option<u64>,
    /// Assessments used in the current month
    used_this_month: u64,
    /// Assessments of the period beyond those included in their month
    beyond_included: u64,
    /// Assessments of the period that the web app answered although the quota was used up; never
    /// charged
    over_quota: u64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Day {
    #[schema(format = Date)]
    date: String,
    count: u64,
}

impl From<Usage> for UsageAnswer {
    fn from(usage: Usage) -> Self {
        let report = usage.report;
        let of = |level| report.by_level.get(&level).copied().unwrap_or(0);
        let by_urgency = ByUrgency {
            emergency: of(TriageLevel::Emergency),
            urgent: of(TriageLevel::Urgent),
            routine: of(TriageLevel::Routine),
            self_care: of(TriageLevel::SelfCare),
        };
        let days = usage.start.series(Span::new().days(1));
        let daily = days
            .take_while(|day| *day <= usage.end)
            .map(|day| Day {
                date: day.to_string(),
                count: report.by_day.get(&day).copied().unwrap_or(0),
            })
            .collect();
        let top_conditions = report
            .top_conditions
            .into_iter()
            .map(|condition| TopCondition {
                id: condition.id,
                name: condition.name,
                count: condition.count,
            })
            .collect();
        Self {
            period: Period {
                start: usage.start.to_string(),
                end: usage.end.to_string(),
            },
            total_assessments: report.total,
            breakdown: Breakdown {
                by_urgency,
                top_conditions,
            },
            cost: usage.cost.into(),
            daily,
        }
    }
}

impl From<Cost> for CostAnswer {
    fn from(cost: Cost) -> Self {
        Self {
            total_naira: cost.total_naira,
            current_tier: cost.tier.as_str(),
            usage_percentage: cost.usage_percentage(),
            included_per_month: cost.included_per_month,
            used_this_month: cost.used_this_month,
            beyond_included: cost.beyond_included,
            over_quota: cost.over_quota,
        }
    }
}
