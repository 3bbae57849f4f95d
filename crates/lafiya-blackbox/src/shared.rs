//! One service for all read-only tests. It is never dropped, because statics are not, so a small
//! process stops the service when the test run ends in any way.

use std::ops::Deref;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::server::{Server, Start};

struct Shared {
    server: Server,
    /// Holds the pipe whose closing stops the service.
    _undertaker: Child,
}

/// The shared service. Prints its log if the test that holds it fails.
pub struct SharedServer(&'static Server);

/// A service shared by several tests, started by the first of them.
pub struct Sharing(OnceLock<Shared>);

impl Sharing {
    /// Creates it without starting the service.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns the service; the first caller starts it.
    pub fn server(&'static self, start: impl FnOnce() -> Start) -> SharedServer {
        let shared = self.0.get_or_init(|| {
            let server = start().start();
            let _undertaker = undertaker(&server);
            Shared {
                server,
                _undertaker,
            }
        });
        SharedServer(&shared.server)
    }
}

impl Default for Sharing {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the service shared by all read-only tests: default settings, without rate limits.
pub fn shared() -> SharedServer {
    static SHARED: Sharing = Sharing::new();
    SHARED.server(Server::without_limits)
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
