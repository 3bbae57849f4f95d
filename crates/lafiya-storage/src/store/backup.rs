//! Backup of an SQLite store while other processes use it. The copy is complete, consistent and
//! checked.

use std::fs::{File, OpenOptions};
use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use super::StoreError;

/// Copies the current state of the store into a new file. `Conflict` if the file exists.
pub async fn back_up_sqlite(store: &Path, copy: &Path) -> Result<(), StoreError> {
    let failed =
        |cause: std::io::Error| StoreError::unavailable(format!("{}: {cause}", copy.display()));
    let place = copy.to_str().ok_or_else(|| {
        StoreError::unavailable("the name of the copy must be readable text (UTF-8)")
    })?;
    let mut connection = open(store).await?;
    // Created here rather than by SQLite, so that other users cannot read it.
    let made = new_file(copy).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::AlreadyExists => StoreError::Conflict,
        _ => failed(cause),
    })?;
    let copied = async {
        sqlx::query("vacuum into $1")
            .bind(place)
            .execute(&mut connection)
            .await
            .map_err(StoreError::from_sqlx)?;
        connection.close().await.map_err(StoreError::from_sqlx)?;
        made.sync_all().map_err(failed)?;
        check(copy).await
    };
    let outcome = copied.await;
    if outcome.is_err() {
        // A partial copy is removed.
        std::fs::remove_file(copy).ok();
    }
    outcome
}

async fn open(path: &Path) -> Result<SqliteConnection, StoreError> {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(super::sqlite::BUSY_TIMEOUT)
        .pragma("temp_store", "memory")
        .disable_statement_logging()
        .connect()
        .await
        .map_err(StoreError::from_sqlx)
}

fn new_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

async fn check(copy: &Path) -> Result<(), StoreError> {
    let mut connection = open(copy).await?;
    let row = sqlx::query("pragma integrity_check")
        .fetch_one(&mut connection)
        .await
        .map_err(StoreError::from_sqlx)?;
    let verdict: String = row.try_get(0).map_err(StoreError::from_sqlx)?;
    connection.close().await.map_err(StoreError::from_sqlx)?;
    match verdict.as_str() {
        "ok" => Ok(()),
        wrong => Err(StoreError::corrupt(format!("the copy is damaged: {wrong}"))),
    }
}
