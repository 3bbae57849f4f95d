//! Housekeeping.

use jiff::Timestamp;
use lafiya_model::Environment;

use super::given::{Given, TODAY, at, new_assessment, new_key};
use crate::store::*;

const LIVE: Environment = Environment::Live;
const DAY_SECONDS: i64 = 24 * 60 * 60;

pub(super) async fn the_probe_writes_and_reads_again_and_again(given: &Given) {
    for second in 0..3 {
        given.store.probe(at(second)).await.unwrap();
    }
}

pub(super) async fn every_replica_gets_the_same_secret(given: &Given) {
    let replica = given.replica().await;
    let mut answers = Vec::new();
    for number in 0..20_u8 {
        let store = if number % 2 == 0 {
            &given.store
        } else {
            &replica
        };
        let store = store.clone();
        answers.push(tokio::spawn(async move {
            store.secret("pepper", &[number; 32]).await.unwrap()
        }));
    }
    let mut secrets = Vec::new();
    for answer in answers {
        secrets.push(answer.await.unwrap());
    }
    secrets.dedup();
    assert_eq!(secrets.len(), 1);
    let other = given.store.secret("another", b"other").await.unwrap();
    assert_eq!(other, b"other");
    replica.close().await;
}

pub(super) async fn a_phrase_table_is_stored_once(given: &Given) {
    let replica = given.replica().await;
    let table = |words: &'static str| bytes::Bytes::from_static(words.as_bytes());
    assert_eq!(given.store.find_phrase_table("a").await.unwrap(), None);
    for store in [&given.store, &replica] {
        store
            .store_phrase_table("a", table("first"), at(0))
            .await
            .unwrap();
    }
    given
        .store
        .store_phrase_table("a", table("second"), at(1))
        .await
        .unwrap();
    let kept = replica.find_phrase_table("a").await.unwrap();
    assert_eq!(kept.as_deref(), Some("first".as_bytes()));
    assert_eq!(replica.find_phrase_table("b").await.unwrap(), None);
    replica.close().await;
}

pub(super) async fn purging_removes_the_expired_and_nothing_else(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let begun = |created_at: Timestamp, text: &str| RecordAssessment {
        created_at,
        idempotency: Some(IdempotencyRecord {
            key_text: text.to_owned(),
            body_digest: [1; 32],
            expires_at: created_at + INTERVIEW_LIFE,
        }),
        ..new_assessment(caller)
    };
    let old = begun(at(0), "old");
    let young = begun(at(10), "young");
    store.record_assessment(old.clone()).await.unwrap();
    store.record_assessment(young.clone()).await.unwrap();

    let now = at(DAY_SECONDS + 5);
    assert_eq!(store.purge(now, None).await.unwrap(), 2);
    assert_eq!(store.purge(now, None).await.unwrap(), 0);
    let interview = store
        .load_interview(caller.0, LIVE, young.interview_id, now)
        .await
        .unwrap();
    assert!(interview.is_some());
    let hit = store.find_idempotent(caller.1, "young", now).await.unwrap();
    assert!(hit.is_some());
    let kept = store
        .find_assessment(caller.0, LIVE, old.assessment_id)
        .await
        .unwrap();
    assert!(kept.is_some(), "an assessment outlives its interview");
}

pub(super) async fn assessments_are_kept_as_long_as_the_operator_says(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let old = new_assessment(caller);
    let young = RecordAssessment {
        created_at: at(DAY_SECONDS),
        ..new_assessment(caller)
    };
    for new in [&old, &young] {
        store.record_assessment(new.clone()).await.unwrap();
    }
    let now = at(2 * DAY_SECONDS - 1);
    let kept_since = |seconds| Some(at(seconds));
    store.purge(now, None).await.unwrap();
    assert_eq!(store.purge(now, kept_since(0)).await.unwrap(), 0);
    assert_eq!(store.purge(now, kept_since(1)).await.unwrap(), 1);
    let find = |new: &RecordAssessment| store.find_assessment(caller.0, LIVE, new.assessment_id);
    assert!(find(&old).await.unwrap().is_none());
    assert!(find(&young).await.unwrap().is_some());
    // Deleting an assessment does not change what was billed.
    let report = store.usage(caller.0, TODAY, TODAY).await.unwrap();
    assert_eq!(report.total, 2);
}

pub(super) async fn sandbox_assessments_are_kept_for_days_and_within_a_budget(given: &Given) {
    let store = &given.store;
    let caller = given.caller("Acme").await;
    let other = given.caller("Other").await;
    let mut sandbox = Vec::new();
    for second in 0..6 {
        let new = RecordAssessment {
            environment: Environment::Test,
            billable: false,
            created_at: at(second),
            ..new_assessment(caller)
        };
        store.record_assessment(new.clone()).await.unwrap();
        sandbox.push(new);
    }
    let live = new_assessment(caller);
    store.record_assessment(live.clone()).await.unwrap();
    let of_other = RecordAssessment {
        environment: Environment::Test,
        billable: false,
        created_at: at(3),
        ..new_assessment(other)
    };
    store.record_assessment(of_other.clone()).await.unwrap();

    assert_eq!(store.purge_sandbox(None, 6).await.unwrap(), 0);
    let too_old = store.purge_sandbox(Some(at(1)), 6).await.unwrap();
    assert_eq!(too_old, 1);
    let beyond = store.purge_sandbox(Some(at(1)), 2).await.unwrap();
    assert_eq!(beyond, 3, "of the tenant that has more, the oldest");
    assert_eq!(store.purge_sandbox(Some(at(1)), 2).await.unwrap(), 0);

    for (place, new) in sandbox.iter().enumerate() {
        let found = store
            .find_assessment(caller.0, Environment::Test, new.assessment_id)
            .await
            .unwrap();
        assert_eq!(found.is_some(), place >= 4, "{place}");
        let interview = store
            .load_interview(caller.0, Environment::Test, new.interview_id, at(7))
            .await
            .unwrap();
        assert_eq!(interview.is_some(), place >= 4, "{place}");
    }
    for (tenant, environment, new) in [
        (caller.0, LIVE, live),
        (other.0, Environment::Test, of_other),
    ] {
        let found = store
            .find_assessment(tenant, environment, new.assessment_id)
            .await
            .unwrap();
        assert!(found.is_some(), "{environment:?}");
    }
}

pub(super) async fn everything_is_there_after_opening_again(given: &Given) {
    let caller = given.caller("Acme").await;
    let recorded = new_assessment(caller);
    let key = new_key(caller.0);
    given.store.create_key(key.clone(), "cli").await.unwrap();
    given
        .store
        .record_assessment(recorded.clone())
        .await
        .unwrap();
    given.store.close().await;

    let store = given.replica().await;
    assert!(store.find_key(&key.hash).await.unwrap().is_some());
    let found = store
        .find_assessment(caller.0, LIVE, recorded.assessment_id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.document, recorded.document);
    store.close().await;
}

pub(super) async fn a_closed_store_is_unavailable(given: &Given) {
    let store = given.replica().await;
    store.close().await;
    store.close().await;
    let probe = store.probe(at(0)).await;
    assert!(
        matches!(probe, Err(StoreError::Unavailable(_))),
        "{probe:?}"
    );
    let read = store.list_tenants().await;
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
}

pub(super) async fn replicas_can_start_at_once(given: &Given) {
    let mut settings = given.settings.clone();
    if let StoreUrl::Sqlite(path) = &mut settings.url {
        // A file that does not exist yet; the PostgreSQL schema already has its tables.
        path.set_file_name("another.db");
    }
    let mut starts = Vec::new();
    for _ in 0..8 {
        let settings = settings.clone();
        starts.push(tokio::spawn(async move {
            let store = connect(&settings).await?;
            store.probe(at(0)).await?;
            store.close().await;
            Ok::<(), StoreError>(())
        }));
    }
    for start in starts {
        start.await.unwrap().unwrap();
    }
}
