//! Assessments: the list, the search by id, and the reasoning of one.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use lafiya_model::{
    AdverseSeriousness, Assessment, AssessmentDocument, AssessmentId, Environment, TriageLevel,
};
use lafiya_service::adverse_events::{self, Report};
use lafiya_service::webhooks::PageOf;
use lafiya_service::{AssessmentSummary, ServiceError, consult};
use serde::Deserialize;

use super::DashboardPage;
use crate::app::App;
use crate::consult::question::Known;
use crate::consult::result::{self, Standing};
use crate::page::{Failure, Frame, go_to, show};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

const PAGE: u32 = 25;
const EVENTS_SHOWN: u32 = 50;

struct Row {
    id: String,
    at: String,
    level: TriageLevel,
    condition: String,
    turn: u32,
    is_replaced: bool,
}

#[derive(Template)]
#[template(path = "dashboard/assessments.html")]
struct ListPage {
    frame: Frame,
    place: &'static str,
    rows: Vec<Row>,
    environment: &'static str,
    next: Option<String>,
    problem: Option<&'static str>,
}

#[derive(Deserialize)]
pub(crate) struct ListQuery {
    #[serde(default)]
    id: String,
    #[serde(default)]
    environment: String,
    before: Option<AssessmentId>,
}

/// `GET /dashboard/assessments`
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let mut problem = None;
    let id = asked.id.trim();
    if !id.is_empty() {
        match id.parse::<AssessmentId>() {
            Ok(id) => return Ok(go_to(&format!("/dashboard/assessments/{id}"))),
            Err(_) => problem = Some("An id looks like 3b241101-e2bb-4255-8caf-4136c566a962."),
        }
    }
    let environment = asked.environment.parse().unwrap_or(Environment::Live);
    let found =
        consult::assessments(&app.context, &who.tenant, environment, PAGE, asked.before).await?;
    let board = DashboardPage::new(&visit, "assessments", "Assessments");
    Ok(show(&ListPage {
        frame: board.frame,
        place: board.place,
        next: found
            .last()
            .filter(|_| found.len() == PAGE as usize)
            .map(|last| last.assessment_id.to_string()),
        rows: found.iter().map(row).collect(),
        environment: environment.as_str(),
        problem,
    }))
}

fn row(summary: &AssessmentSummary) -> Row {
    Row {
        id: summary.assessment_id.to_string(),
        at: words::moment(summary.created_at),
        level: summary.level,
        condition: summary
            .top_condition
            .as_ref()
            .map(|condition| condition.name.clone())
            .unwrap_or_default(),
        turn: summary.turn,
        is_replaced: summary.superseded_by.is_some(),
    }
}

#[derive(Template)]
#[template(path = "dashboard/assessment.html")]
struct RationalePage<'a> {
    frame: Frame,
    place: &'static str,
    document: &'a AssessmentDocument<'a>,
    answer: &'a Assessment<'a>,
    level: &'static str,
    made_at: String,
    standing: Standing,
    known: Vec<Known>,
    shares: Vec<(String, String, String)>,
    events: Vec<AdverseEventRow>,
    gravities: &'static [AdverseSeriousness],
    problem: Option<String>,
}

/// An adverse event reported for this assessment.
struct AdverseEventRow {
    at: String,
    by: String,
    gravity: String,
    text: String,
}

/// `GET /dashboard/assessments/{id}`
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<AssessmentId>,
) -> Result<Response, Failure> {
    visit.member()?;
    rationale(&app, &visit, id, None).await
}

/// `POST /dashboard/assessments/{id}/adverse-events`
pub(crate) async fn report(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<AssessmentId>,
    form: Posted,
) -> Result<Response, Failure> {
    let who = visit.member()?;
    let caller = visit.caller(&app).await?;
    let document = result::find(&app, &caller, id).await?;
    let report = Report {
        assessment_id: id,
        description: form.text("description").to_owned(),
        seriousness: form
            .text("seriousness")
            .parse()
            .map_err(|_| Failure::Unreadable)?,
    };
    let tenant = who.tenant.id;
    let environment = document.environment;
    match adverse_events::create(&app.context, tenant, environment, report, who.actor()).await {
        Ok(_) => Ok(go_to(&format!("/dashboard/assessments/{id}"))),
        Err(ServiceError::InvalidRequest(fields)) => {
            rationale(&app, &visit, id, Some(words::sentences(&fields))).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn rationale(
    app: &App,
    visit: &PageRequest,
    id: AssessmentId,
    problem: Option<String>,
) -> Result<Response, Failure> {
    let caller = visit.caller(app).await?;
    let filed = result::find_filed(app, &caller, id).await?;
    let standing = Standing::of(app, &caller, &filed).await?;
    let document = filed.document;
    let answer = &document.assessment;
    let board = DashboardPage::new(visit, "assessments", "Assessment");
    let share = |condition: &lafiya_model::assessment::AssessedCondition| {
        (
            condition.name.to_string(),
            words::share(condition.probability),
            words::width(condition.probability),
        )
    };
    let page = PageOf {
        limit: EVENTS_SHOWN,
        offset: 0,
    };
    let told = adverse_events::list(
        &app.context,
        caller.tenant_id,
        document.environment,
        Some(id),
        page,
    )
    .await?;
    let events = told.items.into_iter().map(|item| AdverseEventRow {
        at: words::moment(item.created_at),
        by: item.reporter,
        gravity: words::capital(words::plain(item.seriousness.as_str())),
        text: item.description,
    });
    Ok(show(&RationalePage {
        frame: board.frame,
        place: board.place,
        level: words::level(answer.triage.level),
        made_at: words::moment(document.created_at),
        standing,
        known: result::rests_on(&document),
        shares: answer.conditions.iter().take(8).map(share).collect(),
        events: events.collect(),
        gravities: AdverseSeriousness::ALL,
        problem,
        answer,
        document: &document,
    }))
}
