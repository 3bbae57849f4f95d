//! Webhooks, their deliveries, adverse events and chores: what goes in, what comes out, and the
//! verbs, [`WebhookStore`]. Payloads are JSON that is not understood here; secrets are bytes.

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::{
    AdverseEventId, AdverseSeriousness, AssessmentId, DeliveryId, DeliveryStatus, Environment,
    EventKind, KeyId, TenantId, WebhookId, WebhookStatus,
};
use uuid::Uuid;

use super::{KeyRecord, NewEvent, StoreError};

/// A webhook about to be registered.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Its id.
    pub id: WebhookId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Whose events it gets: the live ones or the sandbox's.
    pub environment: Environment,
    /// Where to deliver.
    pub url: String,
    /// What it asks for.
    pub events: Vec<EventKind>,
    /// A note of the tenant.
    pub description: String,
    /// What deliveries are signed with.
    pub secret: Vec<u8>,
    /// When.
    pub created_at: Timestamp,
}

/// A webhook as stored, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRecord {
    /// Its id.
    pub id: WebhookId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Whose events it gets.
    pub environment: Environment,
    /// Where to deliver.
    pub url: String,
    /// What it asks for.
    pub events: Vec<EventKind>,
    /// A note of the tenant.
    pub description: String,
    /// Whether anything is delivered.
    pub status: WebhookStatus,
    /// When it said that it is gone.
    pub disabled_at: Option<Timestamp>,
    /// Until when the secret before the present one signs too.
    pub previous_secret_until: Option<Timestamp>,
    /// When it was registered.
    pub created_at: Timestamp,
}

/// A delivery as stored, without its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Its id.
    pub id: DeliveryId,
    /// To which webhook.
    pub webhook: WebhookId,
    /// Of which event; the same for every webhook that gets it.
    pub event_id: Uuid,
    /// What happened.
    pub kind: EventKind,
    /// How far it has come.
    pub status: DeliveryStatus,
    /// Attempts made.
    pub attempts: u32,
    /// When it is due, or due again should the present attempt vanish. `None` once it is over.
    pub next_attempt_at: Option<Timestamp>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it was last attempted.
    pub last_attempt_at: Option<Timestamp>,
    /// The HTTP status of the last attempt, where there was an answer.
    pub last_status: Option<u16>,
    /// Why the last attempt failed, in words.
    pub last_error: Option<String>,
    /// How long the last attempt took.
    pub last_duration_ms: Option<u64>,
    /// When the receiver took it.
    pub delivered_at: Option<Timestamp>,
}

/// A delivery with what it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryContent {
    /// What became of it.
    pub record: DeliveryRecord,
    /// When the event happened.
    pub event_at: Timestamp,
    /// The event's data as JSON.
    pub payload: String,
}

/// One page of something, and how many there are in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paged<T> {
    /// The page.
    pub items: Vec<T>,
    /// All there are.
    pub total: u64,
}

/// Which page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOf {
    /// Items on it at most.
    pub limit: u32,
    /// Items before it.
    pub offset: u64,
}

/// A request for deliveries to attempt.
#[derive(Clone, Debug)]
pub struct ClaimDeliveries {
    /// Now.
    pub now: Timestamp,
    /// A name for this claim that no other has.
    pub lease: Uuid,
    /// From when on others may claim the same again: later than any attempt can take.
    pub lease_until: Timestamp,
    /// How many at most.
    pub limit: u32,
    /// How many of one tenant at most, those in flight included.
    pub per_tenant_max: u32,
    /// What the claimer has in flight, by tenant.
    pub in_flight: Vec<(TenantId, u32)>,
    /// The tenant served last: the next one in order comes first now.
    pub after: Option<TenantId>,
}

/// A delivery that is the claimer's to attempt, once.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    /// Which.
    pub id: DeliveryId,
    /// Whose.
    pub tenant: TenantId,
    /// To which webhook.
    pub webhook: WebhookId,
    /// The claim that holds it.
    pub lease: Uuid,
    /// Where to.
    pub url: String,
    /// The present secret, and the one before while it still signs.
    pub secrets: Vec<Vec<u8>>,
    /// Of which event.
    pub event_id: Uuid,
    /// What happened.
    pub kind: EventKind,
    /// When it happened.
    pub event_at: Timestamp,
    /// The event's data, JSON.
    pub payload: String,
    /// Attempts made before this one.
    pub attempts: u32,
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Its webhook.
    pub webhook: WebhookId,
    /// The claim under which it was made; of an outdated claim nothing is recorded.
    pub lease: Uuid,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took.
    pub duration_ms: u64,
    /// The HTTP status, where there was an answer.
    pub response_status: Option<u16>,
    /// Why it failed, in words.
    pub error: Option<String>,
    /// What follows.
    pub then: AfterAttempt,
}

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAttempt {
    /// Nothing: the receiver took it.
    Delivered,
    /// Another attempt.
    RetryAt(Timestamp),
    /// Nothing: there have been enough.
    Failed,
    /// Nothing, and the webhook is disabled with all that waits for it.
    Gone,
}

/// An adverse event about to be recorded. What is told in it may name a patient: it is kept here
/// and goes nowhere else.
#[derive(Clone, Debug)]
pub struct NewAdverseEvent {
    /// Its id.
    pub id: AdverseEventId,
    /// Whose.
    pub tenant: TenantId,
    /// Of the live assessments or the sandbox's.
    pub environment: Environment,
    /// The assessment it is about.
    pub assessment_id: AssessmentId,
    /// What happened, in words.
    pub description: Vec<u8>,
    /// How grave.
    pub seriousness: AdverseSeriousness,
    /// Who told.
    pub reporter: String,
    /// When it was told.
    pub created_at: Timestamp,
}

/// An adverse event as stored.
pub type AdverseEventRecord = NewAdverseEvent;

/// The verbs around webhooks, adverse events and chores.
#[async_trait]
pub trait WebhookStore: Send + Sync + 'static {
    /// Registers a webhook. `Conflict` when its tenant has `max` of that environment already.
    async fn create_webhook(
        &self,
        new: NewWebhook,
        max: u32,
        actor: &str,
    ) -> Result<WebhookRecord, StoreError>;

    /// The webhooks of a tenant, newest first.
    async fn list_webhooks(
        &self,
        tenant: TenantId,
        environment: Option<Environment>,
    ) -> Result<Vec<WebhookRecord>, StoreError>;

    /// The webhook with this id.
    async fn find_webhook(
        &self,
        tenant: TenantId,
        environment: Option<Environment>,
        id: WebhookId,
    ) -> Result<Option<WebhookRecord>, StoreError>;

    /// Removes a webhook and its deliveries. `NotFound` when there is none.
    async fn remove_webhook(
        &self,
        tenant: TenantId,
        id: WebhookId,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Gives a webhook a new secret; the present one signs beside it until `previous_until`.
    async fn rotate_webhook_secret(
        &self,
        tenant: TenantId,
        id: WebhookId,
        secret: Vec<u8>,
        previous_until: Timestamp,
        actor: &str,
        now: Timestamp,
    ) -> Result<WebhookRecord, StoreError>;

    /// Queues one event for one webhook, whatever it asks for. `Conflict` when it is disabled.
    async fn queue_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
        event: NewEvent,
        now: Timestamp,
    ) -> Result<DeliveryRecord, StoreError>;

    /// The deliveries of a webhook, newest first; of one status, or all.
    async fn list_deliveries(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        status: Option<DeliveryStatus>,
        page: PageOf,
    ) -> Result<Paged<DeliveryRecord>, StoreError>;

    /// One delivery with what it carries.
    async fn find_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<Option<DeliveryContent>, StoreError>;

    /// Makes a delivery due now. `Conflict` while it is being attempted or when its webhook is
    /// disabled.
    async fn retry_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
        now: Timestamp,
    ) -> Result<DeliveryRecord, StoreError>;

    /// Whether there is anything to dispatch or to claim. Only reads.
    async fn has_webhook_work(&self, now: Timestamp) -> Result<bool, StoreError>;

    /// Takes events out of the outbox and queues a delivery for each webhook that asks for them;
    /// says how many events. `fresh_id` names the deliveries.
    async fn dispatch_events(
        &self,
        now: Timestamp,
        limit: u32,
        fresh_id: fn() -> Uuid,
    ) -> Result<u64, StoreError>;

    /// Deliveries that are due, in fair shares of the tenants that wait. Nobody else gets them
    /// before the lease is over.
    async fn claim_deliveries(
        &self,
        claim: ClaimDeliveries,
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records how an attempt ended. Says whether the claim still held.
    async fn finish_attempt(&self, attempt: AttemptRecord) -> Result<bool, StoreError>;

    /// Removes a bounded number of deliveries that are over and were queued before that time.
    async fn purge_deliveries(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Records an adverse event and announces it. `NotFound` when its assessment is unknown.
    async fn record_adverse_event(
        &self,
        new: NewAdverseEvent,
        event: NewEvent,
    ) -> Result<(), StoreError>;

    /// Adverse events, newest first; about one assessment, or all.
    async fn list_adverse_events(
        &self,
        tenant: TenantId,
        environment: Environment,
        assessment: Option<AssessmentId>,
        page: PageOf,
    ) -> Result<Paged<AdverseEventRecord>, StoreError>;

    /// Asks for a chore. `true`: it is the holder's until it ends it, or until `lease_until`.
    async fn begin_chore(
        &self,
        name: &str,
        holder: Uuid,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Ends a chore that the holder began; it is due again at `next_at`.
    async fn end_chore(
        &self,
        name: &str,
        holder: Uuid,
        next_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Keys in use that end before `until` and have not been announced, the earliest first.
    async fn list_expiring_keys(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError>;

    /// Announces that a key expires. `false` when that was done before.
    async fn announce_expiring_key(
        &self,
        tenant: TenantId,
        key: KeyId,
        event: NewEvent,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}
