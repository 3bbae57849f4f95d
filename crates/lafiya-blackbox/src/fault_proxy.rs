//! A proxy between the service and a server, which can delay, stall, close or reset connections,
//! and be repaired while connections are open.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// What the proxy does with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Forwards it.
    Pass,
    /// Forwards it with this delay, in both directions.
    Slow(Duration),
    /// Keeps connections open, but forwards nothing until it passes data again.
    Hang,
    /// Closes connections properly, and new ones immediately.
    Cut,
    /// Resets connections, and new ones immediately.
    Reset,
}

/// A proxy in front of one server.
pub struct FaultProxy {
    /// The listening address.
    pub address: SocketAddr,
    flow: watch::Sender<Flow>,
    // Runs the connections; dropped with the proxy.
    _runtime: Runtime,
}

impl FaultProxy {
    /// Creates a proxy in front of the server of a URL. Returns it with the URL that leads through
    /// it.
    pub fn before(url: &str) -> (Self, String) {
        let (_, rest) = url.split_once("://").expect("a URL");
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        let server = authority.rsplit('@').next().unwrap_or_default().to_owned();
        assert!(server.contains(':'), "{server} names no port");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime
            .block_on(TcpListener::bind("127.0.0.1:0"))
            .expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (flow, watching) = watch::channel(Flow::Pass);
        let through = url.replacen(&server, &address.to_string(), 1);
        runtime.spawn(accept(listener, server, watching));
        let proxy = Self {
            address,
            flow,
            _runtime: runtime,
        };
        (proxy, through)
    }

    /// Changes the behaviour from now on.
    pub fn set(&self, flow: Flow) {
        self.flow.send_replace(flow);
    }
}

async fn accept(listener: TcpListener, server: String, watching: watch::Receiver<Flow>) {
    while let Ok((client, _)) = listener.accept().await {
        let flow = *watching.borrow();
        if flow == Flow::Reset {
            let _ = client.set_zero_linger();
        }
        if matches!(flow, Flow::Cut | Flow::Reset) {
            continue;
        }
        let Ok(server) = TcpStream::connect(&server).await else {
            continue;
        };
        tokio::spawn(carry(client, server, watching.clone()));
    }
}

/// Forwards both directions until either side ends or the proxy breaks the connection.
async fn carry(client: TcpStream, server: TcpStream, mut flow: watch::Receiver<Flow>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let (one, other) = (flow.clone(), flow.clone());
    let broken = tokio::select! {
        () = hand_on(&mut from_client, &mut to_server, one) => false,
        () = hand_on(&mut from_server, &mut to_client, other) => false,
        _ = flow.wait_for(|flow| matches!(flow, Flow::Cut | Flow::Reset)) => true,
    };
    let reset = broken && *flow.borrow() == Flow::Reset;
    if reset && let Ok(client) = from_client.reunite(to_client) {
        let _ = client.set_zero_linger();
    }
}

async fn hand_on(
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    mut flow: watch::Receiver<Flow>,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        let now = *flow.borrow();
        if let Flow::Slow(delay) = now {
            tokio::time::sleep(delay).await;
        }
        if now == Flow::Hang && flow.wait_for(|flow| *flow != Flow::Hang).await.is_err() {
            return;
        }
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
