//! The body of a delivery, which is identical for every attempt.

use jiff::Timestamp;
use lafiya_model::EventKind;
use lafiya_storage::store::ClaimedDelivery;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

/// The version of the payload format.
const API_VERSION: &str = "v1";

#[derive(Serialize)]
struct Payload<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'a str,
    created_at: String,
    api_version: &'a str,
    data: Value,
}

/// Returns the body of a delivery of this event.
pub fn body(
    event_id: Uuid,
    kind: EventKind,
    event_at: Timestamp,
    data: &str,
) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Payload {
        id: event_id.to_string(),
        kind: kind.as_str(),
        created_at: event_at.to_string(),
        api_version: API_VERSION,
        data: serde_json::from_str(data)?,
    })
}

pub(crate) fn body_of(delivery: &ClaimedDelivery) -> Result<String, serde_json::Error> {
    body(
        delivery.event_id,
        delivery.kind,
        delivery.event_at,
        &delivery.payload,
    )
}
