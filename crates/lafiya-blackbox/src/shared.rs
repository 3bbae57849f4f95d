//! One service for all tests that only read. It is never dropped, because statics are not; a small
//! process waits for the end of the test run, however that comes, and takes the service away.

use std::ops::Deref;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::server::Server;

struct Shared {
    server: Server,
    /// Holds the pipe whose closing ends the service.
    _undertaker: Child,
}

/// The shared service; shows its log when the test that holds it fails.
pub struct SharedServer(&'static Server);

/// The service that all reading tests share: default settings, but no rate limits.
pub fn shared() -> SharedServer {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let server = Server::without_limits().start();
        let _undertaker = undertaker(&server);
        Shared {
            server,
            _undertaker,
        }
    });
    SharedServer(&shared.server)
}

fn undertaker(server: &Server) -> Child {
    Command::new("sh")
        .args([
            "-c",
            "cat; kill -KILL \"$1\"; rm -rf -- \"$2\"",
            "undertaker",
        ])
        .arg(server.pid().to_string())
        .arg(server.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh can be started")
}

impl Deref for SharedServer {
    type Target = Server;
    fn deref(&self) -> &Server {
        self.0
    }
}

impl Drop for SharedServer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.0.log();
            let from = log.len().saturating_sub(4000);
            let tail = log.get(from..).unwrap_or(&log);
            eprintln!("--- the last the shared service printed\n{tail}---");
        }
    }
}
