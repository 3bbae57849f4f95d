//! The two programs under measurement, each with its own folder and port and stopped when dropped:
//! the service, and the limit server, which parses the same requests, returns answers of the same
//! size and does nothing else (`crates/lafiya-bench`).

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use tempfile::TempDir;

use super::connection::{Answer, Request};
use super::load::Target;
use super::requests::{self, BenchRequest};
use crate::http::{free_address, get_status};
use crate::process::{self, nothing};
use crate::servers::poll;
use crate::workspace;

/// A process, ended when dropped.
pub(super) struct Running(pub(super) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A monthly quota that no load can reach.
const QUOTA: &str = "1000000000";

/// Settings that differ from the defaults, by their environment variables.
pub(super) type Variables<'a> = &'a [(&'static str, &'a str)];

/// A service started for the benchmark.
pub(super) struct Service {
    address: SocketAddr,
    process: Running,
    key: String,
    folder: TempDir,
}

impl Service {
    /// Starts it without rate limits, and waits only for the key that it prints.
    pub(super) fn start(binary: &Path, variables: Variables<'_>) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let address = free_address()?;
        let mut process = Command::new(binary)
            .env("LAFIYA_LISTEN", address.to_string())
            .env("LAFIYA_DATA_DIR", folder.path().join("data"))
            .env("LAFIYA_LOG_LEVEL", "error")
            .env("LAFIYA_RATE_LIMIT_PER_MINUTE", "1000000000")
            .env("LAFIYA_HEALTH_RATE_LIMIT_PER_MINUTE", "1000000000")
            .env("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "1000000000")
            .envs(variables.iter().copied())
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .context("the binary cannot be started")?;
        let said = process.stdout.take().context("it has an output")?;
        let process = Running(process);
        let mut lines = BufReader::new(said).lines().map_while(Result::ok);
        let live =
            lines.find_map(|line| Some(line.trim().strip_prefix("live ")?.trim().to_owned()));
        let key = live.context("the service showed no key")?;
        // The rest of the output must be drained, or the service would block.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self {
            address,
            process,
            key,
            folder,
        })
    }

    /// Starts it, waits until it is healthy and has built what it builds in the background, and
    /// raises the quota of its tenant.
    pub(super) fn ready(binary: &Path, variables: Variables<'_>) -> anyhow::Result<Self> {
        let service = Self::start(binary, variables)?;
        let healthy = poll(Duration::from_secs(30), || {
            (get_status(service.address, "/v1/health") == Some(200)).then_some(())
        });
        healthy.context("the service did not become healthy")?;
        let tier = ["tenant", "tier", "demo", "--tier", "enterprise"];
        let tier = [&tier[..], &["--quota", QUOTA]].concat();
        service.command(binary, &tier, variables)?;
        for asked in [requests::parse(), requests::search(), requests::assess()] {
            service.ask(&asked)?;
        }
        Ok(service)
    }

    /// Runs a command of the binary on the data of this service and returns only its result.
    fn command(
        &self,
        binary: &Path,
        arguments: &[&str],
        variables: Variables<'_>,
    ) -> anyhow::Result<String> {
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .env("LAFIYA_DATA_DIR", self.data())
            .env("LAFIYA_LOG_LEVEL", "error")
            .envs(variables.iter().copied())
            .current_dir(self.folder.path());
        process::run(&mut command, nothing)
    }

    pub(super) fn target(&self) -> Target {
        Target {
            address: self.address,
            process: self.process.0.id(),
        }
    }

    /// Returns the folder of its database.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn request(&self, asked: &BenchRequest) -> Request {
        Self::request_with(&self.key, asked)
    }

    /// Returns a request with this API key.
    pub(super) fn request_with(key: &str, asked: &BenchRequest) -> Request {
        let path = format!("/v1{}", asked.path);
        match &asked.body {
            Some((content_type, body)) => Request::post(&path, key, content_type, body),
            None => Request::get(&path, key),
        }
    }

    /// Creates another tenant and returns its key.
    pub(super) fn another_tenant(
        &self,
        binary: &Path,
        name: &str,
        variables: Variables<'_>,
    ) -> anyhow::Result<String> {
        let tenant = ["tenant", "create", name, "--tier", "enterprise"];
        let tenant = [&tenant[..], &["--quota", QUOTA]].concat();
        self.command(binary, &tenant, variables)?;
        let key = ["key", "create", "--tenant", name];
        let key = [&key[..], &["--environment", "live", "--json"]].concat();
        let made = self.command(binary, &key, variables)?;
        let made: serde_json::Value = serde_json::from_str(&made)?;
        let key = made["key"].as_str();
        Ok(key.context("a new key is shown")?.to_owned())
    }

    /// Sends the request once; any status except 200 is an error.
    pub(super) fn ask(&self, asked: &BenchRequest) -> anyhow::Result<Vec<u8>> {
        let Answer { status, body, .. } = self.request(asked).once(self.address)?;
        let said = String::from_utf8_lossy(&body);
        ensure!(status == 200, "{} answers {status}: {said}", asked.path);
        Ok(body)
    }

    pub(super) fn resident_mib(&self) -> anyhow::Result<f64> {
        resident_mib(self.process.0.id())
    }
}

/// Returns the resident memory of a process.
pub(super) fn resident_mib(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    let kib = kib.context("the kernel does not tell the resident memory")?;
    ensure!(kib > 0.0, "the service has ended");
    Ok(kib / 1024.0)
}

/// The limit server.
pub(super) struct Limit {
    address: SocketAddr,
    process: Running,
}

impl Limit {
    /// Starts it with the answers in a folder, one file per name.
    pub(super) fn start(binary: &Path, answers: &Path) -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(binary);
        command.arg(address.to_string()).arg(answers);
        let process = Running(
            command
                .spawn()
                .context("the limit server cannot be started")?,
        );
        let up = poll(Duration::from_secs(10), || get_status(address, "/health"));
        ensure!(up == Some(200), "the limit server does not answer");
        Ok(Self { address, process })
    }

    pub(super) fn target(&self) -> Target {
        Target {
            address: self.address,
            process: self.process.0.id(),
        }
    }

    pub(super) fn request(&self, asked: &BenchRequest) -> Request {
        let path = format!("/{}", asked.name);
        match &asked.body {
            Some((content_type, body)) => Request::post(&path, "none", content_type, body),
            None => Request::get(&path, "none"),
        }
    }
}

/// Returns the given binary, or a release build.
pub(super) fn service_binary(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(binary) = named {
        return fs::canonicalize(binary).context("that binary does not exist");
    }
    println!("building the release binary ...");
    built_in_release("lafiya", "lafiya")
}

/// Builds the limit server.
pub(super) fn limit_binary() -> anyhow::Result<PathBuf> {
    println!("building the limit server ...");
    built_in_release("lafiya-bench", "lafiya-limit")
}

fn built_in_release(package: &str, program: &str) -> anyhow::Result<PathBuf> {
    let mut build = Command::new("cargo");
    build
        .args(["build", "--release", "--package", package])
        .current_dir(workspace::root());
    process::run(&mut build, nothing)?;
    Ok(workspace::target_dir().join("release").join(program))
}
