//! Checkpoints: copying the write-ahead log into the database on a separate thread, without
//! delaying the writer.
//!
//! A checkpoint that runs during writes never catches up: it stops where the log ended when it
//! began. So it is repeated until little is left, and the writer copies the rest itself between two
//! groups. Then the log is reused from its beginning and does not grow.
//!
//! SQLite calls fsync on the database only when a checkpoint is complete, which would be the
//! writer's, for everything copied before. So this thread calls fsync after each of its own
//! checkpoints.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use rusqlite::Connection;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::StoreError;
use super::sqlite::open_file;

/// Copies what can be copied without waiting for other connections.
pub(super) const CHECKPOINT: &str = "pragma wal_checkpoint(passive)";
/// Number of writes after which a checkpoint is due. An assessment adds about seven pages of 8 KiB
/// to the log. The less there is to copy, the shorter the writer waits for the rest: with 160
/// writes p99 was a sixth higher, with 320 nearly half as high again, with the same throughput.
const WRITES_BETWEEN: usize = 64;
/// Number of pages that may be left to the writer, which takes a few milliseconds.
const PAGES_LEFT: i64 = 200;
/// Maximum number of checkpoints per run before the rest is left to the writer.
const COPIES_MAX: usize = 5;

/// The writer's handle of the checkpoint thread; counts the writes.
pub(super) struct Checkpoints {
    due: SyncSender<()>,
    writes: usize,
    /// Set when the writer should copy the rest.
    rest: Arc<AtomicBool>,
}

impl Checkpoints {
    /// Starts the checkpoint thread. It ends with the writer, and then drops `alive`.
    pub(super) fn start(path: PathBuf, alive: TaskTrackerToken) -> Result<Self, StoreError> {
        // Room for one request: while a checkpoint runs, one more is enough.
        let (due, next) = sync_channel(1);
        let rest = Arc::new(AtomicBool::new(false));
        let left = Arc::clone(&rest);
        std::thread::Builder::new()
            .name("sqlite-checkpoint".to_owned())
            .spawn(move || {
                copy_when_due(&path, &next, &left);
                drop(alive);
            })
            .map_err(|cause| StoreError::unavailable(format!("no thread to copy on: {cause}")))?;
        Ok(Self {
            due,
            writes: 0,
            rest,
        })
    }

    /// Whether the writer should copy the rest with [`CHECKPOINT`].
    pub(super) fn is_rest_left(&self) -> bool {
        self.rest.swap(false, Ordering::Relaxed)
    }

    /// Counts the writes of a group.
    pub(super) fn note(&mut self, writes: usize) {
        self.writes += writes;
        if self.writes < WRITES_BETWEEN {
            return;
        }
        match self.due.try_send(()) {
            // If a run is already requested, that one is enough.
            Ok(()) | Err(TrySendError::Full(())) => self.writes = 0,
            // The thread has ended; then the writer checkpoints by itself when the log is long.
            Err(TrySendError::Disconnected(())) => {}
        }
    }
}

fn copy_when_due(path: &Path, next: &Receiver<()>, rest: &AtomicBool) {
    let mut copier = Copier::new(path);
    while next.recv().is_ok() {
        match copier.copy() {
            Ok(()) => rest.store(true, Ordering::Relaxed),
            // The writer runs a checkpoint itself when the log grows too long.
            Err(cause) => {
                tracing::warn!(%cause, "The write-ahead log could not be copied.");
                // A connection that failed may be broken; the next run opens another.
                copier.connection = None;
            }
        }
    }
}

/// Runs checkpoints and fsyncs the database. Opens both files on first use.
struct Copier<'a> {
    path: &'a Path,
    connection: Option<Connection>,
    /// The database file, for fsync. It is never closed: closing it would release the locks that
    /// this process's connections hold on the same file.
    database: Option<&'static File>,
}

impl<'a> Copier<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            path,
            connection: None,
            database: None,
        }
    }

    /// Runs checkpoints until little is left.
    fn copy(&mut self) -> Result<(), StoreError> {
        let broken = |cause: std::io::Error| StoreError::unavailable(cause.to_string());
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => open_file(self.path, false).map_err(StoreError::from_rusqlite)?,
        };
        let connection = self.connection.insert(connection);
        let database = match self.database {
            Some(database) => database,
            // Leaked so that nothing can close it: see `database`.
            None => Box::leak(Box::new(File::open(self.path).map_err(broken)?)),
        };
        self.database = Some(database);
        for _ in 0..COPIES_MAX {
            let left = checkpoint(connection).map_err(StoreError::from_rusqlite)?;
            database.sync_data().map_err(broken)?;
            if left <= PAGES_LEFT {
                break;
            }
        }
        Ok(())
    }
}

/// Runs one checkpoint; returns the number of pages still to be copied.
fn checkpoint(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row(CHECKPOINT, (), |row| {
        let (log, copied): (i64, i64) = (row.get("log")?, row.get("checkpointed")?);
        Ok(log - copied)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_empties_the_log_without_waiting_for_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let writer = open_file(&path, false).unwrap();
        writer.pragma_update(None, "journal_mode", "wal").unwrap();
        writer.execute_batch("create table t (x)").unwrap();
        let reader = open_file(&path, true).unwrap();
        let count = |of: &Connection| of.query_row("select count(*) from t", (), |row| row.get(0));
        for written in 1..=3_i64 {
            writer.execute("insert into t values (1)", ()).unwrap();
            Copier::new(&path).copy().unwrap();
            let left = checkpoint(&writer).unwrap();
            assert_eq!((left, count(&reader).unwrap()), (0, written));
        }
    }

    #[tokio::test]
    async fn checkpoints_run_after_enough_writes_until_the_writer_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let writer = open_file(&path, false).unwrap();
        writer.pragma_update(None, "journal_mode", "wal").unwrap();
        let table = "create table t (x); insert into t values (zeroblob(100000))";
        writer.execute_batch(table).unwrap();
        let length = || std::fs::metadata(&path).unwrap().len();
        let alive = tokio_util::task::TaskTracker::new();
        let mut checkpoints = Checkpoints::start(path.clone(), alive.token()).unwrap();
        alive.close();
        checkpoints.note(WRITES_BETWEEN - 1);
        assert!(!checkpoints.is_rest_left());
        assert!(length() < 100_000, "nothing is copied yet");
        checkpoints.note(1);
        let rest = Arc::clone(&checkpoints.rest);
        drop(checkpoints);
        alive.wait().await;
        assert!(rest.load(Ordering::Relaxed), "the rest is for the writer");
        assert!(length() > 100_000, "it is copied");
    }
}
