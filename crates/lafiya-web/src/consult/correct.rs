//! Corrects the age, the sex or the place in the middle of a consultation. Everything else that was
//! told stays, and the next turn replaces the answer so far.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_model::InterviewId;
use lafiya_service::{Caller, consult};

use super::patient::{Patient, PatientFields, Problems};
use super::start::place_names;
use super::{TurnForm, turn};
use crate::app::App;
use crate::page::{Failure, Frame, Section, go_to, show_with};
use crate::page_request::{self, PageRequest};
use crate::posted::Posted;

#[derive(Template)]
#[template(path = "consult/correct.html")]
struct CorrectPage {
    frame: Frame,
    interview: InterviewId,
    fields: PatientFields,
    problems: Problems,
    places: Vec<String>,
}

/// `GET /consult/{interview}/patient`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(interview): Path<InterviewId>,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let patient = known_patient(&app, &caller, interview).await?;
    let fields = PatientFields::of_patient(patient, visit.place.as_deref().unwrap_or_default());
    Ok(form(&app, &visit, interview, fields, Problems::default()))
}

/// `POST /consult/{interview}/patient`
pub(crate) async fn corrected(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(interview): Path<InterviewId>,
    posted: Posted,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let known = known_patient(&app, &caller, interview).await?;
    let place = visit.place.as_deref().unwrap_or_default();
    let before = PatientFields::of_patient(known, place);
    let fields = PatientFields::of(&posted);
    let patient = match fields.check_person() {
        // An age that was not changed stays as precise as it was.
        Ok(_) if fields.as_shown() == before.as_shown() => known,
        Ok(patient) => patient,
        Err(problems) => return Ok(form(&app, &visit, interview, fields, problems)),
    };
    let next = if patient == known && fields.place == before.place {
        format!("/consult/{interview}")
    } else {
        let told = TurnForm {
            interview,
            patient,
            corrects_patient: true,
            place: fields.place(),
            evidence: Vec::new(),
            form: &posted,
        };
        turn(&app, &visit, &caller, told).await?
    };
    let mut response = go_to(&next);
    page_request::keep_place(&mut response, &fields.place, app.settings.is_https());
    Ok(response)
}

/// Returns the patient of an open interview as known so far.
async fn known_patient(
    app: &App,
    caller: &Caller,
    interview: InterviewId,
) -> Result<Patient, Failure> {
    let open = consult::open(&app.context, caller, interview).await?;
    let open = open.ok_or(Failure::NotFound)?;
    Ok(Patient {
        age: open.age,
        sex: open.sex,
    })
}

fn form(
    app: &App,
    visit: &PageRequest,
    interview: InterviewId,
    fields: PatientFields,
    problems: Problems,
) -> Response {
    let status = if problems.any() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    let page = CorrectPage {
        frame: Frame::new(visit, Section::Consult, "Age, sex and place"),
        places: place_names(&app.context.knowledge.load()),
        interview,
        fields,
        problems,
    };
    show_with(status, &page)
}
