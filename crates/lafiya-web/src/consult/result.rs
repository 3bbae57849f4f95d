//! The result: how urgent it is, what to do now, what it may be and why. It is rendered from the
//! record, so that a link shows the same result for as long as it is kept. Only members of the
//! tenant can see it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use lafiya_model::assessment::{AssessedCondition, Contribution};
use lafiya_model::{Assessment, AssessmentDocument, AssessmentId, Choice, Environment, RestsOn};
use lafiya_service::assess::{self, Filed};
use lafiya_service::{Caller, Library, ServiceError, consult};

use super::map::{self, Map};
use super::patient::Patient;
use super::question::Known;
use crate::app::App;
use crate::page::{Failure, Frame, Section, show};
use crate::page_request::PageRequest;
use crate::words;

/// Number of conditions that are shown expanded; the others are collapsed.
const CONDITIONS_FIRST: usize = 5;
const CONTRIBUTIONS_SHOWN: usize = 8;
/// Log-odds that fill half of the bar.
const WEIGHT_FULL: f64 = 4.0;

/// A condition with its bars.
struct ShownCondition<'a> {
    condition: &'a AssessedCondition<'a>,
    share: String,
    width: String,
    forces: Vec<Force>,
    known_to_base: bool,
}

/// One piece of evidence as a bar to the right (for) or to the left (against).
struct Force {
    name: String,
    is_for: bool,
    x: String,
    width: String,
    words: &'static str,
}

/// The place of an answer among others about the same patient. The rest of its page never changes.
pub(crate) struct Standing {
    pub(crate) supersedes: Option<AssessmentId>,
    pub(crate) replaced: Option<Replaced>,
}

/// What came after an answer.
pub(crate) struct Replaced {
    pub(crate) by: AssessmentId,
    /// The latest, where that is another one.
    pub(crate) newest: Option<AssessmentId>,
}

impl Standing {
    pub(crate) async fn of(
        app: &App,
        caller: &Caller,
        filed: &Filed,
    ) -> Result<Self, ServiceError> {
        let replaced = match filed.superseded_by {
            None => None,
            Some(by) => {
                let environment = filed.document.environment;
                let newest = assess::newest_after(&app.context, caller, environment, by).await?;
                Some(Replaced {
                    by,
                    newest: Some(newest).filter(|newest| *newest != by),
                })
            }
        };
        Ok(Self {
            supersedes: filed.supersedes,
            replaced,
        })
    }
}

/// The patient as an answer knew them; nothing in documents that did not keep it.
fn patient_of(document: &AssessmentDocument<'_>) -> Option<String> {
    let case = document.case.as_ref()?;
    let patient = Patient {
        age: case.age,
        sex: case.sex,
    };
    Some(patient.in_words())
}

/// What an answer rests on, for people.
pub(crate) fn rests_on(document: &AssessmentDocument<'_>) -> Vec<Known> {
    let known = |rests_on: RestsOn<'_>| Known {
        id: rests_on.id.to_owned(),
        name: rests_on.name.to_owned(),
        answer: words::told(&rests_on),
    };
    document.rests_on().into_iter().map(known).collect()
}

#[derive(Template)]
#[template(path = "consult/result.html")]
struct ResultPage<'a> {
    frame: Frame,
    document: &'a AssessmentDocument<'a>,
    answer: &'a Assessment<'a>,
    patient: Option<String>,
    level: &'static str,
    action: (String, String),
    when: String,
    first: Vec<ShownCondition<'a>>,
    rest: Vec<ShownCondition<'a>>,
    unexplained: String,
    known: Vec<Known>,
    standing: Standing,
    goes_on: bool,
    is_open: bool,
    map: Option<Map>,
    made_at: String,
    group: String,
    can_report: bool,
}

/// `GET /cases/{assessment}`
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<AssessmentId>,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let filed = find_filed(&app, &caller, id).await?;
    let standing = Standing::of(&app, &caller, &filed).await?;
    let document = filed.document;
    let library = app.context.knowledge.load();
    let open = consult::open(&app.context, &caller, document.interview_id).await?;
    let is_latest = open.is_some_and(|open| open.latest == id);
    let answer = &document.assessment;
    let mut shown: Vec<ShownCondition<'_>> = answer
        .conditions
        .iter()
        .map(|condition| shown(&library, answer, condition))
        .collect();
    let rest = shown.split_off(CONDITIONS_FIRST.min(shown.len()));
    let page = ResultPage {
        frame: Frame::new(&visit, Section::Consult, words::level(answer.triage.level)),
        answer,
        level: words::level(answer.triage.level),
        action: words::lead_and_rest(&answer.triage.recommended_action),
        when: library.timeframe_text(answer.triage.timeframe).map_or_else(
            || words::plain(answer.triage.timeframe.as_str()),
            |it| it.words.clone(),
        ),
        first: shown,
        rest,
        unexplained: words::share(answer.unexplained),
        known: rests_on(&document),
        patient: patient_of(&document),
        standing,
        is_open: is_latest,
        goes_on: is_latest && answer.next_question.is_some(),
        map: map::of(&document.facilities),
        made_at: words::moment(document.created_at),
        group: words::age_group(&document.age_group),
        can_report: visit.signed_in.is_some(),
        document: &document,
    };
    Ok(show(&page))
}

/// Finds a record of the tenant, live or sandbox.
pub(crate) async fn find(
    app: &App,
    caller: &Caller,
    id: AssessmentId,
) -> Result<AssessmentDocument<'static>, ServiceError> {
    Ok(find_filed(app, caller, id).await?.document)
}

/// The same, with its place among others about the same patient.
pub(crate) async fn find_filed(
    app: &App,
    caller: &Caller,
    id: AssessmentId,
) -> Result<Filed, ServiceError> {
    match assess::find_filed(&app.context, caller, Environment::Live, id).await {
        Err(ServiceError::NotFound(_)) => {
            assess::find_filed(&app.context, caller, Environment::Test, id).await
        }
        other => other,
    }
}

fn shown<'a>(
    library: &Library,
    assessment: &'a Assessment<'a>,
    condition: &'a AssessedCondition<'a>,
) -> ShownCondition<'a> {
    let mut heaviest: Vec<Contribution<'_>> = assessment.contributions(condition).collect();
    heaviest.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    ShownCondition {
        condition,
        share: words::share(condition.probability),
        width: words::width(condition.probability),
        forces: heaviest
            .into_iter()
            .take(CONTRIBUTIONS_SHOWN)
            .map(force)
            .collect(),
        known_to_base: library.resolve(condition.id.as_str()).is_some(),
    }
}

fn force(contribution: Contribution<'_>) -> Force {
    let half = (contribution.weight.abs() / WEIGHT_FULL).clamp(0.02, 1.0) * 50.0;
    let is_for = contribution.weight >= 0.0;
    let name = match contribution.of.choice {
        Some(Choice::Absent) => format!("No {}", contribution.of.name.to_lowercase()),
        _ => contribution.of.name.to_string(),
    };
    Force {
        name,
        is_for,
        x: format!("{:.1}%", if is_for { 50.0 } else { 50.0 - half }),
        width: format!("{half:.1}%"),
        words: match (is_for, contribution.weight.abs()) {
            (true, 2.0..) => "speaks strongly for it",
            (true, _) => "speaks for it",
            (false, 2.0..) => "speaks strongly against it",
            (false, _) => "speaks against it",
        },
    }
}

#[derive(Template)]
#[template(path = "consult/letter.html")]
struct LetterPage<'a> {
    frame: Frame,
    document: &'a AssessmentDocument<'a>,
    answer: &'a Assessment<'a>,
    standing: Standing,
    patient: Option<String>,
    level: &'static str,
    when: String,
    leading: Vec<(&'a AssessedCondition<'a>, String)>,
    present: Vec<String>,
    absent: Vec<String>,
    made_on: String,
    from: String,
}

/// `GET /cases/{assessment}/letter`: a letter to print; names are written by hand and never
/// entered.
pub(crate) async fn letter(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<AssessmentId>,
) -> Result<Response, Failure> {
    let tenant = visit.tenant(&app).await?;
    let caller = visit.caller(&app).await?;
    let filed = find_filed(&app, &caller, id).await?;
    let standing = Standing::of(&app, &caller, &filed).await?;
    let document = filed.document;
    let library = app.context.knowledge.load();
    let told = document.rests_on();
    let named = |choice: Choice| -> Vec<String> {
        let chosen = told.iter().filter(|item| item.choice == choice);
        chosen.map(words::in_letter).collect()
    };
    let answer = &document.assessment;
    Ok(show(&LetterPage {
        frame: Frame::new(&visit, Section::Consult, "Referral letter"),
        answer,
        level: words::level(answer.triage.level),
        when: library.timeframe_text(answer.triage.timeframe).map_or_else(
            || words::plain(answer.triage.timeframe.as_str()),
            |it| it.words.clone(),
        ),
        leading: answer
            .conditions
            .iter()
            .take(3)
            .map(|condition| (condition, words::share(condition.probability)))
            .collect(),
        present: named(Choice::Present),
        absent: named(Choice::Absent),
        patient: patient_of(&document),
        standing,
        made_on: words::day(document.created_at),
        from: tenant.name,
        document: &document,
    }))
}
