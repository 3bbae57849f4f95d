//! The embedded migrations of both databases. `migrations/README.md` explains how to write one.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, title and text of each SQLite migration.
const SQLITE: &[(i64, &str, &str)] = &[
    (
        1,
        "first tables",
        include_str!("../../migrations/sqlite/0001_first_tables.sql"),
    ),
    (
        2,
        "webhooks",
        include_str!("../../migrations/sqlite/0002_webhooks.sql"),
    ),
    (
        3,
        "data rights",
        include_str!("../../migrations/sqlite/0003_data_rights.sql"),
    ),
    (
        4,
        "accounts",
        include_str!("../../migrations/sqlite/0004_accounts.sql"),
    ),
    (
        5,
        "tenant home country",
        include_str!("../../migrations/sqlite/0005_tenant_home_country.sql"),
    ),
    (
        6,
        "sealed codes",
        include_str!("../../migrations/sqlite/0006_sealed_codes.sql"),
    ),
    (
        7,
        "tenant text to provider",
        include_str!("../../migrations/sqlite/0007_tenant_text_to_provider.sql"),
    ),
    (
        8,
        "books",
        include_str!("../../migrations/sqlite/0008_books.sql"),
    ),
    (
        9,
        "sign-in attempts",
        include_str!("../../migrations/sqlite/0009_sign_in_attempts.sql"),
    ),
    (
        10,
        "password reset sessions",
        include_str!("../../migrations/sqlite/0010_password_reset_sessions.sql"),
    ),
    (
        11,
        "sealed webhook secrets",
        include_str!("../../migrations/sqlite/0011_sealed_webhook_secrets.sql"),
    ),
    (
        12,
        "superseded assessments",
        include_str!("../../migrations/sqlite/0012_superseded_assessments.sql"),
    ),
    (
        13,
        "usage over quota",
        include_str!("../../migrations/sqlite/0013_usage_over_quota.sql"),
    ),
];

/// Version, title and text of each PostgreSQL migration.
const POSTGRES: &[(i64, &str, &str)] = &[
    (
        1,
        "first tables",
        include_str!("../../migrations/postgres/0001_first_tables.sql"),
    ),
    (
        2,
        "webhooks",
        include_str!("../../migrations/postgres/0002_webhooks.sql"),
    ),
    (
        3,
        "data rights",
        include_str!("../../migrations/postgres/0003_data_rights.sql"),
    ),
    (
        4,
        "accounts",
        include_str!("../../migrations/postgres/0004_accounts.sql"),
    ),
    (
        5,
        "tenant home country",
        include_str!("../../migrations/postgres/0005_tenant_home_country.sql"),
    ),
    (
        6,
        "sealed codes",
        include_str!("../../migrations/postgres/0006_sealed_codes.sql"),
    ),
    (
        7,
        "tenant text to provider",
        include_str!("../../migrations/postgres/0007_tenant_text_to_provider.sql"),
    ),
    (
        8,
        "books",
        include_str!("../../migrations/postgres/0008_books.sql"),
    ),
    (
        9,
        "sign-in attempts",
        include_str!("../../migrations/postgres/0009_sign_in_attempts.sql"),
    ),
    (
        10,
        "password reset sessions",
        include_str!("../../migrations/postgres/0010_password_reset_sessions.sql"),
    ),
    (
        11,
        "sealed webhook secrets",
        include_str!("../../migrations/postgres/0011_sealed_webhook_secrets.sql"),
    ),
    (
        12,
        "superseded assessments",
        include_str!("../../migrations/postgres/0012_superseded_assessments.sql"),
    ),
    (
        13,
        "usage over quota",
        include_str!("../../migrations/postgres/0013_usage_over_quota.sql"),
    ),
];

pub(super) fn sqlite() -> Migrator {
    migrator(SQLITE)
}

pub(super) fn postgres() -> Migrator {
    migrator(POSTGRES)
}

fn migrator(list: &'static [(i64, &'static str, &'static str)]) -> Migrator {
    let migrations = list
        .iter()
        .map(|&(version, title, text)| {
            let kind = MigrationType::Simple;
            Migration::new(version, title.into(), kind, text.into_sql_str(), false)
        })
        .collect();
    let mut migrator = Migrator::with_migrations(migrations);
    // During a rolling upgrade, an older binary sees tables that a newer one has already extended.
    // Migrations only add columns and tables before a later release removes any, so that is safe.
    migrator.set_ignore_missing(true);
    migrator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_databases_have_the_same_migrations() {
        let titles = |list: &[(i64, &'static str, &str)]| -> Vec<(i64, &'static str)> {
            list.iter()
                .map(|&(version, title, _)| (version, title))
                .collect()
        };
        assert_eq!(titles(SQLITE), titles(POSTGRES));
    }
}
