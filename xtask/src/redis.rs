//! A throwaway Redis in memory only; gone when dropped.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::http::free_address;
use crate::servers::poll;

/// The programs that speak the protocol, in the order we look for them.
const PROGRAMS: &[&str] = &["redis-server", "valkey-server"];

/// A running server; stopped when dropped.
pub(crate) struct Redis {
    server: Child,
    port: u16,
}

/// The program, if it is installed.
pub(crate) fn program() -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    PROGRAMS
        .iter()
        .copied()
        .find(|name| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

impl Redis {
    /// Starts a server on a free port, with `folder` as its working directory.
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Self> {
        let program = program().context("Redis is not installed")?;
        let address = free_address()?;
        let server = Command::new(program)
            .args(["--port", &address.port().to_string()])
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{program} cannot be started"))?;
        let redis = Self {
            server,
            port: address.port(),
        };
        let ready = poll(Duration::from_secs(10), || {
            std::net::TcpStream::connect(address).ok()
        });
        ensure!(ready.is_some(), "{program} does not answer on {address}");
        Ok(redis)
    }

    /// The address that clients use.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
