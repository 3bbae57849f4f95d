//! SQLite: one writer that commits in groups, and a few readers beside it.
//!
//! SQLite allows one writer at a time. Instead of letting requests fight for the lock, they queue
//! for one worker, which takes all that are waiting into one transaction and pays for one sync to
//! disk. Other processes (admin commands) may write too; they and the worker wait for each other.

use std::future::Future;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::Connection;
use super::error::Failure;
use super::work::{Queue, Verb, Work, answer_all, next_group, run_group};
use super::{StoreError, StoreSettings, migrations};

const READERS: u32 = 4;
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// An open SQLite file.
pub(super) struct Sqlite {
    readers: SqlitePool,
    writer: SqlitePool,
    queue: Queue,
    closing: CancellationToken,
    worker: TaskTracker,
}

impl Sqlite {
    pub(super) async fn open(path: &Path, settings: &StoreSettings) -> Result<Self, StoreError> {
        create_folder_of(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .disable_statement_logging();
        while_busy(|| migrate(&options)).await?;

        let pool = || {
            SqlitePoolOptions::new()
                .acquire_timeout(settings.acquire_timeout)
                .test_before_acquire(false)
                .idle_timeout(None)
                .max_lifetime(None)
        };
        let writer = pool().max_connections(1).connect_lazy_with(options.clone());
        let readers = pool()
            .max_connections(READERS)
            .connect_lazy_with(options.pragma("query_only", "on"));

        let (queue, receiver) = Queue::new(settings.acquire_timeout);
        let closing = CancellationToken::new();
        let worker = TaskTracker::new();
        worker.spawn(write_groups(writer.clone(), receiver, closing.clone()));
        worker.close();
        Ok(Self {
            readers,
            writer,
            queue,
            closing,
            worker,
        })
    }

    pub(super) async fn read<A, T, E: Failure>(
        &self,
        arguments: A,
        verb: Verb<A, T, E>,
    ) -> Result<T, E> {
        let connection = self
            .readers
            .acquire()
            .await
            .map_err(StoreError::from_sqlx)?;
        verb(&mut connection.into(), &arguments).await
    }

    pub(super) async fn write<A, T, E>(&self, arguments: A, verb: Verb<A, T, E>) -> Result<T, E>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        // One writer never waits for itself, so any order will do: that of arrival.
        self.queue.perform(0, arguments, verb).await
    }

    pub(super) async fn close(&self) {
        self.closing.cancel();
        self.worker.wait().await;
        self.readers.close().await;
        self.writer.close().await;
    }
}

async fn write_groups(
    writer: SqlitePool,
    mut receiver: mpsc::Receiver<Box<dyn Work>>,
    closing: CancellationToken,
) {
    loop {
        let group = tokio::select! {
            group = next_group(&mut receiver) => group,
            () = closing.cancelled(), if !receiver.is_closed() => {
                // What was accepted is still done; nothing more is accepted.
                receiver.close();
                continue;
            }
        };
        if group.is_empty() {
            return;
        }
        // A task of its own: a panic would lose this group, not the writer.
        let done = tokio::spawn(write_group(writer.clone(), group)).await;
        if let Err(error) = done {
            tracing::error!(%error, "a group of writes was lost");
        }
    }
}

async fn write_group(writer: SqlitePool, mut group: Vec<Box<dyn Work>>) {
    let outcome = match writer.acquire().await {
        Ok(connection) => {
            let mut connection = Connection::from(connection);
            let outcome = run_group(&mut connection, &mut group).await;
            if outcome.is_err() {
                connection.roll_back().await.ok();
            }
            outcome
        }
        Err(error) => Err(StoreError::from_sqlx(error)),
    };
    answer_all(group, &outcome);
}

/// Brings the tables up to date within one write transaction, so that of several processes
/// starting at once one does it and the others find it done.
async fn migrate(options: &SqliteConnectOptions) -> Result<(), StoreError> {
    let run = async {
        let mut connection = options.connect().await?;
        let mut transaction = connection.begin_with("begin immediate").await?;
        let migrator = migrations::sqlite();
        migrator.run_direct(None, &mut *transaction, false).await?;
        transaction.commit().await?;
        connection.close().await?;
        Ok(())
    };
    run.await.map_err(StoreError::from_migration)
}

/// Switching a new file to write-ahead logging does not wait for the lock as other statements do,
/// so a process that starts at the same moment tries again.
async fn while_busy<F>(mut attempt: impl FnMut() -> F) -> Result<(), StoreError>
where
    F: Future<Output = Result<(), StoreError>>,
{
    let begun = Instant::now();
    loop {
        match attempt().await {
            Err(error) if error.is_worth_repeating() && begun.elapsed() < BUSY_TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            outcome => return outcome,
        }
    }
}

/// Health data lies in this folder: when we make it, nobody else may look into it.
fn create_folder_of(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| StoreError::unavailable(format!("{}: {error}", folder.display())))
}
