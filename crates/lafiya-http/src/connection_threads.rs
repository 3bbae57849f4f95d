//! Connection threads: each one runs a single-threaded runtime and answers the connections assigned
//! to it.
//!
//! A connection stays on its thread, so a wakeup wakes one thread, whose CPU caches already hold
//! what it needs. In a work-stealing runtime, every wakeup also wakes other threads to look for
//! work. Work stealing is faster when requests wait for other servers, because any thread can
//! continue with a response; so only a service that answers without other servers uses connection
//! threads.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

/// How long a thread that closes waits for blocking reads that still run.
const LAST_READS: Duration = Duration::from_secs(1);

/// All connection threads. Dropping this stops them and ends connections that are still open.
pub struct ConnectionThreads {
    threads: Vec<ConnectionThread>,
    closing: CancellationToken,
}

struct ConnectionThread {
    runtime: Handle,
    /// One reference is held by the thread and one by each of its connections.
    slots: Arc<()>,
    handle: JoinHandle<()>,
}

/// A place for one connection, on a connection thread or on the shared runtime.
pub(crate) struct ConnectionSlot {
    runtime: Handle,
    taken: Option<Arc<()>>,
}

impl ConnectionThreads {
    /// Starts no connection threads: connections run on the current shared runtime.
    pub fn none() -> Self {
        Self {
            threads: Vec::new(),
            closing: CancellationToken::new(),
        }
    }

    /// Starts `count` connection threads.
    pub fn open(count: usize) -> io::Result<Self> {
        let mut all = Self::none();
        for number in 0..count {
            let thread = ConnectionThread::open(number, all.closing.clone())?;
            all.threads.push(thread);
        }
        Ok(all)
    }

    /// Assigns a connection to the thread with the fewest connections. Returns its place and the
    /// stream registered with that thread's runtime.
    pub(crate) fn slot(&self, stream: TcpStream) -> io::Result<(ConnectionSlot, TcpStream)> {
        let open = self.threads.iter().filter(|thread| thread.is_open());
        // Also if all threads have ended: the shared runtime serves rather than nobody.
        let Some(thread) = open.min_by_key(|thread| thread.connections()) else {
            let slot = ConnectionSlot {
                runtime: Handle::current(),
                taken: None,
            };
            return Ok((slot, stream));
        };
        // A stream belongs to the runtime that it was registered with, so it is taken out and
        // registered again.
        let stream = stream.into_std()?;
        let _there = thread.runtime.enter();
        let stream = TcpStream::from_std(stream)?;
        let slot = ConnectionSlot {
            runtime: thread.runtime.clone(),
            taken: Some(Arc::clone(&thread.slots)),
        };
        Ok((slot, stream))
    }
}

impl Drop for ConnectionThreads {
    fn drop(&mut self) {
        // For all threads at once: joining one after the other then takes no longer than the
        // slowest.
        self.closing.cancel();
        for thread in self.threads.drain(..) {
            // A thread that panicked is closed as well.
            thread.handle.join().ok();
        }
    }
}

impl ConnectionThread {
    fn open(number: usize, closing: CancellationToken) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let answer = move || {
            // Drives the runtime: the connections run as its tasks until the token is cancelled.
            runtime.block_on(closing.cancelled_owned());
            runtime.shutdown_timeout(LAST_READS);
        };
        let thread = std::thread::Builder::new().name(format!("connection-{number}"));
        Ok(Self {
            runtime: handle,
            slots: Arc::new(()),
            handle: thread.spawn(answer)?,
        })
    }

    /// Whether the thread still runs. Without this check, a thread that has ended would always look
    /// the least busy.
    fn is_open(&self) -> bool {
        !self.handle.is_finished()
    }

    fn connections(&self) -> usize {
        Arc::strong_count(&self.slots) - 1
    }
}

impl ConnectionSlot {
    /// Runs a connection here, and releases the place when it ends.
    pub(crate) fn answer(self, connection: impl Future<Output = ()> + Send + 'static) {
        let Self { runtime, taken } = self;
        runtime.spawn(async move {
            connection.await;
            // Named, so that the block owns it until the connection ends.
            drop(taken);
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    use super::*;

    async fn connected(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let address = listener.local_addr().unwrap();
        let (ours, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        (ours.unwrap(), accepted.unwrap().0)
    }

    #[tokio::test]
    async fn connections_are_spread_over_the_threads() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let threads = ConnectionThreads::open(2).unwrap();
        let (told, mut names) = mpsc::unbounded_channel();
        let mut clients = Vec::new();
        for _ in 0..4 {
            let (client, stream) = connected(&listener).await;
            let (slot, mut stream) = threads.slot(stream).unwrap();
            let told = told.clone();
            slot.answer(async move {
                while let Ok(byte) = stream.read_u8().await {
                    told.send(std::thread::current().name().map(str::to_owned))
                        .unwrap();
                    stream.write_u8(byte).await.unwrap();
                }
            });
            clients.push(client);
        }
        for expected in [
            "connection-0",
            "connection-1",
            "connection-0",
            "connection-1",
        ]
        .repeat(2)
        {
            let mut client = clients.remove(0);
            client.write_u8(7).await.unwrap();
            assert_eq!(client.read_u8().await.unwrap(), 7);
            assert_eq!(names.recv().await.unwrap().as_deref(), Some(expected));
            clients.push(client);
        }
        // A closed connection makes room.
        clients.remove(0);
        clients.remove(1);
        while threads.threads[0].connections() > 0 {
            tokio::task::yield_now().await;
        }
        let (_client, stream) = connected(&listener).await;
        let (_seat, _stream) = threads.slot(stream).unwrap();
        assert_eq!(threads.threads[0].connections(), 1);
        assert_eq!(threads.threads[1].connections(), 2);
    }

    #[tokio::test]
    async fn without_threads_the_main_runtime_serves() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let threads = ConnectionThreads::open(1).unwrap();
        threads.closing.cancel();
        while threads.threads[0].is_open() {
            tokio::task::yield_now().await;
        }
        let (mut client, stream) = connected(&listener).await;
        let (slot, mut stream) = threads.slot(stream).unwrap();
        slot.answer(async move { stream.write_u8(7).await.unwrap() });
        assert_eq!(client.read_u8().await.unwrap(), 7);
    }

    #[tokio::test]
    async fn dropping_the_threads_closes_their_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let threads = ConnectionThreads::open(1).unwrap();
        let (mut client, stream) = connected(&listener).await;
        let (slot, stream) = threads.slot(stream).unwrap();
        slot.answer(async move {
            let _open = stream;
            std::future::pending::<()>().await;
        });
        drop(threads);
        assert!(client.read_u8().await.is_err());
    }
}
