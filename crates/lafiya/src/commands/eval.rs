//! `lafiya eval`: clinical scores, computed in this process, with a progress bar and a chart.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use lafiya_engine::Parameters;
use lafiya_eval::{
    Case, CaseError, Ddxplus, Draw, Mode, Outcome, Recall, Runner, Simulation, fit, html,
    read_cases, read_ddxplus_cases, recall_table, set_parameter, simulate, table,
};
use lafiya_knowledge::KnowledgeBase;

use super::say;
use crate::settings::Settings;
use crate::wiring;

pub(super) fn command() -> Command {
    Command::new("eval")
        .about("Run case files (JSON Lines) and print clinical scores")
        .arg(
            Arg::new("files")
                .value_name("CASES")
                .required_unless_present("simulate")
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("Case files"),
        )
        .arg(
            Arg::new("simulate")
                .long("simulate")
                .value_name("N")
                .conflicts_with_all(["files", "fit"])
                .value_parser(value_parser!(usize))
                .help("Draw N patients from the base and interview them"),
        )
        .arg(
            Arg::new("draw")
                .long("draw")
                .value_name("HOW")
                .default_value("mix")
                .value_parser(["mix", "even"])
                .help("Simulated patients: as they come to a clinic, or every condition equally often"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .default_value("1")
                .value_parser(value_parser!(u64))
                .help("The same seed draws the same simulated patients"),
        )
        .arg(
            Arg::new("mode")
                .long("mode")
                .value_name("MODE")
                .default_value("text")
                .value_parser(["text", "findings", "interview"])
                .help("How a case is put to the engine"),
        )
        .arg(
            Arg::new("questions")
                .long("questions")
                .value_name("N")
                .default_value("12")
                .value_parser(value_parser!(usize))
                .help("Questions at most (interview)"),
        )
        .arg(
            Arg::new("ddxplus")
                .long("ddxplus")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("The cases are of DDXPlus: reason over a base made from the rates in this folder"),
        )
        .arg(
            Arg::new("report")
                .long("report")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write an HTML page with pictures"),
        )
        .arg(
            Arg::new("misses")
                .long("misses")
                .action(ArgAction::SetTrue)
                .help("Print the cases that were not answered right"),
        )
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("NAME=NUMBER")
                .action(ArgAction::Append)
                .help("Try another value of a model parameter"),
        )
        .arg(
            Arg::new("fit").long("fit").action(ArgAction::SetTrue).help(
                "Set the model's global parameters on these cases, judged by cross-validation",
            ),
        )
}

pub(super) fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let mode = match matches.get_one::<String>("mode").map(String::as_str) {
        Some("findings") => Mode::Findings,
        Some("interview") => Mode::Interview,
        _ => Mode::Text,
    };
    let files: Vec<&PathBuf> = matches
        .get_many::<PathBuf>("files")
        .into_iter()
        .flatten()
        .collect();
    let questions = matches.get_one::<usize>("questions").copied().unwrap_or(12);
    if let Some(folder) = matches.get_one::<PathBuf>("ddxplus") {
        let world = Ddxplus::read(folder)?;
        let parameters = read_parameters(Ddxplus::parameters(), matches)?;
        let cases = read_all(&files, read_ddxplus_cases)?;
        let outcomes = with_progress(&cases, |case| world.run(case, mode, &parameters, questions));
        say(table(&outcomes).trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let base = wiring::knowledge_base(settings)?;
    let parameters = read_parameters(Parameters::default(), matches)?;
    if let Some(patients) = matches.get_one::<usize>("simulate") {
        let outcomes = run_simulation(&base, *patients, questions, &parameters, matches);
        return answer(&outcomes, "simulated patients", matches);
    }
    let runner = Runner::new(&base);
    let cases = read_all(&files, read_cases)?;
    if matches.get_flag("fit") {
        return fit_parameters(&runner, &cases, mode, parameters);
    }
    let outcomes = with_progress(&cases, |case| {
        runner.run(case, mode, &parameters, questions)
    });
    let recalls = recalls_of_text(&runner, &cases, mode);
    if !recalls.is_empty() && !matches.get_flag("json") {
        let by_set = cases.iter().map(|case| case.set.as_str()).zip(&recalls);
        say(recall_table(by_set))?;
    }
    if matches.get_flag("misses") {
        print_unread(&cases, &recalls)?;
    }
    answer(&outcomes, "clinical evaluation", matches)
}

fn run_simulation(
    base: &KnowledgeBase,
    patients: usize,
    questions_max: usize,
    parameters: &Parameters,
    matches: &ArgMatches,
) -> Vec<Outcome> {
    let simulation = Simulation {
        patients,
        draw: match matches.get_one::<String>("draw").map(String::as_str) {
            Some("even") => Draw::Even,
            _ => Draw::Mix,
        },
        questions_max,
        seed: matches.get_one::<u64>("seed").copied().unwrap_or(1),
    };
    let bar = progress(patients, "patients");
    let outcomes = simulate(base, &simulation, parameters, &|| bar.inc(1));
    bar.finish_and_clear();
    outcomes
}

/// Prints the scores per set and in total, and any other requested output.
fn answer(outcomes: &[Outcome], what: &str, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    if matches.get_flag("json") {
        let scores = lafiya_eval::score(outcomes.iter());
        say(serde_json::to_string_pretty(&scores)?)?;
    } else {
        say(table(outcomes).trim_end())?;
    }
    if matches.get_flag("misses") {
        print_misses(outcomes)?;
    }
    if let Some(path) = matches.get_one::<PathBuf>("report") {
        let title = format!("Lafiya: {what}, {} cases", outcomes.len());
        std::fs::write(path, html(outcomes, &title))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        eprintln!("The report is in {}.", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn read_all<T>(
    files: &[&PathBuf],
    read: fn(&Path) -> Result<Vec<T>, CaseError>,
) -> anyhow::Result<Vec<T>> {
    let mut cases = Vec::new();
    for file in files {
        cases.extend(read(file)?);
    }
    Ok(cases)
}

fn with_progress<T>(cases: &[T], run: impl Fn(&T) -> Outcome) -> Vec<Outcome> {
    let bar = progress(cases.len(), "cases");
    let outcomes = cases
        .iter()
        .map(|case| {
            bar.inc(1);
            run(case)
        })
        .collect();
    bar.finish_and_clear();
    outcomes
}

fn progress(count: usize, of_what: &str) -> ProgressBar {
    let template = format!("{{bar:40}} {{pos}}/{{len}} {of_what}, {{eta}} left");
    let style =
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style)
}

/// Returns, in text mode, how much of each case's lists was recognised in its story. Empty in other
/// modes, or if no case has lists.
fn recalls_of_text(runner: &Runner<'_>, cases: &[Case], mode: Mode) -> Vec<Recall> {
    let listed = cases
        .iter()
        .any(|case| !(case.present.is_empty() && case.absent.is_empty()));
    if mode != Mode::Text || !listed {
        return Vec::new();
    }
    cases.iter().map(|case| runner.recall(case)).collect()
}

fn print_unread(cases: &[Case], recalls: &[Recall]) -> io::Result<()> {
    for (case, recall) in cases.iter().zip(recalls) {
        for (what, list) in [
            ("not read", &recall.missed),
            ("read the other way", &recall.turned),
            ("read beyond the lists", &recall.beyond),
        ] {
            if !list.is_empty() {
                say(format_args!("{} {what}: {}", case.id, list.join("; ")))?;
            }
        }
    }
    Ok(())
}

fn print_misses(outcomes: &[Outcome]) -> io::Result<()> {
    for outcome in outcomes
        .iter()
        .filter(|outcome| outcome.rank != Some(1) || outcome.is_under() || outcome.is_over())
    {
        let place = outcome.rank.map_or("-".to_owned(), |rank| rank.to_string());
        let covered = if outcome.covered {
            ""
        } else {
            " (not in the base)"
        };
        let level = outcome
            .level
            .map_or("none".to_owned(), |level| level.to_string());
        let wanted = outcome
            .wanted_level
            .map_or(String::new(), |(_, _, wanted)| format!(" wanted {wanted}"));
        let mark = if outcome.is_under() {
            " UNDER"
        } else if outcome.is_over() {
            " OVER"
        } else {
            ""
        };
        say(format_args!(
            "\n{} {}{covered}: place {place}; {level}{wanted}{mark}",
            outcome.id, outcome.diagnosis
        ))?;
        say(format_args!("   because: {}", outcome.because))?;
        say(format_args!("   {}", outcome.top.join(", ")))?;
        say(format_args!("   {}", outcome.understood.join(" ")))?;
        if !outcome.not_understood.is_empty() {
            let list = outcome.not_understood.join("; ");
            say(format_args!("   not understood: {list}"))?;
        }
    }
    Ok(())
}

fn fit_parameters(
    runner: &Runner<'_>,
    cases: &[Case],
    mode: Mode,
    start: Parameters,
) -> anyhow::Result<ExitCode> {
    eprintln!(
        "Setting the parameters on {} cases; this takes a while.",
        cases.len()
    );
    let report = fit(runner, cases, mode, start);
    say(format_args!(
        "log-probability of the right answer: {:.4} now, {:.4} on held-out folds",
        report.before, report.held_out
    ))?;
    say(format_args!(
        "triage cost: {:.4} now, {:.4} on held-out folds",
        report.triage_before, report.triage_held_out
    ))?;
    say(format_args!(
        "Brier score of the first answer: {:.4} now, {:.4} on held-out folds",
        report.brier_before, report.brier_held_out
    ))?;
    say(format_args!("{:#?}", report.parameters))?;
    Ok(ExitCode::SUCCESS)
}

fn read_parameters(mut parameters: Parameters, matches: &ArgMatches) -> anyhow::Result<Parameters> {
    for wish in matches.get_many::<String>("set").into_iter().flatten() {
        let read = wish
            .split_once('=')
            .and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let (name, value) = read.with_context(|| format!("--set {wish} is not NAME=NUMBER"))?;
        anyhow::ensure!(
            set_parameter(&mut parameters, name, value),
            "there is no parameter {name}"
        );
    }
    Ok(parameters)
}
