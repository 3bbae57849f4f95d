//! The wire types of `/webhooks`.

use lafiya_model::{DeliveryStatus, Environment, EventKind};
use lafiya_service::webhooks::{DeliveryRecord, Registration, Revealed, WebhookRecord};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiError;
use crate::wire::fields::{Field, Items, Object, Problems, Shorthand, read_object};
use crate::wire::query::Params;

const EVENTS_MAX: usize = 20;
const WORD_CHARACTERS_MAX: usize = 50;

/// A webhook to register.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct WebhookRequest {
    /// The delivery URL: a public `https` address
    #[serde(default)]
    #[schema(value_type = String, max_length = 2048, example = "https://example.org/hooks")]
    url: Field<String>,
    /// The events to deliver: `assessment.completed`, `adverse_event.created`,
    /// `usage.threshold_reached`, `api_key.expiring`
    #[serde(default)]
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 20, example = json!(["assessment.completed"]))]
    events: Items<EventWord>,
    /// A description of your own
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    description: Field<String>,
}

/// The name of an event.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct EventWord {
    #[serde(skip)]
    word: Option<String>,
}

impl Shorthand for EventWord {
    fn from_text(word: &str) -> Option<Self> {
        Some(Self {
            word: Some(word.to_owned()),
        })
    }
}

impl WebhookRequest {
    pub(crate) fn read(bytes: &[u8], environment: Environment) -> Result<Registration, ApiError> {
        let request: Self = read_object(bytes)?;
        let mut problems = Problems::default();
        let url = problems.optional("/url", request.url);
        if url.is_none() {
            problems.require("/url");
        }
        let events = read_events(request.events, &mut problems);
        let description = problems.optional("/description", request.description);
        problems.into_result(|| {
            Some(Registration {
                environment,
                url: url?,
                events,
                description: description.unwrap_or_default(),
            })
        })
    }
}

fn read_events(items: Items<EventWord>, problems: &mut Problems) -> Vec<EventKind> {
    if matches!(items, Items::Missing) {
        problems.require("/events");
    }
    let mut events = Vec::new();
    for (pointer, item) in items.read("/events", EVENTS_MAX, problems) {
        let word = match item {
            Object::Given(EventWord { word }) => word,
            Object::Missing | Object::WrongType => None,
        };
        let kind = EventKind::SUBSCRIBABLE
            .into_iter()
            .find(|kind| Some(kind.as_str()) == word.as_deref());
        match kind {
            Some(kind) => events.push(kind),
            None => problems.note(pointer, unknown_event()),
        }
    }
    events
}

fn unknown_event() -> String {
    let words = EventKind::SUBSCRIBABLE.map(EventKind::as_str);
    format!("must be one of {}", words.join(", "))
}

/// A webhook, without its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookAnswer {
    id: Uuid,
    url: String,
    events: Vec<&'static str>,
    description: String,
    /// `active`, or `disabled` once the receiver has answered 410
    status: &'static str,
    /// `live` or `test`: which events it receives
    environment: &'static str,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    disabled_at: Option<String>,
    /// Until when deliveries are also signed with the previous secret
    #[schema(format = DateTime)]
    previous_secret_valid_until: Option<String>,
}

impl From<WebhookRecord> for WebhookAnswer {
    fn from(record: WebhookRecord) -> Self {
        Self {
            id: record.id.0,
            url: record.url,
            events: record.events.iter().map(|kind| kind.as_str()).collect(),
            description: record.description,
            status: record.status.as_str(),
            environment: record.environment.as_str(),
            created_at: record.created_at.to_string(),
            disabled_at: record.disabled_at.map(|at| at.to_string()),
            previous_secret_valid_until: record.previous_secret_until.map(|at| at.to_string()),
        }
    }
}

/// A webhook with its secret. The secret is shown once and never again.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: WebhookAnswer,
    /// The secret that deliveries are signed with (Standard Webhooks); keep it on your server
    #[schema(example = "whsec_…")]
    secret: String,
}

impl From<Revealed> for WebhookWithSecret {
    fn from(revealed: Revealed) -> Self {
        Self {
            webhook: revealed.webhook.into(),
            secret: revealed.secret,
        }
    }
}

/// The delivery of one event to one webhook.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeliveryAnswer {
    id: Uuid,
    webhook_id: Uuid,
    /// The `id` of the payload and the `webhook-id` header; the same for every attempt
    event_id: Uuid,
    #[schema(example = "assessment.completed")]
    event_type: &'static str,
    /// `pending`, `delivered` or `failed`
    status: &'static str,
    attempts: u32,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    next_attempt_at: Option<String>,
    #[schema(format = DateTime)]
    last_attempt_at: Option<String>,
    #[schema(format = DateTime)]
    delivered_at: Option<String>,
    /// The receiver's last HTTP status
    response_status: Option<u16>,
    /// Why the last attempt failed
    error: Option<String>,
    /// How long the last attempt took
    duration_ms: Option<u64>,
}

impl From<DeliveryRecord> for DeliveryAnswer {
    fn from(record: DeliveryRecord) -> Self {
        let text = |at: Option<jiff::Timestamp>| at.map(|at| at.to_string());
        Self {
            id: record.id.0,
            webhook_id: record.webhook.0,
            event_id: record.event_id,
            event_type: record.kind.as_str(),
            status: record.status.as_str(),
            attempts: record.attempts,
            created_at: record.created_at.to_string(),
            next_attempt_at: text(record.next_attempt_at),
            last_attempt_at: text(record.last_attempt_at),
            delivered_at: text(record.delivered_at),
            response_status: record.last_status,
            error: record.last_error,
            duration_ms: record.last_duration_ms,
        }
    }
}

pub(crate) fn read_status(params: &mut Params) -> Option<DeliveryStatus> {
    let word = params.text("status", WORD_CHARACTERS_MAX)?;
    params.problems.understood("/status", word.parse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, wrong: &[&str]) {
        let pointers = match WebhookRequest::read(body.as_bytes(), Environment::Live) {
            Ok(_) => Vec::new(),
            Err(error) => error.pointers(),
        };
        assert_eq!(pointers, wrong, "{body}");
    }

    #[test]
    fn every_mistake_of_a_registration_is_named() {
        check(
            r#"{"url": "https://example.org", "events": ["assessment.completed"]}"#,
            &[],
        );
        check("{}", &["/url", "/events"]);
        check(r#"{"url": 7, "events": "all"}"#, &["/url", "/events"]);
        check(
            r#"{"url": "x", "events": ["assessment.completed", "webhook.test", 3, {}], "description": []}"#,
            &["/events/1", "/events/2", "/events/3", "/description"],
        );
    }
}
