//! A proxy between a test and a server, whose connections can be cut, stalled and restored.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the proxy does with the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Forwards it.
    Pass,
    /// Closes every connection, new ones at once.
    Cut,
    /// Keeps connections open but forwards nothing until the flow is `Pass` again.
    Hang,
}

pub(crate) struct Proxy {
    flow: watch::Sender<Flow>,
}

impl Proxy {
    /// Starts a proxy in front of the server of a URL such as `scheme://user@host:port/…`. Returns
    /// it with the URL that leads through it.
    pub(crate) async fn before(url: &str) -> (Self, String) {
        let (_, rest) = url.split_once("://").unwrap();
        let authority = rest.split(['/', '?']).next().unwrap();
        let server = authority.rsplit('@').next().unwrap().to_owned();
        assert!(server.contains(':'), "{server} names no port");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let through = url.replacen(&server, &listener.local_addr().unwrap().to_string(), 1);
        let (flow, watching) = watch::channel(Flow::Pass);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *watching.borrow() != Flow::Cut
                    && let Ok(server) = TcpStream::connect(&server).await
                {
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::spawn(hand_on(from_client, to_server, watching.clone()));
                    tokio::spawn(hand_on(from_server, to_client, watching.clone()));
                }
            }
        });
        (Self { flow }, through)
    }

    pub(crate) fn set(&self, flow: Flow) {
        self.flow.send_replace(flow);
    }
}

async fn hand_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut flow: watch::Receiver<Flow>) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read.unwrap_or(0),
            _ = flow.wait_for(|&flow| flow == Flow::Cut) => 0,
        };
        while *flow.borrow() == Flow::Hang {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if read == 0 || *flow.borrow() == Flow::Cut {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
