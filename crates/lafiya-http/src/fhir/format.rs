//! Content negotiation of the FHIR endpoints: `Accept`, `_format` and `_pretty`.

use axum::body::Body;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Request, Uri, header};
use axum::response::Response;
use lafiya_fhir::Resource;
use lafiya_service::buffers::Buffers;

use crate::error::{ApiError, ErrorCode};

const FHIR_JSON: &str = "application/fhir+json";
const JSON: &str = "application/json";

/// The format that a client requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FhirFormat {
    /// The media type of the response. `None` if the client accepts none that we offer.
    media: Option<&'static str>,
    pretty: bool,
    /// Whether errors are rendered as an OperationOutcome.
    pub(crate) outcome: bool,
}

impl FhirFormat {
    /// Returns the requested format of a request to a FHIR path, and `None` for other paths.
    pub(crate) fn of(request: &Request<Body>) -> Option<Self> {
        let is_fhir = request
            .uri()
            .path()
            .split('/')
            .take(3)
            .any(|part| part == "fhir");
        is_fhir.then(|| Self::read(request.uri(), request.headers()))
    }

    fn read(uri: &Uri, headers: &HeaderMap) -> Self {
        let query = Query::<Vec<(String, String)>>::try_from_uri(uri);
        let sent = |name: &str| {
            let Ok(Query(pairs)) = &query else {
                return None;
            };
            let pair = pairs.iter().find(|(key, _)| key == name);
            // An unescaped plus in a query decodes to a space.
            pair.map(|(_, value)| value.replace(' ', "+"))
        };
        let accepted = accepted(headers);
        let format = sent("_format").filter(|format| !format.is_empty());
        let media = match &format {
            Some(format) => media_of_format(format),
            None if headers.contains_key(header::ACCEPT) => media_of_accept(&accepted),
            None => Some(FHIR_JSON),
        };
        let content_type = headers
            .get(header::CONTENT_TYPE)
            .and_then(|header| header.to_str().ok())
            .unwrap_or_default();
        Self {
            media,
            pretty: sent("_pretty").as_deref() == Some("true"),
            outcome: wants_outcome(&accepted, format.as_deref(), content_type),
        }
    }

    /// Refuses an unsupported format before anything is done or billed.
    pub(crate) fn require(self) -> Result<(), ApiError> {
        match self.media {
            Some(_) => Ok(()),
            None => Err(ApiError::new(
                ErrorCode::NotAcceptable,
                "FHIR is answered as application/fhir+json (R4) alone; XML is not offered.",
            )),
        }
    }

    /// Serializes a resource.
    pub(crate) fn text(self, resource: &Resource) -> Vec<u8> {
        let mut text = Vec::new();
        self.write(resource, &mut text);
        text
    }

    /// Creates a response from a resource, serialized in a reused buffer.
    pub(crate) fn answer_in(self, resource: &Resource, buffers: &'static Buffers) -> Response {
        let mut text = buffers.take();
        self.write(resource, &mut text);
        self.answer(buffers.lend(text))
    }

    fn write(self, resource: &Resource, to: &mut Vec<u8>) {
        let written = if self.pretty {
            serde_json::to_writer_pretty(to, resource).ok()
        } else {
            sonic_rs::to_writer(to, resource).ok()
        };
        written.expect("a resource is plain data");
    }

    /// Whether the text should be indented.
    pub(crate) fn is_pretty(self) -> bool {
        self.pretty
    }

    /// Creates a response from text that was rendered in this format.
    pub(crate) fn answer(self, text: impl Into<Body>) -> Response {
        let media = HeaderValue::from_static(self.media.unwrap_or(FHIR_JSON));
        let mut response = Response::new(text.into());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, media);
        headers.insert(header::VARY, HeaderValue::from_static("accept"));
        response
    }
}

impl<S: Sync> FromRequestParts<S> for FhirFormat {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let format = Self::read(&parts.uri, &parts.headers);
        format.require()?;
        Ok(format)
    }
}

/// Returns the media types of `Accept` in lower case, without those with `q=0` and without
/// unsupported FHIR versions.
fn accepted(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::ACCEPT).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let essence = parts.next()?.to_ascii_lowercase();
            let fits = parts.all(|parameter| match parameter.split_once('=') {
                Some(("q", weight)) => weight.parse().unwrap_or(1.0) > 0.0,
                Some(("fhirVersion", version)) => version.trim_matches('"').starts_with("4.0"),
                _ => true,
            });
            (fits && !essence.is_empty()).then_some(essence)
        })
        .collect()
}

fn media_of_accept(accepted: &[String]) -> Option<&'static str> {
    let has = |media: &str| accepted.iter().any(|range| range == media);
    if has(FHIR_JSON) || has("application/json+fhir") {
        Some(FHIR_JSON)
    } else if has(JSON) || has("text/json") {
        Some(JSON)
    } else if has("*/*") || has("application/*") {
        Some(FHIR_JSON)
    } else {
        None
    }
}

fn media_of_format(format: &str) -> Option<&'static str> {
    let essence = format.split(';').next().unwrap_or(format);
    match essence.to_ascii_lowercase().as_str() {
        "json" | FHIR_JSON | "application/json+fhir" => Some(FHIR_JSON),
        JSON | "text/json" => Some(JSON),
        _ => None,
    }
}

/// Decides the format of errors. A client that accepts FHIR gets an OperationOutcome, a client that
/// accepts plain JSON gets the envelope, and for any other client the `Content-Type` of its request
/// decides.
fn wants_outcome(accepted: &[String], format: Option<&str>, content_type: &str) -> bool {
    let is_fhir = |text: &str| text.contains("fhir") || text.contains("xml");
    let said: Vec<&str> = format
        .into_iter()
        .chain(accepted.iter().map(String::as_str))
        .collect();
    if said.iter().any(|part| part.contains("fhir")) {
        return true;
    }
    if said
        .iter()
        .any(|part| *part == JSON || *part == "text/json")
    {
        return false;
    }
    said.iter().any(|part| is_fhir(part)) || is_fhir(&content_type.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(uri: &str, headers: &[(&str, &'static str)]) -> FhirFormat {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_static(value));
        }
        FhirFormat::read(&uri.parse().unwrap(), &map)
    }

    fn check(uri: &str, accept: &'static str, media: Option<&str>, outcome: bool) {
        let format = format(uri, &[("accept", accept)]);
        assert_eq!(format.media, media, "{uri} {accept}");
        assert_eq!(format.outcome, outcome, "{uri} {accept}");
    }

    #[test]
    fn accept_and_format_choose_the_representation() {
        check("/", "application/fhir+json", Some(FHIR_JSON), true);
        check(
            "/",
            "application/fhir+json; fhirVersion=4.0",
            Some(FHIR_JSON),
            true,
        );
        check("/", "application/fhir+json; fhirVersion=5.0", None, false);
        check("/", "application/json", Some(JSON), false);
        check("/", "*/*", Some(FHIR_JSON), false);
        check("/", "application/fhir+xml", None, true);
        check("/", "text/xml, application/json;q=0.5", Some(JSON), false);
        check(
            "/",
            "application/fhir+json;q=0, application/json",
            Some(JSON),
            false,
        );
        check("/?_format=json", "text/html", Some(FHIR_JSON), false);
        check(
            "/?_format=application/fhir+json",
            "*/*",
            Some(FHIR_JSON),
            true,
        );
        check("/?_format=xml", "application/fhir+json", None, true);
        check("/?_format=xml", "*/*", None, true);
    }

    #[test]
    fn whoever_sends_fhir_gets_errors_as_fhir_unless_it_wants_plain_json() {
        let sent = ("content-type", "application/fhir+json");
        assert!(format("/", &[sent]).outcome);
        assert!(!format("/", &[sent, ("accept", "application/json")]).outcome);
        assert!(!format("/", &[("content-type", "application/json")]).outcome);
    }
}
