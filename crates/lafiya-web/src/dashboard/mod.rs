//! Dashboard: keys, usage, assessments, members and the audit log, for users whose role includes
//! them. A page of another tenant is shown as not found.

pub(crate) mod account;
pub(crate) mod assessments;
pub(crate) mod audit;
pub(crate) mod deliveries;
pub(crate) mod keys;
pub(crate) mod members;
pub(crate) mod operator;
pub(crate) mod usage;
pub(crate) mod webhooks;

use axum::response::Response;

use crate::page::{Failure, Frame, Section, go_to};
use crate::page_request::PageRequest;

/// The frame of a dashboard page; `place` is the highlighted link of the sidebar.
pub(crate) struct DashboardPage {
    pub(crate) frame: Frame,
    pub(crate) place: &'static str,
}

impl DashboardPage {
    fn new(visit: &PageRequest, place: &'static str, title: &str) -> Self {
        Self {
            frame: Frame::new(visit, Section::Dashboard, title),
            place,
        }
    }
}

/// `GET /dashboard`: redirects to the most important page of the user's role.
pub(crate) async fn home(visit: PageRequest) -> Result<Response, Failure> {
    let who = visit.member()?;
    Ok(go_to(if who.role.may_integrate() {
        "/dashboard/usage"
    } else {
        "/dashboard/assessments"
    }))
}
