//! Measures starts of the service with an empty folder: the time until it is healthy, the time
//! until the first assessment, and the resident memory; and the size of the binary.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::figures::Spread;
use super::requests;
use super::running::{Running, Service, resident_mib};
use super::table::{Bound, Row};
use crate::http::{free_address, get_status};
use crate::servers::poll;

const RUNS: usize = 10;
const IDLE: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(30);

/// One start of the service.
struct Start {
    ready_ms: f64,
    resident_mib: f64,
}

/// Measures ten starts, prints them and returns the figures.
pub(super) fn measure(binary: &Path) -> anyhow::Result<Value> {
    let mut starts = Vec::with_capacity(RUNS);
    for run in 1..=RUNS {
        let start = one_start(binary)?;
        println!(
            "run {run:>2}: ready after {:>7.1} ms, {:>6.1} MiB resident",
            start.ready_ms, start.resident_mib
        );
        starts.push(start);
    }
    let ready = Spread::of(starts.iter().map(|start| start.ready_ms));
    let resident = Spread::of(starts.iter().map(|start| start.resident_mib));
    println!("\n{:<24} {:>9} {:>9}", "start-up", "min", "median");
    for (what, spread) in [
        ("ready after, ms", &ready),
        ("resident at rest, MiB", &resident),
    ] {
        println!("{what:<24} {:>9.1} {:>9.1}", spread.min, spread.median);
    }
    Ok(json!({
        "runs": RUNS,
        "ready_ms": {"min": ready.min, "median": ready.median},
        "resident_mib": {"min": resident.min, "median": resident.median},
    }))
}

/// Returns the rows about size and start-up.
pub(super) fn rows(binary: &Path) -> anyhow::Result<Vec<Row>> {
    Ok(vec![size_row(binary)?, first_assessment_row(binary)?])
}

fn size_row(binary: &Path) -> anyhow::Result<Row> {
    Ok(Row {
        what: "binary, stripped, knowledge inside",
        value: fs::metadata(binary)?.len() as f64 / 1e6,
        unit: "MB",
        beside: "size of the file".to_owned(),
        floor: Bound::AtMost(60.0),
        aim: Bound::AtMost(30.0),
        ..Row::default()
    })
}

/// Measures the time from process start with an empty folder to the first answered assessment.
fn first_assessment_row(binary: &Path) -> anyhow::Result<Row> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = Instant::now();
        let service = Service::start(binary, &[])?;
        let request = service.request(&requests::assess());
        let address = service.target().address;
        let answered = || matches!(request.once(address), Ok(answer) if answer.status == 200);
        ensure!(
            poll(PATIENCE, || answered().then_some(())).is_some(),
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
        ..Row::default()
    })
}

fn one_start(binary: &Path) -> anyhow::Result<Start> {
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

/// Waits for the port without busy-waiting on the core that the service starts on.
fn first_healthy_answer(address: SocketAddr) -> Option<Instant> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if std::net::TcpStream::connect(address).is_ok() {
            return poll(PATIENCE, || {
                (get_status(address, "/v1/health") == Some(200)).then(Instant::now)
            });
        }
        thread::sleep(Duration::from_millis(1));
    }
    None
}
