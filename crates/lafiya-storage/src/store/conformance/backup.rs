//! Backups of an SQLite store, made while it is written to.

use std::sync::Arc;

use lafiya_model::Environment;
use tokio::task::JoinSet;

use super::given::{Given, TODAY, new_assessment};
use crate::store::*;

fn file_of(given: &Given) -> std::path::PathBuf {
    match &given.settings.url {
        StoreUrl::Sqlite(path) => path.clone(),
        StoreUrl::Postgres(_) => unreachable!("the store is SQLite"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_taken_during_writes_is_consistent() {
    let given = Given::sqlite().await;
    let caller = given.caller("Acme").await;
    let before = new_assessment(caller);
    given.store.record_assessment(before.clone()).await.unwrap();
    let mut writers = JoinSet::new();
    for _ in 0..100 {
        let store = Arc::clone(&given.store);
        writers.spawn(async move { store.record_assessment(new_assessment(caller)).await });
    }
    let copy = file_of(&given).with_file_name("copy.db");
    back_up_sqlite(&file_of(&given), &copy).await.unwrap();
    let recorded = writers.join_all().await;
    assert!(recorded.iter().all(Result::is_ok));

    let restored = connect(&StoreSettings::new(StoreUrl::Sqlite(copy.clone()))).await;
    let restored = restored.unwrap();
    let live = Environment::Live;
    let found = restored.find_assessment(caller.0, live, before.assessment_id);
    assert_eq!(found.await.unwrap().unwrap().document, before.document);
    // A consistent snapshot: as many assessments as were counted.
    let report = restored.usage(caller.0, TODAY, TODAY).await.unwrap();
    let stored = restored.list_assessments(caller.0, live, 1000, None).await;
    assert_eq!(report.total, stored.unwrap().len() as u64);
    restored.close().await;

    let again = back_up_sqlite(&file_of(&given), &copy).await;
    assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
    given.finish().await;
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_backup() {
    use std::os::unix::fs::PermissionsExt as _;
    let given = Given::sqlite().await;
    let copy = file_of(&given).with_file_name("copy.db");
    back_up_sqlite(&file_of(&given), &copy).await.unwrap();
    let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    given.finish().await;
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_database_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let rights = |name: &str| {
        let found = std::fs::metadata(folder.path().join(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    let path = folder.path().join("lafiya.db");
    let settings = StoreSettings::new(StoreUrl::Sqlite(path.clone()));
    let store = connect(&settings).await.unwrap();
    // The WAL and shared-memory files are created with the first write.
    store.probe(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    for name in ["lafiya.db", "lafiya.db-wal", "lafiya.db-shm"] {
        assert_eq!(rights(name), 0o600, "{name}");
    }
    store.close().await;

    // A file of an earlier version that every user may read.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let store = connect(&settings).await.unwrap();
    assert_eq!(rights("lafiya.db"), 0o640);
    store.close().await;
}
