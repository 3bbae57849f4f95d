//! The TCP stream of a client, with a limit on how long it may leave its response unread.
//!
//! Without the limit, a client that sends requests and never reads would hold its connection and
//! its connection permit forever: hyper only limits how long the head of a request may take.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::connection_limits::ConnectionLimits;

/// Number of checks of a stalled connection per timeout. While the service has no free connection,
/// a client gets the time of one check instead of the whole timeout.
const CHECKS_PER_TIMEOUT: u32 = 10;

/// How long a connection that we close still reads what the client is sending. Closing at once
/// would reset the connection, and the client would lose the response that says what was wrong.
const LINGER: Duration = Duration::from_secs(2);

/// The slowest rate at which a client may read its responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinimumRate {
    /// Minimum number of bytes that must be sent in each period of `within`.
    pub(crate) bytes: usize,
    pub(crate) within: Duration,
}

/// A client's stream. Writes fail with `TimedOut` once the client reads more slowly than allowed.
pub(crate) struct ClientStream {
    stream: TcpStream,
    rate: MinimumRate,
    limits: Arc<ConnectionLimits>,
    /// Set from the first write that had to wait until everything is flushed.
    stall: Option<Stall>,
    /// Set while the connection is closing.
    linger: Option<Pin<Box<Sleep>>>,
}

/// The progress of a client that does not read everything at once.
struct Stall {
    since: Instant,
    bytes: usize,
    next_check: Pin<Box<Sleep>>,
}

impl ClientStream {
    pub(crate) fn new(stream: TcpStream, rate: MinimumRate, limits: Arc<ConnectionLimits>) -> Self {
        Self {
            stream,
            rate,
            limits,
            stall: None,
            linger: None,
        }
    }

    /// Records the progress of a write, and turns a write that has stalled too long into an error.
    fn after_write(
        &mut self,
        written: Poll<io::Result<usize>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => self.poll_stalled(cx).map(Err),
            Poll::Ready(Ok(bytes)) => {
                if let Some(stall) = &mut self.stall {
                    stall.advance(bytes, self.rate);
                }
                Poll::Ready(Ok(bytes))
            }
            failed @ Poll::Ready(Err(_)) => failed,
        }
    }

    /// Resolves with an error once the client has read too slowly for too long.
    fn poll_stalled(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let pause = self.rate.within / CHECKS_PER_TIMEOUT;
        // A timer is created only for a client that makes a write wait, which few do.
        let stall = self.stall.get_or_insert_with(|| Stall::new(pause));
        loop {
            ready!(stall.next_check.as_mut().poll(cx));
            // Checked at each step and not once, because the service may become full while this
            // client stalls.
            let allowed = match self.limits.is_full() {
                true => pause,
                false => self.rate.within,
            };
            let now = Instant::now();
            if now >= stall.since + allowed {
                metrics::counter!("lafiya_http_stalled_connections_total").increment(1);
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            stall.next_check.as_mut().reset(now + pause);
        }
    }
}

impl Stall {
    fn new(pause: Duration) -> Self {
        Self {
            since: Instant::now(),
            bytes: 0,
            next_check: Box::pin(sleep(pause)),
        }
    }

    fn advance(&mut self, bytes: usize, rate: MinimumRate) {
        self.bytes += bytes;
        if self.bytes >= rate.bytes {
            self.bytes = 0;
            self.since = Instant::now();
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.after_write(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.after_write(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called by hyper when nothing is left to write.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Everything was sent; the client may take any time until its next request.
        self.stall = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Shuts down the write side, then discards what the client is still sending.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.linger = Some(Box::pin(sleep(LINGER)));
        }
        let Self { stream, linger, .. } = &mut *self;
        if let Some(linger) = linger
            && linger.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Ok(()));
        }
        // On the stack, because nothing of it is kept.
        let mut discarded = [0; 8 * 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut discarded);
            let read = ready!(Pin::new(&mut *stream).poll_read(cx, &mut buffer));
            // The client closed its side or reset the connection.
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::connection_limits::ConnectionPermit;

    const RATE: MinimumRate = MinimumRate {
        bytes: 1000,
        within: Duration::from_millis(1000),
    };

    /// Returns a client and the service's side of its connection.
    async fn connected(connections_max: usize) -> (TcpStream, ClientStream, ConnectionPermit) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = listener.local_addr().unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (stream, peer) = accepted.unwrap();
        let limits = Arc::new(ConnectionLimits::new(connections_max, 0, Vec::new()));
        let permit = limits.admit(peer.ip()).unwrap();
        let stream = ClientStream::new(stream, RATE, limits);
        (client.unwrap(), stream, permit)
    }

    async fn write_for_ever(mut stream: ClientStream) -> (io::ErrorKind, Duration) {
        let started = Instant::now();
        let bytes = vec![b'x'; 256 * 1024];
        loop {
            if let Err(cause) = stream.write_all(&bytes).await {
                return (cause.kind(), started.elapsed());
            }
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_dropped_after_the_timeout() {
        let (_client, stream, _permit) = connected(2).await;
        let (kind, after) = write_for_ever(stream).await;
        assert_eq!(kind, io::ErrorKind::TimedOut);
        assert!(after >= RATE.within, "{after:?}");
    }

    #[tokio::test]
    async fn a_slow_client_is_dropped_sooner_when_connections_run_out() {
        let (_client, stream, _permit) = connected(1).await;
        let (kind, after) = write_for_ever(stream).await;
        assert_eq!(kind, io::ErrorKind::TimedOut);
        assert!(after < RATE.within, "{after:?}");
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_but_steadily_gets_everything() {
        const BYTES: usize = 12 * 1024 * 1024;
        let (mut client, mut stream, _permit) = connected(2).await;
        let writes = async move {
            stream.write_all(&vec![b'x'; BYTES]).await.unwrap();
            stream.shutdown().await.unwrap();
        };
        let reads = async move {
            let mut buffer = vec![0; 1024 * 1024];
            let mut total = 0;
            loop {
                match client.read(&mut buffer).await.unwrap() {
                    0 => return total,
                    read => total += read,
                }
                // The total is several times the timeout.
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        let ((), total) = tokio::join!(writes, reads);
        assert_eq!(total, BYTES);
    }

    #[tokio::test]
    async fn a_client_that_is_still_sending_gets_the_answer() {
        let (mut client, mut stream, _permit) = connected(2).await;
        let closes = async move {
            stream.write_all(b"refused").await.unwrap();
            stream.shutdown().await.unwrap();
        };
        let sends = async move {
            client
                .write_all(&vec![b'x'; 8 * 1024 * 1024])
                .await
                .unwrap();
            client.shutdown().await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let ((), answer) = tokio::join!(closes, sends);
        assert_eq!(answer, "refused");
    }
}
