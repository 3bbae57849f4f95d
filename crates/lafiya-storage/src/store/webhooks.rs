//! Webhooks, their deliveries, adverse events and periodic tasks: the types and the operations,
//! [`WebhookStore`]. Payloads are opaque JSON here; secrets are bytes.

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::{
    AdverseEventId, AdverseSeriousness, AssessmentId, DeliveryId, DeliveryStatus, Environment,
    EventKind, KeyId, TenantId, WebhookId, WebhookStatus,
};
use uuid::Uuid;

use super::{KeyRecord, NewEvent, StoreError};

/// A webhook to register.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Its id.
    pub id: WebhookId,
    /// Its tenant.
    pub tenant: TenantId,
    /// The environment whose events it receives.
    pub environment: Environment,
    /// The delivery URL.
    pub url: String,
    /// The events it subscribes to.
    pub events: Vec<EventKind>,
    /// The tenant's description.
    pub description: String,
    /// The secret that deliveries are signed with.
    pub secret: Vec<u8>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A webhook as stored, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRecord {
    /// Its id.
    pub id: WebhookId,
    /// Its tenant.
    pub tenant: TenantId,
    /// The environment whose events it receives.
    pub environment: Environment,
    /// The delivery URL.
    pub url: String,
    /// The events it subscribes to.
    pub events: Vec<EventKind>,
    /// The tenant's description.
    pub description: String,
    /// Whether deliveries are made.
    pub status: WebhookStatus,
    /// When it was disabled because its receiver answered 410 (gone).
    pub disabled_at: Option<Timestamp>,
    /// Until when deliveries are also signed with the previous secret.
    pub previous_secret_until: Option<Timestamp>,
    /// When it was registered.
    pub created_at: Timestamp,
}

/// A delivery as stored, without its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Its id.
    pub id: DeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The event's id, which is the same for every webhook that receives it.
    pub event_id: Uuid,
    /// The kind of event.
    pub kind: EventKind,
    /// Its status.
    pub status: DeliveryStatus,
    /// Attempts made.
    pub attempts: u32,
    /// When it is due, or due again if the current attempt is lost. `None` once it is finished.
    pub next_attempt_at: Option<Timestamp>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it was last attempted.
    pub last_attempt_at: Option<Timestamp>,
    /// The HTTP status of the last attempt, if there was a response.
    pub last_status: Option<u16>,
    /// Why the last attempt failed, as text.
    pub last_error: Option<String>,
    /// How long the last attempt took.
    pub last_duration_ms: Option<u64>,
    /// When the receiver accepted it.
    pub delivered_at: Option<Timestamp>,
}

/// A delivery with its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryContent {
    /// The state of the delivery.
    pub record: DeliveryRecord,
    /// When the event happened.
    pub event_at: Timestamp,
    /// The event's data as JSON.
    pub payload: String,
}

/// A page of items and their total number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paged<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// The total number of items.
    pub total: u64,
}

/// The limit and offset of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOf {
    /// Maximum number of items on the page.
    pub limit: u32,
    /// Number of items before it.
    pub offset: u64,
}

/// A request for deliveries to attempt.
#[derive(Clone, Debug)]
pub struct ClaimDeliveries {
    /// The current time.
    pub now: Timestamp,
    /// A unique id of this claim.
    pub lease: Uuid,
    /// When others may claim the same deliveries again: later than any attempt can last.
    pub lease_until: Timestamp,
    /// Maximum number of deliveries.
    pub limit: u32,
    /// Maximum number of deliveries per tenant, including those in flight.
    pub per_tenant_max: u32,
    /// The claimer's deliveries in flight, by tenant.
    pub in_flight: Vec<(TenantId, u32)>,
    /// The tenant served last; the next one in order is served first.
    pub after: Option<TenantId>,
}

/// A claimed delivery, to be attempted once.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    /// The delivery.
    pub id: DeliveryId,
    /// The tenant.
    pub tenant: TenantId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The claim that holds it.
    pub lease: Uuid,
    /// The target URL.
    pub url: String,
    /// The current secret, and the previous one while it is still used for signing.
    pub secrets: Vec<Vec<u8>>,
    /// The event's id.
    pub event_id: Uuid,
    /// The kind of event.
    pub kind: EventKind,
    /// When it happened.
    pub event_at: Timestamp,
    /// The event's data as JSON.
    pub payload: String,
    /// Attempts made before this one.
    pub attempts: u32,
}

/// The result of an attempt.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Its webhook.
    pub webhook: WebhookId,
    /// The claim under which it was made. Nothing is recorded for an expired claim.
    pub lease: Uuid,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took.
    pub duration_ms: u64,
    /// The HTTP status, if there was a response.
    pub response_status: Option<u16>,
    /// Why it failed, as text.
    pub error: Option<String>,
    /// What happens next.
    pub then: AfterAttempt,
}

/// What happens after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAttempt {
    /// Nothing: the receiver accepted it.
    Delivered,
    /// Another attempt.
    RetryAt(Timestamp),
    /// Nothing: the attempts are used up.
    Failed,
    /// Nothing: the webhook is disabled and its pending deliveries are ended.
    Gone,
}

/// An adverse event to record. Its description may name a patient, so it is stored here and sent
/// nowhere else.
#[derive(Clone, Debug)]
pub struct NewAdverseEvent {
    /// Its id.
    pub id: AdverseEventId,
    /// The tenant.
    pub tenant: TenantId,
    /// The environment of its assessment.
    pub environment: Environment,
    /// The assessment it is about.
    pub assessment_id: AssessmentId,
    /// The description.
    pub description: Vec<u8>,
    /// How serious it is.
    pub seriousness: AdverseSeriousness,
    /// Who reported it.
    pub reporter: String,
    /// When it was reported.
    pub created_at: Timestamp,
}

/// An adverse event as stored.
pub type AdverseEventRecord = NewAdverseEvent;

/// Storage of webhooks, adverse events and periodic tasks.
#[async_trait]
pub trait WebhookStore: Send + Sync + 'static {
    /// Registers a webhook. `Conflict` if its tenant already has `max` in that environment.
    async fn create_webhook(
        &self,
        new: NewWebhook,
        max: u32,
        actor: &str,
    ) -> Result<WebhookRecord, StoreError>;

    /// Lists the webhooks of a tenant, newest first.
    async fn list_webhooks(
        &self,
        tenant: TenantId,
        environment: Option<Environment>,
    ) -> Result<Vec<WebhookRecord>, StoreError>;

    /// Finds a webhook by its id.
    async fn find_webhook(
        &self,
        tenant: TenantId,
        environment: Option<Environment>,
        id: WebhookId,
    ) -> Result<Option<WebhookRecord>, StoreError>;

    /// Removes a webhook and its deliveries. `NotFound` if it does not exist.
    async fn remove_webhook(
        &self,
        tenant: TenantId,
        id: WebhookId,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sets a new secret; the current one is also used for signing until `previous_until`.
    async fn rotate_webhook_secret(
        &self,
        tenant: TenantId,
        id: WebhookId,
        secret: Vec<u8>,
        previous_until: Timestamp,
        actor: &str,
        now: Timestamp,
    ) -> Result<WebhookRecord, StoreError>;

    /// Queues one event for one webhook, regardless of its subscriptions. `Conflict` if it is
    /// disabled.
    async fn queue_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
        event: NewEvent,
        now: Timestamp,
    ) -> Result<DeliveryRecord, StoreError>;

    /// Lists the deliveries of a webhook, newest first, of one status or of all.
    async fn list_deliveries(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        status: Option<DeliveryStatus>,
        page: PageOf,
    ) -> Result<Paged<DeliveryRecord>, StoreError>;

    /// Finds a delivery with its payload.
    async fn find_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<Option<DeliveryContent>, StoreError>;

    /// Makes a delivery due now. `Conflict` while it is being attempted or if its webhook is
    /// disabled.
    async fn retry_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
        now: Timestamp,
    ) -> Result<DeliveryRecord, StoreError>;

    /// Whether there is anything to dispatch or to claim. Read-only.
    async fn has_webhook_work(&self, now: Timestamp) -> Result<bool, StoreError>;

    /// Takes events from the outbox and queues a delivery for each webhook that subscribes to them;
    /// returns the number of events. `fresh_id` generates the delivery ids.
    async fn dispatch_events(
        &self,
        now: Timestamp,
        limit: u32,
        fresh_id: fn() -> Uuid,
    ) -> Result<u64, StoreError>;

    /// Claims deliveries that are due, in fair shares of the waiting tenants. No other worker gets
    /// them until the lease expires.
    async fn claim_deliveries(
        &self,
        claim: ClaimDeliveries,
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records the result of an attempt. Returns whether the claim was still valid.
    async fn finish_attempt(&self, attempt: AttemptRecord) -> Result<bool, StoreError>;

    /// Deletes a limited number of finished deliveries that were queued before a time.
    async fn purge_deliveries(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Records an adverse event and emits its webhook event. `NotFound` if its assessment is
    /// unknown.
    async fn record_adverse_event(
        &self,
        new: NewAdverseEvent,
        event: NewEvent,
    ) -> Result<(), StoreError>;

    /// Lists adverse events, newest first, of one assessment or of all.
    async fn list_adverse_events(
        &self,
        tenant: TenantId,
        environment: Environment,
        assessment: Option<AssessmentId>,
        page: PageOf,
    ) -> Result<Paged<AdverseEventRecord>, StoreError>;

    /// Requests the lease of a periodic task. `true` means that the holder has it until it ends the
    /// task, or until `lease_until`.
    async fn begin_chore(
        &self,
        name: &str,
        holder: Uuid,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Ends a task that the holder began; it is due again at `next_at`.
    async fn end_chore(
        &self,
        name: &str,
        holder: Uuid,
        next_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Lists active keys that expire before `until` and were not announced, earliest first.
    async fn list_expiring_keys(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError>;

    /// Emits the event that a key expires. Returns `false` if that was done before.
    async fn announce_expiring_key(
        &self,
        tenant: TenantId,
        key: KeyId,
        event: NewEvent,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}
