//! API keys: created, rotated, revoked. A key is shown once, on the page after its creation.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::{Environment, KeyId, Role};
use lafiya_service::keys::{self, Expiry, FreshKey};
use lafiya_service::sign_in::SignedIn;
use lafiya_service::{KeyRecord, ServiceError, WindowState, rate_limit};

use super::DashboardPage;
use crate::app::App;
use crate::page::{Failure, Frame, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

struct ShownKey {
    id: String,
    display: String,
    environment: &'static str,
    status: &'static str,
    active: bool,
    created: String,
    expires: String,
    used: String,
    requests: String,
    rate: Option<Rate>,
}

/// How much of its rate limit a key has used in the current minute.
struct Rate {
    used: String,
    width: String,
    nearly_full: bool,
}

#[derive(Template)]
#[template(path = "dashboard/keys.html")]
struct KeysPage {
    frame: Frame,
    place: &'static str,
    keys: Vec<ShownKey>,
    fresh: Option<String>,
    fresh_is_live: bool,
    problem: Option<String>,
    per_minute: u32,
}

/// `GET /dashboard/keys`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
) -> Result<Response, Failure> {
    visit.member_who(Role::may_integrate)?;
    list(&app, &visit, None, None).await
}

/// `POST /dashboard/keys`
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    let environment: Environment = form
        .text("environment")
        .parse()
        .map_err(|_| Failure::Unreadable)?;
    let expires_at = match last_moment(form.text("expires")) {
        Ok(expires_at) => expires_at,
        Err(problem) => return list(&app, &visit, None, Some(problem.to_owned())).await,
    };
    let made = keys::create(
        &app.context,
        who.tenant.id,
        environment,
        expires_at,
        who.actor(),
    )
    .await;
    answer(&app, &visit, made).await
}

/// `POST /dashboard/keys/{id}/rotate`
pub(crate) async fn rotate(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<KeyId>,
    _form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    let key = own_key(&app, who, id).await?;
    let made = keys::rotate(&app.context, &key, Expiry::Inherited, who.actor()).await;
    answer(&app, &visit, made).await
}

/// `POST /dashboard/keys/{id}/revoke`
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<KeyId>,
    _form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    own_key(&app, who, id).await?;
    keys::revoke(&app.context, id, who.actor()).await?;
    Ok(crate::page::go_to("/dashboard/keys"))
}

async fn own_key(app: &App, who: &SignedIn, id: KeyId) -> Result<KeyRecord, Failure> {
    Ok(keys::find(&app.context, who.tenant.id, id).await?)
}

async fn answer(
    app: &App,
    visit: &PageRequest,
    made: Result<FreshKey, ServiceError>,
) -> Result<Response, Failure> {
    match made {
        Ok(fresh) => list(app, visit, Some(fresh), None).await,
        Err(ServiceError::InvalidRequest(fields)) => {
            list(app, visit, None, Some(words::sentences(&fields))).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn list(
    app: &App,
    visit: &PageRequest,
    fresh: Option<FreshKey>,
    problem: Option<String>,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let now = app.context.clock.now();
    let keys = keys::list(&app.context, who.tenant.id).await?;
    let mut rows = Vec::with_capacity(keys.len());
    for key in &keys {
        let rate = match key.is_active(now) {
            true => Some(rate(&rate_limit::status_of(&app.context, key.id).await)),
            false => None,
        };
        rows.push(shown(key, rate, now));
    }
    let board = DashboardPage::new(visit, "keys", "API keys");
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    Ok(show_with(
        status,
        &KeysPage {
            frame: board.frame,
            place: board.place,
            keys: rows,
            fresh_is_live: fresh
                .as_ref()
                .is_some_and(|fresh| fresh.record.environment == Environment::Live),
            fresh: fresh.map(|fresh| fresh.key),
            problem,
            per_minute: app.context.limits.per_key_per_minute,
        },
    ))
}

fn rate(window: &WindowState) -> Rate {
    let used = window.limit.saturating_sub(window.remaining);
    let share = f64::from(used) / f64::from(window.limit.max(1));
    Rate {
        used: format!("{used} of {}", words::count(window.limit.into())),
        width: format!("{:.1}%", share * 100.0),
        nearly_full: share >= 0.8,
    }
}

fn shown(key: &KeyRecord, rate: Option<Rate>, now: Timestamp) -> ShownKey {
    let active = key.is_active(now);
    let or_never = |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), words::moment);
    ShownKey {
        id: key.id.to_string(),
        display: key.display.clone(),
        environment: match key.environment {
            Environment::Live => "live",
            Environment::Test => "sandbox",
        },
        status: match (active, key.revoked_at) {
            (true, _) => "active",
            (false, Some(_)) => "revoked",
            (false, None) => "expired",
        },
        active,
        created: words::day(key.created_at),
        expires: key
            .expires_at
            .map_or_else(|| "never".to_owned(), words::day),
        used: or_never(key.last_used_at),
        requests: words::count(key.requests),
        rate,
    }
}

/// Returns the end of the selected day in Lagos.
fn last_moment(text: &str) -> Result<Option<Timestamp>, &'static str> {
    if text.is_empty() {
        return Ok(None);
    }
    let day: Date = text
        .parse()
        .map_err(|_| "The last day must be a date such as 2027-12-31.")?;
    let zone = lafiya_service::clock::billing_zone();
    let end = day
        .tomorrow()
        .ok()
        .and_then(|next| next.to_zoned(zone).ok());
    Ok(end.map(|end| end.timestamp()))
}
