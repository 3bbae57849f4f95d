//! Adverse events, periodic tasks and the announcement of expiring keys.

use lafiya_model::{
    AdverseEventId, AdverseSeriousness, AssessmentId, Environment, KeyId, TenantId,
};
use uuid::Uuid;

use super::given::{Given, at, event, fresh_id, new_assessment, new_key};
use super::webhooks::register;
use crate::store::*;

const LIVE: Environment = Environment::Live;
const PAGE: PageOf = PageOf {
    limit: 2,
    offset: 0,
};

fn new_adverse_event(tenant: TenantId, about: AssessmentId) -> NewAdverseEvent {
    NewAdverseEvent {
        id: AdverseEventId(fresh_id()),
        tenant,
        environment: LIVE,
        assessment_id: about,
        description: b"told by the nurse".to_vec(),
        seriousness: AdverseSeriousness::Serious,
        reporter: "key 1".to_owned(),
        created_at: at(5),
    }
}

pub(super) async fn an_adverse_event_is_kept_and_announced(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    register(given, caller.0).await;
    let assessment = new_assessment(caller);
    store.record_assessment(assessment.clone()).await.unwrap();
    let about = assessment.assessment_id;
    let mut told = Vec::new();
    for _ in 0..3 {
        let new = new_adverse_event(caller.0, about);
        let announced = event("adverse_event.created");
        store
            .record_adverse_event(new.clone(), announced)
            .await
            .unwrap();
        told.push(new.id);
    }
    let listed = store.list_adverse_events(caller.0, LIVE, Some(about), PAGE);
    let listed = listed.await.unwrap();
    assert_eq!(listed.total, 3);
    let ids: Vec<AdverseEventId> = listed.items.iter().map(|item| item.id).collect();
    assert_eq!(ids, [told[2], told[1]], "the newest first");
    assert_eq!(listed.items[0].description, b"told by the nurse");
    assert_eq!(listed.items[0].seriousness, AdverseSeriousness::Serious);
    assert_eq!(
        store
            .dispatch_events(at(6), 200, Uuid::now_v7)
            .await
            .unwrap(),
        3
    );
    let other = Some(AssessmentId(fresh_id()));
    let about_another = store.list_adverse_events(caller.0, LIVE, other, PAGE);
    assert_eq!(about_another.await.unwrap().total, 0);
    let page = PageOf {
        limit: 2,
        offset: 2,
    };
    let rest = store.list_adverse_events(caller.0, LIVE, None, page);
    assert_eq!(rest.await.unwrap().items[0].id, told[0]);
}

pub(super) async fn an_adverse_event_needs_an_assessment_of_its_own_tenant(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let stranger = given.caller("Other").await;
    let assessment = new_assessment(caller);
    store.record_assessment(assessment.clone()).await.unwrap();
    let about = assessment.assessment_id;
    let unknown = new_adverse_event(caller.0, AssessmentId(fresh_id()));
    let foreign = new_adverse_event(stranger.0, about);
    let sandbox = NewAdverseEvent {
        environment: Environment::Test,
        ..new_adverse_event(caller.0, about)
    };
    for new in [unknown, foreign, sandbox] {
        let announced = event("adverse_event.created");
        let refused = store.record_adverse_event(new, announced).await;
        assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    }
    assert!(!store.has_webhook_work(at(9)).await.unwrap());
    let seen = store.list_adverse_events(stranger.0, LIVE, None, PAGE);
    assert_eq!(seen.await.unwrap().total, 0);
}

pub(super) async fn a_chore_is_one_replicas_at_a_time(given: &Given) {
    let replica = given.replica().await;
    let (ours, theirs) = (fresh_id(), fresh_id());
    let begin = async |store: &dyn Store, holder, second: i64| {
        let began = store.begin_chore("sweep", holder, at(second), at(second + 60));
        began.await.unwrap()
    };
    assert!(begin(&*given.store, ours, 0).await);
    assert!(!begin(&*replica, theirs, 1).await, "ours is not done");
    given.store.end_chore("sweep", ours, at(10)).await.unwrap();
    assert!(!begin(&*replica, theirs, 9).await, "not due yet");
    assert!(begin(&*replica, theirs, 10).await);
    // A holder that lost its lease cannot end the task of another.
    given.store.end_chore("sweep", ours, at(11)).await.unwrap();
    assert!(!begin(&*given.store, ours, 12).await);
    assert!(begin(&*given.store, ours, 70).await, "they vanished");
    let began = given.store.begin_chore("dust", theirs, at(70), at(80));
    assert!(began.await.unwrap(), "another chore is another matter");
    replica.close().await;
}

pub(super) async fn of_many_replicas_one_begins_a_chore(given: &Given) {
    let replica = given.replica().await;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..12 {
        let store = std::sync::Arc::clone([&given.store, &replica][number % 2]);
        let holder = fresh_id();
        running.spawn(async move { store.begin_chore("sweep", holder, at(0), at(60)).await });
    }
    let began = running.join_all().await;
    let began = began
        .into_iter()
        .filter(|result| *result.as_ref().unwrap())
        .count();
    assert_eq!(began, 1);
    replica.close().await;
}

pub(super) async fn a_key_that_expires_is_announced_once(given: &Given) {
    let store = &given.store;
    let tenant = given.tenant("Acme").await;
    register(given, tenant).await;
    let expiring = |seconds: i64| NewKey {
        expires_at: Some(at(seconds)),
        ..new_key(tenant)
    };
    let (soon, later, over, revoked) = (expiring(100), expiring(900), expiring(5), expiring(90));
    for key in [&soon, &later, &over, &revoked, &new_key(tenant)] {
        store.create_key(key.clone(), "cli").await.unwrap();
    }
    store.revoke_key(revoked.id, "cli", at(1)).await.unwrap();
    let listed = async || -> Vec<KeyId> {
        let keys = store.list_expiring_keys(at(10), at(500), 10).await;
        keys.unwrap().iter().map(|key| key.id).collect()
    };
    assert_eq!(listed().await, [soon.id]);
    let announce = async || {
        let announced = event("api_key.expiring");
        let first = store.announce_expiring_key(tenant, soon.id, announced, at(10));
        first.await.unwrap()
    };
    assert!(announce().await);
    assert!(!announce().await);
    assert_eq!(listed().await, []);
    let dispatched = store.dispatch_events(at(11), 10, Uuid::now_v7).await;
    assert_eq!(dispatched.unwrap(), 1);
}
