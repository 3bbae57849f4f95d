//! Adverse events: what went wrong after an assessment, reported for review by users of the
//! service. The description may name a patient, so only the tenant can read it; the webhook event
//! contains ids and the seriousness.

use jiff::Timestamp;
use lafiya_model::{
    AdverseEventId, AdverseSeriousness, AssessmentId, Environment, EventKind, TenantId,
};
use lafiya_storage::store::{NewAdverseEvent, NewEvent, PageOf, Paged, StoreError};
use serde_json::json;
use uuid::Uuid;

use crate::context::Context;
use crate::error::{FieldError, ServiceError};

/// Maximum length of a description, in characters.
pub const DESCRIPTION_CHARACTERS_MAX: usize = 4000;

/// A reported adverse event.
#[derive(Clone, Debug)]
pub struct Report {
    /// The assessment it is about.
    pub assessment_id: AssessmentId,
    /// What happened.
    pub description: String,
    /// How serious it is.
    pub seriousness: AdverseSeriousness,
}

/// An adverse event as shown to its tenant.
#[derive(Clone, Debug)]
pub struct AdverseEvent {
    /// Its id.
    pub id: AdverseEventId,
    /// The assessment it is about.
    pub assessment_id: AssessmentId,
    /// What happened.
    pub description: String,
    /// How serious it is.
    pub seriousness: AdverseSeriousness,
    /// Who reported it: a key or a person.
    pub reporter: String,
    /// When it was reported.
    pub created_at: Timestamp,
}

/// Records an adverse event and emits a webhook event.
pub async fn create(
    context: &Context,
    tenant: TenantId,
    environment: Environment,
    report: Report,
    reporter: &str,
) -> Result<AdverseEvent, ServiceError> {
    let description = report.description.trim();
    if description.is_empty() || description.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        return Err(ServiceError::InvalidRequest(vec![FieldError::new(
            "/description",
            format!("must have 1 to {DESCRIPTION_CHARACTERS_MAX} characters"),
        )]));
    }
    // Truncated to the stored precision, so that a later read returns the same time.
    let now = context.clock.now();
    let created_at = Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now);
    let new = NewAdverseEvent {
        id: AdverseEventId(Uuid::now_v7()),
        tenant,
        environment,
        assessment_id: report.assessment_id,
        description: description.as_bytes().to_vec(),
        seriousness: report.seriousness,
        reporter: reporter.to_owned(),
        created_at,
    };
    let event = created_event(&new);
    match context.store.record_adverse_event(new.clone(), event).await {
        Ok(()) => shown(new),
        Err(StoreError::NotFound) => Err(ServiceError::NotFound("an assessment of that id")),
        Err(other) => Err(other.into()),
    }
}

/// Lists adverse events, newest first, of one assessment or of all.
pub async fn list(
    context: &Context,
    tenant: TenantId,
    environment: Environment,
    assessment: Option<AssessmentId>,
    page: PageOf,
) -> Result<Paged<AdverseEvent>, ServiceError> {
    let listed = context
        .store
        .list_adverse_events(tenant, environment, assessment, page)
        .await?;
    Ok(Paged {
        items: listed
            .items
            .into_iter()
            .map(shown)
            .collect::<Result<_, _>>()?,
        total: listed.total,
    })
}

/// Builds an event with ids and the seriousness, never the description.
fn created_event(new: &NewAdverseEvent) -> NewEvent {
    NewEvent {
        id: Uuid::now_v7(),
        kind: EventKind::AdverseEventCreated,
        environment: Some(new.environment),
        payload: json!({
            "adverse_event_id": new.id,
            "assessment_id": new.assessment_id,
            "environment": new.environment,
            "seriousness": new.seriousness,
        })
        .to_string(),
    }
}

fn shown(record: NewAdverseEvent) -> Result<AdverseEvent, ServiceError> {
    let description = String::from_utf8(record.description)
        .map_err(|_| ServiceError::Internal("a stored adverse event is unreadable".to_owned()))?;
    Ok(AdverseEvent {
        id: record.id,
        assessment_id: record.assessment_id,
        description,
        seriousness: record.seriousness,
        reporter: record.reporter,
        created_at: record.created_at,
    })
}
