//! A delivery of a webhook: its body, the receiver's response, and a button to retry it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_model::{DeliveryId, DeliveryStatus, Role, WebhookId};
use lafiya_service::ServiceError;
use lafiya_service::webhooks::{self, DeliveryRecord};

use super::DashboardPage;
use super::webhooks::owner;
use crate::app::App;
use crate::page::{Failure, Frame, go_to, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

/// A delivery as a table row and as the header of its page.
pub(super) struct Delivery {
    pub(super) id: String,
    pub(super) event: &'static str,
    pub(super) at: String,
    pub(super) status: &'static str,
    pub(super) mark: &'static str,
    pub(super) attempts: u32,
    pub(super) answer: String,
    pub(super) next: String,
}

impl Delivery {
    pub(super) fn of(record: &DeliveryRecord) -> Self {
        let answer = match (record.last_status, &record.last_error) {
            (Some(status), _) => format!("HTTP {status}"),
            (None, Some(error)) => words::capital(error),
            (None, None) => "Not tried yet".to_owned(),
        };
        let took = record
            .last_duration_ms
            .map(|ms| format!(", {ms} ms"))
            .unwrap_or_default();
        Self {
            id: record.id.to_string(),
            event: record.kind.as_str(),
            at: words::moment(record.created_at),
            status: record.status.as_str(),
            mark: match record.status {
                DeliveryStatus::Delivered => "good",
                DeliveryStatus::Pending => "urgent",
                DeliveryStatus::Failed => "emergency",
            },
            attempts: record.attempts,
            answer: format!("{answer}{took}"),
            next: record
                .next_attempt_at
                .map(words::moment)
                .unwrap_or_default(),
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/delivery.html")]
struct DeliveryPage {
    frame: Frame,
    place: &'static str,
    webhook: super::webhooks::Row,
    delivery: Delivery,
    event_id: String,
    tried: String,
    error: String,
    body: String,
    problem: Option<String>,
}

/// `GET /dashboard/webhooks/{id}/deliveries/{delivery}`
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path((id, delivery)): Path<(WebhookId, DeliveryId)>,
) -> Result<Response, Failure> {
    show_delivery(&app, &visit, id, delivery, None).await
}

/// `POST /dashboard/webhooks/{id}/deliveries/{delivery}/retry`
pub(crate) async fn retry(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path((id, delivery)): Path<(WebhookId, DeliveryId)>,
    _form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    match webhooks::retry(&app.context, owner(who), id, delivery).await {
        Ok(_) => Ok(go_to(&format!(
            "/dashboard/webhooks/{id}/deliveries/{delivery}"
        ))),
        Err(ServiceError::Conflict(why)) => {
            let problem = format!("{}.", words::capital(why));
            show_delivery(&app, &visit, id, delivery, Some(problem)).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn show_delivery(
    app: &App,
    visit: &PageRequest,
    id: WebhookId,
    delivery: DeliveryId,
    problem: Option<String>,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_integrate)?;
    let webhook = webhooks::find(&app.context, owner(who), id).await?;
    let found = webhooks::delivery(&app.context, owner(who), id, delivery).await?;
    let board = DashboardPage::new(visit, "webhooks", "Delivery");
    let status = if problem.is_some() {
        StatusCode::CONFLICT
    } else {
        StatusCode::OK
    };
    Ok(show_with(
        status,
        &DeliveryPage {
            frame: board.frame,
            place: board.place,
            webhook: super::webhooks::row(&webhook),
            delivery: Delivery::of(&found.record),
            event_id: found.record.event_id.to_string(),
            tried: found
                .record
                .last_attempt_at
                .map_or_else(|| "not yet".to_owned(), words::moment),
            error: found
                .record
                .last_error
                .map(words::capital)
                .unwrap_or_default(),
            body: words::indented(&found.body),
            problem,
        },
    ))
}
