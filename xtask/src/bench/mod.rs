//! Figures about the binary as a whole. Each bench prints a table for people and leaves the same
//! as JSON in `target/bench`, for comparing releases.

mod load;
mod service;
mod table;

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
use service::Service;
use table::{Bound, Row};

const RUNS: usize = 10;
const IDLE: Duration = Duration::from_secs(2);

/// One start of the service.
struct Start {
    ready_ms: f64,
    resident_mib: f64,
}

/// `cargo xtask bench all`: every row in one run, as a table, as JSON and as a picture.
pub(crate) fn all(binary: Option<PathBuf>) -> anyhow::Result<()> {
    let mut rows = text_rows(&text_figures()?);
    rows.extend(engine_rows(&engine_lines()?)?);
    rows.extend(service_rows(binary)?);
    show("all", &rows)
}

/// `cargo xtask bench service`: the rows that need the running service.
pub(crate) fn service(binary: Option<PathBuf>) -> anyhow::Result<()> {
    show("service", &service_rows(binary)?)
}

fn service_rows(binary: Option<PathBuf>) -> anyhow::Result<Vec<Row>> {
    let binary = service_binary(binary)?;
    println!("building the limit server ...");
    let limit = service::limit_binary()?;
    println!("the service beside its limit:");
    let mut rows = vec![size_row(&binary)?, first_assessment_row(&binary)?];
    rows.extend(service::rows(&binary, &limit)?);
    Ok(rows)
}

fn show(name: &str, rows: &[Row]) -> anyhow::Result<()> {
    println!("\n{}", table::markdown(rows));
    let folder = workspace::target_dir().join("bench");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("{name}.svg")), table::svg(rows))?;
    write_figures(name, &table::as_json(rows))
}

fn size_row(binary: &Path) -> anyhow::Result<Row> {
    Ok(Row {
        what: "binary, stripped, knowledge inside",
        value: fs::metadata(binary)?.len() as f64 / 1e6,
        unit: "MB",
        beside: "size of the file".to_owned(),
        floor: Bound::AtMost(60.0),
        aim: Bound::AtMost(30.0),
    })
}

/// From the start of the process on an empty folder to the first assessment answered.
fn first_assessment_row(binary: &Path) -> anyhow::Result<Row> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = Instant::now();
        let service = Service::start(binary)?;
        let request = load::Request::post(
            "/v1/assess",
            &service.key,
            "application/json",
            &service::assess_body(),
        );
        let answered = || matches!(request.once(service.address), Ok((200, _)));
        ensure!(
            poll(Duration::from_secs(30), || answered().then_some(())).is_some(),
            "no assessment within 30 s"
        );
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    let spread = Spread::of(times.into_iter());
    Ok(Row {
        what: "start to first assessment, least of ten",
        value: spread.min,
        unit: "ms",
        beside: format!("median {:.0} ms", spread.median),
        floor: Bound::AtMost(500.0),
        aim: Bound::AtMost(150.0),
    })
}

fn text_rows(figures: &serde_json::Value) -> Vec<Row> {
    let figure = |field: &str| figures[field].as_f64().unwrap_or(f64::NAN);
    vec![
        Row {
            what: "parse of 2,000 characters, one core",
            value: figure("parse_us"),
            unit: "µs",
            beside: format!("bare scan of the phrases {:.0} µs", figure("bare_scan_us")),
            floor: Bound::None,
            aim: Bound::AtMost(150.0),
        },
        Row {
            what: "search, one core",
            value: figure("search_us"),
            unit: "µs",
            beside: format!("brute force {:.0} µs", figure("brute_force_search_us")),
            floor: Bound::None,
            aim: Bound::AtMost(100.0),
        },
    ]
}

/// From lines such as `10 pieces of evidence: engine 61.0 us, plain dense 70.2 us`.
fn engine_rows(lines: &[String]) -> anyhow::Result<Vec<Row>> {
    let numbers = |line: &String| -> Vec<f64> {
        let words = line.split([' ', ',']);
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let turns: Vec<Vec<f64>> = lines.iter().map(numbers).collect();
    let [few, many] = turns.as_slice() else {
        anyhow::bail!(
            "the bench of the engine prints two lines, not {}",
            lines.len()
        );
    };
    let (&[_, engine, dense], &[_, engine_50, _]) = (few.as_slice(), many.as_slice()) else {
        anyhow::bail!("the bench of the engine prints three numbers a line");
    };
    Ok(vec![
        Row {
            what: "engine step, 800 conditions x 1,500 findings",
            value: engine / dense,
            unit: "x",
            beside: format!("{engine:.0} µs v. plain dense {dense:.0} µs"),
            floor: Bound::AtMost(1.0),
            aim: Bound::AtMost(0.35),
        },
        Row {
            what: "50 pieces of evidence against 10",
            value: engine_50 / engine,
            unit: "x",
            beside: format!("{engine_50:.0} µs v. {engine:.0} µs"),
            floor: Bound::AtMost(3.0),
            aim: Bound::AtMost(2.0),
        },
    ])
}

/// `cargo xtask bench engine`: one turn of reasoning over a synthetic base, beside a plain dense
/// version of the same arithmetic.
pub(crate) fn engine() -> anyhow::Result<()> {
    let lines = engine_lines()?;
    println!("{}", lines.join("\n"));
    write_figures("engine", &json!({ "turns": lines }))
}

fn engine_lines() -> anyhow::Result<Vec<String>> {
    println!("measuring the engine ...");
    let mut command = Command::new("cargo");
    command.args(["bench", "-p", "lafiya-eval", "--bench", "engine"]);
    let output = process::run(command.current_dir(workspace::root()), nothing)?;
    let lines: Vec<String> = output
        .lines()
        .filter(|line| line.contains("pieces of evidence"))
        .map(str::to_owned)
        .collect();
    ensure!(!lines.is_empty(), "the bench printed no figures:\n{output}");
    Ok(lines)
}

/// `cargo xtask bench start-up`: from process start to the first 200 of `/v1/health` on a fresh
/// data folder, and the resident memory two seconds later.
pub(crate) fn start_up(binary: Option<PathBuf>) -> anyhow::Result<()> {
    let binary = service_binary(binary)?;
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
    let figures = text_figures()?;
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

fn text_figures() -> anyhow::Result<serde_json::Value> {
    println!("building the reader in release ...");
    let output = Command::new("cargo")
        .args(["run", "--release", "--quiet", "--package", "lafiya-text"])
        .args(["--example", "speed"])
        .current_dir(workspace::root())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be started")?;
    ensure!(output.status.success(), "the bench did not run");
    Ok(serde_json::from_slice(&output.stdout)?)
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

/// The one that was named, or a release build.
fn service_binary(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(binary) = named {
        return fs::canonicalize(binary).context("that binary does not exist");
    }
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
    fn the_lines_of_the_engine_bench_become_two_rows() {
        let lines = [
            "10 pieces of evidence: engine 60.0 us, plain dense 80.0 us",
            "50 pieces of evidence: engine 120.0 us, plain dense 90.0 us",
        ];
        let rows = engine_rows(&lines.map(str::to_owned)).unwrap();
        assert_eq!((rows[0].value, rows[1].value), (0.75, 2.0));
    }

    #[test]
    fn the_median_lies_between_the_two_in_the_middle() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0].into_iter());
        assert_eq!((spread.min, spread.median), (1.0, 2.5));
        assert_eq!(Spread::of([3.0, 1.0, 2.0].into_iter()).median, 2.0);
    }
}
