//! SQLite: one writer that commits in groups, and a few readers beside it.
//!
//! SQLite allows one writer at a time. Instead of competing for the lock, requests queue for one
//! thread, which runs all waiting requests in one transaction with one fsync. Other processes
//! (admin commands) may write too; they and the writer wait for each other.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection as _};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{Connection, sql};
use super::error::Failure;
use super::sqlite_checkpoints::{CHECKPOINT, Checkpoints};
use super::sqlite_rows::STATEMENTS_KEPT;
use super::work::{Operation, Queue, Work, answer_all, next_group, run_group};
use super::{StoreError, StoreSettings, migrations};

const READERS: usize = 4;
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of pages in the write-ahead log at which the writer itself runs a checkpoint, while all
/// requests wait. Far more than there are while [`Checkpoints`] works.
const CHECKPOINT_PAGES: u32 = 16_000;
/// Page size of new database files. An assessment takes about 19 KiB, so larger pages mean fewer
/// writes; but a change to a small, frequently updated row writes its whole page, so the size stays
/// moderate.
const PAGE_BYTES: u32 = 8 * 1024;

/// An open SQLite file.
pub(super) struct Sqlite {
    readers: Arc<Readers>,
    queue: Queue,
    acquire_timeout: Duration,
    closing: CancellationToken,
    writer: TaskTracker,
}

/// Read-only connections. Idle ones wait in `idle_connections`.
struct Readers {
    path: PathBuf,
    permits: Arc<Semaphore>,
    idle_connections: Mutex<Vec<Connection>>,
}

impl Sqlite {
    pub(super) async fn open(path: &Path, settings: &StoreSettings) -> Result<Self, StoreError> {
        create_folder_of(path)?;
        // Before the first connection: SQLite would create the file readable for everybody.
        keep_from_others(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .page_size(PAGE_BYTES)
            .journal_mode(SqliteJournalMode::Wal)
            // With "normal", which is usual beside write-ahead logging, a power failure may lose
            // the last commits; a 200 promises a durable record.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .pragma("temp_store", "memory")
            .disable_statement_logging();
        // With sqlx, because its migrations are shared with PostgreSQL; all later connections are
        // of rusqlite.
        while_busy(|| migrate(&options)).await?;

        let (queue, receiver) = Queue::new(settings.acquire_timeout);
        let closing = CancellationToken::new();
        let writer = TaskTracker::new();
        let checkpoints = Checkpoints::start(path.into(), writer.token())?;
        let writing = writer.track_future(write_groups(
            path.into(),
            receiver,
            closing.clone(),
            checkpoints,
        ));
        let runtime = Handle::current();
        // A thread of its own: SQLite blocks while it writes, and would hold up the requests on a
        // runtime thread.
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || runtime.block_on(writing))
            .map_err(|cause| StoreError::unavailable(format!("no thread to write on: {cause}")))?;
        // A `TaskTracker` counts as finished only if it is closed.
        writer.close();
        let readers = Readers {
            path: path.into(),
            permits: Arc::new(Semaphore::new(READERS)),
            idle_connections: Mutex::new(Vec::new()),
        };
        Ok(Self {
            readers: Arc::new(readers),
            queue,
            acquire_timeout: settings.acquire_timeout,
            closing,
            writer,
        })
    }

    /// Reads on a blocking thread, because the disk may be slow.
    pub(super) async fn read<A, T, E>(
        &self,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let permits = Arc::clone(&self.readers.permits);
        let Ok(Ok(permit)) = timeout(self.acquire_timeout, permits.acquire_owned()).await else {
            return Err(StoreError::unavailable("no reader became free in time").into());
        };
        let readers = Arc::clone(&self.readers);
        let reading = tokio::task::spawn_blocking(move || {
            // Held until the work ends, not until the caller stops waiting: a cancelled request
            // must not free its place while its read goes on.
            let _place = permit;
            let mut connection = readers.take()?;
            // Operations on SQLite never suspend, so this blocks only on the disk.
            let answer = Handle::current().block_on(operation(&mut connection, &arguments));
            readers.put_back(connection);
            answer
        });
        let broken = |cause| StoreError::unavailable(format!("reading broke off: {cause}"));
        reading.await.map_err(broken)?
    }

    pub(super) async fn write<A, T, E>(
        &self,
        arguments: A,
        operation: Operation<A, T, E>,
    ) -> Result<T, E>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        // A single writer cannot deadlock, so the order of arrival is used.
        self.queue.perform(0, arguments, operation).await
    }

    pub(super) async fn close(&self) {
        // The writer first: it finishes what was accepted, and needs no reader.
        self.closing.cancel();
        self.writer.wait().await;
        self.readers.permits.close();
        self.readers.idle_connections().clear();
    }
}

impl Readers {
    fn idle_connections(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle_connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Result<Connection, StoreError> {
        let waiting = self.idle_connections().pop();
        match waiting {
            Some(connection) => Ok(connection),
            None => connect(&self.path, true),
        }
    }

    fn put_back(&self, connection: Connection) {
        if !connection.is_unsettled() {
            self.idle_connections().push(connection);
        }
    }
}

/// Opens a connection to a file that [`migrate`] has created.
fn connect(path: &Path, reads_only: bool) -> Result<Connection, StoreError> {
    open_file(path, reads_only)
        .map(Connection::from)
        .map_err(StoreError::from_rusqlite)
}

pub(super) fn open_file(path: &Path, reads_only: bool) -> rusqlite::Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    // Health data must not be written to a temporary directory, and there may be none that is
    // writable.
    connection.pragma_update(None, "temp_store", "memory")?;
    // A read that writes by mistake fails instead of competing with the writer for the lock.
    connection.pragma_update(None, "query_only", reads_only)?;
    Ok(connection)
}

async fn write_groups(
    path: PathBuf,
    mut receiver: mpsc::Receiver<Box<dyn Work>>,
    closing: CancellationToken,
    mut checkpoints: Checkpoints,
) {
    let mut kept = None;
    loop {
        let group = tokio::select! {
            group = next_group(&mut receiver) => group,
            () = closing.cancelled(), if !receiver.is_closed() => {
                // Work that was accepted is completed; no more is accepted.
                receiver.close();
                continue;
            }
        };
        if group.is_empty() {
            return;
        }
        let writes = group.len();
        // A panic loses this group, not the writer.
        let writing = AssertUnwindSafe(write_group(&path, kept.take(), group));
        match writing.catch_unwind().await {
            Ok(connection) => kept = connection,
            Err(_) => tracing::error!("a group of writes was lost"),
        }
        checkpoints.note(writes);
        if let Some(connection) = kept.as_mut().filter(|_| checkpoints.is_rest_left()) {
            // What cannot be copied now is copied by the next checkpoint.
            sql(CHECKPOINT).all(connection).await.ok();
        }
    }
}

/// Writes a group on the kept connection or on a new one, and returns the connection if it is still
/// usable.
async fn write_group(
    path: &Path,
    kept: Option<Connection>,
    mut group: Vec<Box<dyn Work>>,
) -> Option<Connection> {
    let mut connection = match kept.map_or_else(|| connect(path, false), Ok) {
        Ok(connection) => connection,
        Err(error) => {
            answer_all(group, &Err(error));
            return None;
        }
    };
    let outcome = run_group(&mut connection, &mut group).await;
    if outcome.is_err() {
        connection.roll_back().await.ok();
    }
    answer_all(group, &outcome);
    (!connection.is_unsettled()).then_some(connection)
}

/// Migrates the tables in one write transaction, so that of several processes that start at once
/// one migrates and the others find it done.
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

/// Retries while the database is busy. Switching a new file to write-ahead logging does not wait
/// for the lock as other statements do, so it may fail if another process starts at the same time.
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

/// Restricts access to the database files in a directory that already existed. The file is created
/// before SQLite would create it, and SQLite gives the WAL and shared-memory files the same mode.
/// Existing files lose all permissions for others; group permissions are the operator's choice.
#[cfg(unix)]
fn keep_from_others(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    // An existing file is never opened here: closing it again would release the locks of this
    // process.
    match options.append(true).create_new(true).mode(0o600).open(path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::AlreadyExists => {
            let said = format!("{}: {cause}", path.display());
            return Err(StoreError::unavailable(said));
        }
        _ => {}
    }
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        take_rights_of_others(Path::new(&file));
    }
    Ok(())
}

/// Removes permissions for others from a file. A file of another user cannot be changed: then a
/// warning is logged and the service runs all the same.
#[cfg(unix)]
fn take_rights_of_others(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(found) = std::fs::metadata(file) else {
        return;
    };
    let mode = found.permissions().mode();
    if mode & 0o007 == 0 {
        return;
    }
    let private = std::fs::Permissions::from_mode(mode & 0o770);
    if let Err(cause) = std::fs::set_permissions(file, private) {
        tracing::warn!(file = %file.display(), %cause, "Everybody on this machine may read the database.");
    }
}

#[cfg(not(unix))]
fn keep_from_others(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// Creates the directory of the database, readable only by its owner, because it contains health
/// data.
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
