//! `GET /fhir/metadata`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use lafiya_fhir::{Server, capability_statement};
use lafiya_service::ServiceError;

use crate::error::ApiError;
use crate::fhir::{FhirFormat, answer_cached};
use crate::state::HttpState;
use crate::versions::CURRENT;

/// Returns the FHIR CapabilityStatement of this server.
#[utoipa::path(
    get, path = "/fhir/metadata", tags = ["fhir", "public"], operation_id = "fhirMetadata",
    responses(
        (status = 200, description = "The CapabilityStatement", body = serde_json::Value, content_type = "application/fhir+json"),
        (status = 304, description = "As the client has it already (`If-None-Match`)"),
        (status = 406, description = "XML is not offered", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn read(
    State(state): State<Arc<HttpState>>,
    format: FhirFormat,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    let path = format!("/{CURRENT}/fhir");
    let rendered = state.fhir.get(base.content_hash(), "metadata", format, || {
        Some(capability_statement(&Server {
            systems: &state.fhir.systems,
            path: &path,
            version: env!("CARGO_PKG_VERSION"),
            knowledge_version: base.content_hash(),
            date: &base.version().date,
        }))
    });
    let rendered = rendered
        .ok_or_else(|| ServiceError::Internal("no capability statement was written".to_owned()))?;
    Ok(answer_cached(&rendered, format, &headers))
}
