//! The audit log.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use lafiya_model::Role;
use lafiya_service::members;

use super::DashboardPage;
use crate::app::App;
use crate::page::{Failure, Frame, show};
use crate::page_request::PageRequest;
use crate::words;

struct Row {
    at: String,
    actor: String,
    action: String,
    subject: String,
    detail: String,
}

#[derive(Template)]
#[template(path = "dashboard/audit.html")]
struct AuditPage {
    frame: Frame,
    place: &'static str,
    rows: Vec<Row>,
}

/// `GET /dashboard/audit`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_administer)?;
    let log = members::audit_log(&app.context, who.tenant.id).await?;
    let board = DashboardPage::new(&visit, "audit", "Audit log");
    let rows = log.into_iter().map(|entry| Row {
        at: words::moment(entry.at),
        actor: entry.actor,
        action: entry.action,
        subject: entry.subject,
        detail: entry.detail,
    });
    Ok(show(&AuditPage {
        frame: board.frame,
        place: board.place,
        rows: rows.collect(),
    }))
}
