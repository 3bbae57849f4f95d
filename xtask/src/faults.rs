//! `cargo xtask faults`: breaks every dependency of the service, one at a time, and writes the
//! results into `docs/operating/reliability.md`. `cargo xtask test` runs the same faults as a
//! stage, without changing the document.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::marks::Marks;
use crate::process::{self, test_lines};
use crate::{servers, workspace};

const DOCUMENT: &str = "docs/operating/reliability.md";
const TABLE: Marks = Marks {
    begin: "<!-- written by `cargo xtask faults`: begin -->\n",
    end: "<!-- written by `cargo xtask faults`: end -->",
};

/// Two threads work while a third waits for the servers. More would affect each other's
/// measurements.
const THREADS: &str = "3";

/// The options: which faults to run, and with which binaries.
#[derive(Default)]
pub(crate) struct Options {
    /// Faults whose name contains this; `None` means all.
    pub(crate) only: Option<String>,
    /// The binary to test; the debug build by default.
    pub(crate) binary: Option<PathBuf>,
    /// The binary that an upgrade starts from; the tested one by default.
    pub(crate) older: Option<PathBuf>,
}

/// Runs the faults and writes the table. If only some were selected, the table is just printed.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    workspace::build()?;
    test(options)?;
    let rows = rows()?;
    if options.only.is_some() {
        println!("{}", table(&rows));
        return Ok(());
    }
    let together = serde_json::to_string_pretty(&rows)?;
    fs::write(folder().join("all.json"), together)?;
    let path = workspace::root().join(DOCUMENT);
    let text = fs::read_to_string(&path).with_context(|| DOCUMENT)?;
    fs::write(&path, TABLE.fill(&text, &table(&rows))?)?;
    println!("{}\nwritten into {DOCUMENT}", table(&rows));
    Ok(())
}

/// Runs the fault tests.
pub(crate) fn test(options: &Options) -> anyhow::Result<()> {
    let built = workspace::debug_binary();
    let binary = options.binary.as_ref().unwrap_or(&built);
    let folder = folder();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    servers::install_what_is_missing()?;
    let mut tests = Command::new("cargo");
    tests
        .args(["test", "--workspace", "--test", "faults", "--no-fail-fast"])
        .args(&options.only)
        .current_dir(workspace::root())
        .env("RUST_TEST_THREADS", THREADS)
        .env("LAFIYA_BLACKBOX_BACKEND", "embedded")
        .env("LAFIYA_BLACKBOX_BINARY", binary)
        .env(
            "LAFIYA_BLACKBOX_OLDER",
            options.older.as_ref().unwrap_or(binary),
        )
        .env("LAFIYA_BLACKBOX_SERVERS", crate::process::own_program()?)
        .env("LAFIYA_BLACKBOX_FAKETIME", faketime()?)
        .env("LAFIYA_FAULTS_DIR", &folder);
    let output = process::run(&mut tests, test_lines)?;
    ensure!(
        output.contains("test result: ok."),
        "cargo test ran no tests"
    );
    Ok(())
}

fn folder() -> PathBuf {
    workspace::target_dir().join("faults")
}

/// Returns the library that gives the service a false system time.
fn faketime() -> anyhow::Result<PathBuf> {
    if let Some(library) = installed_faketime() {
        return Ok(library);
    }
    servers::install(&["libfaketime"])?;
    installed_faketime().context("libfaketime is installed but not found")
}

fn installed_faketime() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut folders = folders.map(|entry| entry.path().join("faketime"));
    folders
        .find_map(|folder| Some(folder.join("libfaketime.so.1")).filter(|path| path.exists()))
        .or_else(|| {
            let elsewhere = PathBuf::from("/usr/lib64/faketime/libfaketime.so.1");
            elsewhere.exists().then_some(elsewhere)
        })
}

/// Returns the results written by the tests, in the order of the table.
fn rows() -> anyhow::Result<Vec<Value>> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name != "all.json") {
            let text = fs::read_to_string(&path)?;
            rows.push(serde_json::from_str(&text).with_context(|| path.display().to_string())?);
        }
    }
    ensure!(!rows.is_empty(), "the tests left no figures");
    let place = |row: &Value| (row["group"].to_string(), row["test"].to_string());
    rows.sort_by_key(place);
    Ok(rows)
}

fn table(rows: &[Value]) -> String {
    let mut text = String::from(
        "| Fault | What was done | In flight | Answered | Sent again | Lost | Doubled | Health truthful after | Recovered after | Repeat with |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let time = |value: &Value| match value.as_u64() {
        Some(ms) => format!("{:.1} s", ms as f64 / 1000.0),
        None => "nothing to tell".to_owned(),
    };
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | `cargo xtask faults {}` |",
            words(&row["fault"]),
            words(&row["done"]),
            row["in_flight"],
            row["acknowledged"],
            row["repeated"],
            row["lost"],
            row["doubled"],
            time(&row["truthful_after_ms"]),
            time(&row["recovered_after_ms"]),
            words(&row["test"]),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_its_counts() {
        let row = serde_json::json!({
            "fault": "Redis killed", "done": "kill -9", "in_flight": 8, "acknowledged": 120,
            "repeated": 0, "lost": 0, "doubled": 0, "truthful_after_ms": 640,
            "recovered_after_ms": 1230, "test": "cache::killed",
        });
        let table = table(&[row]);
        assert!(
            table.contains("| Redis killed | kill -9 | 8 | 120 | 0 | 0 | 0 | 0.6 s | 1.2 s |"),
            "{table}"
        );
    }
}
