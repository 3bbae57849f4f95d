//! `lafiya knowledge`: the clinical content, for the people who write and review it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use lafiya_knowledge::{KnowledgeBase, Remark, Weight, check_dir, show, stats};
use serde::Serialize;

use super::{knowledge_reports, print_answer, say};
use crate::settings::Settings;
use crate::wiring;

/// The directory that is checked by default.
const DEFAULT_FOLDER: &str = "knowledge";

pub(super) fn command() -> Command {
    let folder = Arg::new("folder")
        .value_name("FOLDER")
        .default_value(DEFAULT_FOLDER)
        .help("The folder with the content");
    let notes = Arg::new("notes")
        .long("notes")
        .action(ArgAction::SetTrue)
        .help("Print what is worth a look, too");
    Command::new("knowledge")
        .about("Check, count, show and compare the clinical content")
        .subcommand_required(true)
        .subcommands(knowledge_reports::commands())
        .subcommand(
            Command::new("check")
                .about("Check a folder; silent when nothing is wrong")
                .arg(folder)
                .arg(notes),
        )
        .subcommand(Command::new("stats").about("Count what the base holds"))
        .subcommand(
            Command::new("show").about("Show one concept").arg(
                Arg::new("id")
                    .value_name("ID")
                    .required(true)
                    .help("Concept id, such as s_fever"),
            ),
        )
}

pub(super) fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    match matches.subcommand() {
        Some(("check", matches)) => check(matches),
        Some(("stats", matches)) => {
            let counted = stats::stats(&wiring::knowledge_base(settings)?);
            print_answer(matches, &counted, stats_for_people)
        }
        Some(("show", matches)) => show_concept(&wiring::knowledge_base(settings)?, matches),
        Some(("case-mix", matches)) => {
            knowledge_reports::case_mix(&wiring::knowledge_base(settings)?, matches)
        }
        Some(("separation", matches)) => {
            knowledge_reports::separation(&wiring::knowledge_base(settings)?, matches)
        }
        Some(("red-flags", matches)) => {
            knowledge_reports::red_flags(&wiring::knowledge_base(settings)?, matches)
        }
        Some(("diff", matches)) => knowledge_reports::diff(matches),
        _ => unreachable!("clap requires one of the subcommands"),
    }
}

#[derive(Serialize)]
struct RemarkRow {
    file: String,
    line: usize,
    check: &'static str,
    says: String,
    note: bool,
}

fn check(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let folder = matches
        .get_one::<String>("folder")
        .map_or(DEFAULT_FOLDER, String::as_str);
    let checked =
        check_dir(Path::new(folder)).with_context(|| format!("{folder} cannot be checked"))?;
    let wanted = |remark: &&Remark| matches.get_flag("notes") || remark.weight == Weight::Complaint;
    let rows: Vec<RemarkRow> = checked
        .remarks
        .iter()
        .filter(wanted)
        .map(|remark| RemarkRow {
            file: remark.file.clone(),
            line: remark.line,
            check: remark.check,
            says: remark.says.clone(),
            note: remark.weight == Weight::Note,
        })
        .collect();
    if matches.get_flag("json") {
        say(serde_json::to_string_pretty(&rows)?)?;
    } else {
        for remark in checked.remarks.iter().filter(wanted) {
            say(format_args!("{folder}/{remark}"))?;
        }
    }
    let complaints = checked.complaints().count();
    if complaints > 0 {
        eprintln!("{complaints} complaints");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn show_concept(base: &KnowledgeBase, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let id = matches.get_one::<String>("id").map_or("", String::as_str);
    let Some(concept) = base.resolve(id) else {
        bail!("there is no concept `{id}`");
    };
    #[derive(Serialize)]
    struct Shown {
        id: String,
        name: String,
        kind: &'static str,
        text: String,
    }
    let shown = Shown {
        id: base.id_of(concept).to_owned(),
        name: base.name_of(concept).to_owned(),
        kind: concept.kind().as_str(),
        text: show::show(base, concept),
    };
    print_answer(matches, &shown, |shown| shown.text.clone())
}

fn stats_for_people(counted: &stats::Stats) -> String {
    let mut text = format!(
        "Knowledge base {} ({})\n",
        counted.version,
        counted.content_hash.get(..12).unwrap_or_default()
    );
    for (what, count) in &counted.totals {
        text.push_str(&format!("\n{what:<28} {count:>6}"));
    }
    let tables = [
        ("Conditions by review", &counted.conditions_by_review),
        ("Conditions by level", &counted.conditions_by_level),
        ("Findings by red flag", &counted.findings_by_red_flag),
        ("Rules by level", &counted.rules_by_level),
        ("Conditions by category", &counted.conditions_by_category),
    ];
    for (title, table) in tables {
        text.push_str(&format!("\n\n{title}{}", bars(table)));
    }
    let coverage = &counted.coverage;
    text.push_str(&format!(
        "\n\n{} links between conditions and findings ({:.1} a condition), {} to risk factors, {} to tests; {} must not be missed, {} notifiable",
        coverage.finding_links,
        coverage.finding_links_per_condition,
        coverage.risk_links,
        coverage.lab_links,
        coverage.must_not_miss,
        coverage.notifiable
    ));
    let doses = &counted.doses;
    text.push_str(&format!(
        "\n{} doses of medicines in {} rows, {} cautions; {} conditions and rules refer to them; {} amounts are left in the prose of {}",
        doses.doses,
        doses.rows,
        doses.cautions,
        doses.in_prose.refer,
        doses.in_prose.amounts,
        doses.in_prose.with_amounts
    ));
    text
}

/// Formats a table with one line per row and its share as a bar.
pub(super) fn bars(table: &BTreeMap<String, usize>) -> String {
    let total = table.values().sum::<usize>().max(1);
    table
        .iter()
        .map(|(name, count)| {
            format!(
                "\n  {name:<28} {count:>5}  {}",
                "█".repeat((count * 40).div_ceil(total))
            )
        })
        .collect()
}
