//! Counts the instructions of one turn of reasoning with callgrind: a figure that is independent of
//! other load. The program is `crates/lafiya-eval/benches/engine.rs`.

use std::process::Command;

use anyhow::{Context, ensure};

use super::table::{Bound, Row};
use crate::workspace;

/// Two runs with these numbers of turns: their difference contains only turns.
const TURNS: [usize; 2] = [20, 60];
const COUNTER: &str = "valgrind --tool=callgrind --callgrind-out-file=/dev/null";

/// Returns the row; `None` if valgrind is not installed.
pub(super) fn row() -> anyhow::Result<Option<Row>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not installed: instructions are not counted");
        return Ok(None);
    }
    println!("counting the instructions of the engine ...");
    let [few, many] = TURNS;
    let between = instructions_of(many)? - instructions_of(few)?;
    Ok(Some(Row {
        what: "instructions of an engine step",
        value: between / (many - few) as f64 / 1e3,
        unit: "thousand",
        beside: format!("callgrind, {many} turns less {few}, with the allocator of the service"),
        floor: Bound::None,
        aim: Bound::AtMost(200.0),
        ..Row::default()
    }))
}

fn instructions_of(turns: usize) -> anyhow::Result<f64> {
    let output = Command::new("cargo")
        .args([
            "--config",
            &format!("target.'cfg(unix)'.runner = '{COUNTER}'"),
        ])
        .args([
            "bench",
            "--quiet",
            "--package",
            "lafiya-eval",
            "--bench",
            "engine",
        ])
        .env("LAFIYA_BENCH_TURNS", turns.to_string())
        .current_dir(workspace::root())
        .output()
        .context("cargo cannot be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the engine was not counted: {said}"
    );
    collected(&said).with_context(|| format!("callgrind counted nothing: {said}"))
}

/// Parses a line such as `==71== Collected : 123456`.
fn collected(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_callgrind_output() {
        let said = "==71== Events    : Ir\n==71== Collected : 123456\n==71==\n";
        assert_eq!(collected(said), Some(123_456.0));
        assert_eq!(collected("nothing"), None);
    }
}
