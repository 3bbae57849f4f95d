//! `cargo xtask test`: runs the stages in order and times each against its budget. Each stage is
//! one small function; the budgets are in the table.

use std::cell::OnceCell;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::budget::{self, Outcome, Strictness};
use crate::process::{self, nothing, test_lines};
use crate::servers::Servers;
use crate::{browser, deploy, docs, faults, openapi, python, supply_chain, workspace};

/// One stage.
struct Stage {
    name: &'static str,
    budget_s: u64,
    /// Whether a failure ends the run, because the later stages depend on this one.
    gate: bool,
    /// Whether it uses PostgreSQL and Redis.
    servers: bool,
    run: fn(&Run) -> anyhow::Result<()>,
}

/// In the order of execution. The budgets are for a clean checkout on two cores.
const STAGES: &[Stage] = &[
    stage("servers", 20, start_servers).gate(),
    stage("format", 10, check_format),
    stage("clippy", 190, check_lints),
    stage("build", 390, build).gate(),
    stage("supply-chain", 70, judge_dependencies),
    stage("unit", 150, unit_tests).with_servers(),
    stage("knowledge", 10, check_knowledge),
    stage("blackbox-embedded", 180, black_box_embedded),
    stage("blackbox-servers", 180, black_box_servers).with_servers(),
    stage("faults", 140, break_everything),
    stage("contract", 30, foreign_contract),
    stage("fhir", 20, foreign_fhir),
    stage("browser", 100, in_the_browser),
    stage("docs", 10, check_docs),
];

const fn stage(name: &'static str, budget_s: u64, run: fn(&Run) -> anyhow::Result<()>) -> Stage {
    Stage {
        name,
        budget_s,
        gate: false,
        servers: false,
        run,
    }
}

impl Stage {
    const fn gate(mut self) -> Self {
        self.gate = true;
        self
    }

    const fn with_servers(mut self) -> Self {
        self.servers = true;
        self
    }
}

/// The options of the run.
pub(crate) struct Selection {
    /// Names of stages; `None` means all.
    pub(crate) only: Option<Vec<String>>,
    pub(crate) budgets: Strictness,
}

impl Selection {
    fn names(&self, stage: &Stage) -> bool {
        self.only.as_ref().is_none_or(|names| {
            names
                .iter()
                .any(|name| name == stage.name || is_group_of(name, stage.name))
        })
    }

    /// Whether a stage runs. The servers are included if a selected stage needs them.
    fn includes(&self, stage: &Stage) -> bool {
        let needed = || {
            STAGES
                .iter()
                .any(|stage| stage.servers && self.names(stage))
        };
        self.names(stage) || (stage.name == "servers" && needed())
    }
}

/// Whether a group includes a stage: `blackbox` means both `blackbox-embedded` and
/// `blackbox-servers`.
fn is_group_of(group: &str, stage: &str) -> bool {
    stage
        .split_once('-')
        .is_some_and(|(first, _)| first == group)
}

/// Returns the words that `--only` accepts.
pub(crate) fn stage_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
    names.push("blackbox");
    names
}

/// State shared by the stages of one run.
#[derive(Default)]
struct Run {
    servers: OnceCell<Servers>,
}

impl Run {
    fn servers(&self) -> anyhow::Result<&Servers> {
        self.servers.get().context("the servers are not running")
    }
}

/// Runs the selected stages.
pub(crate) fn run(selection: &Selection) -> anyhow::Result<()> {
    let run = Run::default();
    let mut outcomes = Vec::new();
    for stage in STAGES.iter().filter(|stage| selection.includes(stage)) {
        let outcome = run_stage(stage, &run);
        let ends_here = stage.gate && !outcome.passed;
        outcomes.push(outcome);
        if ends_here {
            break;
        }
    }
    println!("\n{}", budget::table(&outcomes));
    verdict(&outcomes, selection.budgets)
}

fn run_stage(stage: &Stage, run: &Run) -> Outcome {
    println!("==> {}", stage.name);
    let started = Instant::now();
    let result = (stage.run)(run);
    let took = started.elapsed();
    match &result {
        Ok(()) => println!("<== {} ok, {:.1} s", stage.name, took.as_secs_f64()),
        Err(error) => println!(
            "<== {} FAILED, {:.1} s: {error:#}",
            stage.name,
            took.as_secs_f64()
        ),
    }
    Outcome {
        stage: stage.name,
        took,
        budget: Duration::from_secs(stage.budget_s),
        passed: result.is_ok(),
    }
}

fn verdict(outcomes: &[Outcome], budgets: Strictness) -> anyhow::Result<()> {
    let pace = budget::pace(outcomes);
    let names = |chosen: &dyn Fn(&Outcome) -> bool| -> Vec<&str> {
        let chosen = outcomes.iter().filter(|outcome| chosen(outcome));
        chosen.map(|outcome| outcome.stage).collect()
    };
    let failed = names(&|outcome| !outcome.passed);
    let slow = names(&|outcome| outcome.over_budget(pace));
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    if budgets == Strictness::Enforced && !slow.is_empty() {
        bail!(
            "far beyond the time budget: {} (make it faster, or raise the budget with a reason)",
            slow.join(", ")
        );
    }
    Ok(())
}

fn cargo(words: &str) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(words.split(' '))
        .current_dir(workspace::root());
    command
}

fn start_servers(run: &Run) -> anyhow::Result<()> {
    let servers = Servers::start()?;
    let _ = run.servers.set(servers);
    Ok(())
}

fn check_format(_: &Run) -> anyhow::Result<()> {
    process::run(&mut cargo("fmt --all --check"), nothing).map(drop)
}

fn check_lints(_: &Run) -> anyhow::Result<()> {
    let mut clippy = cargo("clippy --workspace --all-targets -- -D warnings");
    process::run(&mut clippy, nothing).map(drop)
}

/// Builds everything that the later stages run, so that their times exclude compilation.
fn build(_: &Run) -> anyhow::Result<()> {
    python::interpreter()?;
    workspace::build()
}

fn judge_dependencies(_: &Run) -> anyhow::Result<()> {
    supply_chain::check()
}

fn unit_tests(run: &Run) -> anyhow::Result<()> {
    let mut tests = cargo("test --workspace --exclude lafiya-blackbox --no-fail-fast");
    tests.envs(run.servers()?.variables());
    let output = process::run(&mut tests, test_lines)?;
    ensure!(
        output.contains("test result: ok."),
        "cargo test ran no tests"
    );
    Ok(())
}

/// Checks that the knowledge base has no complaints; the command then prints nothing.
fn check_knowledge(_: &Run) -> anyhow::Result<()> {
    workspace::build()?;
    let mut check = Command::new(workspace::debug_binary());
    check
        .args(["knowledge", "check"])
        .current_dir(workspace::root());
    let output = process::run(&mut check, nothing)?;
    if !output.trim().is_empty() {
        println!("{output}");
        bail!("`lafiya knowledge check` has complaints");
    }
    Ok(())
}

fn black_box_embedded(_: &Run) -> anyhow::Result<()> {
    black_box("embedded", &[])
}

fn black_box_servers(run: &Run) -> anyhow::Result<()> {
    let servers = run.servers()?;
    black_box(
        "servers",
        &[
            ("LAFIYA_BLACKBOX_POSTGRES_URL", &servers.postgres_url),
            ("LAFIYA_BLACKBOX_REDIS_URL", &servers.redis_url),
        ],
    )
}

/// Runs the black-box suite on one of the backends, against the built binary.
fn black_box(backend: &str, variables: &[(&str, &str)]) -> anyhow::Result<()> {
    workspace::build()?;
    let mut tests = cargo("test --workspace --test blackbox");
    tests
        .env("LAFIYA_BLACKBOX_BACKEND", backend)
        .env("LAFIYA_BLACKBOX_BINARY", workspace::debug_binary())
        .env("LAFIYA_BLACKBOX_PYTHON", python::interpreter()?)
        .envs(variables.iter().copied());
    let output = process::run(&mut tests, test_lines)?;
    ensure!(
        output.contains("test result: ok."),
        "cargo test ran no tests"
    );
    Ok(())
}

/// Runs the faults.
fn break_everything(_: &Run) -> anyhow::Result<()> {
    workspace::build()?;
    faults::test(&faults::Options::default())
}

/// Tests the API against its own document with schemathesis.
fn foreign_contract(_: &Run) -> anyhow::Result<()> {
    with_python("contract")
}

/// Tests FHIR with clients and validators from PyPI.
fn foreign_fhir(_: &Run) -> anyhow::Result<()> {
    with_python("fhir")
}

/// Runs a suite that verifies our answers with external Python libraries.
fn with_python(suite: &str) -> anyhow::Result<()> {
    workspace::build()?;
    let mut tests = cargo("test --workspace --test");
    tests
        .arg(suite)
        .env("LAFIYA_BLACKBOX_BACKEND", "embedded")
        .env("LAFIYA_BLACKBOX_BINARY", workspace::debug_binary())
        .env("LAFIYA_BLACKBOX_PYTHON", python::interpreter()?);
    let output = process::run(&mut tests, test_lines)?;
    ensure!(
        output.contains("test result: ok."),
        "cargo test ran no tests"
    );
    Ok(())
}

/// Tests with a real inference server from PyPI and a model of random weights. Too slow for every
/// change.
pub(crate) fn inference() -> anyhow::Result<()> {
    workspace::build()?;
    let mut tests = cargo("test -p lafiya-blackbox --test inference -- --nocapture");
    tests
        .env("LAFIYA_BLACKBOX_BACKEND", "embedded")
        .env("LAFIYA_BLACKBOX_BINARY", workspace::debug_binary())
        .env("LAFIYA_BLACKBOX_PYTHON", python::inference_interpreter()?);
    process::run(&mut tests, nothing).map(|output| println!("{output}"))
}

fn in_the_browser(_: &Run) -> anyhow::Result<()> {
    workspace::build()?;
    browser::test()
}

/// Reports all problems in the documents at once.
fn check_docs(_: &Run) -> anyhow::Result<()> {
    workspace::build()?;
    let mut complaints = docs::complaints()?;
    complaints.extend(deploy::complaints()?);
    if let Err(drift) = openapi::check() {
        complaints.push(format!("{drift:#}"));
    }
    for complaint in &complaints {
        println!("      {complaint}");
    }
    ensure!(complaints.is_empty(), "{} complaints", complaints.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[&str]) -> Vec<&'static str> {
        let selection = Selection {
            only: Some(only.iter().map(|&name| name.to_owned()).collect()),
            budgets: Strictness::Enforced,
        };
        STAGES
            .iter()
            .filter(|stage| selection.includes(stage))
            .map(|stage| stage.name)
            .collect()
    }

    #[test]
    fn servers_are_started_when_a_selected_stage_needs_them() {
        assert_eq!(chosen(&["unit"]), ["servers", "unit"]);
        assert_eq!(chosen(&["docs"]), ["docs"]);
        assert_eq!(
            chosen(&["blackbox"]),
            ["servers", "blackbox-embedded", "blackbox-servers"]
        );
    }

    #[test]
    fn the_budgets_add_up_to_less_than_twenty_five_minutes() {
        let total: u64 = STAGES.iter().map(|stage| stage.budget_s).sum();
        assert!(total <= 25 * 60, "{total} s");
    }
}
