//! The page to confirm or correct the recognised findings. Nothing is recorded before it is
//! submitted, but a danger sign is shown at once.

use std::sync::Arc;

use askama::Template;
use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::Timestamp;
use lafiya_knowledge::{ConceptRef, KnowledgeBase, MeasureIx};
use lafiya_model::assessment::RedFlag;
use lafiya_model::{
    Choice, ConceptId, ConceptKind, Evidence, EvidenceSource, InterviewId, Seriousness, Severity,
    SubmittedEvidence, TriageLevel,
};
use lafiya_service::clock::lagos_date;
use lafiya_service::consult::OpenInterview;
use lafiya_service::{Library, ServiceError, consult};
use lafiya_text::{Hit, ParseContext, SearchOptions};
use serde::Deserialize;

use super::measurement::{self, ReadValue, ValueField, is_measurement};
use super::patient::{Patient, PatientFields, Problems};
use super::start::place_names;
use super::{TurnForm, turn};
use crate::app::App;
use crate::page::{Failure, Frame, Section, go_to, show_with};
use crate::page_request::{self, PageRequest};
use crate::posted::Posted;
use crate::words;

/// The kinds of concepts that can be added to a case by name.
const KINDS: &[ConceptKind] = &[
    ConceptKind::Symptom,
    ConceptKind::RiskFactor,
    ConceptKind::LabTest,
];
const SUGGESTIONS_MAX: usize = 8;
/// Minimum similarity at which a name is accepted for the typed text.
const SIMILARITY_TAKEN: f64 = 0.75;
/// Number of measurements offered as fields; others can be written in the story.
const MEASURES_SHOWN: usize = 9;
const WRONG_VALUE: &str = "A measurement cannot be right. Correct it below, or leave it empty.";
const ANOTHER_PATIENT: &str =
    "Age or sex was changed. Check what was understood and the danger signs once more.";

/// An understood finding.
#[derive(Clone, Debug)]
pub(crate) struct UnderstoodFinding {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Whether it is a test, which is positive or negative instead of present or absent.
    pub(crate) is_test: bool,
    /// The words it was recognised in.
    pub(crate) words: String,
    pub(crate) choice: Choice,
    pub(crate) duration_days: Option<u32>,
    pub(crate) severity: Option<Severity>,
    /// The value as typed or as told, and the unit chosen for it.
    pub(crate) value: String,
    pub(crate) unit: String,
}

impl UnderstoodFinding {
    /// Creates a finding with an answer and no details.
    fn of(library: &Library, concept: ConceptRef, words: String, choice: Choice) -> Self {
        Self {
            id: library.id_of(concept).to_owned(),
            name: library.common_name_of(concept).to_owned(),
            is_test: concept.kind() == ConceptKind::LabTest,
            words,
            choice,
            duration_days: None,
            severity: None,
            value: String::new(),
            unit: String::new(),
        }
    }

    /// Reads a text.
    pub(crate) fn read(
        library: &Library,
        text: &str,
        patient: Patient,
        now: Timestamp,
    ) -> Vec<Self> {
        let context = ParseContext {
            age: Some(patient.age),
            sex: Some(patient.sex),
            evaluated_at: Some(lagos_date(now)),
        };
        let parsed = library.parser.parse(library.base(), text, &context);
        let told = parsed.mentions.into_iter().chain(parsed.tests);
        let heard = told.map(|mention| {
            let value = mention.value.unwrap_or_default();
            let (value, unit) = measurement::apart(library.base(), mention.concept, &value);
            Self {
                duration_days: mention.duration_days,
                severity: mention.severity,
                value,
                unit,
                ..Self::of(library, mention.concept, mention.orth, mention.choice)
            }
        });
        heard.collect()
    }

    /// Returns the findings confirmed in the form. Unknown concepts are skipped, and measurements
    /// without a value.
    fn confirmed(library: &Library, form: &Posted) -> Vec<Self> {
        let one = |(id, choice): (&str, &str)| {
            let concept = library.resolve(id)?;
            let field = |name: &str| form.text(&format!("{name}.{id}")).to_owned();
            let found = Self {
                duration_days: field("days").parse().ok(),
                severity: field("severity").parse().ok(),
                value: field("value"),
                unit: field("unit"),
                ..Self::of(library, concept, field("words"), choice.parse().ok()?)
            };
            let is_nothing = is_measurement(concept) && found.value.is_empty();
            (!is_nothing).then_some(found)
        };
        form.with_prefix("choice.").filter_map(one).collect()
    }

    /// Returns the measurements that were filled in.
    fn measured(library: &Library, form: &Posted) -> Vec<Self> {
        let one = |(id, value): (&str, &str)| {
            let concept = library.resolve(id).filter(|it| is_measurement(*it))?;
            let field = |name: &str| form.text(&format!("{name}.{id}")).to_owned();
            (!value.is_empty()).then(|| Self {
                value: value.to_owned(),
                unit: field("unit"),
                ..Self::of(library, concept, field("words"), Choice::Present)
            })
        };
        form.with_prefix("measure.").filter_map(one).collect()
    }

    pub(crate) fn severity_word(&self) -> &'static str {
        self.severity.map_or("", Severity::as_str)
    }

    /// Reads its value; `None` if it has none.
    fn read_value(
        &self,
        base: &KnowledgeBase,
        patient: Patient,
    ) -> Option<Result<ReadValue, String>> {
        let concept = base.resolve(&self.id)?;
        let has_value = !self.value.is_empty() && measurement::takes_value(base, concept);
        has_value.then(|| measurement::read(base, concept, &self.value, &self.unit, patient))
    }

    /// Whether its value cannot be right.
    fn has_wrong_value(&self, base: &KnowledgeBase, patient: Patient) -> bool {
        matches!(self.read_value(base, patient), Some(Err(_)))
    }

    fn claim(&self, base: &KnowledgeBase, patient: Patient, place: usize) -> SubmittedEvidence {
        let value = self.read_value(base, patient).and_then(Result::ok);
        SubmittedEvidence {
            pointer: format!("/evidence/{place}"),
            is_bare: false,
            id: self.id.clone(),
            choice: self.choice,
            source: EvidenceSource::Initial,
            duration_days: self.duration_days,
            severity: self.severity,
            value: value.map(|value| value.text),
        }
    }

    /// Returns what it says. A measurement whose value is missing or cannot be right says nothing.
    fn evidence(&self, base: &KnowledgeBase, patient: Patient) -> Vec<Evidence> {
        let one = |id: &str, value| Evidence {
            id: ConceptId::from(id),
            choice: self.choice,
            source: EvidenceSource::Initial,
            duration_days: self.duration_days,
            severity: self.severity,
            value,
        };
        let concept = base.resolve(&self.id);
        let text = match self.read_value(base, patient) {
            Some(Ok(value)) => value.text,
            Some(Err(_)) => return Vec::new(),
            None if concept.is_some_and(is_measurement) => return Vec::new(),
            None => return vec![one(&self.id, None)],
        };
        let values = concept.and_then(|concept| base.read_value(concept, &text).ok());
        let values = values.unwrap_or_default().into_iter();
        values
            .map(|(concept, value)| one(base.id_of(concept), Some(value)))
            .collect()
    }
}

/// A row of the list: an understood finding, with a field for its value if it has one.
struct Row {
    it: UnderstoodFinding,
    /// Its particulars: "3 days, severe".
    particulars: String,
    value_field: Option<ValueField>,
    /// Whether it is answered with yes or no. A measurement only has a value.
    has_choice: bool,
}

impl Row {
    fn of(base: &KnowledgeBase, patient: Patient, it: UnderstoodFinding) -> Self {
        let concept = base.resolve(&it.id);
        let measures = concept.is_some_and(is_measurement);
        let with_value = concept.filter(|_| measures || !it.value.is_empty());
        let with_value = with_value.filter(|concept| measurement::takes_value(base, *concept));
        let value_field = with_value.map(|concept| {
            ValueField::of(base, concept, &it.value, &it.unit).checked(base, patient)
        });
        let value = it.read_value(base, patient).and_then(Result::ok);
        let value = value.map(|value| value.shown);
        Self {
            particulars: words::particulars(it.duration_days, it.severity, value.as_deref()),
            has_choice: !measures,
            value_field,
            it,
        }
    }
}

/// A danger sign that was not mentioned, with a checkbox.
struct DangerSign {
    id: String,
    name: String,
    /// The question for the person with the patient.
    question: String,
}

/// An emergency found in unconfirmed input.
pub(crate) struct Alarm<'a> {
    pub(crate) flags: Vec<RedFlag<'a>>,
    pub(crate) action: (String, String),
}

#[derive(Template)]
#[template(path = "consult/confirm.html")]
struct ConfirmPage<'a> {
    frame: Frame,
    fields: PatientFields,
    problems: Problems,
    patient: String,
    places: Vec<String>,
    rows: Vec<Row>,
    measurements: Vec<ValueField>,
    alarm: Option<Alarm<'a>>,
    danger_signs: Vec<DangerSign>,
    problem: Option<&'static str>,
    interview: String,
    shown_for: String,
    nothing_present: bool,
}

/// What the page of understood findings shows.
pub(crate) struct Understood<'a> {
    pub(crate) home_country: Option<&'a str>,
    pub(crate) fields: &'a PatientFields,
    pub(crate) patient: Patient,
    /// What is wrong with the patient's fields.
    pub(crate) problems: Problems,
    pub(crate) heard: Vec<UnderstoodFinding>,
    pub(crate) problem: Option<&'static str>,
    /// The id of the interview, which stays the same when the page is shown again.
    pub(crate) interview: String,
    /// The age and sex that the page is shown for, as typed.
    pub(crate) shown_for: String,
}

/// Renders the page of understood findings. Something that must be corrected gives a 422.
pub(crate) fn show_heard(app: &App, visit: &PageRequest, told: Understood<'_>) -> Response {
    let library = app.context.knowledge.load();
    let base = library.base();
    let Understood {
        home_country,
        fields,
        patient,
        problems,
        heard,
        problem,
        interview,
        shown_for,
    } = told;
    let case = |evidence| consult::UnconfirmedCase {
        age: patient.age,
        sex: patient.sex,
        place: fields.place(),
        home_country,
        evidence,
    };
    let alarm = alarm(app, &library, case, &heard, patient);
    let page = ConfirmPage {
        frame: Frame::new(visit, Section::Consult, "What we understood"),
        danger_signs: danger_signs(base, patient, &heard),
        measurements: measurements(base, &heard),
        fields: fields.clone(),
        patient: patient.in_words(),
        problem,
        nothing_present: !heard.iter().any(|it| it.choice == Choice::Present),
        interview,
        shown_for,
        places: place_names(base),
        rows: heard
            .into_iter()
            .map(|it| Row::of(base, patient, it))
            .collect(),
        alarm,
        problems,
    };
    let must_be_corrected = page.problems.any() || page.problem == Some(WRONG_VALUE);
    let status = if must_be_corrected {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    show_with(status, &page)
}

fn alarm<'a, 't>(
    app: &App,
    library: &'a Library,
    told: impl FnOnce(Vec<Evidence>) -> consult::UnconfirmedCase<'t>,
    heard: &[UnderstoodFinding],
    patient: Patient,
) -> Option<Alarm<'a>> {
    if !heard.iter().any(|it| it.choice == Choice::Present) {
        return None;
    }
    let evidence = heard
        .iter()
        .flat_map(|it| it.evidence(library.base(), patient))
        .collect();
    let look = consult::first_look(&app.context, library, told(evidence));
    if look.triage.level != TriageLevel::Emergency {
        return None;
    }
    let mut flags = look.red_flags;
    flags.retain(|flag| flag.seriousness != Seriousness::Serious);
    Some(Alarm {
        flags,
        action: words::lead_and_rest(&look.triage.recommended_action),
    })
}

/// Returns the danger signs that may not have been mentioned or understood and must not be missed.
fn danger_signs(
    base: &KnowledgeBase,
    patient: Patient,
    heard: &[UnderstoodFinding],
) -> Vec<DangerSign> {
    let asked = base.danger_signs(patient.age, patient.sex);
    let asked = asked.map(|ix| &base.finding(ix).text);
    asked
        .filter(|sign| !heard.iter().any(|it| it.id == sign.id))
        .map(|sign| DangerSign {
            id: sign.id.clone(),
            name: sign.common_name.clone(),
            question: sign.caregiver_question.to_string(),
        })
        .collect()
}

fn measurements(base: &KnowledgeBase, heard: &[UnderstoodFinding]) -> Vec<ValueField> {
    let parts: Vec<MeasureIx> = base.measure_pairs().flatten().collect();
    // Doses are computed from the weight, so it comes first.
    let weight = base.weights().measure;
    let others = (0..base.measures().len()).map(MeasureIx::at);
    let others = others.filter(|ix| !parts.contains(ix) && Some(*ix) != weight);
    let shown = weight
        .into_iter()
        .chain(others)
        .map(ConceptRef::Measure)
        .filter(|&concept| !heard.iter().any(|it| it.id == base.id_of(concept)));
    shown
        .take(MEASURES_SHOWN)
        .map(|concept| ValueField::of(base, concept, "", ""))
        .collect()
}

/// `POST /consult/confirm`: adds further findings, or makes the first assessment.
pub(crate) async fn confirmed(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let home_country = caller.home_country.as_deref();
    let fields = PatientFields::of(&form);
    // The age and sex that the page was shown for; what is asked depends on them.
    let before = PatientFields::shown_before(&form);
    let (patient, problems) = match (fields.check_person(), before.as_ref()) {
        (Ok(patient), _) => (patient, Problems::default()),
        (Err(problems), Some(before)) => (*before, problems),
        (Err(_), None) => return Err(Failure::Unreadable),
    };
    let library = app.context.knowledge.load_full();
    let mut heard = UnderstoodFinding::confirmed(&library, &form);
    for one in UnderstoodFinding::measured(&library, &form) {
        replace_or_add(&mut heard, one);
    }
    let more = form.text("more");
    let interview = form.text("interview");
    let show = |heard, problem| {
        let told = Understood {
            home_country,
            fields: &fields,
            patient,
            problems: problems.clone(),
            heard,
            problem,
            interview: interview.to_owned(),
            shown_for: if problems.any() {
                form.text("shown_for").to_owned()
            } else {
                fields.as_shown()
            },
        };
        Ok(show_heard(&app, &visit, told))
    };
    if !more.is_empty() || form.text("action") == "add" {
        let problem = add(&library, &mut heard, more, patient, app.context.clock.now());
        return show(heard, problem);
    }
    if problems.any() {
        return show(heard, Some("Correct the age, the sex or the place."));
    }
    let is_wrong = |it: &UnderstoodFinding| it.has_wrong_value(library.base(), patient);
    if heard.iter().any(is_wrong) {
        return show(heard, Some(WRONG_VALUE));
    }
    if before.is_some_and(|before| before != patient) {
        return show(heard, Some(ANOTHER_PATIENT));
    }
    let interview = InterviewId::from_client(interview).map_err(|_| Failure::Unreadable)?;
    let claims = heard.iter().enumerate();
    let claims = claims.map(|(place, it)| it.claim(library.base(), patient, place));
    let mut evidence: Vec<SubmittedEvidence> = claims.collect();
    // The page may be sent again after the first answer: what is no longer on it is withdrawn.
    if let Some(open) = consult::open(&app.context, &caller, interview).await? {
        evidence.extend(withdrawn(library.base(), &open, &heard));
    }
    let told = TurnForm {
        interview,
        patient,
        corrects_patient: true,
        place: fields.place(),
        evidence,
        form: &form,
    };
    let next = match turn(&app, &visit, &caller, told).await {
        Err(ServiceError::InsufficientData | ServiceError::NoEvidence) => {
            let problem = "At least one symptom must be present before we can answer.";
            return show(heard, Some(problem));
        }
        other => other?,
    };
    let mut response = go_to(&next);
    page_request::keep_place(&mut response, &fields.place, app.settings.is_https());
    Ok(response)
}

/// Returns claims that what was told on this page before, and is no longer on it, is not known.
fn withdrawn(
    base: &KnowledgeBase,
    open: &OpenInterview,
    heard: &[UnderstoodFinding],
) -> Vec<SubmittedEvidence> {
    let told = heard.iter().filter_map(|it| base.resolve(&it.id));
    let told: Vec<ConceptRef> = told
        .flat_map(|concept| measurement::parts(base, concept))
        .collect();
    let is_gone = |item: &&Evidence| {
        let concept = base.resolve(item.id.as_str());
        item.source == EvidenceSource::Initial && concept.is_some_and(|it| !told.contains(&it))
    };
    let gone = open.evidence.iter().filter(is_gone);
    gone.map(|item| SubmittedEvidence {
        pointer: "/evidence".to_owned(),
        is_bare: false,
        id: item.id.to_string(),
        choice: Choice::Unknown,
        source: EvidenceSource::Initial,
        duration_days: None,
        severity: None,
        value: None,
    })
    .collect()
}

/// Adds a finding, in place of what was known about the same concept.
fn replace_or_add(heard: &mut Vec<UnderstoodFinding>, one: UnderstoodFinding) {
    match heard.iter_mut().find(|it| it.id == one.id) {
        Some(known) => *known = one,
        None => heard.push(one),
    }
}

/// Adds the findings of further text, or a message if nothing was recognised.
fn add(
    library: &Library,
    heard: &mut Vec<UnderstoodFinding>,
    more: &str,
    patient: Patient,
    now: Timestamp,
) -> Option<&'static str> {
    if more.is_empty() {
        return None;
    }
    let mut found = UnderstoodFinding::read(library, more, patient, now);
    if found.is_empty() {
        let options = SearchOptions {
            sex: Some(patient.sex),
            kinds: Some(KINDS),
            max_results: 1,
        };
        let hits = library.search.find(library.base(), more, &options);
        let near = hits
            .into_iter()
            .filter(|hit| hit.similarity >= SIMILARITY_TAKEN);
        let added = |hit: Hit| {
            UnderstoodFinding::of(library, hit.concept, more.to_owned(), Choice::Present)
        };
        found.extend(near.map(added));
    }
    if found.is_empty() {
        return Some(
            "We did not understand what you added. Try other words, or pick a suggestion.",
        );
    }
    for one in found {
        replace_or_add(heard, one);
    }
    None
}

#[derive(Deserialize)]
pub(crate) struct Typed {
    #[serde(default)]
    q: String,
}

/// `GET /consult/findings?q=`: suggests names while the user types.
pub(crate) async fn suggestions(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(typed): Query<Typed>,
) -> Result<Json<Vec<String>>, Failure> {
    visit.tenant(&app).await?;
    let library = app.context.knowledge.load();
    let options = SearchOptions {
        sex: None,
        kinds: Some(KINDS),
        max_results: SUGGESTIONS_MAX,
    };
    let words: String = typed.q.chars().take(100).collect();
    let hits = library.search.find(library.base(), &words, &options);
    let names = hits
        .into_iter()
        .map(|hit| library.common_name_of(hit.concept).to_owned());
    Ok(Json(names.collect()))
}
