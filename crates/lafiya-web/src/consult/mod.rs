//! Consultation: from the patient's own words to a result, one question at a time. `start` reads
//! the story, `confirm` shows the understood findings, `question` asks, `result` shows the result.
//! From each of them a danger sign leads to the result at once.

pub(crate) mod confirm;
pub(crate) mod correct;
mod map;
mod measurement;
pub(crate) mod patient;
pub(crate) mod question;
pub(crate) mod result;
pub(crate) mod start;

use lafiya_model::{
    AgeUnit, AssessmentDocument, AssessmentId, Case, Disagreement, Environment, InterviewId,
    SubmittedEvidence, TriageLevel,
};
use lafiya_service::assess::{self, AssessRequest, Assessed};
use lafiya_service::{Caller, ServiceError};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::page_request::PageRequest;
use crate::posted::Posted;
use patient::Patient;

/// Returns the next page of a case: the result in an emergency or when enough is known, otherwise a
/// question.
fn next_step(document: &AssessmentDocument) -> String {
    let assessment = &document.assessment;
    let asks = assessment.next_question.is_some() && !assessment.should_stop;
    if asks && assessment.triage.level != TriageLevel::Emergency {
        format!("/consult/{}", document.interview_id)
    } else {
        format!("/cases/{}", document.assessment_id)
    }
}

/// The input of one turn.
struct TurnForm<'a> {
    interview: InterviewId,
    patient: Patient,
    /// Whether the age or the sex replaces what the interview knows.
    corrects_patient: bool,
    place: Option<&'a str>,
    evidence: Vec<SubmittedEvidence>,
    form: &'a Posted,
}

/// Runs one turn of a case with the same use case as the API. Returns the URL of the next page. A
/// form that is sent again is recognised by its digest.
async fn turn(
    app: &App,
    visit: &PageRequest,
    caller: &Caller,
    told: TurnForm<'_>,
) -> Result<String, ServiceError> {
    let TurnForm {
        interview,
        patient,
        corrects_patient,
        place,
        evidence,
        form,
    } = told;
    let request = AssessRequest {
        case: Case {
            age: patient.age,
            age_unit: AgeUnit::Days,
            sex: patient.sex,
            location: place.map(str::to_owned),
            coordinate: None,
            evidence,
            risk_factors: Vec::new(),
            previous_evidence: Vec::new(),
            evaluated_at: None,
            left_out: Vec::new(),
            disagreement: Disagreement::FirstCounts,
        },
        interview_id: Some(interview),
        digest: Sha256::digest(form.bytes()).into(),
        idempotency_key: None,
        assessment_id: AssessmentId(visit.origin.request.0),
        corrects: None,
        corrects_patient,
    };
    let next = |answer: &Assessed| next_step(&answer.document);
    assess::assess(&app.context, caller, Environment::Live, request, next).await
}
