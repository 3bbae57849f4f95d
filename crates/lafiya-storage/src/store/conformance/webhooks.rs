//! Webhooks, from the outbox to a finished delivery.

use jiff::Timestamp;
use lafiya_model::WebhookStatus;
use lafiya_model::{DeliveryId, DeliveryStatus, Environment, EventKind, TenantId, WebhookId};
use uuid::Uuid;

use super::given::{Given, at, event, fresh_id, new_assessment};
use crate::store::*;

const PAGE: PageOf = PageOf {
    limit: 50,
    offset: 0,
};

pub(super) fn new_webhook(tenant: TenantId) -> NewWebhook {
    NewWebhook {
        id: WebhookId(fresh_id()),
        tenant,
        environment: Environment::Live,
        url: "https://example.org/hooks".to_owned(),
        events: vec![
            EventKind::AssessmentCompleted,
            EventKind::UsageThresholdReached,
        ],
        description: "ours".to_owned(),
        secret: b"first".to_vec(),
        created_at: at(0),
    }
}

pub(super) async fn register(given: &Given, tenant: TenantId) -> WebhookId {
    let new = new_webhook(tenant);
    given
        .store
        .create_webhook(new.clone(), 20, "test")
        .await
        .unwrap();
    new.id
}

pub(super) fn claim(now: Timestamp, limit: u32) -> ClaimDeliveries {
    ClaimDeliveries {
        now,
        lease: Uuid::new_v4(),
        lease_until: now + jiff::SignedDuration::from_secs(30),
        limit,
        per_tenant_max: limit,
        in_flight: Vec::new(),
        after: None,
    }
}

fn attempt(delivery: &ClaimedDelivery, at: Timestamp, then: AfterAttempt) -> AttemptRecord {
    AttemptRecord {
        delivery: delivery.id,
        webhook: delivery.webhook,
        lease: delivery.lease,
        at,
        duration_ms: 12,
        response_status: Some(500),
        error: Some("answered 500".to_owned()),
        then,
    }
}

/// Records `count` assessments with one event each, and dispatches the events.
pub(super) async fn announced(given: &Given, tenant: TenantId, count: u32) {
    let key = given.key(tenant).await;
    for _ in 0..count {
        let mut new = new_assessment((tenant, key));
        new.events = vec![event("assessment.completed")];
        given.store.record_assessment(new).await.unwrap();
    }
    let mut left = u64::from(count);
    while left > 0 {
        left -= given
            .store
            .dispatch_events(at(1), 200, Uuid::now_v7)
            .await
            .unwrap();
    }
}

async fn deliveries(given: &Given, tenant: TenantId, webhook: WebhookId) -> Vec<DeliveryRecord> {
    let listed = given.store.list_deliveries(tenant, webhook, None, PAGE);
    listed.await.unwrap().items
}

pub(super) async fn a_webhook_is_registered_listed_read_and_removed(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let new = new_webhook(tenant);
    let made = store.create_webhook(new.clone(), 2, "key 1").await.unwrap();
    assert_eq!(made.events, new.events);
    assert_eq!(
        (made.status, made.url.as_str()),
        (WebhookStatus::Active, "https://example.org/hooks")
    );
    let live = Some(Environment::Live);
    let listed = store.list_webhooks(tenant, live).await.unwrap();
    assert_eq!(listed.as_slice(), std::slice::from_ref(&made));
    assert_eq!(
        store.find_webhook(tenant, None, new.id).await.unwrap(),
        Some(made)
    );
    let in_sandbox = store.find_webhook(tenant, Some(Environment::Test), new.id);
    assert_eq!(in_sandbox.await.unwrap(), None);

    let second = new_webhook(tenant);
    store.create_webhook(second, 2, "key 1").await.unwrap();
    let third = store.create_webhook(new_webhook(tenant), 2, "key 1").await;
    assert!(matches!(third, Err(StoreError::Conflict)), "{third:?}");

    let stranger = given.tenant("Other").await;
    assert_eq!(store.list_webhooks(stranger, None).await.unwrap(), []);
    let foreign = store.remove_webhook(stranger, new.id, "key 2", at(2)).await;
    assert!(matches!(foreign, Err(StoreError::NotFound)), "{foreign:?}");
    store
        .remove_webhook(tenant, new.id, "key 1", at(2))
        .await
        .unwrap();
    assert_eq!(
        store.find_webhook(tenant, None, new.id).await.unwrap(),
        None
    );
    let log = store.list_audit(Some(tenant), 1).await.unwrap();
    assert_eq!(
        (log[0].action.as_str(), log[0].actor.as_str()),
        ("webhook.remove", "key 1")
    );
}

pub(super) async fn an_event_is_delivered_to_those_who_ask_for_it(given: &Given) {
    let store = &given.store;
    let (tenant, key) = given.caller("Acme").await;
    let wanted = register(given, tenant).await;
    let other_kind = NewWebhook {
        events: vec![EventKind::ApiKeyExpiring],
        ..new_webhook(tenant)
    };
    let sandbox = NewWebhook {
        environment: Environment::Test,
        ..new_webhook(tenant)
    };
    for new in [&other_kind, &sandbox] {
        store.create_webhook(new.clone(), 20, "test").await.unwrap();
    }
    let stranger = given.tenant("Other").await;
    let foreign = register(given, stranger).await;

    let mut new = new_assessment((tenant, key));
    let (completed, whole_tenant) = (
        event("assessment.completed"),
        NewEvent {
            environment: None,
            ..event("usage.threshold_reached")
        },
    );
    new.events = vec![completed.clone(), whole_tenant];
    store.record_assessment(new).await.unwrap();
    assert!(store.has_webhook_work(at(1)).await.unwrap());
    let dispatched = store.dispatch_events(at(1), 200, Uuid::now_v7).await;
    assert_eq!(dispatched.unwrap(), 2);
    let again = store.dispatch_events(at(1), 200, Uuid::now_v7).await;
    assert_eq!(again.unwrap(), 0);

    assert_eq!(deliveries(given, tenant, wanted).await.len(), 2);
    assert_eq!(deliveries(given, tenant, other_kind.id).await, []);
    let in_sandbox = deliveries(given, tenant, sandbox.id).await;
    assert_eq!(in_sandbox.len(), 1, "what concerns the tenant as a whole");
    assert_eq!(deliveries(given, stranger, foreign).await, []);
    assert_eq!(deliveries(given, stranger, wanted).await, []);

    let claimed = store.claim_deliveries(claim(at(2), 10)).await.unwrap();
    let one = claimed
        .iter()
        .find(|delivery| delivery.event_id == completed.id);
    let one = one.unwrap();
    assert_eq!(one.webhook, wanted);
    assert_eq!((one.payload.as_str(), one.event_at), ("{}", at(0)));
    assert_eq!(one.secrets, [b"first"]);
}

pub(super) async fn an_event_that_nobody_listens_to_is_not_kept(given: &Given) {
    let (silent, listening) = (given.caller("Acme").await, given.caller("Other").await);
    register(given, listening.0).await;
    for caller in [silent, listening] {
        let mut new = new_assessment(caller);
        new.events = vec![event("assessment.completed")];
        given.store.record_assessment(new).await.unwrap();
    }
    let dispatched = given.store.dispatch_events(at(1), 200, Uuid::now_v7).await;
    assert_eq!(dispatched.unwrap(), 1);
}

pub(super) async fn a_claim_is_nobody_elses_until_its_lease_is_over(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let webhook = register(given, tenant).await;
    announced(given, tenant, 1).await;
    let first = store.claim_deliveries(claim(at(1), 10)).await.unwrap();
    assert_eq!(first.len(), 1);
    let replica = given.replica().await;
    let early = replica.claim_deliveries(claim(at(30), 10)).await.unwrap();
    assert!(early.is_empty());
    assert!(!replica.has_webhook_work(at(30)).await.unwrap());
    let retried = store.retry_delivery(tenant, webhook, first[0].id, at(2));
    let retried = retried.await;
    assert!(matches!(retried, Err(StoreError::Conflict)), "{retried:?}");

    let second = replica.claim_deliveries(claim(at(31), 10)).await.unwrap();
    assert_eq!(second.len(), 1);
    let late = store.finish_attempt(attempt(&first[0], at(32), AfterAttempt::Delivered));
    assert!(!late.await.unwrap(), "the first claim is outdated");
    let in_time = replica.finish_attempt(attempt(&second[0], at(32), AfterAttempt::Delivered));
    assert!(in_time.await.unwrap());
    let record = &deliveries(given, tenant, webhook).await[0];
    assert_eq!(
        (record.status, record.attempts),
        (DeliveryStatus::Delivered, 1)
    );
    replica.close().await;
}

pub(super) async fn a_failed_attempt_is_made_again_when_it_is_due(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let webhook = register(given, tenant).await;
    announced(given, tenant, 1).await;
    let claimed = store.claim_deliveries(claim(at(1), 10)).await.unwrap();
    let again = AfterAttempt::RetryAt(at(100));
    store
        .finish_attempt(attempt(&claimed[0], at(2), again))
        .await
        .unwrap();
    let record = deliveries(given, tenant, webhook).await.remove(0);
    assert_eq!(record.status, DeliveryStatus::Pending);
    assert_eq!(record.next_attempt_at, Some(at(100)));
    assert_eq!(
        (record.last_status, record.last_error.as_deref()),
        (Some(500), Some("answered 500"))
    );
    assert_eq!((record.attempts, record.last_duration_ms), (1, Some(12)));
    let early = store.claim_deliveries(claim(at(99), 10)).await.unwrap();
    assert!(early.is_empty());
    let claimed = store.claim_deliveries(claim(at(100), 10)).await.unwrap();
    assert_eq!(claimed[0].attempts, 1);
    store
        .finish_attempt(attempt(&claimed[0], at(101), AfterAttempt::Failed))
        .await
        .unwrap();
    let record = deliveries(given, tenant, webhook).await.remove(0);
    assert_eq!(
        (record.status, record.next_attempt_at),
        (DeliveryStatus::Failed, None)
    );
    assert!(!store.has_webhook_work(at(9_999)).await.unwrap());

    // Retried manually.
    let foreign = given.tenant("Other").await;
    let refused = store.retry_delivery(foreign, webhook, record.id, at(200));
    let refused = refused.await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    let retried = store.retry_delivery(tenant, webhook, record.id, at(200));
    assert_eq!(retried.await.unwrap().status, DeliveryStatus::Pending);
    let claimed = store.claim_deliveries(claim(at(200), 10)).await.unwrap();
    assert_eq!(claimed.len(), 1);
}

pub(super) async fn a_receiver_that_is_gone_gets_nothing_more(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let webhook = register(given, tenant).await;
    announced(given, tenant, 3).await;
    let claimed = store.claim_deliveries(claim(at(1), 1)).await.unwrap();
    store
        .finish_attempt(attempt(&claimed[0], at(2), AfterAttempt::Gone))
        .await
        .unwrap();
    let record = store.find_webhook(tenant, None, webhook).await.unwrap();
    let record = record.unwrap();
    assert_eq!(
        (record.status, record.disabled_at),
        (WebhookStatus::Disabled, Some(at(2)))
    );
    let failed = store.list_deliveries(tenant, webhook, Some(DeliveryStatus::Failed), PAGE);
    assert_eq!(failed.await.unwrap().total, 3);
    announced(given, tenant, 1).await;
    assert_eq!(deliveries(given, tenant, webhook).await.len(), 3);
    assert!(!store.has_webhook_work(at(9_999)).await.unwrap());
    let test = event("webhook.test");
    let id = DeliveryId(fresh_id());
    let refused = store.queue_delivery(tenant, webhook, id, test, at(3)).await;
    assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
    let log = store.list_audit(Some(tenant), 10).await.unwrap();
    let disabled = log.iter().filter(|entry| entry.action == "webhook.disable");
    assert_eq!(disabled.count(), 1);
}

pub(super) async fn two_secrets_sign_until_the_old_one_ends(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let webhook = register(given, tenant).await;
    let rotated = store
        .rotate_webhook_secret(tenant, webhook, b"second".to_vec(), at(500), "key 1", at(1))
        .await
        .unwrap();
    assert_eq!(rotated.previous_secret_until, Some(at(500)));
    announced(given, tenant, 2).await;
    let during = store.claim_deliveries(claim(at(499), 1)).await.unwrap();
    assert_eq!(during[0].secrets, [&b"second"[..], &b"first"[..]]);
    let after = store.claim_deliveries(claim(at(500), 1)).await.unwrap();
    assert_eq!(after[0].secrets, [b"second"]);
    let foreign = given.tenant("Other").await;
    let refused = store
        .rotate_webhook_secret(foreign, webhook, b"x".to_vec(), at(9), "key 2", at(2))
        .await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
}

pub(super) async fn a_long_queue_of_one_tenant_holds_up_no_other(given: &Given) {
    let store = &given.store;
    let mut tenants = Vec::new();
    for (name, waiting) in [("Long", 30), ("Short", 2), ("Third", 2)] {
        let tenant = given.tenant(name).await;
        register(given, tenant).await;
        announced(given, tenant, waiting).await;
        tenants.push(tenant);
    }
    let claimed = store.claim_deliveries(claim(at(1), 6)).await.unwrap();
    let of = |tenant| {
        claimed
            .iter()
            .filter(|delivery| delivery.tenant == tenant)
            .count()
    };
    assert_eq!(
        tenants.iter().map(|&tenant| of(tenant)).collect::<Vec<_>>(),
        [2, 2, 2]
    );

    // A tenant with its maximum in flight gets no more; with fewer in flight it gets the
    // difference.
    let full = ClaimDeliveries {
        per_tenant_max: 4,
        in_flight: vec![(tenants[0], 4)],
        ..claim(at(1), 6)
    };
    assert_eq!(store.claim_deliveries(full).await.unwrap().len(), 0);
    let three_more = ClaimDeliveries {
        per_tenant_max: 4,
        in_flight: vec![(tenants[0], 1)],
        ..claim(at(1), 30)
    };
    assert_eq!(store.claim_deliveries(three_more).await.unwrap().len(), 3);
}

pub(super) async fn the_next_tenant_in_the_circle_comes_first(given: &Given) {
    let store = &given.store;
    let mut tenants = Vec::new();
    for number in 0..3 {
        let tenant = given.tenant(&format!("Tenant {number}")).await;
        register(given, tenant).await;
        announced(given, tenant, 3).await;
        tenants.push(tenant);
    }
    tenants.sort();
    let mut served = Vec::new();
    for _ in 0..6 {
        let one = ClaimDeliveries {
            after: served.last().copied(),
            ..claim(at(1), 1)
        };
        served.push(store.claim_deliveries(one).await.unwrap()[0].tenant);
    }
    assert_eq!(served, [&tenants[..], &tenants[..]].concat());
}

pub(super) async fn replicas_share_deliveries_without_overlap(given: &Given) {
    let tenant = given.tenant("Acme").await;
    register(given, tenant).await;
    announced(given, tenant, 40).await;
    let replica = given.replica().await;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..8 {
        let store = std::sync::Arc::clone([&given.store, &replica][number % 2]);
        running.spawn(async move { store.claim_deliveries(claim(at(1), 10)).await.unwrap() });
    }
    let claimed: Vec<DeliveryId> = running
        .join_all()
        .await
        .into_iter()
        .flatten()
        .map(|webhook| webhook.id)
        .collect();
    let mut distinct = claimed.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), claimed.len(), "claimed twice");
    assert_eq!(claimed.len(), 40);
    replica.close().await;
}

pub(super) async fn what_is_over_is_purged_and_what_waits_is_kept(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    let webhook = register(given, tenant).await;
    announced(given, tenant, 2).await;
    let claimed = store.claim_deliveries(claim(at(1), 1)).await.unwrap();
    store
        .finish_attempt(attempt(&claimed[0], at(2), AfterAttempt::Delivered))
        .await
        .unwrap();
    assert_eq!(store.purge_deliveries(at(1)).await.unwrap(), 0);
    assert_eq!(store.purge_deliveries(at(50)).await.unwrap(), 1);
    let left = deliveries(given, tenant, webhook).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].status, DeliveryStatus::Pending);
}
