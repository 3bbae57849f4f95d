//! `GET /conditions/{id}/education`

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use lafiya_service::reference;

use crate::error::ApiError;
use crate::json::Json;
use crate::state::HttpState;
use crate::wire::path::Named;
use crate::wire::reference::EducationAnswer;

/// Returns what a patient should know about a condition, in plain words.
#[utoipa::path(
    get, path = "/conditions/{id}/education", tag = "reference", operation_id = "conditionEducation",
    params(("id" = String, Path, description = "Concept id", example = "c_uncomplicated_malaria")),
    responses(
        (status = 200, description = "Patient education", body = EducationAnswer<'static>),
        (status = 404, description = "No such condition", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn read(
    State(state): State<Arc<HttpState>>,
    Named(id): Named<String>,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    let condition = reference::condition(&base, &id)?;
    Ok(Json(EducationAnswer::of(condition)).into_response())
}
