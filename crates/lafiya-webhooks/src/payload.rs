//! The body of a delivery: the same bytes at every attempt.

use lafiya_storage::store::ClaimedDelivery;
use serde::Serialize;
use serde_json::Value;

/// The version of the payload's shape.
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

pub(crate) fn body_of(delivery: &ClaimedDelivery) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Payload {
        id: delivery.event_id.to_string(),
        kind: delivery.kind.as_str(),
        created_at: delivery.event_at.to_string(),
        api_version: API_VERSION,
        data: serde_json::from_str(&delivery.payload)?,
    })
}
