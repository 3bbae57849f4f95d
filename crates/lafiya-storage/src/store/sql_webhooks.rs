//! [`WebhookStore`] for either database: each method passes its arguments and its operation to the
//! engine.

use async_trait::async_trait;
use jiff::Timestamp;
use lafiya_model::{
    AssessmentId, DeliveryId, DeliveryStatus, Environment, KeyId, TenantId, WebhookId,
};
use uuid::Uuid;

use super::operations::{adverse_events, chores, claims, deliveries, outbox, webhooks};
use super::sql_store::SqlStore;
use super::*;

#[async_trait]
impl WebhookStore for SqlStore {
    async fn create_webhook(
        &self,
        new: NewWebhook,
        max: u32,
        actor: &str,
    ) -> Result<WebhookRecord, StoreError> {
        self.write(
            (self.data_keys.clone(), new, max, actor.to_owned()),
            |c, (keys, new, max, actor)| Box::pin(webhooks::create(c, keys, new, *max, actor)),
        )
        .await
    }

    async fn list_webhooks(
        &self,
        tenant: TenantId,
        environment: Option<Environment>,
    ) -> Result<Vec<WebhookRecord>, StoreError> {
        self.read((tenant, environment), |c, &(tenant, environment)| {
            Box::pin(webhooks::list(c, tenant, environment))
        })
        .await
    }

    async fn find_webhook(
        &self,
        tenant: TenantId,
        environment: Option<Environment>,
        id: WebhookId,
    ) -> Result<Option<WebhookRecord>, StoreError> {
        self.read(
            (tenant, environment, id),
            |c, &(tenant, environment, id)| Box::pin(webhooks::find(c, tenant, environment, id)),
        )
        .await
    }

    async fn remove_webhook(
        &self,
        tenant: TenantId,
        id: WebhookId,
        actor: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(
            (tenant, id, actor.to_owned(), now),
            |c, (tenant, id, actor, now)| Box::pin(webhooks::remove(c, *tenant, *id, actor, *now)),
        )
        .await
    }

    async fn rotate_webhook_secret(
        &self,
        tenant: TenantId,
        id: WebhookId,
        secret: Vec<u8>,
        previous_until: Timestamp,
        actor: &str,
        now: Timestamp,
    ) -> Result<WebhookRecord, StoreError> {
        self.write(
            (
                self.data_keys.clone(),
                (tenant, id),
                (secret, previous_until),
                actor.to_owned(),
                now,
            ),
            |c, (keys, which, (secret, until), actor, now)| {
                Box::pin(webhooks::rotate_secret(
                    c, keys, *which, secret, *until, actor, *now,
                ))
            },
        )
        .await
    }

    async fn queue_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
        event: NewEvent,
        now: Timestamp,
    ) -> Result<DeliveryRecord, StoreError> {
        self.write(
            ((tenant, webhook), id, event, now),
            |c, (which, id, event, now)| Box::pin(deliveries::queue(c, *which, *id, event, *now)),
        )
        .await
    }

    async fn list_deliveries(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        status: Option<DeliveryStatus>,
        page: PageOf,
    ) -> Result<Paged<DeliveryRecord>, StoreError> {
        self.read(
            ((tenant, webhook), status, page),
            |c, &(which, status, page)| Box::pin(deliveries::list(c, which, status, page)),
        )
        .await
    }

    async fn find_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<Option<DeliveryContent>, StoreError> {
        self.read(((tenant, webhook), id), |c, &(which, id)| {
            Box::pin(deliveries::find(c, which, id))
        })
        .await
    }

    async fn retry_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
        now: Timestamp,
    ) -> Result<DeliveryRecord, StoreError> {
        self.write(((tenant, webhook), id, now), |c, &(which, id, now)| {
            Box::pin(deliveries::retry(c, which, id, now))
        })
        .await
    }

    async fn has_webhook_work(&self, now: Timestamp) -> Result<bool, StoreError> {
        self.read(now, |c, &now| Box::pin(claims::has_work(c, now)))
            .await
    }

    async fn dispatch_events(
        &self,
        now: Timestamp,
        limit: u32,
        fresh_id: fn() -> Uuid,
    ) -> Result<u64, StoreError> {
        self.write((now, limit, fresh_id), |c, &(now, limit, fresh_id)| {
            Box::pin(outbox::dispatch(c, now, limit, fresh_id))
        })
        .await
    }

    async fn claim_deliveries(
        &self,
        claim: ClaimDeliveries,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.write((self.data_keys.clone(), claim), |c, (keys, claim)| {
            Box::pin(claims::claim(c, keys, claim))
        })
        .await
    }

    async fn finish_attempt(&self, attempt: AttemptRecord) -> Result<bool, StoreError> {
        self.write(attempt, |c, attempt| Box::pin(claims::finish(c, attempt)))
            .await
    }

    async fn purge_deliveries(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(before, |c, &before| Box::pin(claims::purge(c, before)))
            .await
    }

    async fn record_adverse_event(
        &self,
        new: NewAdverseEvent,
        event: NewEvent,
    ) -> Result<(), StoreError> {
        self.write((new, event), |c, (new, event)| {
            Box::pin(adverse_events::record(c, new, event))
        })
        .await
    }

    async fn list_adverse_events(
        &self,
        tenant: TenantId,
        environment: Environment,
        assessment: Option<AssessmentId>,
        page: PageOf,
    ) -> Result<Paged<AdverseEventRecord>, StoreError> {
        self.read(
            (tenant, environment, assessment, page),
            |c, &(tenant, environment, assessment, page)| {
                Box::pin(adverse_events::list(
                    c,
                    tenant,
                    environment,
                    assessment,
                    page,
                ))
            },
        )
        .await
    }

    async fn begin_chore(
        &self,
        name: &str,
        holder: Uuid,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(
            (name.to_owned(), holder, now, lease_until),
            |c, (name, holder, now, until)| Box::pin(chores::begin(c, name, *holder, *now, *until)),
        )
        .await
    }

    async fn end_chore(
        &self,
        name: &str,
        holder: Uuid,
        next_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(
            (name.to_owned(), holder, next_at),
            |c, (name, holder, next_at)| Box::pin(chores::end(c, name, *holder, *next_at)),
        )
        .await
    }

    async fn list_expiring_keys(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.read((now, until, limit), |c, &(now, until, limit)| {
            Box::pin(chores::list_expiring_keys(c, now, until, limit))
        })
        .await
    }

    async fn announce_expiring_key(
        &self,
        tenant: TenantId,
        key: KeyId,
        event: NewEvent,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write((tenant, key, event, now), |c, (tenant, key, event, now)| {
            Box::pin(chores::announce_expiring_key(c, *tenant, *key, event, *now))
        })
        .await
    }
}
