//! Benchmarks, with limits measured in the same run. Each benchmark prints a table and writes the
//! same figures as JSON into `target/bench`, for comparing releases. [`all`] also draws a chart and
//! can write both into the documents.

mod connection;
mod disk;
mod engine;
mod facilities;
mod figures;
mod growth;
mod instructions;
mod key_check;
mod load;
mod machine;
mod memory;
mod others;
mod overload;
mod page;
mod picture;
mod postgres;
mod processor;
mod programs;
mod requests;
mod running;
mod service;
mod sparing;
mod start_up;
mod stored;
mod table;
mod text;

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::workspace;
use machine::Machine;
use running::{limit_binary, service_binary};
use table::Row;

/// The options of `cargo xtask bench all`.
pub(crate) struct Options {
    /// The binary to measure; `None` means a release build.
    pub(crate) binary: Option<PathBuf>,
    /// The parts to run; `None` means all.
    pub(crate) only: Option<Vec<String>>,
    /// The number of assessments over which memory is measured.
    pub(crate) assessments: usize,
    /// The maximum number of stored assessments for measuring growth.
    pub(crate) stored_max: usize,
    /// Whether to write the figures into the documents.
    pub(crate) save: bool,
}

impl Options {
    /// Returns the options for running everything, within some minutes.
    pub(crate) fn usual(binary: Option<PathBuf>) -> Self {
        Self {
            binary,
            only: None,
            assessments: 20_000,
            stored_max: 1_000_000,
            save: false,
        }
    }

    /// Returns the command that reproduces and saves the same figures, whatever binary was
    /// measured.
    fn command(&self) -> String {
        let mut command = "cargo xtask bench all --save".to_owned();
        if let Some(only) = &self.only {
            command += &format!(" --only {}", only.join(","));
        }
        let usual = Self::usual(None);
        for (option, wanted, usual) in [
            ("stored", self.stored_max, usual.stored_max),
            ("assessments", self.assessments, usual.assessments),
        ] {
            if wanted != usual {
                command += &format!(" --{option} {wanted}");
            }
        }
        command
    }
}

type Part = fn(&Measured<'_>) -> anyhow::Result<Vec<Row>>;

/// The parts in the order of the table. Those that need an idle machine most come first.
const PARTS: &[(&str, Part)] = &[
    ("start-up", |run| start_up::rows(&run.binary)),
    ("service", |run| {
        service::rows(&run.binary, &limit_binary()?)
    }),
    ("disk", |run| disk::rows(&run.binary)),
    ("postgres", |run| postgres::rows(&run.binary)),
    ("overload", |run| overload::rows(&run.binary)),
    ("memory", |run| {
        memory::rows(&run.binary, run.options.assessments)
    }),
    ("key-check", |_| key_check::rows()),
    ("engine", |run| engine::rows(run.engine()?)),
    ("instructions", |_| {
        Ok(instructions::row()?.into_iter().collect())
    }),
    ("text", |_| text::rows(&text::figures()?)),
    ("facilities", |_| facilities::rows()),
    ("stored", |run| {
        stored::rows(&run.binary, run.options.stored_max)
    }),
    ("others", |run| {
        others::rows(engine::step_us(run.engine()?)?)
    }),
];

/// The inputs of the parts.
struct Measured<'a> {
    binary: PathBuf,
    options: &'a Options,
    engine: OnceCell<String>,
}

impl Measured<'_> {
    /// Returns the output of the engine benchmark, which runs only once.
    fn engine(&self) -> anyhow::Result<&str> {
        if self.engine.get().is_none() {
            let _ = self.engine.set(engine::printed()?);
        }
        self.engine
            .get()
            .map(String::as_str)
            .context("it was just set")
    }
}

/// Returns the names of the parts, for the command line.
pub(crate) fn part_names() -> Vec<&'static str> {
    PARTS.iter().map(|(name, _)| *name).collect()
}

/// `cargo xtask bench all`: measures every row in one run, and writes a table, JSON and a chart. If
/// a part fails, the others still run.
pub(crate) fn all(options: &Options) -> anyhow::Result<()> {
    let measured = Measured {
        binary: service_binary(options.binary.as_deref())?,
        options,
        engine: OnceCell::new(),
    };
    let wanted = |name: &str| {
        let only = options.only.as_deref();
        only.is_none_or(|only| only.iter().any(|chosen| chosen == name))
    };
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for (name, part) in PARTS.iter().filter(|(name, _)| wanted(name)) {
        match part(&measured) {
            Ok(measured) => rows.extend(measured),
            Err(error) => {
                eprintln!("{name}: {error:#}");
                failed.push(*name);
            }
        }
    }
    let machine = Machine::this();
    println!(
        "\nMeasured on {}.\n\n{}",
        machine.sentence(),
        table::markdown(&rows)
    );
    let picture = picture::svg(&rows, &machine.sentence());
    let folder = workspace::target_dir().join("bench");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("all.svg"), &picture)?;
    let figures = json!({"machine": machine.as_json(), "rows": table::as_json(&rows)});
    write_figures("all", &figures)?;
    ensure!(failed.is_empty(), "not measured: {}", failed.join(", "));
    if options.save {
        page::save(&machine, &options.command(), &rows, &picture)?;
    }
    Ok(())
}

/// `cargo xtask bench engine`: measures one turn of reasoning over a synthetic knowledge base, next
/// to a simple dense implementation of the same arithmetic, and how it grows.
pub(crate) fn engine() -> anyhow::Result<()> {
    let printed = engine::printed()?;
    println!("{printed}\n{}", table::markdown(&engine::rows(&printed)?));
    let lines: Vec<&str> = printed.lines().collect();
    write_figures("engine", &json!({ "turns": lines }))
}

/// `cargo xtask bench start-up`: measures the time from process start to the first 200 of
/// `/v1/health` with an empty data folder, and the resident memory two seconds later.
pub(crate) fn start_up(binary: Option<&Path>) -> anyhow::Result<()> {
    let binary = service_binary(binary)?;
    write_figures("start-up", &start_up::measure(&binary)?)
}

/// `cargo xtask bench text`: measures reading 2,000 characters and searching, next to a plain scan
/// for the same phrases in the same run.
pub(crate) fn text() -> anyhow::Result<()> {
    let figures = text::figures()?;
    text::print(&figures);
    write_figures("text", &figures)
}

fn write_figures(name: &str, figures: &serde_json::Value) -> anyhow::Result<()> {
    let folder = workspace::target_dir().join("bench");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, format!("{figures:#}\n"))?;
    println!("\nwritten: {}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lists_non_default_options() {
        let mut options = Options::usual(None);
        assert_eq!(options.command(), "cargo xtask bench all --save");
        options.stored_max = 10_000_000;
        options.only = Some(vec!["stored".to_owned(), "disk".to_owned()]);
        let command = "cargo xtask bench all --save --only stored,disk --stored 10000000";
        assert_eq!(options.command(), command);
    }
}
