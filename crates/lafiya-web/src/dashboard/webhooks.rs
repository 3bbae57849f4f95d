//! Webhooks: registered, tested, monitored and removed. A secret is shown once.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_model::{Environment, EventKind, Role, WebhookId, WebhookStatus};
use lafiya_service::ServiceError;
use lafiya_service::sign_in::SignedIn;
use lafiya_service::webhooks::{self, Owner, PageOf, Registration, Revealed, WebhookRecord};

use super::DashboardPage;
use super::deliveries::Delivery;
use crate::app::App;
use crate::page::{Failure, Frame, go_to, show, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

const DELIVERIES_SHOWN: u32 = 50;

pub(super) struct Row {
    pub(super) id: String,
    pub(super) url: String,
    pub(super) events: String,
    pub(super) environment: &'static str,
    pub(super) active: bool,
    pub(super) description: String,
    pub(super) created: String,
}

#[derive(Template)]
#[template(path = "dashboard/webhooks.html")]
struct WebhooksPage {
    frame: Frame,
    place: &'static str,
    rows: Vec<Row>,
    secret: Option<String>,
    problem: Option<String>,
    events: &'static [EventKind],
}

pub(super) fn owner(who: &SignedIn) -> Owner {
    Owner {
        tenant: who.tenant.id,
        environment: None,
    }
}

/// `GET /dashboard/webhooks`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
) -> Result<Response, Failure> {
    visit.member_who(Role::may_integrate)?;
    list(&app, &visit, None, None).await
}

/// `POST /dashboard/webhooks`
pub(crate) async fn register(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    let events = form
        .with_prefix("event.")
        .filter_map(|(event, _)| event.parse().ok());
    let wanted = Registration {
        environment: form
            .text("environment")
            .parse()
            .unwrap_or(Environment::Live),
        url: form.text("url").to_owned(),
        events: events.collect(),
        description: form.text("description").to_owned(),
    };
    let made = webhooks::register(&app.context, who.tenant.id, wanted, who.actor()).await;
    match made {
        Ok(revealed) => list(&app, &visit, Some(revealed), None).await,
        Err(ServiceError::InvalidRequest(fields)) => {
            list(&app, &visit, None, Some(words::sentences(&fields))).await
        }
        Err(other) => Err(other.into()),
    }
}

/// `POST /dashboard/webhooks/{id}/{act}`: `test`, `secret` or `remove`.
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path((id, act)): Path<(WebhookId, String)>,
    _form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    let (context, owner, actor) = (&app.context, owner(who), who.actor());
    match act.as_str() {
        "test" => {
            webhooks::send_test(context, owner, id).await?;
            Ok(go_to(&format!("/dashboard/webhooks/{id}")))
        }
        "secret" => {
            let revealed = webhooks::rotate_secret(context, owner, id, actor).await?;
            list(&app, &visit, Some(revealed), None).await
        }
        "remove" => {
            webhooks::remove(context, owner, id, actor).await?;
            Ok(go_to("/dashboard/webhooks"))
        }
        _ => Err(Failure::NotFound),
    }
}

async fn list(
    app: &App,
    visit: &PageRequest,
    revealed: Option<Revealed>,
    problem: Option<String>,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let found = webhooks::list(&app.context, owner(who)).await?;
    let board = DashboardPage::new(visit, "webhooks", "Webhooks");
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    Ok(show_with(
        status,
        &WebhooksPage {
            frame: board.frame,
            place: board.place,
            rows: found.iter().map(row).collect(),
            secret: revealed.map(|revealed| revealed.secret),
            problem,
            events: &EventKind::SUBSCRIBABLE,
        },
    ))
}

pub(super) fn row(webhook: &WebhookRecord) -> Row {
    let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
    Row {
        id: webhook.id.to_string(),
        url: webhook.url.clone(),
        events: events.join(", "),
        environment: match webhook.environment {
            Environment::Live => "live",
            Environment::Test => "sandbox",
        },
        active: webhook.status == WebhookStatus::Active,
        description: webhook.description.clone(),
        created: words::day(webhook.created_at),
    }
}

#[derive(Template)]
#[template(path = "dashboard/webhook.html")]
struct WebhookPage {
    frame: Frame,
    place: &'static str,
    webhook: Row,
    deliveries: Vec<Delivery>,
    total: u64,
}

/// `GET /dashboard/webhooks/{id}`: a webhook and its deliveries.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<WebhookId>,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    let webhook = webhooks::find(&app.context, owner(who), id).await?;
    let page = PageOf {
        limit: DELIVERIES_SHOWN,
        offset: 0,
    };
    let found = webhooks::deliveries(&app.context, owner(who), id, None, page).await?;
    let board = DashboardPage::new(&visit, "webhooks", "Webhook");
    Ok(show(&WebhookPage {
        frame: board.frame,
        place: board.place,
        webhook: row(&webhook),
        deliveries: found.items.iter().map(Delivery::of).collect(),
        total: found.total,
    }))
}
