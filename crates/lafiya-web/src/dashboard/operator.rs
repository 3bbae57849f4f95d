//! The operator's pages for the whole installation: tenants, health, the current knowledge base and
//! the facility registers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_model::{TenantStatus, Tier};
use lafiya_service::sign_in::SignedIn;
use lafiya_service::{Register, ServiceError, health, tenants};

use super::DashboardPage;
use crate::app::App;
use crate::page::{Failure, Frame, go_to, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

struct Row {
    name: String,
    tier: Tier,
    quota: String,
    own_quota: String,
    country: String,
    active: bool,
    created: String,
}

/// A facility register in use.
struct Source {
    name: String,
    count: String,
    countries: String,
}

#[derive(Template)]
#[template(path = "dashboard/operator.html")]
struct OperatorPage {
    frame: Frame,
    place: &'static str,
    tenants: Vec<Row>,
    tiers: &'static [Tier],
    parts: Vec<(&'static str, &'static str, bool)>,
    uptime: String,
    knowledge: Vec<(&'static str, String)>,
    registers: Vec<Source>,
    facilities: String,
    problem: Option<String>,
}

fn operator(visit: &PageRequest) -> Result<&SignedIn, Failure> {
    let who = visit.member()?;
    if who.operator {
        Ok(who)
    } else {
        Err(Failure::NotYours)
    }
}

/// `GET /dashboard/operator`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
) -> Result<Response, Failure> {
    operator(&visit)?;
    overview(&app, &visit, None).await
}

/// `POST /dashboard/operator/tenants`: `create`, `suspend`, `resume`, `tier` or `country`.
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let actor = operator(&visit)?.actor();
    let (context, name) = (&app.context, form.text("name"));
    let tier = || {
        form.text("tier")
            .parse::<Tier>()
            .map_err(|_| Failure::Unreadable)
    };
    let quota = form.text("quota").parse::<u64>().ok();
    let country = Some(form.text("country")).filter(|code| !code.is_empty());
    let done = match form.text("act") {
        "create" => tenants::create(context, name, tier()?, quota, country, actor).await,
        "tier" => tenants::set_tier(context, name, tier()?, quota, actor).await,
        "country" => tenants::set_home_country(context, name, country, actor).await,
        "suspend" => tenants::set_status(context, name, TenantStatus::Suspended, actor).await,
        "resume" => tenants::set_status(context, name, TenantStatus::Active, actor).await,
        _ => return Err(Failure::Unreadable),
    };
    match done {
        Ok(_) => Ok(go_to("/dashboard/operator")),
        Err(ServiceError::InvalidRequest(fields)) => {
            overview(&app, &visit, Some(words::sentences(&fields))).await
        }
        Err(ServiceError::Conflict(why)) => {
            overview(&app, &visit, Some(format!("{}.", words::capital(why)))).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn overview(
    app: &App,
    visit: &PageRequest,
    problem: Option<String>,
) -> Result<Response, Failure> {
    let board = DashboardPage::new(visit, "operator", "Installation");
    let report = health::report(&app.context).await;
    let part = |name, health: health::Health| {
        let well = matches!(
            health,
            health::Health::Healthy | health::Health::NotConfigured
        );
        (name, health.as_str(), well)
    };
    let all = tenants::list(&app.context).await?;
    let rows = all.into_iter().map(|tenant| Row {
        quota: tenant
            .included_per_month()
            .map_or_else(|| "as agreed".to_owned(), words::count),
        own_quota: tenant
            .monthly_quota
            .map(|quota| quota.to_string())
            .unwrap_or_default(),
        country: tenant.home_country.clone().unwrap_or_default(),
        active: tenant.status == TenantStatus::Active,
        created: words::day(tenant.created_at),
        tier: tenant.tier,
        name: tenant.name,
    });
    let library = app.context.knowledge.load();
    let register = app.context.facilities.load();
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    Ok(show_with(
        status,
        &OperatorPage {
            frame: board.frame,
            place: board.place,
            tenants: rows.collect(),
            tiers: Tier::ALL,
            parts: vec![
                part("Database", report.database),
                part("Redis", report.redis),
                part("Reasoning provider", report.ai_provider),
                part("Knowledge base", report.knowledge_base),
            ],
            uptime: uptime(report.uptime_seconds),
            knowledge: vec![
                ("Version", library.version().version.clone()),
                ("Date", library.version().date.clone()),
                ("Hash", library.content_hash().chars().take(12).collect()),
                (
                    "Conditions",
                    words::count(library.conditions().len() as u64),
                ),
            ],
            registers: sources(&register),
            facilities: words::count(register.len() as u64),
            problem,
        },
    ))
}

/// Returns the number of facilities per register, largest first.
fn sources(register: &Register) -> Vec<Source> {
    let mut by_source: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for facility in register.facilities() {
        let (count, countries) = by_source.entry(&facility.source).or_default();
        *count += 1;
        countries.insert(&facility.country);
    }
    let mut sources: Vec<_> = by_source.into_iter().collect();
    sources.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let shown = |(name, (count, countries)): (&str, (u64, BTreeSet<&str>))| Source {
        name: name.to_owned(),
        count: words::count(count),
        countries: words::count(countries.len() as u64),
    };
    sources.into_iter().map(shown).collect()
}

fn uptime(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} seconds"),
        120..=7_199 => format!("{} minutes", seconds / 60),
        7_200..=172_799 => format!("{} hours", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
