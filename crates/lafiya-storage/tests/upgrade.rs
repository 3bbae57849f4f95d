//! Rolling upgrades: old and new replicas share one database, so migrations only add, and an older
//! binary starts on tables that a newer one has extended.

use std::path::Path;

use lafiya_storage::store::{self, StoreSettings, StoreUrl};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor};

/// Statements that remove something a running replica uses, or forbid what it still does.
const TAKES_AWAY: &[&str] = &[
    "drop table",
    "drop column",
    "drop trigger",
    "drop function",
    "rename",
    "alter column",
    "delete from",
    "truncate",
    "add constraint",
    "create unique index",
];

#[test]
fn migrations_only_add_to_the_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut read = 0;
    for database in ["sqlite", "postgres"] {
        for entry in std::fs::read_dir(folder.join(database)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            read += 1;
            for statement in statements(&text) {
                let complaint = complaint(&statement);
                assert_eq!(complaint, None, "{}: {statement}", path.display());
            }
        }
    }
    assert!(read >= 10, "{read} migrations were read");
}

#[test]
fn a_migration_that_removes_something_is_detected() {
    for statement in [
        "alter table tenants drop column name",
        "alter table tenants rename to customers",
        "alter table tenants add column name text not null",
        "alter table tenants alter column name set not null",
        "create unique index tenants_by_name on tenants (name)",
        "drop trigger audit_log_keeps_all on audit_log",
    ] {
        assert!(complaint(statement).is_some(), "{statement}");
    }
    let harmless = "alter table tenants add column name text not null default ''";
    assert_eq!(complaint(harmless), None);
}

fn complaint(statement: &str) -> Option<&'static str> {
    if statement.contains("add column")
        && statement.contains("not null")
        && !statement.contains("default")
    {
        return Some("an older replica cannot write a row without this column");
    }
    TAKES_AWAY
        .iter()
        .copied()
        .find(|words| statement.contains(words))
}

/// Returns the statements without comments, in lower case, on one line each. Bodies of triggers and
/// functions are left out, because they contain what the database refuses.
fn statements(text: &str) -> Vec<String> {
    let plain: Vec<&str> = text
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .collect();
    let plain = plain.join(" ").to_lowercase();
    plain
        .split(';')
        .map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|statement| {
            let of_a_body = statement.contains("trigger") || statement.contains("function");
            !of_a_body || statement.starts_with("drop")
        })
        .collect()
}

#[tokio::test]
async fn an_older_binary_starts_on_an_extended_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lafiya.db");
    let settings = StoreSettings::new(StoreUrl::Sqlite(path.clone()));
    store::connect(&settings).await.unwrap().close().await;

    // What a later release might leave behind: its migration, and unknown columns.
    let options = SqliteConnectOptions::new().filename(&path);
    let mut newer = options.connect().await.unwrap();
    for statement in [
        "alter table tenant add column of_a_later_release text",
        "create table of_a_later_release (id text primary key) strict",
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
         values (9999, 'of a later release', true, x'00', 1)",
    ] {
        newer.execute(statement).await.unwrap();
    }
    newer.close().await.unwrap();

    let store = store::connect(&settings).await.unwrap();
    store.probe(jiff::Timestamp::now()).await.unwrap();
    assert!(store.secret("a secret", b"fresh").await.is_ok());
    store.close().await;
}
