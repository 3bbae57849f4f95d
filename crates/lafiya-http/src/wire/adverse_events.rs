//! The wire types of `/adverse-events`.

use lafiya_model::{AdverseSeriousness, AssessmentId};
use lafiya_service::adverse_events::{AdverseEvent, Report};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiError;
use crate::wire::fields::{Field, Problems, Word, read_object};
use crate::wire::query::Params;

/// Something that went wrong after an assessment.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct AdverseEventRequest {
    /// The `assessment_id` of an answer
    #[serde(default)]
    #[schema(value_type = Uuid)]
    assessment_id: Field<String>,
    /// What happened. Kept for review, never sent to webhooks
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 4000)]
    description: Field<String>,
    /// `non_serious`, `serious`, `life_threatening` or `fatal`
    #[serde(default)]
    #[schema(value_type = String, example = "serious")]
    seriousness: Field<Word<AdverseSeriousness>>,
}

impl AdverseEventRequest {
    pub(crate) fn read(bytes: &[u8]) -> Result<Report, ApiError> {
        let request: Self = read_object(bytes)?;
        let mut problems = Problems::default();
        let mut text = |pointer: &str, field| {
            let text: Option<String> = problems.optional(pointer, field);
            if text.is_none() {
                problems.require(pointer);
            }
            text
        };
        let id = text("/assessment_id", request.assessment_id);
        let description = text("/description", request.description);
        let id = id.and_then(|id| read_id(&id, &mut problems));
        let seriousness = problems.required_word("/seriousness", request.seriousness);
        problems.into_result(|| {
            Some(Report {
                assessment_id: id?,
                description: description?,
                seriousness: seriousness?,
            })
        })
    }
}

fn read_id(text: &str, problems: &mut Problems) -> Option<AssessmentId> {
    AssessmentId::from_client(text)
        .map_err(|refusal| problems.note("/assessment_id", refusal.to_string()))
        .ok()
}

/// Reads the assessment that a list is filtered by, if any.
pub(crate) fn read_filter(params: &mut Params) -> Option<AssessmentId> {
    let text = params.id("assessment_id")?;
    read_id(&text, &mut params.problems)
}

/// An adverse event.
#[derive(Serialize, ToSchema)]
pub(crate) struct AdverseEventAnswer {
    id: Uuid,
    assessment_id: Uuid,
    description: String,
    /// `non_serious`, `serious`, `life_threatening` or `fatal`
    seriousness: &'static str,
    /// Who reported it: a key or a person
    reporter: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<AdverseEvent> for AdverseEventAnswer {
    fn from(event: AdverseEvent) -> Self {
        Self {
            id: event.id.0,
            assessment_id: event.assessment_id.0,
            description: event.description,
            seriousness: event.seriousness.as_str(),
            reporter: event.reporter,
            created_at: event.created_at.to_string(),
        }
    }
}
