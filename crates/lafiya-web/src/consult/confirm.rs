//! The page to confirm or correct the recognised findings. Nothing is recorded before it is
//! submitted, but a danger sign is shown at once.

use std::sync::Arc;

use askama::Template;
use axum::Json;
use axum::extract::{Query, State};
use axum::response::Response;
use jiff::Timestamp;
use lafiya_knowledge::{ConceptRef, KnowledgeBase, MeasureIx};
use lafiya_model::assessment::RedFlag;
use lafiya_model::{
    Choice, ConceptId, ConceptKind, Evidence, EvidenceSource, InterviewId, Seriousness, Severity,
    SubmittedEvidence, TriageLevel,
};
use lafiya_service::clock::lagos_date;
use lafiya_service::{Library, ServiceError, consult};
use lafiya_text::{Hit, ParseContext, SearchOptions};
use serde::Deserialize;
use uuid::Uuid;

use super::patient::{Patient, PatientFields};
use super::{TurnForm, turn};
use crate::app::App;
use crate::page::{Failure, Frame, Section, go_to, show};
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
const MEASURES_SHOWN: usize = 8;

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
    pub(crate) value: String,
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
        let heard = told.map(|mention| Self {
            duration_days: mention.duration_days,
            severity: mention.severity,
            value: mention.value.unwrap_or_default(),
            ..Self::of(library, mention.concept, mention.orth, mention.choice)
        });
        heard.collect()
    }

    /// Returns the findings confirmed in the form. Unknown concepts are skipped.
    fn confirmed(library: &Library, form: &Posted) -> Vec<Self> {
        let one = |(id, choice): (&str, &str)| {
            let concept = library.resolve(id)?;
            let field = |name: &str| form.text(&format!("{name}.{id}")).to_owned();
            Some(Self {
                duration_days: field("days").parse().ok(),
                severity: field("severity").parse().ok(),
                value: field("value"),
                ..Self::of(library, concept, field("words"), choice.parse().ok()?)
            })
        };
        form.with_prefix("choice.").filter_map(one).collect()
    }

    /// Formats its details: "3 days, severe".
    pub(crate) fn particulars(&self) -> String {
        words::particulars(self.duration_days, self.severity, Some(&self.value))
    }

    pub(crate) fn severity_word(&self) -> &'static str {
        self.severity.map_or("", Severity::as_str)
    }

    fn claim(&self, place: usize) -> SubmittedEvidence {
        SubmittedEvidence {
            pointer: format!("/evidence/{place}"),
            is_bare: false,
            id: self.id.clone(),
            choice: self.choice,
            source: EvidenceSource::Initial,
            duration_days: self.duration_days,
            severity: self.severity,
            value: Some(self.value.clone()).filter(|value| !value.is_empty()),
        }
    }

    fn evidence(&self, base: &KnowledgeBase) -> Vec<Evidence> {
        let one = |id: &str, value| Evidence {
            id: ConceptId::from(id),
            choice: self.choice,
            source: EvidenceSource::Initial,
            duration_days: self.duration_days,
            severity: self.severity,
            value,
        };
        let concept = base.resolve(&self.id);
        let values = concept.and_then(|concept| base.read_value(concept, &self.value).ok());
        match values {
            Some(values) => values
                .into_iter()
                .map(|(concept, value)| one(base.id_of(concept), Some(value)))
                .collect(),
            None => vec![one(&self.id, None)],
        }
    }
}

/// A measurement field.
struct Measurement {
    id: String,
    name: String,
    unit: String,
    value: String,
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
    patient: String,
    heard: Vec<UnderstoodFinding>,
    measurements: Vec<Measurement>,
    alarm: Option<Alarm<'a>>,
    danger_signs: Vec<DangerSign>,
    problem: Option<&'static str>,
    interview: String,
    nothing_present: bool,
}

/// Renders the page of understood findings.
pub(crate) fn show_heard(
    app: &App,
    visit: &PageRequest,
    home_country: Option<&str>,
    fields: &PatientFields,
    patient: Patient,
    heard: Vec<UnderstoodFinding>,
    problem: Option<&'static str>,
) -> Response {
    let library = app.context.knowledge.load();
    let told = |evidence| consult::UnconfirmedCase {
        age: patient.age,
        sex: patient.sex,
        place: fields.place(),
        home_country,
        evidence,
    };
    let nothing_present = !heard.iter().any(|it| it.choice == Choice::Present);
    show(&ConfirmPage {
        frame: Frame::new(visit, Section::Consult, "What we understood"),
        alarm: alarm(app, &library, told, &heard),
        danger_signs: danger_signs(library.base(), patient, &heard),
        measurements: measurements(library.base(), &heard),
        fields: fields.clone(),
        patient: patient.in_words(),
        problem,
        nothing_present,
        interview: Uuid::new_v4().to_string(),
        heard,
    })
}

fn alarm<'a, 't>(
    app: &App,
    library: &'a Library,
    told: impl FnOnce(Vec<Evidence>) -> consult::UnconfirmedCase<'t>,
    heard: &[UnderstoodFinding],
) -> Option<Alarm<'a>> {
    if !heard.iter().any(|it| it.choice == Choice::Present) {
        return None;
    }
    let evidence = heard
        .iter()
        .flat_map(|it| it.evidence(library.base()))
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

fn measurements(base: &KnowledgeBase, heard: &[UnderstoodFinding]) -> Vec<Measurement> {
    let parts: Vec<MeasureIx> = base
        .measures()
        .iter()
        .filter_map(|measure| measure.pair)
        .flatten()
        .collect();
    let shown = (0..base.measures().len())
        .map(MeasureIx::at)
        .filter(|ix| !parts.contains(ix))
        .map(ConceptRef::Measure)
        .filter(|&concept| !heard.iter().any(|it| it.id == base.id_of(concept)));
    shown
        .take(MEASURES_SHOWN)
        .map(|concept| Measurement {
            id: base.id_of(concept).to_owned(),
            name: base.common_name_of(concept).to_owned(),
            unit: base
                .quantity(concept)
                .map(|it| it.unit.clone())
                .unwrap_or_default(),
            value: String::new(),
        })
        .collect()
}

/// `POST /consult/confirm`: adds further findings, or makes the first assessment.
pub(crate) async fn confirmed(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    form: Posted,
) -> Result<Response, Failure> {
    let caller = visit.caller(&app).await?;
    let home = caller.home_country.as_deref();
    let fields = PatientFields::of(&form);
    let patient = fields.check().map_err(|_| Failure::Unreadable)?;
    let library = app.context.knowledge.load_full();
    let mut heard = UnderstoodFinding::confirmed(&library, &form);
    heard.extend(measured(&library, &form));
    let more = form.text("more");
    if !more.is_empty() || form.text("action") == "add" {
        let problem = add(&library, &mut heard, more, patient, app.context.clock.now());
        return Ok(show_heard(
            &app, &visit, home, &fields, patient, heard, problem,
        ));
    }
    let interview =
        InterviewId::from_client(form.text("interview")).map_err(|_| Failure::Unreadable)?;
    let told = TurnForm {
        interview,
        patient,
        place: fields.place(),
        evidence: heard
            .iter()
            .enumerate()
            .map(|(place, it)| it.claim(place))
            .collect(),
        form: &form,
    };
    let next = match turn(&app, &visit, &caller, told).await {
        Err(ServiceError::InsufficientData | ServiceError::NoEvidence) => {
            let problem = Some("At least one symptom must be present before we can answer.");
            return Ok(show_heard(
                &app, &visit, home, &fields, patient, heard, problem,
            ));
        }
        other => other?,
    };
    let mut response = go_to(&next);
    page_request::keep_place(&mut response, &fields.place, app.settings.is_https());
    Ok(response)
}

/// Returns the measurements that were filled in.
fn measured(library: &Library, form: &Posted) -> Vec<UnderstoodFinding> {
    let one = |(id, value): (&str, &str)| {
        let concept = library.resolve(id)?;
        (!value.is_empty()).then(|| UnderstoodFinding {
            value: value.to_owned(),
            ..UnderstoodFinding::of(library, concept, String::new(), Choice::Present)
        })
    };
    form.with_prefix("measure.").filter_map(one).collect()
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
        match heard.iter_mut().find(|it| it.id == one.id) {
            Some(known) => *known = one,
            None => heard.push(one),
        }
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
