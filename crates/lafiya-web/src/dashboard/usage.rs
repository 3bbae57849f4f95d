//! Usage: assessments by day and by triage level, top conditions, the monthly quota and its cost.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use jiff::ToSpan;
use jiff::civil::Date;
use lafiya_model::{Role, TriageLevel};
use lafiya_service::clock::lagos_date;
use lafiya_service::usage;
use serde::Deserialize;

use super::DashboardPage;
use crate::app::App;
use crate::page::{Failure, Frame, show};
use crate::page_request::PageRequest;
use crate::plot::{self, DayPlot};
use crate::words;

const DAYS_SHOWN: i64 = 30;
const DAYS_MAX: i32 = 366;

struct LevelShare {
    level: TriageLevel,
    count: String,
    share: String,
    width: String,
}

struct Quota {
    used: String,
    included: String,
    width: String,
    percent: String,
    nearly_full: bool,
    /// Whether the API refuses calls until the month ends.
    refuses: bool,
    /// Cases of this month that were answered although it was used up.
    over: u64,
}

#[derive(Template)]
#[template(path = "dashboard/usage.html")]
struct UsagePage {
    frame: Frame,
    place: &'static str,
    start: String,
    end: String,
    total: String,
    naira: String,
    tier: &'static str,
    quota: Option<Quota>,
    used: String,
    plot: DayPlot,
    parts: Vec<LevelShare>,
    conditions: Vec<(String, String, String)>,
    nothing: bool,
}

#[derive(Deserialize)]
pub(crate) struct UsageQuery {
    start: Option<Date>,
    end: Option<Date>,
}

/// `GET /dashboard/usage`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<UsageQuery>,
) -> Result<Response, Failure> {
    visit.member_who(Role::may_integrate)?;
    let caller = visit.caller(&app).await?;
    let today = lagos_date(app.context.clock.now());
    let end = asked.end.unwrap_or(today);
    let start = asked
        .start
        .unwrap_or_else(|| end.saturating_sub((DAYS_SHOWN - 1).days()));
    if start > end
        || end
            .since(start)
            .map_or(true, |span| span.get_days() > DAYS_MAX)
    {
        return Err(Failure::Unreadable);
    }
    let usage = usage::report(&app.context, &caller, start, end).await?;
    let month = usage::report(&app.context, &caller, today.first_of_month(), today).await?;
    let board = DashboardPage::new(&visit, "usage", "Usage");
    let report = &usage.report;
    let most = report
        .top_conditions
        .first()
        .map_or(1, |commonest| commonest.count.max(1)) as f64;
    let total = report.total.max(1) as f64;
    let part = |&level: &TriageLevel| {
        let count = report.by_level.get(&level).copied().unwrap_or(0);
        LevelShare {
            level,
            count: words::count(count),
            share: format!("{:.0} %", count as f64 * 100.0 / total),
            width: format!("{:.1}%", count as f64 * 100.0 / total),
        }
    };
    Ok(show(&UsagePage {
        frame: board.frame,
        place: board.place,
        start: start.to_string(),
        end: end.to_string(),
        total: words::count(report.total),
        naira: words::count(usage.cost.total_naira),
        tier: usage.cost.tier.as_str(),
        quota: usage.cost.included_per_month.map(|included| {
            let percent = usage.cost.usage_percentage();
            Quota {
                used: words::count(usage.cost.used_this_month),
                included: words::count(included),
                width: words::width(percent / 100.0),
                percent: format!("{percent:.0} %"),
                nearly_full: percent >= 80.0,
                refuses: usage.cost.tier.refuses_beyond_quota()
                    && usage.cost.used_this_month >= included,
                over: month.cost.over_quota,
            }
        }),
        used: words::count(usage.cost.used_this_month),
        plot: plot::days(&report.by_day, start, end),
        parts: TriageLevel::ALL.iter().rev().map(part).collect(),
        conditions: report
            .top_conditions
            .iter()
            .map(|condition| {
                (
                    condition.name.clone(),
                    words::count(condition.count),
                    words::width(condition.count as f64 / most),
                )
            })
            .collect(),
        nothing: report.total == 0,
    }))
}
