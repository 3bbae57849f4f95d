//! Webhook events and the states of their delivery.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// The kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EventKind {
    /// An assessment was completed.
    #[serde(rename = "assessment.completed")]
    AssessmentCompleted,
    /// An adverse event was flagged for review.
    #[serde(rename = "adverse_event.created")]
    AdverseEventCreated,
    /// Usage reached a threshold of the monthly quota.
    #[serde(rename = "usage.threshold_reached")]
    UsageThresholdReached,
    /// An API key expires in seven days.
    #[serde(rename = "api_key.expiring")]
    ApiKeyExpiring,
    /// A test event for a webhook. It cannot be subscribed to.
    #[serde(rename = "webhook.test")]
    WebhookTest,
}

word_enum!(EventKind {
    AssessmentCompleted => "assessment.completed",
    AdverseEventCreated => "adverse_event.created",
    UsageThresholdReached => "usage.threshold_reached",
    ApiKeyExpiring => "api_key.expiring",
    WebhookTest => "webhook.test",
});

impl EventKind {
    /// The kinds that a webhook can subscribe to.
    pub const SUBSCRIBABLE: [Self; 4] = [
        Self::AssessmentCompleted,
        Self::AdverseEventCreated,
        Self::UsageThresholdReached,
        Self::ApiKeyExpiring,
    ];
}

/// Whether a webhook receives events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookStatus {
    /// Events are delivered to it.
    Active,
    /// The receiver answered 410 (Gone); nothing more is delivered.
    Disabled,
}

word_enum!(WebhookStatus { Active => "active", Disabled => "disabled" });

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// Waiting for its next attempt, or being attempted.
    Pending,
    /// The receiver accepted it.
    Delivered,
    /// Every attempt failed.
    Failed,
}

word_enum!(DeliveryStatus { Pending => "pending", Delivered => "delivered", Failed => "failed" });

/// The severity of an adverse event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdverseSeriousness {
    /// Without lasting harm.
    NonSerious,
    /// Hospital care, disability, or otherwise medically important.
    Serious,
    /// The patient's life was in danger.
    LifeThreatening,
    /// The patient died.
    Fatal,
}

word_enum!(AdverseSeriousness {
    NonSerious => "non_serious",
    Serious => "serious",
    LifeThreatening => "life_threatening",
    Fatal => "fatal",
});
