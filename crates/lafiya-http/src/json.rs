//! JSON responses, serialized directly into the bytes that are sent.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use lafiya_service::ServiceError;
use lafiya_service::buffers::Buffers;
use serde::Deserialize as _;
use serde::de::value::{self, BorrowedStrDeserializer};
use serde::ser::{Error as _, Serialize, Serializer};
use sonic_rs::LazyValue;

use crate::edge::HEADERS_WRITTEN;
use crate::error::ApiError;

/// Initial buffer capacity of a response, in bytes.
const USUAL_BYTES: usize = 1024;

/// A JSON response.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        respond(&self.0, USUAL_BYTES)
    }
}

/// Creates a JSON response with `about_bytes` of buffer reserved in one allocation.
pub(crate) fn respond(answer: &impl Serialize, about_bytes: usize) -> Response {
    match written(answer, about_bytes) {
        Ok(bytes) => respond_with(bytes),
        Err(error) => error.into_response(),
    }
}

/// Creates a JSON response in a reused buffer, for responses that are large and frequent.
pub(crate) fn respond_in(answer: &impl Serialize, buffers: &'static Buffers) -> Response {
    let mut bytes = buffers.take();
    match write(answer, &mut bytes) {
        Ok(()) => respond_with(buffers.lend(bytes)),
        Err(error) => error.into_response(),
    }
}

/// Serializes a response into bytes.
pub(crate) fn written(answer: &impl Serialize, about_bytes: usize) -> Result<Vec<u8>, ApiError> {
    let mut written = Vec::with_capacity(about_bytes);
    write(answer, &mut written)?;
    Ok(written)
}

/// Appends JSON to `to`.
pub(crate) fn write(answer: &impl Serialize, to: &mut Vec<u8>) -> Result<(), ApiError> {
    sonic_rs::to_writer(to, answer).map_err(|cause| {
        ServiceError::Internal(format!("an answer could not be written: {cause}")).into()
    })
}

/// Preserialized JSON, for use inside a response.
pub(crate) struct PreserializedJson<'a>(pub(crate) &'a [u8]);

impl Serialize for PreserializedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = str::from_utf8(self.0).map_err(S::Error::custom)?;
        // sonic-rs copies a `LazyValue` verbatim. Built from a borrowed string, it accepts the
        // string as JSON without parsing it; parsing would cost more than writing.
        let json = BorrowedStrDeserializer::<value::Error>::new(json);
        let json = LazyValue::deserialize(json).map_err(S::Error::custom)?;
        json.serialize(serializer)
    }
}

/// Creates a response from serialized JSON.
pub(crate) fn respond_with(json: impl Into<Body>) -> Response {
    let mut response = Response::new(json.into());
    let headers = response.headers_mut();
    // The edge adds its headers later; one allocation holds all.
    headers.reserve(1 + HEADERS_WRITTEN);
    let kind = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    async fn sent(answer: impl Serialize) -> Vec<u8> {
        let response = Json(answer).into_response();
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
        let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await;
        bytes.unwrap().to_vec()
    }

    #[tokio::test]
    async fn preserialized_json_is_sent_unchanged() {
        let parts = [
            PreserializedJson(b"{\"a\":[1,\"b\"]}"),
            PreserializedJson(b"null"),
        ];
        assert_eq!(sent(parts).await, b"[{\"a\":[1,\"b\"]},null]");
    }

    proptest! {
        /// sonic-rs must write the same bytes as serde_json for every character and number.
        #[test]
        fn written_json_reads_back_unchanged(
            text in any::<String>(), odd in "[\\x00-\\x20\"\\\\/\\x7f\u{80}\u{2028}\u{1f600}]{0,40}",
            number in any::<f64>(), count in any::<i64>(),
        ) {
            let answer = serde_json::json!({
                "text": text, odd: [number, count], "none": null, "yes": true,
            });
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let bytes = runtime.block_on(sent(&answer));
            prop_assert_eq!(&bytes, &serde_json::to_vec(&answer).unwrap());
        }
    }
}
