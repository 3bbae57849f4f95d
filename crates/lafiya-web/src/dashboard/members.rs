//! Members: who may sign in, and with which role.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_model::{AccountId, Role};
use lafiya_service::ServiceError;
use lafiya_service::members::{self, Actor, Invited};

use super::DashboardPage;
use crate::app::App;
use crate::page::{Failure, Frame, go_to, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

struct Row {
    id: String,
    email: String,
    role: Role,
    seen: String,
    has_password: bool,
    has_codes: bool,
    is_you: bool,
    is_operator: bool,
    may_change: bool,
}

#[derive(Template)]
#[template(path = "dashboard/members.html")]
struct MembersPage {
    frame: Frame,
    place: &'static str,
    rows: Vec<Row>,
    invited: Option<(String, String)>,
    problem: Option<String>,
    roles: &'static [Role],
}

/// `GET /dashboard/members`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
) -> Result<Response, Failure> {
    visit.member_who(Role::may_administer)?;
    list(&app, &visit, None, None).await
}

/// `POST /dashboard/members`
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_administer)?;
    let role: Role = form.text("role").parse().map_err(|_| Failure::Unreadable)?;
    let email = form.text("email");
    let (tenant, actor) = (who.tenant.id, Actor::signed_in(who));
    let added = members::add(&app.context, tenant, email, role, false, actor).await;
    answer(&app, &visit, added.map(Some)).await
}

/// `POST /dashboard/members/{id}/{act}`: `role`, `link`, `codes` (turned off) or `remove`.
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path((id, act)): Path<(AccountId, String)>,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member_who(Role::may_administer)?;
    let (context, tenant, actor) = (&app.context, who.tenant.id, Actor::signed_in(who));
    let done = match act.as_str() {
        "link" => members::invite_again(context, tenant, id, actor)
            .await
            .map(Some),
        "codes" => members::turn_codes_off(context, tenant, id, actor)
            .await
            .map(|()| None),
        "remove" => members::remove(context, tenant, id, actor)
            .await
            .map(|()| None),
        "role" => {
            let role: Role = form.text("role").parse().map_err(|_| Failure::Unreadable)?;
            members::set_role(context, tenant, id, role, actor)
                .await
                .map(|_| None)
        }
        _ => return Err(Failure::NotFound),
    };
    answer(&app, &visit, done).await
}

async fn answer(
    app: &App,
    visit: &PageRequest,
    done: Result<Option<Invited>, ServiceError>,
) -> Result<Response, Failure> {
    match done {
        Ok(None) => Ok(go_to("/dashboard/members")),
        Ok(Some(invited)) => list(app, visit, Some(invited), None).await,
        Err(ServiceError::InvalidRequest(fields)) => {
            list(app, visit, None, Some(words::sentences(&fields))).await
        }
        Err(ServiceError::Conflict(why)) => {
            list(app, visit, None, Some(format!("{}.", words::capital(why)))).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn list(
    app: &App,
    visit: &PageRequest,
    invited: Option<Invited>,
    problem: Option<String>,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let members = members::list(&app.context, who.tenant.id).await?;
    let board = DashboardPage::new(visit, "members", "Members");
    let rows = members.into_iter().map(|member| Row {
        is_you: member.id == who.account,
        is_operator: member.operator,
        may_change: who.operator || !member.operator,
        id: member.id.to_string(),
        email: member.email,
        role: member.role,
        seen: member
            .last_sign_in_at
            .map_or_else(|| "never".to_owned(), words::moment),
        has_password: member.password_hash.is_some(),
        has_codes: member.has_codes,
    });
    let status = if problem.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    let link_of = |invited: Invited| {
        let link = format!("{}/sign-in/link/{}", app.settings.public_url, invited.link);
        (invited.account.email, link)
    };
    Ok(show_with(
        status,
        &MembersPage {
            frame: board.frame,
            place: board.place,
            rows: rows.collect(),
            invited: invited.map(link_of),
            problem,
            roles: Role::ALL,
        },
    ))
}
