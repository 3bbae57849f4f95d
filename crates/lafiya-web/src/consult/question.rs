//! One question at a time, with the reason for it. Earlier answers can be changed at any time by
//! answering again.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{
    AssessmentDocument, Choice, ConceptKind, Environment, EvidenceSource, InterviewId, Measured,
    RestsOn, SubmittedEvidence, TriageLevel,
};
use lafiya_service::assess;
use lafiya_service::consult::{self, OpenInterview};
use serde::Deserialize;

use super::measurement::{self, ValueField, is_measurement};
use super::patient::Patient;
use super::{TurnForm, turn};
use crate::app::App;
use crate::page::{Failure, Frame, Section, go_to, show, show_with};
use crate::page_request::PageRequest;
use crate::posted::Posted;
use crate::words;

/// An earlier answer.
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) answer: String,
}

#[derive(Template)]
#[template(path = "consult/question.html")]
struct QuestionPage {
    frame: Frame,
    interview: String,
    latest: String,
    patient: String,
    concept: String,
    text: String,
    explanation: String,
    number: usize,
    before: Option<&'static str>,
    is_test: bool,
    value_field: Option<ValueField>,
    previous: Option<String>,
    known: Vec<Known>,
    level: TriageLevel,
    leading: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Wanted {
    edit: Option<String>,
    /// A question as it stands in the browser's history: answered meanwhile, or the next one.
    ask: Option<String>,
}

/// `GET /consult/{interview}`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(interview): Path<InterviewId>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let open = consult::open(&app.context, &caller, interview).await?;
    let open = open.ok_or(Failure::NotFound)?;
    let document = assess::find(&app.context, &caller, Environment::Live, open.latest).await?;
    let library = app.context.knowledge.load();
    let base = library.base();
    let asked = wanted.ask.as_deref();
    let asked = asked.and_then(|id| asked_before(base, &open, id));
    let asked = match (&wanted.edit, asked) {
        (Some(id), _) => Some(asked_before(base, &open, id).ok_or(Failure::NotFound)?),
        (None, Some(asked)) => Some(asked),
        (None, None) => document
            .assessment
            .next_question
            .as_ref()
            .map(|question| Asked {
                concept: question.id.to_string(),
                text: question.text.to_string(),
                explanation: question.explanation.to_string(),
                chosen: None,
                is_test: false,
                value_field: None,
            }),
    };
    let Some(asked) = asked else {
        return Ok(go_to(&format!("/cases/{}", open.latest)));
    };
    Ok(show(&question_page(
        &visit, base, interview, &open, &document, asked,
    )))
}

struct Asked {
    concept: String,
    text: String,
    explanation: String,
    chosen: Option<Choice>,
    is_test: bool,
    /// For a measurement.
    value_field: Option<ValueField>,
}

fn question_page(
    visit: &PageRequest,
    base: &KnowledgeBase,
    interview: InterviewId,
    open: &OpenInterview,
    document: &AssessmentDocument,
    asked: Asked,
) -> QuestionPage {
    let answered: Vec<&str> = open
        .evidence
        .iter()
        .filter(|item| item.source == EvidenceSource::Suggest)
        .map(|item| item.id.as_str())
        .collect();
    let leading = document.assessment.conditions.first();
    QuestionPage {
        frame: Frame::new(visit, Section::Consult, asked.text.clone()),
        interview: interview.to_string(),
        latest: open.latest.to_string(),
        patient: Patient {
            age: open.age,
            sex: open.sex,
        }
        .in_words(),
        number: answered.len() + 1,
        previous: answered
            .last()
            .filter(|id| **id != asked.concept)
            .map(|id| (*id).to_owned()),
        known: known(base, open),
        level: document.assessment.triage.level,
        leading: leading.map(|it| it.name.to_string()),
        concept: asked.concept,
        text: asked.text,
        explanation: asked.explanation,
        // The field of a measurement shows its value.
        before: asked
            .chosen
            .filter(|_| asked.value_field.is_none())
            .map(|choice| words::answer_about(choice, asked.is_test)),
        is_test: asked.is_test,
        value_field: asked.value_field,
    }
}

/// Formats all evidence so far.
fn known(base: &KnowledgeBase, open: &OpenInterview) -> Vec<Known> {
    let one = |item: &lafiya_model::Evidence| {
        let concept = base.resolve(item.id.as_str())?;
        let unit = base.quantity(concept).map(|it| it.unit.clone());
        let measured = item.value.zip(unit);
        let measured = measured.map(|(value, unit)| Measured { value, unit });
        let told = RestsOn {
            id: item.id.as_str(),
            name: base.common_name_of(concept),
            kind: Some(concept.kind()),
            choice: item.choice,
            duration_days: item.duration_days,
            severity: item.severity,
            measured: measured.as_ref(),
        };
        Some(Known {
            id: item.id.to_string(),
            name: told.name.to_owned(),
            answer: words::told(&told),
        })
    };
    open.evidence.iter().filter_map(one).collect()
}

fn asked_before(base: &KnowledgeBase, open: &OpenInterview, id: &str) -> Option<Asked> {
    let item = open.evidence.iter().find(|item| item.id.as_str() == id)?;
    let told = base.resolve(id)?;
    let concept = measurement::typed_with(base, told);
    let (question, explanation): (&str, &str) = match concept {
        ConceptRef::Finding(ix) => {
            let text = &base.finding(ix).text;
            (&text.question, &text.explanation)
        }
        ConceptRef::Risk(ix) => {
            let text = &base.risk(ix).text;
            (&text.question, &text.explanation)
        }
        ConceptRef::Measure(ix) => {
            let text = &base.measure(ix).text;
            (&text.question, &text.explanation)
        }
        ConceptRef::Lab(_) => ("", ""),
        ConceptRef::Condition(_) => return None,
    };
    let text = if question.is_empty() {
        format!("{}?", base.common_name_of(concept))
    } else {
        question.to_owned()
    };
    Some(Asked {
        concept: base.id_of(concept).to_owned(),
        text,
        explanation: explanation.to_owned(),
        chosen: Some(item.choice),
        is_test: concept.kind() == ConceptKind::LabTest,
        value_field: is_measurement(concept).then(|| {
            let unit = base.quantity(concept).map(|it| it.unit.as_str());
            let value = value_before(base, open, concept);
            ValueField::of(base, concept, &value, unit.unwrap_or_default())
        }),
    })
}

/// Returns the value of a measurement as it would be typed, such as 120/80.
fn value_before(base: &KnowledgeBase, open: &OpenInterview, concept: ConceptRef) -> String {
    let value_of = |part: ConceptRef| {
        let mut items = open.evidence.iter();
        let item = items.find(|item| item.id.as_str() == base.id_of(part))?;
        Some(item.value?.to_string())
    };
    let parts = measurement::parts(base, concept);
    let values: Vec<String> = parts.into_iter().filter_map(value_of).collect();
    values.join("/")
}

/// `POST /consult/{interview}/answer`
pub(crate) async fn answered(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(interview): Path<InterviewId>,
    form: Posted,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let open = consult::open(&app.context, &caller, interview).await?;
    let open = open.ok_or(Failure::NotFound)?;
    let choice: Choice = form
        .text("choice")
        .parse()
        .map_err(|_| Failure::Unreadable)?;
    let patient = Patient {
        age: open.age,
        sex: open.sex,
    };
    let library = app.context.knowledge.load_full();
    let base = library.base();
    let id = form.text("concept");
    let evidence = match base.resolve(id).filter(|it| is_measurement(*it)) {
        None => vec![claim(id, choice, None)],
        Some(concept) if choice != Choice::Present => {
            let parts = measurement::parts(base, concept).into_iter();
            let not_taken = |part| claim(base.id_of(part), Choice::Unknown, None);
            parts.map(not_taken).collect()
        }
        Some(concept) => {
            let typed = form.text(&format!("measure.{id}"));
            let unit = form.text(&format!("unit.{id}"));
            match measurement::read(base, concept, typed, unit, patient) {
                Ok(value) => vec![claim(id, choice, Some(value.text))],
                Err(problem) => {
                    let mut field = ValueField::of(base, concept, typed, unit);
                    field.problem = Some(problem);
                    let page = asked_again(&app, &visit, interview, &open, field).await?;
                    return Ok(page);
                }
            }
        }
    };
    let told = TurnForm {
        interview,
        patient,
        corrects_patient: false,
        place: visit.place.as_deref(),
        evidence,
        form: &form,
    };
    let next = turn(&app, &visit, &caller, told).await?;
    Ok(go_to(&next))
}

fn claim(id: &str, choice: Choice, value: Option<String>) -> SubmittedEvidence {
    SubmittedEvidence {
        pointer: "/evidence/0".to_owned(),
        is_bare: false,
        id: id.to_owned(),
        choice,
        source: EvidenceSource::Suggest,
        duration_days: None,
        severity: None,
        value,
    }
}

/// Shows the question again for a value that cannot be right, with what was typed.
async fn asked_again(
    app: &App,
    visit: &PageRequest,
    interview: InterviewId,
    open: &OpenInterview,
    field: ValueField,
) -> Result<Response, Failure> {
    let caller = visit.caller(app).await?;
    let document = assess::find(&app.context, &caller, Environment::Live, open.latest).await?;
    let library = app.context.knowledge.load();
    let base = library.base();
    let asked = Asked {
        concept: field.id.clone(),
        text: format!("{}?", field.name),
        explanation: String::new(),
        chosen: None,
        is_test: false,
        value_field: Some(field),
    };
    let page = question_page(visit, base, interview, open, &document, asked);
    Ok(show_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}
