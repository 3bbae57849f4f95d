//! The accept loop: limits the number of connections, times out slow senders and slow readers, and
//! lets running requests finish on shutdown.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

use crate::client_stream::{ClientStream, MinimumRate};
use crate::connection_limits::{ConnectionLimits, Refusal};
use crate::connection_threads::ConnectionThreads;
use crate::edge::EdgeService;
use crate::state::HttpSettings;
use crate::versions::CURRENT_HEADER;

/// Returns the raw 503 response that is sent to a connection beyond the limits before it is closed.
fn full_answer(refusal: Refusal) -> String {
    let message = match refusal {
        Refusal::Full => "Too many connections. Try again shortly.",
        Refusal::FullForAddress => {
            "Too many connections from your address. Close some, or try again shortly."
        }
    };
    // Written by hand: a refused connection must cost almost nothing, so it reaches neither hyper
    // nor the router.
    let body = format!(r#"{{"error":{{"code":"SERVICE_UNAVAILABLE","message":"{message}"}}}}"#);
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n\
         X-Request-Id: {}\r\nX-Response-Time: 0ms\r\nX-API-Version: {CURRENT_HEADER}\r\nCache-Control: no-store\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        Uuid::new_v4(),
        body.len()
    )
}

/// Maximum size of a request head (request line and headers), in bytes.
const HEAD_BYTES_MAX: usize = 32 * 1024;

/// How many unsent bytes of a response the kernel buffers (`TCP_NOTSENT_LOWAT`). By default it
/// buffers megabytes, and then accepts nothing until a slow client has read a third of them; a slow
/// reader would look like a client that does not read at all.
#[cfg(target_os = "linux")]
const UNSENT_BYTES_MAX: u32 = 64 * 1024;

/// A bound listener that does not serve yet.
pub struct Listening {
    listener: TcpListener,
    /// The address it is bound to.
    pub address: SocketAddr,
}

impl Listening {
    /// Binds the address.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        // Accepted connections inherit this option.
        #[cfg(target_os = "linux")]
        SockRef::from(&listener).set_tcp_notsent_lowat(UNSENT_BYTES_MAX)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }
}

/// Serves until `stop` resolves, then lets running requests finish within the grace period.
pub async fn serve(
    listening: Listening,
    edge: EdgeService,
    settings: &HttpSettings,
    connection_threads: &ConnectionThreads,
    stop: impl Future<Output = ()>,
) {
    let limits = Arc::new(ConnectionLimits::new(
        settings.connections_max,
        settings.connections_per_address_max,
        settings.exempt_from_connection_limit(),
    ));
    let rate = MinimumRate {
        bytes: settings.write_bytes_min,
        within: settings.write_timeout,
    };
    let edge = Arc::new(edge);
    let graceful = GracefulShutdown::new();
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(settings.header_timeout)
        .max_buf_size(HEAD_BYTES_MAX);
    let mut stop = std::pin::pin!(stop);

    loop {
        let (stream, peer) = tokio::select! {
            accepted = listening.listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(cause) => {
                    // The process is probably out of file descriptors: wait until some are
                    // released.
                    tracing::warn!(%cause, "A connection could not be accepted.");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        // Refused at once instead of left in the queue of the kernel, where the client would wait
        // without knowing why.
        let permit = match limits.admit(peer.ip()) {
            Ok(permit) => permit,
            Err(refusal) => {
                metrics::counter!("lafiya_http_refused_connections_total").increment(1);
                tokio::spawn(turn_away(stream, refusal));
                continue;
            }
        };
        // Responses are written whole; waiting to fill a packet would delay them. A failure costs
        // only that.
        let _ = stream.set_nodelay(true);
        let (slot, stream) = match connection_threads.slot(stream) {
            Ok(assigned) => assigned,
            Err(cause) => {
                tracing::warn!(%cause, "A connection could not be assigned to a thread.");
                continue;
            }
        };
        let edge = Arc::clone(&edge);
        let answer = service_fn(move |request: Request<Incoming>| {
            let edge = Arc::clone(&edge);
            async move { Ok::<_, Infallible>(edge.answer(peer, request.map(Body::new)).await) }
        });
        let stream = ClientStream::new(stream, rate, Arc::clone(&limits));
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), answer));
        slot.answer(async move {
            // Errors here are the client's: it disconnected or did not send valid HTTP.
            if let Err(cause) = connection.await {
                tracing::debug!(%cause, "A connection ended early.");
            }
            drop(permit);
        });
    }

    // From here the kernel refuses new connections, so that a load balancer tries another replica.
    drop(listening);
    tokio::select! {
        () = graceful.shutdown() => tracing::info!("All running requests were answered."),
        () = tokio::time::sleep(settings.shutdown_grace) => {
            tracing::warn!(grace_ms = settings.shutdown_grace.as_millis() as u64, "Some requests did not finish in time.");
        }
    }
}

async fn turn_away(mut stream: TcpStream, refusal: Refusal) {
    let answer = async {
        stream.write_all(full_answer(refusal).as_bytes()).await?;
        stream.shutdown().await
    };
    // Best effort: a refused client that does not read must not be kept either.
    let _ = tokio::time::timeout(Duration::from_secs(1), answer).await;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn accepted_connections_limit_unsent_bytes() {
        let listening = Listening::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await
            .unwrap();
        let (_client, accepted) = tokio::join!(
            TcpStream::connect(listening.address),
            listening.listener.accept()
        );
        let (stream, _) = accepted.unwrap();
        let unsent = SockRef::from(&stream).tcp_notsent_lowat().unwrap();
        assert_eq!(unsent, UNSENT_BYTES_MAX);
    }
}
