//! The accept loop: bounded connections, time-outs for slow senders, and a shutdown that lets
//! running requests finish.

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
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::desks::Desks;
use crate::front::Front;
use crate::state::HttpSettings;
use crate::versions::CURRENT_HEADER;

/// What is sent to a connection beyond the bound, before it is closed.
fn full_answer() -> String {
    let body = r#"{"error":{"code":"SERVICE_UNAVAILABLE","message":"Too many connections. Try again shortly."}}"#;
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n\
         X-Request-Id: {}\r\nX-Response-Time: 0ms\r\nX-API-Version: {CURRENT_HEADER}\r\nCache-Control: no-store\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        Uuid::new_v4(),
        body.len()
    )
}

/// Largest head of a request (request line and headers).
const HEAD_BYTES_MAX: usize = 32 * 1024;

/// A bound listener, before it serves.
pub struct Listening {
    listener: TcpListener,
    /// The address it is bound to.
    pub address: SocketAddr,
}

impl Listening {
    /// Binds the address.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }
}

/// Serves until `stop` resolves, then lets running requests finish within the grace time.
pub async fn serve(
    listening: Listening,
    front: Front,
    settings: &HttpSettings,
    desks: &Desks,
    stop: impl Future<Output = ()>,
) {
    let connections = Arc::new(Semaphore::new(settings.connections_max));
    let front = Arc::new(front);
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
                    // Out of file descriptors, most likely: wait for some to come back.
                    tracing::warn!(%cause, "A connection could not be accepted.");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
            metrics::counter!("lafiya_http_refused_connections_total").increment(1);
            tokio::spawn(turn_away(stream));
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (seat, stream) = match desks.seat(stream) {
            Ok(seated) => seated,
            Err(cause) => {
                tracing::warn!(%cause, "A connection could not be taken to a desk.");
                continue;
            }
        };
        let front = Arc::clone(&front);
        let answer = service_fn(move |request: Request<Incoming>| {
            let front = Arc::clone(&front);
            async move { Ok::<_, Infallible>(front.answer(peer, request.map(Body::new)).await) }
        });
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), answer));
        seat.answer(async move {
            // Errors here are the client's: it went away or spoke something else than HTTP.
            if let Err(cause) = connection.await {
                tracing::debug!(%cause, "A connection ended early.");
            }
            drop(permit);
        });
    }

    drop(listening);
    tokio::select! {
        () = graceful.shutdown() => tracing::info!("All running requests were answered."),
        () = tokio::time::sleep(settings.shutdown_grace) => {
            tracing::warn!(grace_ms = settings.shutdown_grace.as_millis() as u64, "Some requests did not finish in time.");
        }
    }
}

async fn turn_away(mut stream: TcpStream) {
    let answer = async {
        stream.write_all(full_answer().as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), answer).await;
}
