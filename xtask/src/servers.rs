//! The servers that tests need: found or installed, started on free ports, and always stopped.
//!
//! They are children of a separate process, which stops them when its standard input closes. This
//! works however the run ends, including Ctrl-C and kill, without any signal handling.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::postgres::{self, Postgres, WaitsForDisk};
use crate::process::{self, nothing};
use crate::redis::{self, Redis};

/// The hidden command of the process that runs the servers.
pub(crate) const HOLD: &str = "hold-servers";
/// Its flag for a durable PostgreSQL.
const DURABLE: &str = "--durable";

const PACKAGES: &[&str] = &["postgresql", "redis-server"];

/// Running servers; stopped when dropped.
pub(crate) struct Servers {
    holder: Child,
    pub(crate) postgres_url: String,
    pub(crate) redis_url: String,
}

impl Servers {
    /// Installs missing servers (if allowed) and starts both.
    pub(crate) fn start() -> anyhow::Result<Self> {
        Self::start_with(WaitsForDisk::Never)
    }

    /// Like [`Self::start`], with the given durability of PostgreSQL.
    pub(crate) fn start_with(waits: WaitsForDisk) -> anyhow::Result<Self> {
        install_what_is_missing()?;
        let mut holder = Command::new(crate::process::own_program()?)
            .arg(HOLD)
            .args((waits == WaitsForDisk::Always).then_some(DURABLE))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A separate process group: Ctrl-C ends only the run, and the end of the run stops the
            // servers.
            .process_group(0)
            .spawn()?;
        let stdout = holder.stdout.take().context("a piped stream is there")?;
        let mut lines = BufReader::new(stdout).lines();
        let mut next = || lines.next().and_then(Result::ok);
        // Printed only when both servers answer, so this waits until they do.
        let (Some(postgres_url), Some(redis_url)) = (next(), next()) else {
            let _ = holder.wait();
            bail!("the servers did not start (see above)");
        };
        Ok(Self {
            holder,
            postgres_url,
            redis_url,
        })
    }

    /// Returns the id of the parent process of the servers.
    pub(crate) fn process(&self) -> u32 {
        self.holder.id()
    }

    /// Returns the environment variables that tell the tests where the servers are.
    pub(crate) fn variables(&self) -> [(&'static str, &str); 3] {
        [
            ("LAFIYA_TEST_BACKENDS", "all"),
            ("LAFIYA_TEST_POSTGRES_URL", &self.postgres_url),
            ("LAFIYA_TEST_REDIS_URL", &self.redis_url),
        ]
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // The end of its input tells the holder to stop the servers.
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}

/// `cargo xtask servers`: for running individual tests manually.
pub(crate) fn lend() -> anyhow::Result<()> {
    let servers = Servers::start()?;
    for (name, value) in servers.variables() {
        println!("export {name}={value}");
    }
    eprintln!("Ctrl-D stops the servers.");
    wait_for_end_of_input();
    Ok(())
}

/// The process that runs the servers, and stops, pauses or restarts them on command.
pub(crate) fn hold(waits: WaitsForDisk) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new()
        .prefix("lafiya-servers-")
        .tempdir()
        .context("no temporary folder")?;
    let mut postgres = Postgres::start(folder.path(), waits)?;
    let mut redis = Redis::start(folder.path())?;
    println!("{}\n{}", postgres.url(), redis.url());
    for order in std::io::stdin().lines() {
        let order = order?;
        match order.as_str() {
            "end" => break,
            "postgres kill" => postgres.kill()?,
            "postgres start" => postgres.start_again()?,
            "postgres pause" => postgres.signal("STOP")?,
            "postgres resume" => postgres.signal("CONT")?,
            "redis kill" => redis.kill()?,
            "redis start" => redis.start_again()?,
            "redis pause" => redis.signal("STOP")?,
            "redis resume" => redis.signal("CONT")?,
            "redis flush" => redis.flush()?,
            _ => bail!("the servers are told something unknown: {order}"),
        }
        println!("done");
    }
    Ok(())
}

fn wait_for_end_of_input() {
    let mut discarded = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut discarded);
}

/// Installs PostgreSQL and Redis if they are missing.
pub(crate) fn install_what_is_missing() -> anyhow::Result<()> {
    let missing = || postgres::programs().is_none() || redis::program().is_none();
    if missing() {
        install(PACKAGES)?;
        ensure!(
            !missing(),
            "PostgreSQL and Redis are installed but not found"
        );
    }
    Ok(())
}

/// Installs Debian packages, or prints what to install if this process may not.
pub(crate) fn install(packages: &[&str]) -> anyhow::Result<()> {
    let names = packages.join(" ");
    let by_hand = format!("apt-get update && apt-get install -y --no-install-recommends {names}");
    ensure!(
        process::runs("apt-get") && running_as_root(),
        "the tests need {names}; as root run: {by_hand}"
    );
    println!("      installing: {by_hand}");
    let mut update = Command::new("apt-get");
    update.arg("update");
    let mut add = Command::new("apt-get");
    add.args(["install", "-y", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    for command in [&mut update, &mut add] {
        process::run(command, nothing)?;
    }
    Ok(())
}

/// Whether this process runs as root: it may then install packages, but must not run PostgreSQL
/// itself.
pub(crate) fn running_as_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Calls `ask` repeatedly until it returns a value or the time is up.
pub(crate) fn poll<T>(within: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + within;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() > deadline {
            return None;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
