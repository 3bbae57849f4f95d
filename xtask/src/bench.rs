//! Figures about the binary as a whole. Each bench prints a table for people and leaves the same
//! as JSON in `target/bench`, for comparing releases.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::http::{free_address, get_status};
use crate::process::{self, nothing};
use crate::servers::poll;
use crate::workspace;

const RUNS: usize = 10;
const IDLE: Duration = Duration::from_secs(2);

/// One start of the service.
struct Start {
    ready_ms: f64,
    resident_mib: f64,
}

/// `cargo xtask bench engine`: one turn of reasoning over a synthetic base, beside a plain dense
/// version of the same arithmetic.
pub(crate) fn engine() -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["bench", "-p", "lafiya-eval", "--bench", "engine"]);
    let output = process::run(command.current_dir(workspace::root()), nothing)?;
    let lines: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("pieces of evidence"))
        .collect();
    ensure!(!lines.is_empty(), "the bench printed no figures:\n{output}");
    println!("{}", lines.join("\n"));
    write_figures("engine", &json!({ "turns": lines }))
}

/// `cargo xtask bench start-up`: from process start to the first 200 of `/v1/health` on a fresh
/// data folder, and the resident memory two seconds later.
pub(crate) fn start_up(binary: Option<PathBuf>) -> anyhow::Result<()> {
    let binary = match binary {
        Some(binary) => fs::canonicalize(binary).context("that binary does not exist")?,
        None => release_binary()?,
    };
    let mut starts = Vec::with_capacity(RUNS);
    for run in 1..=RUNS {
        let start = measure(&binary)?;
        println!(
            "run {run:>2}: ready after {:>7.1} ms, {:>6.1} MiB resident",
            start.ready_ms, start.resident_mib
        );
        starts.push(start);
    }
    let ready = Spread::of(starts.iter().map(|start| start.ready_ms));
    let resident = Spread::of(starts.iter().map(|start| start.resident_mib));
    println!("\n{:<24} {:>9} {:>9}", "start-up", "min", "median");
    println!(
        "{:<24} {:>9.1} {:>9.1}",
        "ready after, ms", ready.min, ready.median
    );
    println!(
        "{:<24} {:>9.1} {:>9.1}",
        "resident at rest, MiB", resident.min, resident.median
    );
    write_figures(
        "start-up",
        &json!({
            "runs": RUNS,
            "ready_ms": {"min": ready.min, "median": ready.median},
            "resident_mib": {"min": resident.min, "median": resident.median},
        }),
    )
}

/// `cargo xtask bench text`: reading 2,000 characters and searching, beside the bare scan of the same phrases in the same
/// run. The program is `crates/lafiya-text/examples/speed.rs`.
pub(crate) fn text() -> anyhow::Result<()> {
    println!("building the reader in release ...");
    let output = Command::new("cargo")
        .args(["run", "--release", "--quiet", "--package", "lafiya-text"])
        .args(["--example", "speed"])
        .current_dir(workspace::root())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be started")?;
    ensure!(output.status.success(), "the bench did not run");
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let rows = [
        ("bare scan of all phrases", "bare_scan_us"),
        ("parse", "parse_us"),
        ("search", "search_us"),
        ("search by brute force", "brute_force_search_us"),
    ];
    println!("\n{:<28} {:>10}", "text", "µs");
    for (name, field) in rows {
        println!(
            "{name:<28} {:>10.1}",
            figures[field].as_f64().unwrap_or(f64::NAN)
        );
    }
    write_figures("text", &figures)
}

struct Spread {
    min: f64,
    median: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |position: usize| sorted.get(position).copied().unwrap_or(f64::NAN);
        let middle = sorted.len() / 2;
        let median = if sorted.len().is_multiple_of(2) {
            f64::midpoint(at(middle.saturating_sub(1)), at(middle))
        } else {
            at(middle)
        };
        Self { min: at(0), median }
    }
}

fn release_binary() -> anyhow::Result<PathBuf> {
    println!("building the release binary ...");
    let mut build = Command::new("cargo");
    build
        .args(["build", "--release", "--package", "lafiya"])
        .current_dir(workspace::root());
    process::run(&mut build, nothing)?;
    Ok(workspace::target_dir().join("release/lafiya"))
}

fn measure(binary: &Path) -> anyhow::Result<Start> {
    let folder = tempfile::tempdir()?;
    let address = free_address()?;
    let started = Instant::now();
    let service = Running(
        Command::new(binary)
            .env("LAFIYA_LISTEN", address.to_string())
            .env("LAFIYA_DATA_DIR", folder.path().join("data"))
            .env("LAFIYA_LOG_LEVEL", "error")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .context("the binary cannot be started")?,
    );
    let ready = first_healthy_answer(address)
        .map(|at| at.duration_since(started))
        .context("the service did not become healthy within 30 s")?;
    thread::sleep(IDLE);
    Ok(Start {
        ready_ms: ready.as_secs_f64() * 1e3,
        resident_mib: resident_mib(service.0.id())?,
    })
}

/// Waits for the port without burning the core that the service starts on.
fn first_healthy_answer(address: SocketAddr) -> Option<Instant> {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        if std::net::TcpStream::connect(address).is_ok() {
            return poll(Duration::from_secs(30), || {
                (get_status(address, "/v1/health") == Some(200)).then(Instant::now)
            });
        }
        thread::sleep(Duration::from_millis(1));
    }
    None
}

fn resident_mib(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    let kib = kib.context("the kernel does not tell the resident memory")?;
    ensure!(kib > 0.0, "the service has ended");
    Ok(kib / 1024.0)
}

fn write_figures(name: &str, figures: &serde_json::Value) -> anyhow::Result<()> {
    let folder = workspace::target_dir().join("bench");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, format!("{figures:#}\n"))?;
    println!("\nwritten: {}", file.display());
    Ok(())
}

/// The service under measurement, stopped when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_between_the_two_in_the_middle() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0].into_iter());
        assert_eq!((spread.min, spread.median), (1.0, 2.5));
        assert_eq!(Spread::of([3.0, 1.0, 2.0].into_iter()).median, 2.0);
    }
}
