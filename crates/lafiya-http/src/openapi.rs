//! The OpenAPI 3.1 document: derived from the handlers, and completed here with what all operations
//! share (security, headers, the errors of the table).

use serde::Serialize;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Content, HeaderBuilder, ObjectBuilder, Ref, RefOr, ResponseBuilder, Schema, Type,
};
use utoipa::{OpenApi, ToSchema};

use crate::error::ErrorCode;

/// The document's metadata.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lafiya",
        description = "Clinical decision support for African healthcare: ranked conditions, triage, red flags, \
investigations, treatment guidance and referral, with reasons and sources.\n\nEvery answer is decision support for \
trained staff and does not replace clinical judgement. The clinical content awaits sign-off by clinicians.",
        version = "1.0",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "assessment", description = "Assessments and their reasons"),
        (name = "fhir", description = "HL7 FHIR R4: the same assessment as a Bundle, and the definitions behind its codes"),
        (name = "text", description = "Free text and search: words to concepts"),
        (name = "reference", description = "Symptoms, risk factors, lab tests, conditions and medicines of the knowledge base"),
        (name = "webhooks", description = "Being told of events: where to, what became of each delivery"),
        (name = "keys", description = "The life of API keys"),
        (name = "account", description = "Usage and what it costs"),
        (name = "service", description = "Health and this document"),
    ),
    components(schemas(ErrorEnvelope)),
)]
pub(crate) struct ApiDocument;

/// Every error of the service.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "documents the shape that `error.rs` writes")]
pub(crate) struct ErrorEnvelope {
    error: ErrorBody,
}

#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "documents the shape that `error.rs` writes")]
pub(crate) struct ErrorBody {
    /// A permanent code for the kind of error.
    #[schema(example = "INVALID_REQUEST")]
    code: String,
    /// A message for people.
    message: String,
    details: Option<ErrorDetails>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "documents the shape that `error.rs` writes")]
pub(crate) struct ErrorDetails {
    /// Every invalid field.
    fields: Option<Vec<ErrorField>>,
    /// On `IDEMPOTENCY_CONFLICT`: `different_body`, or `still_running` (send the same call again).
    #[schema(example = "still_running")]
    reason: Option<String>,
    /// The limit or quota that applied.
    limit: Option<u64>,
    /// How much of it was used.
    used: Option<u64>,
    /// How much of it is left.
    remaining: Option<u64>,
    /// When it resets.
    #[schema(format = DateTime)]
    reset: Option<String>,
    /// Seconds to wait.
    retry_after: Option<u64>,
    /// On `QUOTA_EXCEEDED`: the danger in the case that was refused. Absent if there is none.
    danger: Option<ErrorDanger>,
}

/// The danger in a case that was not assessed in full.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "documents the shape that `error.rs` writes")]
pub(crate) struct ErrorDanger {
    /// `emergency`, `urgent`, `routine` or `self-care`
    #[schema(example = "emergency")]
    level: String,
    /// The names of the danger signs that are present.
    red_flags: Vec<String>,
    /// What to do.
    action: String,
}

#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "documents the shape that `error.rs` writes")]
pub(crate) struct ErrorField {
    /// The location, as a JSON pointer.
    #[schema(example = "/evidence/0/choice_id")]
    pointer: String,
    /// What is wrong.
    reason: String,
    /// What may have been meant instead.
    suggestions: Option<Vec<String>>,
}

/// Returns the document as indented JSON with a final newline, the form that is committed.
pub fn document_text() -> String {
    let document = crate::router::document();
    let mut text = document
        .to_pretty_json()
        .expect("the document is plain data");
    text.push('\n');
    text
}

const BEARER: &str = "apiKey";

/// Adds what all operations share.
pub(crate) fn complete(mut document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key: `sk_live_…` or `sk_test_…` (sandbox)."))
        .build();
    document
        .components
        .get_or_insert_default()
        .add_security_scheme(BEARER, SecurityScheme::Http(scheme));
    for (path, item) in &mut document.paths.paths {
        let operations = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.delete,
            &mut item.patch,
        ];
        for operation in operations.into_iter().flatten() {
            complete_operation(path, operation);
        }
    }
    document
}

/// Completes one operation. Operations tagged `public` need no key; the tag is only a marker for
/// this function and is removed.
fn complete_operation(path: &str, operation: &mut Operation) {
    let tags = operation.tags.get_or_insert_default();
    let public = tags.iter().any(|tag| tag == "public");
    tags.retain(|tag| tag != "public");
    let mut errors = vec![ErrorCode::RateLimitExceeded, ErrorCode::InternalError];
    if !public {
        operation.security = Some(vec![SecurityRequirement::new(BEARER, Vec::<String>::new())]);
        errors.extend([
            ErrorCode::InvalidApiKey,
            ErrorCode::PermissionDenied,
            ErrorCode::ServiceUnavailable,
        ]);
    }
    if operation.request_body.is_some() {
        errors.extend([
            ErrorCode::RequestTimeout,
            ErrorCode::PayloadTooLarge,
            ErrorCode::UnsupportedMediaType,
        ]);
    }
    for code in errors {
        add_error(operation, code);
    }
    add_second_form_of_lists(path, operation);
    if path.contains("/fhir/") {
        add_outcomes(operation);
    }
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            for (name, says) in SHARED_HEADERS {
                let header = HeaderBuilder::new()
                    .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
                    .description(Some(*says))
                    .build();
                response
                    .headers
                    .insert((*name).to_owned(), RefOr::T(header));
            }
        }
    }
}

/// Documents both forms of a list. A list is a bare array or, with `envelope=true`, an object, so
/// its schema is one of the two.
fn add_second_form_of_lists(path: &str, operation: &mut Operation) {
    let parameters = operation.parameters.as_deref().unwrap_or_default();
    let is_envelope =
        |ref_or: &RefOr<Parameter>| matches!(ref_or, RefOr::T(ref_or) if ref_or.name == "envelope");
    if !parameters.iter().any(is_envelope) {
        return;
    }
    let Some(RefOr::T(answer)) = operation.responses.responses.get_mut("200") else {
        return;
    };
    let Some(RefOr::T(content)) = answer.content.get_mut("application/json") else {
        return;
    };
    let Some(bare) = content.schema.take() else {
        return;
    };
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .replace('-', "_");
    let total = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0));
    let envelope = ObjectBuilder::new()
        .property(&name, bare.clone())
        .required(name)
        .property("total", total)
        .required("total");
    let either = OneOfBuilder::new().item(bare).item(envelope).build();
    content.schema = Some(RefOr::T(Schema::OneOf(either)));
}

/// Documents OperationOutcome as the error format of FHIR requests.
fn add_outcomes(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let is_error = status.starts_with('4') || status.starts_with('5');
        if let RefOr::T(response) = response
            && is_error
        {
            let outcome = ObjectBuilder::new().description(Some("An OperationOutcome"));
            response
                .content
                .entry("application/fhir+json".to_owned())
                .or_insert_with(|| RefOr::T(Content::new(Some(outcome))));
        }
    }
}

const SHARED_HEADERS: &[(&str, &str)] = &[
    ("X-Request-Id", "UUID of this request"),
    ("X-Response-Time", "Time taken, such as 3ms"),
    ("X-API-Version", "Version of the API"),
    ("X-RateLimit-Limit", "Requests allowed in a minute"),
    ("X-RateLimit-Remaining", "Requests left in the window"),
    (
        "X-RateLimit-Reset",
        "Unix time in seconds at which the oldest request leaves the window",
    ),
];

fn add_error(operation: &mut Operation, code: ErrorCode) {
    let row = code.row();
    let status = row.status.to_string();
    let line = format!("`{}`: {}", row.code, row.when);
    let responses = &mut operation.responses.responses;
    if let Some(RefOr::T(existing)) = responses.get_mut(&status) {
        if !existing.description.contains(row.code) {
            existing.description = format!("{}\n\n{line}", existing.description);
        }
        return;
    }
    let schema = Ref::from_schema_name("ErrorEnvelope");
    let response = ResponseBuilder::new()
        .description(line)
        .content("application/json", Content::new(Some(schema)))
        .build();
    responses.insert(status, RefOr::T(response));
}
