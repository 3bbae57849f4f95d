//! `lafiya assess`: one assessment in the terminal. Nothing is stored or billed.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Arg, ArgMatches, Command, value_parser};
use jiff::Zoned;
use lafiya_engine::{Parameters, assess, review};
use lafiya_facilities::{Located, Need, nearest_facilities};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::assessment::Question;
use lafiya_model::{
    Age, Assessment, Choice, DeidentifiedCase, Evidence, EvidenceSource, Sex, TriageLevel,
};
use lafiya_service::Library;
use lafiya_text::ParseContext;

use super::say;
use crate::settings::Settings;
use crate::wiring;

const BAR_WIDTH: f64 = 30.0;
const QUESTIONS_MAX: usize = 12;

pub(super) fn command() -> Command {
    Command::new("assess")
        .about("Assess a patient in the terminal (nothing is stored)")
        .arg(
            Arg::new("age")
                .long("age")
                .value_name("YEARS")
                .required(true)
                .value_parser(value_parser!(u32).range(0..=120))
                .help("Age in years"),
        )
        .arg(
            Arg::new("months")
                .long("months")
                .value_name("MONTHS")
                .value_parser(value_parser!(u32).range(0..=59))
                .help("Age in months, for small children"),
        )
        .arg(
            Arg::new("sex")
                .long("sex")
                .value_name("SEX")
                .required(true)
                .value_parser(["male", "female", "other"])
                .help("Sex"),
        )
        .arg(
            Arg::new("location")
                .long("location")
                .value_name("PLACE")
                .help("Where the patient is: a town, or a region such as lagos"),
        )
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .required(true)
                .help("The complaint, in plain words"),
        )
}

pub(super) fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let library = Library::new(wiring::knowledge_base(settings)?);
    let place = matches
        .get_one::<String>("location")
        .and_then(|text| library.atlas.find(text, settings.home_country()));
    let mut case = read_case(&library, matches, place.as_ref())?;
    if !case
        .evidence
        .iter()
        .any(|item| item.choice == Choice::Present)
    {
        bail!("nothing in the text was recognised as a symptom; try other words");
    }
    let interactive = std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && !matches.get_flag("json");
    let parameters = Parameters::default();
    for asked in 0.. {
        let assessment = review(assess(&library, &case, &parameters), asked);
        if matches.get_flag("json") {
            say(serde_json::to_string_pretty(&assessment)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        say(for_people(&library, &case, &assessment))?;
        if let Some(place) = &place {
            say(near(settings, &library, place, &case, &assessment)?)?;
        }
        let question = assessment
            .next_question
            .filter(|_| interactive && !assessment.should_stop && asked < QUESTIONS_MAX);
        let Some(question) = question else { break };
        match ask(&question)? {
            Some(choice) => case.evidence.push(answer(&question, choice)),
            None => break,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read_case(
    library: &Library,
    matches: &ArgMatches,
    place: Option<&Located>,
) -> anyhow::Result<DeidentifiedCase> {
    let years = matches.get_one::<u32>("age").copied().unwrap_or_default();
    let age = match matches.get_one::<u32>("months") {
        Some(&months) => Age::from_months(months),
        None => Age::from_years(years),
    };
    let sex: Sex = matches
        .get_one::<String>("sex")
        .map_or("other", String::as_str)
        .parse()?;
    let text = matches
        .get_one::<String>("text")
        .context("the text is missing")?;
    let today = Zoned::now().date();
    let context = ParseContext {
        age: Some(age),
        sex: Some(sex),
        evaluated_at: Some(today),
    };
    let parsed = library.parser.parse(library.base(), text, &context);
    let evidence = lafiya_text::evidence(library.base(), &parsed);
    let region = place.and_then(|place| place.region.clone());
    Ok(DeidentifiedCase {
        age,
        sex,
        region,
        month: Some(today.month().unsigned_abs()),
        evidence,
    })
}

fn ask(question: &Question) -> anyhow::Result<Option<Choice>> {
    say(format_args!(
        "\n{}  ({})",
        question.text, question.explanation
    ))?;
    let mut out = std::io::stdout();
    write!(out, "[y]es, [n]o, [d]on't know, [q]uit: ")?;
    out.flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(match line.trim().chars().next() {
        Some('y' | 'Y') => Some(Choice::Present),
        Some('n' | 'N') => Some(Choice::Absent),
        Some('d' | 'D') => Some(Choice::Unknown),
        _ => None,
    })
}

fn answer(question: &Question, choice: Choice) -> Evidence {
    Evidence {
        id: question.id.clone(),
        choice,
        source: EvidenceSource::Suggest,
        duration_days: None,
        severity: None,
        value: None,
    }
}

fn for_people(base: &KnowledgeBase, case: &DeidentifiedCase, assessment: &Assessment) -> String {
    let understood: Vec<String> = case
        .evidence
        .iter()
        .filter(|item| item.choice != Choice::Unknown)
        .filter_map(|item| {
            let name = base.name_of(base.resolve(item.id.as_str())?);
            Some(if item.choice == Choice::Absent {
                format!("no {}", name.to_lowercase())
            } else {
                name.to_owned()
            })
        })
        .collect();
    let mut text = format!("\nUnderstood: {}\n\n", understood.join(", "));
    text.push_str(&format!(
        "{}  {}\n",
        painted(assessment.triage.level),
        assessment.triage.root_cause.as_deref().unwrap_or_default()
    ));
    text.push_str(&format!("{}\n", assessment.triage.recommended_action));
    for flag in assessment.red_flags.iter().take(4) {
        text.push_str(&format!("  ! {}", flag.name));
        // The name of a rule is the same as its text.
        if flag.name != flag.root_cause {
            text.push_str(&format!(": {}", flag.root_cause));
        }
        text.push('\n');
    }
    text.push('\n');
    for condition in assessment.conditions.iter().take(6) {
        let bar = "█".repeat((condition.probability * BAR_WIDTH).round() as usize);
        text.push_str(&format!(
            "{:>5.1} %  {:<30} {}\n",
            condition.probability * 100.0,
            bar,
            condition.name
        ));
        text.push_str(&format!("{:>40} {}\n", "", condition.rationale));
    }
    if let Some(test) = assessment.investigations.first() {
        text.push_str(&format!(
            "\nFirst test: {} ({})\n",
            test.test_name,
            test.purpose.to_lowercase()
        ));
    }
    text
}

/// Returns the nearest facilities that can help.
fn near(
    settings: &Settings,
    library: &Library,
    place: &Located,
    case: &DeidentifiedCase,
    assessment: &Assessment,
) -> anyhow::Result<String> {
    let register = wiring::register(&settings.data_dir, library.facility_types())?;
    let need = Need::of(library.base(), assessment, case.age);
    let found = nearest_facilities(&register, library.base(), place, &need);
    let lines = found.iter().map(|facility| {
        format!(
            "  {:>6.1} km  {} ({}, {})",
            facility.distance_km, facility.name, facility.kind, facility.address
        )
    });
    Ok(
        std::iter::once(format!("Nearest for this, from {}:", place.name))
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

fn painted(level: TriageLevel) -> String {
    let word = level.as_str().to_uppercase();
    if !std::io::stdout().is_terminal() {
        return word;
    }
    let colour = match level {
        TriageLevel::Emergency => "97;41",
        TriageLevel::Urgent => "30;43",
        TriageLevel::Routine => "30;46",
        TriageLevel::SelfCare => "30;42",
    };
    format!("\x1b[1;{colour}m {word} \x1b[0m")
}
