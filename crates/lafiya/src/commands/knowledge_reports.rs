//! Reports on the clinical content, for the people who write and review it: the case mix it
//! implies, the conditions it cannot tell apart, its false alarms, and the effect of a change.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use lafiya_engine::Parameters;
use lafiya_eval::{
    Confusion, Difference, MixOf, Mode, Runner, Share, commonest, compare, confusions, read_cases,
};
use lafiya_knowledge::{KnowledgeBase, stats};
use lafiya_model::TriageLevel;
use serde::{Deserialize, Serialize};

use super::print_answer;

/// Number of conditions shown per case mix.
const COMMONEST: usize = 10;
/// The care settings whose case mix is shown.
const SETTINGS: &str = include_str!("../../../../evaluation/case-mix.toml");

#[derive(Deserialize)]
struct Settings {
    mix: Vec<MixOf>,
}

pub(super) fn commands() -> [Command; 4] {
    let number = |name: &'static str, default: &'static str, says: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .default_value(default)
            .value_parser(value_parser!(usize))
            .help(says)
    };
    let cases = Arg::new("cases")
        .long("cases")
        .value_name("CASES")
        .num_args(1..)
        .value_parser(value_parser!(PathBuf));
    [
        Command::new("case-mix")
            .about("What a clinic would see if the priors were right, by age, place and month"),
        Command::new("separation")
            .about("The conditions whose textbook patients are taken for another")
            .arg(number("top", "40", "Pairs shown")),
        Command::new("red-flags")
            .about("How many findings, rules and conditions raise the alarm")
            .arg(
                cases
                    .clone()
                    .help("Case files: how many harmless cases are sent to emergency"),
            ),
        Command::new("diff")
            .about("What a change of the content does to simulated patients and cases")
            .arg(
                Arg::new("old")
                    .value_name("OLD")
                    .required(true)
                    .help("Folder before"),
            )
            .arg(
                Arg::new("new")
                    .value_name("NEW")
                    .required(true)
                    .help("Folder now"),
            )
            .arg(number("simulate", "1000", "Simulated patients"))
            .arg(number("seed", "1", "The same seed draws the same patients"))
            .arg(number("top", "40", "Changed cases shown"))
            .arg(cases.help("Case files to compare as well")),
    ]
}

#[derive(Serialize)]
struct Mix {
    title: String,
    commonest: Vec<Share>,
}

pub(super) fn case_mix(base: &KnowledgeBase, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let settings: Settings = toml::from_str(SETTINGS)?;
    let mixes = settings
        .mix
        .into_iter()
        .map(|of| {
            Ok(Mix {
                commonest: commonest(base, &of, COMMONEST)
                    .with_context(|| format!("`{}` is not an age", of.age))?,
                title: of.title,
            })
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    print_answer(matches, &mixes, |mixes| {
        mixes
            .iter()
            .map(|mix| {
                let rows: String = mix
                    .commonest
                    .iter()
                    .map(|condition| {
                        let bar = "█".repeat((condition.per_1000 / 5.0).ceil().min(60.0) as usize);
                        format!(
                            "\n  {:>6.1}  {:<44} {bar}",
                            condition.per_1000, condition.name
                        )
                    })
                    .collect();
                format!("{} (of 1,000 visits){rows}\n\n", mix.title)
            })
            .collect()
    })
}

pub(super) fn separation(base: &KnowledgeBase, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let top = matches.get_one::<usize>("top").copied().unwrap_or(40);
    let mut pairs = confusions(base, &Parameters::default());
    let recognised = |place: usize| pairs.iter().filter(|pair| pair.place <= place).count();
    let summary = format!(
        "{} textbook patients: {} first, {} among the first three\n",
        pairs.len(),
        recognised(1),
        recognised(3)
    );
    pairs.truncate(top);
    print_answer(matches, &pairs, |pairs| {
        let row = |confusion: &Confusion| {
            format!(
                "\n{:<46} place {:>2}, {:.2}  taken for {:<46} {:.2}  ({})",
                confusion.id,
                confusion.place,
                confusion.probability,
                confusion.taken_for,
                confusion.taken_for_probability,
                confusion.separated_by.join(", ")
            )
        };
        summary + &pairs.iter().map(row).collect::<String>()
    })
}

#[derive(Serialize)]
struct RedFlags {
    findings: std::collections::BTreeMap<String, usize>,
    conditions: std::collections::BTreeMap<String, usize>,
    rules: std::collections::BTreeMap<String, usize>,
    /// Cases that need no more than a routine visit; `harmless_to_emergency` of them were triaged
    /// as emergencies.
    harmless_cases: usize,
    harmless_to_emergency: usize,
}

pub(super) fn red_flags(base: &KnowledgeBase, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let counted = stats::stats(base);
    let runner = Runner::new(base);
    let (mut harmless, mut to_emergency) = (0, 0);
    for file in matches.get_many::<PathBuf>("cases").into_iter().flatten() {
        for case in read_cases(file)? {
            if case
                .triage
                .is_some_and(|level| level <= TriageLevel::Routine)
            {
                harmless += 1;
                let outcome = runner.run(&case, Mode::Text, &Parameters::default(), 0);
                to_emergency += usize::from(outcome.level == Some(TriageLevel::Emergency));
            }
        }
    }
    let budget = RedFlags {
        findings: counted.findings_by_red_flag,
        conditions: counted.conditions_by_level,
        rules: counted.rules_by_level,
        harmless_cases: harmless,
        harmless_to_emergency: to_emergency,
    };
    print_answer(matches, &budget, |budget| {
        let mut text = String::new();
        for (title, table) in [
            ("Findings by red flag", &budget.findings),
            ("Conditions by level", &budget.conditions),
            ("Rules by level", &budget.rules),
        ] {
            text.push_str(&format!("{title}{}\n\n", super::knowledge::bars(table)));
        }
        if budget.harmless_cases > 0 {
            text.push_str(&format!(
                "Harmless cases sent to emergency: {} of {}\n",
                budget.harmless_to_emergency, budget.harmless_cases
            ));
        }
        text
    })
}

pub(super) fn diff(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let folder = |name: &str| {
        let path = matches.get_one::<String>(name).map_or("", String::as_str);
        KnowledgeBase::from_dir(Path::new(path)).with_context(|| format!("{path} cannot be used"))
    };
    let number = |name: &str| matches.get_one::<usize>(name).copied().unwrap_or_default();
    let (old, new) = (folder("old")?, folder("new")?);
    let mut cases = Vec::new();
    for file in matches.get_many::<PathBuf>("cases").into_iter().flatten() {
        cases.extend(read_cases(file)?);
    }
    let difference = compare(
        &old,
        &new,
        number("simulate"),
        number("seed") as u64,
        &cases,
        &Parameters::default(),
    );
    print_answer(matches, &difference, |difference| {
        difference_for_people(difference, number("top"))
    })
}

fn difference_for_people(difference: &Difference, top: usize) -> String {
    let mut text = String::new();
    for change in &difference.content {
        text.push_str(&format!(
            "{:<14} +{} -{} ~{}\n",
            change.what,
            change.added.len(),
            change.removed.len(),
            change.changed.len()
        ));
        for (mark, ids) in [
            ("+", &change.added),
            ("-", &change.removed),
            ("~", &change.changed),
        ] {
            for id in ids.iter().take(top) {
                text.push_str(&format!("   {mark} {id}\n"));
            }
        }
    }
    let lower = difference
        .changed
        .iter()
        .filter(|change| change.is_lower())
        .count();
    text.push_str(&format!(
        "\n{} of {} cases are answered differently; the level of {lower} is LOWER\n",
        difference.changed.len(),
        difference.cases
    ));
    for change in difference.changed.iter().take(top) {
        let level =
            |level: Option<TriageLevel>| level.map_or("none".to_owned(), |level| level.to_string());
        text.push_str(&format!(
            "\n{}: {} -> {}\n   {}\n   {}\n",
            change.id,
            level(change.level_before),
            level(change.level_after),
            change.top_before.join(", "),
            change.top_after.join(", ")
        ));
    }
    if let Some((before, after)) = &difference.scores {
        text.push_str(&format!(
            "\nCases: top 1 {:.1} -> {:.1} %, top 3 {:.1} -> {:.1} %, level acceptable {:.1} -> {:.1} %, emergencies missed {} -> {}\n",
            before.top1 * 100.0,
            after.top1 * 100.0,
            before.top3 * 100.0,
            after.top3 * 100.0,
            before.triage_ok * 100.0,
            after.triage_ok * 100.0,
            before.emergencies_under,
            after.emergencies_under
        ));
    }
    text
}
