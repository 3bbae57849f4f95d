//! Webhooks: registered, tested, monitored and removed by their tenant. The worker in
//! `lafiya-webhooks` makes the deliveries; a tenant reads their results here.

use jiff::{SignedDuration, Timestamp};
use lafiya_model::{
    DeliveryId, DeliveryStatus, Environment, EventKind, TenantId, WebhookId, WebhookStatus,
};
use lafiya_storage::store::{NewEvent, NewWebhook, StoreError};
use lafiya_webhooks::Secret;
use serde_json::json;
use uuid::Uuid;

pub use lafiya_storage::store::{DeliveryRecord, PageOf, Paged, WebhookRecord};

use crate::context::Context;
use crate::error::{FieldError, ServiceError};

/// Maximum number of webhooks per tenant and environment.
pub const WEBHOOKS_MAX: u32 = 20;
/// Maximum length of a description, in characters.
pub const DESCRIPTION_CHARACTERS_MAX: usize = 200;
/// How long deliveries are also signed with the previous secret.
const PREVIOUS_SECRET_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// The owner of webhooks: a tenant, in one environment, or in both for callers that may see both.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The tenant.
    pub tenant: TenantId,
    /// `None` means both.
    pub environment: Option<Environment>,
}

/// A webhook to register.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The environment whose events it receives.
    pub environment: Environment,
    /// The delivery URL.
    pub url: String,
    /// The events it subscribes to.
    pub events: Vec<EventKind>,
    /// A description.
    pub description: String,
}

/// A webhook with its secret, the only time the secret is shown.
pub struct Revealed {
    /// The webhook.
    pub webhook: WebhookRecord,
    /// The secret, in the format that webhook libraries expect.
    pub secret: String,
}

/// Registers a webhook.
pub async fn register(
    context: &Context,
    tenant: TenantId,
    wanted: Registration,
    actor: &str,
) -> Result<Revealed, ServiceError> {
    let mut problems = Vec::new();
    if let Err(refusal) = context.webhook_targets.check(&wanted.url) {
        problems.push(FieldError::new("/url", refusal.to_string()));
    }
    if wanted.events.is_empty() {
        problems.push(FieldError::new("/events", "must name at least one event"));
    }
    if wanted.description.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        let reason = format!("may have at most {DESCRIPTION_CHARACTERS_MAX} characters");
        problems.push(FieldError::new("/description", reason));
    }
    if !problems.is_empty() {
        return Err(ServiceError::InvalidRequest(problems));
    }
    let mut events = wanted.events;
    events.sort_unstable();
    events.dedup();
    let secret = Secret::generate();
    let new = NewWebhook {
        id: WebhookId(Uuid::now_v7()),
        tenant,
        environment: wanted.environment,
        url: wanted.url,
        events,
        description: wanted.description,
        secret: secret.as_bytes().to_vec(),
        created_at: context.clock.now(),
    };
    match context.store.create_webhook(new, WEBHOOKS_MAX, actor).await {
        Ok(webhook) => Ok(Revealed {
            webhook,
            secret: secret.reveal(),
        }),
        Err(StoreError::Conflict) => Err(ServiceError::Conflict(
            "there are 20 webhooks already, which is the most there can be",
        )),
        Err(other) => Err(other.into()),
    }
}

/// Lists webhooks, newest first.
pub async fn list(context: &Context, owner: Owner) -> Result<Vec<WebhookRecord>, ServiceError> {
    let listed = context
        .store
        .list_webhooks(owner.tenant, owner.environment)
        .await?;
    Ok(listed)
}

/// Finds a webhook.
pub async fn find(
    context: &Context,
    owner: Owner,
    id: WebhookId,
) -> Result<WebhookRecord, ServiceError> {
    context
        .store
        .find_webhook(owner.tenant, owner.environment, id)
        .await?
        .ok_or(ServiceError::NotFound("a webhook of that id"))
}

/// Removes a webhook and its deliveries.
pub async fn remove(
    context: &Context,
    owner: Owner,
    id: WebhookId,
    actor: &str,
) -> Result<(), ServiceError> {
    find(context, owner, id).await?;
    let now = context.clock.now();
    context
        .store
        .remove_webhook(owner.tenant, id, actor, now)
        .await
        .map_err(missing_webhook)
}

/// Creates a new secret for a webhook. For 24 hours deliveries are signed with both.
pub async fn rotate_secret(
    context: &Context,
    owner: Owner,
    id: WebhookId,
    actor: &str,
) -> Result<Revealed, ServiceError> {
    find(context, owner, id).await?;
    let now = context.clock.now();
    let until = now
        .checked_add(PREVIOUS_SECRET_LIFE)
        .unwrap_or(Timestamp::MAX);
    let secret = Secret::generate();
    let webhook = context
        .store
        .rotate_webhook_secret(
            owner.tenant,
            id,
            secret.as_bytes().to_vec(),
            until,
            actor,
            now,
        )
        .await
        .map_err(missing_webhook)?;
    Ok(Revealed {
        webhook,
        secret: secret.reveal(),
    })
}

/// Sends a `webhook.test` event, regardless of the webhook's subscriptions.
pub async fn send_test(
    context: &Context,
    owner: Owner,
    id: WebhookId,
) -> Result<DeliveryRecord, ServiceError> {
    let webhook = find(context, owner, id).await?;
    require_active(&webhook)?;
    let event = NewEvent {
        id: Uuid::now_v7(),
        kind: EventKind::WebhookTest,
        environment: Some(webhook.environment),
        payload: json!({ "webhook_id": id, "environment": webhook.environment }).to_string(),
    };
    let delivery = DeliveryId(Uuid::now_v7());
    let now = context.clock.now();
    context
        .store
        .queue_delivery(owner.tenant, id, delivery, event, now)
        .await
        .map_err(missing_webhook)
}

/// Lists the deliveries of a webhook, newest first, of one status or of all.
pub async fn deliveries(
    context: &Context,
    owner: Owner,
    id: WebhookId,
    status: Option<DeliveryStatus>,
    page: PageOf,
) -> Result<Paged<DeliveryRecord>, ServiceError> {
    find(context, owner, id).await?;
    let listed = context
        .store
        .list_deliveries(owner.tenant, id, status, page)
        .await?;
    Ok(listed)
}

/// A delivery with its body.
pub struct DeliveryView {
    /// The state of the delivery.
    pub record: DeliveryRecord,
    /// The body, which is the same for every attempt.
    pub body: String,
}

/// Finds a delivery with its body.
pub async fn delivery(
    context: &Context,
    owner: Owner,
    id: WebhookId,
    delivery: DeliveryId,
) -> Result<DeliveryView, ServiceError> {
    find(context, owner, id).await?;
    let found = context
        .store
        .find_delivery(owner.tenant, id, delivery)
        .await?
        .ok_or(ServiceError::NotFound("a delivery of that id"))?;
    let (record, event_at) = (found.record, found.event_at);
    let body = lafiya_webhooks::body(record.event_id, record.kind, event_at, &found.payload)
        .map_err(|cause| ServiceError::Internal(cause.to_string()))?;
    Ok(DeliveryView { record, body })
}

/// Sends a delivery again at once: one that failed, one that is pending, or one that arrived and
/// was lost by the receiver.
pub async fn retry(
    context: &Context,
    owner: Owner,
    id: WebhookId,
    delivery: DeliveryId,
) -> Result<DeliveryRecord, ServiceError> {
    let webhook = find(context, owner, id).await?;
    let now = context.clock.now();
    let retried = context
        .store
        .retry_delivery(owner.tenant, id, delivery, now)
        .await;
    match retried {
        Err(StoreError::NotFound) => Err(ServiceError::NotFound("a delivery of that id")),
        Err(StoreError::Conflict) => {
            require_active(&webhook)?;
            Err(ServiceError::Conflict(
                "the delivery is being attempted at this moment",
            ))
        }
        other => Ok(other?),
    }
}

fn require_active(webhook: &WebhookRecord) -> Result<(), ServiceError> {
    match webhook.status {
        WebhookStatus::Active => Ok(()),
        WebhookStatus::Disabled => Err(ServiceError::Conflict(
            "the webhook is disabled because its receiver answered 410; register it anew",
        )),
    }
}

fn missing_webhook(error: StoreError) -> ServiceError {
    match error {
        StoreError::NotFound => ServiceError::NotFound("a webhook of that id"),
        other => other.into(),
    }
}
