//! Events that the service tells others about, and the words of their delivery.

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EventKind {
    /// An assessment reached its end.
    #[serde(rename = "assessment.completed")]
    AssessmentCompleted,
    /// An adverse event was flagged for review.
    #[serde(rename = "adverse_event.created")]
    AdverseEventCreated,
    /// Usage reached a share of the month's quota.
    #[serde(rename = "usage.threshold_reached")]
    UsageThresholdReached,
    /// An API key ends in seven days.
    #[serde(rename = "api_key.expiring")]
    ApiKeyExpiring,
    /// Somebody tries a webhook out. Nobody subscribes to it.
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
    /// The kinds that a webhook can ask for.
    pub const SUBSCRIBABLE: [Self; 4] = [
        Self::AssessmentCompleted,
        Self::AdverseEventCreated,
        Self::UsageThresholdReached,
        Self::ApiKeyExpiring,
    ];
}

/// Whether a webhook gets anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookStatus {
    /// Events are delivered to it.
    Active,
    /// It said that it is gone (410); nothing is delivered any more.
    Disabled,
}

word_enum!(WebhookStatus { Active => "active", Disabled => "disabled" });

/// How far a delivery has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// Waiting for its next attempt, or being attempted.
    Pending,
    /// The receiver took it.
    Delivered,
    /// Every attempt failed.
    Failed,
}

word_enum!(DeliveryStatus { Pending => "pending", Delivered => "delivered", Failed => "failed" });

/// How grave an adverse event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdverseSeriousness {
    /// Noticed, without lasting harm.
    NonSerious,
    /// Hospital care, disability, or otherwise medically important.
    Serious,
    /// The patient was in danger of dying.
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
