//! A temporary in-memory Redis server; stopped when dropped.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::http::free_address;
use crate::process;
use crate::servers::poll;

/// The compatible programs, in order of preference.
const PROGRAMS: &[&str] = &["redis-server", "valkey-server"];

/// A running server; stopped when dropped.
pub(crate) struct Redis {
    server: Child,
    folder: PathBuf,
    port: u16,
}

/// Returns the program, if it is installed.
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
        let port = free_address()?.port();
        let redis = Self {
            server: serve(folder, port)?,
            folder: folder.to_path_buf(),
            port,
        };
        redis.wait_until_ready()?;
        Ok(redis)
    }

    /// Stops it immediately, with the loss of all data.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.server.kill()?;
        self.server.wait()?;
        Ok(())
    }

    /// Restarts it on the same port, empty.
    pub(crate) fn start_again(&mut self) -> anyhow::Result<()> {
        self.server = serve(&self.folder, self.port)?;
        self.wait_until_ready()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) -> anyhow::Result<()> {
        process::signal(name, &[self.server.id()])
    }

    /// Deletes all data.
    pub(crate) fn flush(&self) -> anyhow::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.write_all(b"FLUSHALL\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        ensure!(&answer == b"+OK\r\n", "Redis did not forget");
        Ok(())
    }

    fn wait_until_ready(&self) -> anyhow::Result<()> {
        let ready = poll(Duration::from_secs(10), || {
            TcpStream::connect(("127.0.0.1", self.port)).ok()
        });
        ensure!(ready.is_some(), "Redis does not answer on {}", self.port);
        Ok(())
    }

    /// Returns the URL for clients.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

fn serve(folder: &Path, port: u16) -> anyhow::Result<Child> {
    let program = program().context("Redis is not installed")?;
    Command::new(program)
        .args(["--port", &port.to_string()])
        .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{program} cannot be started"))
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
