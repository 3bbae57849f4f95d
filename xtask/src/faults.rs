//! `cargo xtask faults`: breaks everything the service stands on, one thing at a time, and writes what
//! became of it into `docs/operating/reliability.md`. The test command runs the same as a stage of
//! its own and leaves the document alone.

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

/// Two work while a third waits for the servers: more would measure each other.
const THREADS: &str = "3";

/// What is to be broken, and which part of it.
#[derive(Default)]
pub(crate) struct Wish {
    /// Faults whose name contains this, or nothing for all of them.
    pub(crate) only: Option<String>,
    /// The debug build unless named.
    pub(crate) binary: Option<PathBuf>,
    /// The binary that an upgrade begins with; the same one unless named.
    pub(crate) older: Option<PathBuf>,
}

/// Runs the faults and writes the table; of a part of them it is only printed.
pub(crate) fn run(wish: &Wish) -> anyhow::Result<()> {
    workspace::build()?;
    test(wish)?;
    let rows = rows()?;
    if wish.only.is_some() {
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

/// Runs the faults.
pub(crate) fn test(wish: &Wish) -> anyhow::Result<()> {
    let built = workspace::debug_binary();
    let binary = wish.binary.as_ref().unwrap_or(&built);
    let folder = folder();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    servers::install_what_is_missing()?;
    let mut tests = Command::new("cargo");
    tests
        .args(["test", "--workspace", "--test", "faults", "--no-fail-fast"])
        .args(&wish.only)
        .current_dir(workspace::root())
        .env("RUST_TEST_THREADS", THREADS)
        .env("LAFIYA_BLACKBOX_BACKEND", "embedded")
        .env("LAFIYA_BLACKBOX_BINARY", binary)
        .env(
            "LAFIYA_BLACKBOX_OLDER",
            wish.older.as_ref().unwrap_or(binary),
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

/// The library by which the service is told a wrong time.
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

/// What the tests left, in the order of the table.
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
    fn a_row_says_what_was_counted() {
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
