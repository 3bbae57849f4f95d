//! Reads a request body: limited in size and time, of the right content type, strict JSON. The
//! result is a JSON value; the wire types check its shape later.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::{ApiError, ErrorCode};

/// Reads the whole body, at most `limit_bytes`, within `time`. Once the limit is exceeded, nothing
/// more is read; `ClientStream` lingers on close so that the client still receives the response.
pub(crate) async fn read(
    body: Body,
    limit_bytes: usize,
    time: Duration,
) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(time, collect(body, limit_bytes)).await {
        Ok(collected) => collected,
        Err(_) => Err(ApiError::new(
            ErrorCode::RequestTimeout,
            format!("The body did not arrive within {} s.", time.as_secs()),
        )),
    }
}

async fn collect(mut body: Body, limit_bytes: usize) -> Result<Bytes, ApiError> {
    // A body whose declared length exceeds the limit is refused before any of it is read.
    let announced = body.size_hint().lower();
    if usize::try_from(announced).is_ok_and(|announced| announced > limit_bytes) {
        return Err(too_large(limit_bytes));
    }
    // Most bodies arrive in a single frame, which is then used without a copy.
    let mut first = Bytes::new();
    let mut collected = BytesMut::new();
    let mut received = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(ApiError::new(
                ErrorCode::InvalidRequest,
                "The body could not be read to its end.",
            ));
        };
        // Trailers, which have no meaning here.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        received = received.saturating_add(data.len());
        if received > limit_bytes {
            return Err(too_large(limit_bytes));
        }
        // The first frame.
        if received == data.len() {
            first = data;
        } else {
            if collected.is_empty() {
                collected.extend_from_slice(&first);
            }
            collected.extend_from_slice(&data);
        }
    }
    Ok(if collected.is_empty() {
        first
    } else {
        collected.freeze()
    })
}

fn too_large(limit_bytes: usize) -> ApiError {
    ApiError::new(
        ErrorCode::PayloadTooLarge,
        format!("The body may have at most {limit_bytes} bytes."),
    )
}

/// An extractor that requires a JSON `Content-Type`, for handlers that need no other header.
pub(crate) struct AnnouncedAsJson;

impl<S: Sync> FromRequestParts<S> for AnnouncedAsJson {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        require_json(&parts.headers).map(|()| Self)
    }
}

/// Refuses a body whose `Content-Type` is not JSON.
pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    require_type(headers, &["application/json"])
}

/// Refuses a body whose `Content-Type` is neither FHIR JSON nor JSON.
pub(crate) fn require_fhir_json(headers: &HeaderMap) -> Result<(), ApiError> {
    require_type(headers, &["application/fhir+json", "application/json"])
}

fn require_type(headers: &HeaderMap, types: &[&str]) -> Result<(), ApiError> {
    let unsupported = || {
        ApiError::new(
            ErrorCode::UnsupportedMediaType,
            format!("Send the body as `Content-Type: {}`.", types[0]),
        )
    };
    let content_type = headers.get(header::CONTENT_TYPE).ok_or_else(unsupported)?;
    let mut parts = content_type.to_str().unwrap_or_default().split(';');
    let essence = parts.next().unwrap_or_default().trim();
    let is_json = types.iter().any(|kind| essence.eq_ignore_ascii_case(kind));
    // FHIR lets a client name its FHIR version; this service supports 4.0 (R4).
    let is_ours = parts.all(|parameter| match parameter.trim().split_once('=') {
        Some(("fhirVersion", version)) => version.trim_matches('"').starts_with("4.0"),
        _ => true,
    });
    if is_json && is_ours {
        require_plain(headers)
    } else {
        Err(unsupported())
    }
}

/// Refuses a compressed body.
fn require_plain(headers: &HeaderMap) -> Result<(), ApiError> {
    let encoding = headers.get(header::CONTENT_ENCODING);
    if encoding.is_none_or(|encoding| encoding == "identity") {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::UnsupportedMediaType,
        "Send the body uncompressed: leave out `Content-Encoding`.",
    ))
}

/// Parses one strict JSON document. Refuses bad syntax, nesting deeper than 128, invalid UTF-8 and
/// duplicate keys in an object.
pub(crate) fn strict_value(bytes: &[u8]) -> Result<Value, ApiError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = StrictValue.deserialize(&mut deserializer);
    let read = read.and_then(|value| deserializer.end().map(|()| value));
    read.map_err(|cause| {
        // The cause names a line, a column and what was expected. It never quotes the client's
        // text, except for a duplicate key, which the client needs to see.
        ApiError::new(
            ErrorCode::InvalidRequest,
            format!("The body is not valid JSON: {cause}."),
        )
    })
}

fn twice<E: de::Error>(key: &str) -> E {
    // A key may be as long as the body.
    let shown: String = key.chars().take(40).collect();
    E::custom(format_args!("the key `{shown}` stands twice in one object"))
}

/// A deserialization seed for a strict JSON value.
struct StrictValue;

impl<'de> DeserializeSeed<'de> for StrictValue {
    type Value = Value;
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(StrictValue)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(Key(key)) = entries.next_key::<Key<'de>>()? {
            let value = entries.next_value_seed(StrictValue)?;
            // Parsers differ in which of two equal keys they take; a proxy may have checked the
            // other one.
            if object.contains_key(&*key) {
                return Err(twice(&key));
            }
            object.insert(key.into_owned(), value);
        }
        Ok(Value::Object(object))
    }
}

/// An object key, borrowed from the body unless it contains escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Rebuilds a request from its head and the body that was already read.
pub(crate) fn replace(parts: axum::http::request::Parts, bytes: Bytes) -> Request<Body> {
    Request::from_parts(parts, Body::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, accepted: bool) {
        let strict = strict_value(text.as_bytes());
        assert_eq!(strict.is_ok(), accepted, "{text:.60}");
        let value = strict.ok();
        let expected = serde_json::from_str(text).ok().filter(|_| accepted);
        assert_eq!(value, expected, "{text:.60}");
    }

    #[test]
    fn strict_json_is_accepted_and_anything_else_refused() {
        check(r#"{"a": [1, 2.5, null, "x", {"b": true}]}"#, true);
        check(r#"{"a": 1, "a": 1}"#, false);
        check(r#"{"a": {"b": 1, "b": 2}}"#, false);
        check(r#"{"a": 1, "\u0061": 2}"#, false);
        for (keys, twice) in [
            (40, None),
            (5, Some(3)),
            (40, Some(0)),
            (40, Some(11)),
            (40, Some(39)),
        ] {
            let all = (0..keys).chain(twice).map(|key| format!("\"k{key}\": 1"));
            let all: Vec<String> = all.collect();
            check(&format!("{{{}}}", all.join(", ")), twice.is_none());
        }
        check("", false);
        check("{} {}", false);
        check("{\"a\": NaN}", false);
        check("{\"a\": 1e999}", false);
        check(&"[".repeat(10_000), false);
    }

    #[test]
    fn invalid_utf8_is_refused() {
        assert!(strict_value(b"{\"a\": \"\xff\"}").is_err());
    }
}
