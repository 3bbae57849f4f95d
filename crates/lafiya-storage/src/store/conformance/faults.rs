//! An unreachable database: calls fail quickly with `Unavailable`, nothing is counted that was not
//! recorded, and the store recovers by itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::given::{Given, TODAY, at, new_assessment};
use crate::proxy::{Flow, Proxy};
use crate::store::*;

fn unavailable<T>(answer: &Result<T, RecordRefusal>) -> bool {
    matches!(
        answer,
        Err(RecordRefusal::Store(StoreError::Unavailable(_)))
    )
}

/// Opens a store that reaches PostgreSQL through a proxy, with timeouts short enough for a test.
async fn through_proxy(given: &Given) -> (Proxy, Arc<dyn Store>) {
    let StoreUrl::Postgres(url) = &given.settings.url else {
        unreachable!("the store is PostgreSQL");
    };
    let (proxy, url) = Proxy::before(url).await;
    let settings = StoreSettings {
        url: StoreUrl::Postgres(url),
        acquire_timeout: Duration::from_millis(700),
        transaction_timeout: Duration::from_millis(700),
        ..given.settings.clone()
    };
    (proxy, connect(&settings).await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_or_hanging_database_fails_fast_and_recovers() {
    let Some(given) = Given::postgres().await else {
        return;
    };
    let (proxy, store) = through_proxy(&given).await;
    let caller = given.caller("Acme").await;
    store
        .record_assessment(new_assessment(caller))
        .await
        .unwrap();

    for (round, fault) in [(2, Flow::Cut), (3, Flow::Hang)] {
        proxy.set(fault);
        let begun = Instant::now();
        let recorded = store.record_assessment(new_assessment(caller)).await;
        assert!(unavailable(&recorded), "{fault:?}: {recorded:?}");
        let probed = store.probe(at(0)).await;
        assert!(
            matches!(probed, Err(StoreError::Unavailable(_))),
            "{fault:?}: {probed:?}"
        );
        let read = store.find_tenant(caller.0).await;
        assert!(
            matches!(read, Err(StoreError::Unavailable(_))),
            "{fault:?}: {read:?}"
        );
        let waited = begun.elapsed();
        assert!(waited < Duration::from_secs(6), "{fault:?}: {waited:?}");

        proxy.set(Flow::Pass);
        let begun = Instant::now();
        while store.probe(at(1)).await.is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "after {fault:?}");
        }
        let recorded = store.record_assessment(new_assessment(caller)).await;
        assert_eq!(recorded.unwrap().used, Some(round));
    }
    store.close().await;
    given.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_survive_a_lost_connection() {
    let Some(given) = Given::postgres().await else {
        return;
    };
    let (proxy, store) = through_proxy(&given).await;
    let caller = given.caller("Acme").await;
    let mut running = JoinSet::new();
    for number in 0..60_u64 {
        let store = Arc::clone(&store);
        running.spawn(async move {
            tokio::time::sleep(Duration::from_millis(number * 2)).await;
            let new = new_assessment(caller);
            let id = new.assessment_id;
            store.record_assessment(new).await.map(|_| id)
        });
    }
    tokio::time::sleep(Duration::from_millis(60)).await;
    proxy.set(Flow::Cut);
    let mut answered = Vec::new();
    for outcome in running.join_all().await {
        match outcome {
            Ok(id) => answered.push(id),
            Err(refused) => assert!(
                matches!(refused, RecordRefusal::Store(StoreError::Unavailable(_))),
                "{refused:?}"
            ),
        }
    }

    let live = lafiya_model::Environment::Live;
    let stored = given.store.list_assessments(caller.0, live, 100, None);
    let stored: Vec<_> = stored.await.unwrap();
    for id in answered {
        assert!(stored.iter().any(|one| one.assessment_id == id), "{id}");
    }
    let month = Month::from(TODAY);
    let counted = given.store.usage_this_month(caller.0, month).await;
    assert_eq!(counted.unwrap(), stored.len() as u64);
    store.close().await;
    given.finish().await;
}

#[tokio::test]
async fn an_unreachable_database_fails_the_start_soon() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("postgres://nobody@127.0.0.1:{port}/none");
    let mut settings = StoreSettings::new(url.parse().unwrap());
    settings.acquire_timeout = Duration::from_millis(300);
    let hangs = connect(&settings).await.map(drop);
    assert!(
        matches!(hangs, Err(StoreError::Unavailable(_))),
        "{hangs:?}"
    );
    drop(listener);
    let away = connect(&settings).await.map(drop);
    assert!(matches!(away, Err(StoreError::Unavailable(_))), "{away:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_caller_harms_no_other_call() {
    let given = Given::sqlite().await;
    let caller = given.caller("Acme").await;
    for _ in 0..50 {
        let store = Arc::clone(&given.store);
        let leaving =
            tokio::spawn(async move { store.record_assessment(new_assessment(caller)).await });
        tokio::task::yield_now().await;
        leaving.abort();
    }
    given
        .store
        .record_assessment(new_assessment(caller))
        .await
        .unwrap();
    let live = lafiya_model::Environment::Live;
    let stored = given.store.list_assessments(caller.0, live, 100, None);
    let counted = given.store.usage_this_month(caller.0, Month::from(TODAY));
    assert_eq!(counted.await.unwrap(), stored.await.unwrap().len() as u64);
    given.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_finishes_accepted_writes() {
    let given = Given::sqlite().await;
    let caller = given.caller("Acme").await;
    let mut running = JoinSet::new();
    for _ in 0..100 {
        let store = Arc::clone(&given.store);
        running.spawn(async move { store.record_assessment(new_assessment(caller)).await });
    }
    tokio::task::yield_now().await;
    given.store.close().await;
    let outcomes = running.join_all().await;
    let recorded = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert!(outcomes.iter().all(|one| one.is_ok() || unavailable(one)));

    let reopened = given.replica().await;
    let counted = reopened
        .usage_this_month(caller.0, Month::from(TODAY))
        .await;
    assert_eq!(counted.unwrap(), recorded as u64);
    reopened.close().await;
    given.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_held_by_another_process_is_waited_for() {
    let given = Given::sqlite().await;
    let caller = given.caller("Acme").await;
    let StoreUrl::Sqlite(path) = &given.settings.url else {
        unreachable!("the store is SQLite");
    };
    let options = SqliteConnectOptions::new().filename(path);
    let mut other = options.connect().await.unwrap();
    other.execute("begin immediate").await.unwrap();
    let store = Arc::clone(&given.store);
    let mut waiting =
        tokio::spawn(async move { store.record_assessment(new_assessment(caller)).await });
    let early = tokio::time::timeout(Duration::from_millis(200), &mut waiting).await;
    assert!(early.is_err(), "{early:?}");
    assert!(given.store.find_tenant(caller.0).await.unwrap().is_some());
    other.execute("commit").await.unwrap();
    waiting.await.unwrap().unwrap();
    other.close().await.unwrap();
    given.finish().await;
}

#[tokio::test]
async fn an_impossible_folder_fails_the_start_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "in the way").unwrap();
    for path in [file.join("lafiya.db"), folder.path().to_owned()] {
        let begun = Instant::now();
        let opened = connect(&StoreSettings::new(StoreUrl::Sqlite(path))).await;
        let opened = opened.map(drop);
        assert!(
            matches!(opened, Err(StoreError::Unavailable(_))),
            "{opened:?}"
        );
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}
