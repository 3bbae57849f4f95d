//! The first page: the patient, and the complaint in their own words.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use uuid::Uuid;

use super::confirm::{self, Understood, UnderstoodFinding};
use super::patient::{PatientFields, Problems};
use crate::app::App;
use crate::page::{Failure, Frame, Section, show, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;

/// Example stories to try the service with.
const EXAMPLES: &[Example] = &[
    Example {
        name: "A fever, in English",
        age: "30",
        unit: "years",
        sex: "female",
        place: "Lagos",
        story: "Fever and headache for three days, chills at night, no cough. She feels weak and has no appetite.",
    },
    Example {
        name: "A child, in Pidgin",
        age: "3",
        unit: "years",
        sex: "male",
        place: "Kano",
        story: "My pikin body dey hot since three days, e dey purge and vomit, e no wan chop.",
    },
    Example {
        name: "An emergency",
        age: "58",
        unit: "years",
        sex: "male",
        place: "Accra",
        story: "Sudden crushing chest pain for one hour, sweating, pain goes into the left arm, short of breath.",
    },
];

struct Example {
    name: &'static str,
    age: &'static str,
    unit: &'static str,
    sex: &'static str,
    place: &'static str,
    story: &'static str,
}

#[derive(Template)]
#[template(path = "consult/start.html")]
struct StartPage {
    frame: Frame,
    fields: PatientFields,
    problems: Problems,
    places: Vec<String>,
    examples: &'static [Example],
    open_to_all: bool,
    conditions: usize,
    findings: usize,
}

#[derive(Deserialize)]
pub(crate) struct Wanted {
    example: Option<usize>,
}

/// `GET /`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    visit.tenant(&app).await?;
    let fields = wanted
        .example
        .and_then(|number| EXAMPLES.get(number))
        .map(|example| PatientFields {
            age: example.age.to_owned(),
            unit: example.unit.to_owned(),
            sex: example.sex.to_owned(),
            place: example.place.to_owned(),
            story: example.story.to_owned(),
        })
        .unwrap_or_default();
    Ok(form(&app, &visit, fields, Problems::default()))
}

/// `POST /`: reads the story and shows the understood findings.
pub(crate) async fn hear(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    posted: Posted,
) -> Result<Response, Failure> {
    let tenant = visit.tenant(&app).await?;
    let fields = PatientFields::of(&posted);
    let patient = match fields.check() {
        Ok(patient) => patient,
        Err(problems) => return Ok(form(&app, &visit, fields, problems)),
    };
    let library = app.context.knowledge.load();
    let heard = UnderstoodFinding::read(&library, &fields.story, patient, app.context.clock.now());
    let told = Understood {
        home_country: tenant.home_country.as_deref(),
        fields: &fields,
        patient,
        problems: Problems::default(),
        heard,
        problem: None,
        interview: Uuid::new_v4().to_string(),
        shown_for: fields.as_shown(),
    };
    Ok(confirm::show_heard(&app, &visit, told))
}

#[derive(Template)]
#[template(path = "consult/review.html")]
struct ReviewPage {
    frame: Frame,
}

/// `GET /review`: the place of the page of understood findings in the browser's history.
/// What it shows is kept by the browser alone, which fills it in.
pub(crate) async fn review(
    State(app): State<Arc<App>>,
    visit: PageRequest,
) -> Result<Response, Failure> {
    visit.tenant(&app).await?;
    Ok(show(&ReviewPage {
        frame: Frame::new(&visit, Section::Consult, "What we understood"),
    }))
}

fn form(app: &App, visit: &PageRequest, fields: PatientFields, problems: Problems) -> Response {
    let status = if problems.any() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    let library = app.context.knowledge.load();
    let page = StartPage {
        frame: Frame::new(visit, Section::Consult, "Consult"),
        places: place_names(&library),
        fields,
        problems,
        examples: EXAMPLES,
        open_to_all: visit.signed_in.is_none(),
        conditions: library.conditions().len(),
        findings: library.findings().len(),
    };
    show_with(status, &page)
}

/// Returns the place names of Nigeria as suggestions: enough to help with typing, and small enough
/// for a 2G connection.
pub(super) fn place_names(base: &lafiya_knowledge::KnowledgeBase) -> Vec<String> {
    let mut names: Vec<String> = base
        .places()
        .iter()
        .filter(|place| place.country.eq_ignore_ascii_case("ng"))
        .map(|place| place.name.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}
