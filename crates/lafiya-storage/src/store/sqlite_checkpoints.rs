//! Copying the write-ahead log into the database, beside the writer instead of in its way.
//!
//! A copy made while others write never catches up with them: it stops where the log ended when it
//! began. So it is made again until little is left, and that little the writer copies itself, between
//! two groups. Then the log is used again from its beginning and does not grow.
//!
//! SQLite waits for the disk only when a copy is complete, which would be the writer's, for all that was
//! copied before. So what is copied here is also waited for here.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use rusqlite::Connection;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::StoreError;
use super::sqlite::open_file;

/// Copies what can be copied without waiting for anybody.
pub(super) const CHECKPOINT: &str = "pragma wal_checkpoint(passive)";
/// Writes after which a copy is due. An assessment adds some seven pages of 8 KiB to the log. The less there
/// is to copy, the shorter the writer waits for the rest: with 160 the slowest of a hundred requests took a
/// sixth longer, with 320 nearly half as long again, and throughput was the same.
const WRITES_BETWEEN: usize = 64;
/// Pages that may be left to the writer: a few milliseconds.
const PAGES_LEFT: i64 = 200;
/// Copies made in the hope of catching up, before the writer is left with more.
const COPIES_MAX: usize = 5;

/// The writer's end: counts what it wrote.
pub(super) struct Checkpoints {
    due: SyncSender<()>,
    writes: usize,
    /// Set when the rest is for the writer to copy.
    rest: Arc<AtomicBool>,
}

impl Checkpoints {
    /// Starts the thread that copies. It ends with the writer; `alive` says when it has.
    pub(super) fn start(path: PathBuf, alive: TaskTrackerToken) -> Result<Self, StoreError> {
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

    /// Whether it is the writer's turn to copy, with [`CHECKPOINT`].
    pub(super) fn is_rest_left(&self) -> bool {
        self.rest.swap(false, Ordering::Relaxed)
    }

    /// Notes a group that was written.
    pub(super) fn note(&mut self, writes: usize) {
        self.writes += writes;
        if self.writes < WRITES_BETWEEN {
            return;
        }
        match self.due.try_send(()) {
            // One that is still waiting to be made will do.
            Ok(()) | Err(TrySendError::Full(())) => self.writes = 0,
            Err(TrySendError::Disconnected(())) => {}
        }
    }
}

fn copy_when_due(path: &Path, next: &Receiver<()>, rest: &AtomicBool) {
    let mut copier = Copier::new(path);
    while next.recv().is_ok() {
        match copier.copy() {
            Ok(()) => rest.store(true, Ordering::Relaxed),
            // The writer copies by itself when the log grows too long.
            Err(cause) => {
                tracing::warn!(%cause, "The write-ahead log could not be copied.");
                copier.connection = None;
            }
        }
    }
}

/// Copies, and waits for the disk. Opens what it needs when it first needs it.
struct Copier<'a> {
    path: &'a Path,
    connection: Option<Connection>,
    /// The database, to wait for. Never closed: closing it would take away the locks that the connections
    /// of this process hold on the same file.
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

    /// Copies until little is left.
    fn copy(&mut self) -> Result<(), StoreError> {
        let broken = |cause: std::io::Error| StoreError::unavailable(cause.to_string());
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => open_file(self.path, false).map_err(StoreError::from_rusqlite)?,
        };
        let connection = self.connection.insert(connection);
        let database = match self.database {
            Some(database) => database,
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

/// Copies; says how many pages of the log are still to be copied.
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
    fn a_copy_leaves_nothing_in_the_log_and_waits_for_nobody_who_reads() {
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
    async fn a_copy_is_due_after_so_many_writes_and_the_thread_ends_with_the_writer() {
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
