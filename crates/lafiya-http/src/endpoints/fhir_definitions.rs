//! `GET /fhir/{type}` and `GET /fhir/{type}/{id}`: the definitions behind our FHIR URLs, with and
//! without the version in the path.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use lafiya_fhir::define::Definitions;
use lafiya_service::{Library, ServiceError};

use crate::error::ApiError;
use crate::fhir::{DefinitionCache, FhirFormat, answer_cached};
use crate::state::HttpState;
use crate::wire::path::Named;
use crate::wire::query::Params;

const URL_CHARACTERS_MAX: usize = 500;

/// Returns one CodeSystem, ValueSet, StructureDefinition or OperationDefinition.
#[utoipa::path(
    get, path = "/fhir/{type}/{id}", tags = ["fhir", "public"], operation_id = "fhirDefinition",
    params(
        ("type" = String, Path, description = "`CodeSystem`, `ValueSet`, `StructureDefinition` or `OperationDefinition`"),
        ("id" = String, Path, description = "Such as `concept` or `triage-level`"),
    ),
    responses(
        (status = 200, description = "The definition", body = serde_json::Value, content_type = "application/fhir+json"),
        (status = 304, description = "As the client has it already (`If-None-Match`)"),
        (status = 404, description = "There is no such definition", body = crate::openapi::ErrorEnvelope),
        (status = 406, description = "XML is not offered", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn read(
    State(state): State<Arc<HttpState>>,
    Named((kind, id)): Named<(String, String)>,
    format: FhirFormat,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let base = state.context.knowledge.load();
    let name = format!("{kind}/{id}");
    let rendered = state.fhir.get(base.content_hash(), &name, format, || {
        definitions(&base, &state.fhir).find(&kind, &id)
    });
    let rendered = rendered.ok_or(ServiceError::NotFound("a definition of that type and id"))?;
    Ok(answer_cached(&rendered, format, &headers))
}

/// Lists the definitions of a type; with `url`, only the one that it names. The concepts themselves
/// are listed by `CodeSystem/concept`.
#[utoipa::path(
    get, path = "/fhir/{type}", tags = ["fhir", "public"], operation_id = "fhirDefinitions",
    params(
        ("type" = String, Path, description = "`CodeSystem`, `ValueSet`, `StructureDefinition` or `OperationDefinition`"),
        ("url" = Option<String>, Query, description = "The canonical URL of a definition"),
    ),
    responses(
        (status = 200, description = "A Bundle of type searchset", body = serde_json::Value, content_type = "application/fhir+json"),
        (status = 400, description = "A parameter is not valid", body = crate::openapi::ErrorEnvelope),
        (status = 404, description = "There is no such type", body = crate::openapi::ErrorEnvelope),
        (status = 406, description = "XML is not offered", body = crate::openapi::ErrorEnvelope),
    ),
)]
pub(crate) async fn search(
    State(state): State<Arc<HttpState>>,
    Named(kind): Named<String>,
    format: FhirFormat,
    mut params: Params,
) -> Result<Response, ApiError> {
    let url = params.text("url", URL_CHARACTERS_MAX);
    params.problems.into_result(|| Some(()))?;
    let base = state.context.knowledge.load();
    let found = definitions(&base, &state.fhir).search(&kind, url.as_deref());
    let bundle = found.ok_or(ServiceError::NotFound("a definition of that type"))?;
    Ok(format.answer(format.text(&bundle)))
}

fn definitions<'a>(base: &'a Library, definition_cache: &'a DefinitionCache) -> Definitions<'a> {
    Definitions {
        base,
        systems: &definition_cache.systems,
        version: env!("CARGO_PKG_VERSION"),
    }
}
