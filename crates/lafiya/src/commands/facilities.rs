//! `lafiya facilities`: facility registers. These commands need no database; a running server loads
//! a new register on SIGHUP.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use clap::{Arg, ArgMatches, Command};
use indicatif::{ProgressBar, ProgressStyle};
use lafiya_facilities::import::{self, Imported, Mapping};
use lafiya_facilities::{Atlas, Located, Need, RegisterFile, Types, nearest_facilities};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{NearestFacility, TriageLevel};
use serde::Serialize;

use super::print_answer;
use crate::settings::Settings;
use crate::wiring;

/// Maximum file size; the largest register we know has 10 MB.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// Maximum number of row errors that are printed.
const ERRORS_SHOWN_MAX: usize = 20;

pub(super) fn command() -> Command {
    Command::new("facilities")
        .about("Import a register of facilities, count them, look for the nearest")
        .subcommand_required(true)
        .subcommand(
            Command::new("import")
                .about("Import a register (CSV, GeoJSON or a FHIR bundle of Location)")
                .arg(Arg::new("file").value_name("FILE").required(true).help("The register"))
                .arg(
                    Arg::new("mapping")
                        .long("mapping")
                        .value_name("FILE")
                        .help("TOML file that says which column is what"),
                )
                .arg(
                    Arg::new("source")
                        .long("source")
                        .value_name("NAME")
                        .help("What answers say of where a facility is from [default: the mapping's, else the file's name]"),
                ),
        )
        .subcommand(Command::new("stats").about("Count facilities by source, country and kind"))
        .subcommand(
            Command::new("near")
                .about("Show where a place is and the nearest facilities of every kind")
                .arg(Arg::new("place").value_name("PLACE").required(true).help("A town or region"))
                .arg(
                    Arg::new("level")
                        .long("level")
                        .value_name("LEVEL")
                        .value_parser(["emergency", "urgent", "routine", "self-care"])
                        .help("Only facilities that are right for this triage level"),
                ),
        )
}

pub(super) fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let base = wiring::knowledge_base(settings)?;
    match matches.subcommand() {
        Some(("import", matches)) => import_file(settings, &base, matches),
        Some(("stats", matches)) => stats(settings, &base, matches),
        Some(("near", matches)) => near(settings, &base, matches),
        _ => unreachable!("clap requires one of the subcommands"),
    }
}

#[derive(Serialize)]
struct ImportAnswer {
    source: String,
    rows: usize,
    imported: usize,
    merged: usize,
    skipped: usize,
    failed: usize,
    errors: Vec<RowError>,
    total: usize,
}

#[derive(Serialize)]
struct RowError {
    line: u64,
    reason: String,
}

fn import_file(
    settings: &Settings,
    base: &KnowledgeBase,
    matches: &ArgMatches,
) -> anyhow::Result<ExitCode> {
    let path = Path::new(
        matches
            .get_one::<String>("file")
            .context("the file is missing")?,
    );
    let shown = path.display();
    let types = Types::of(base);
    let mapping = match matches.get_one::<String>("mapping") {
        None => Mapping::default(),
        Some(file) => {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("{file} cannot be read"))?;
            Mapping::from_toml(&text, &types).with_context(|| file.clone())?
        }
    };
    let source = source_name(matches, &mapping, path)?;
    let size = std::fs::metadata(path)
        .with_context(|| format!("{shown} cannot be read"))?
        .len();
    ensure!(
        size <= FILE_BYTES_MAX,
        "{shown} is larger than {FILE_BYTES_MAX} bytes"
    );
    let bytes = std::fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        bail!("{shown} is compressed; unpack it first (gunzip)");
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{shown} is not UTF-8"))?;

    let bar = ProgressBar::new(size);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {eta} left") {
        bar.set_style(style);
    }
    let atlas = Atlas::new(base);
    let read = import::read(&text, &mapping, &source, &atlas, &types, &mut |done| {
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let Imported {
        facilities,
        rows,
        merged,
        skipped,
        errors,
        failed,
    } = read.with_context(|| format!("{shown} was not imported"))?;
    let imported = facilities.len();

    let file = RegisterFile::in_dir(&settings.data_dir);
    let old = file.read()?.unwrap_or_default();
    let all = import::replaced_source(old, &source, facilities);
    let total = all.len();
    file.replace(all)?;
    let answer = ImportAnswer {
        source,
        rows,
        imported,
        merged,
        skipped,
        failed,
        errors: errors
            .into_iter()
            .map(|error| RowError {
                line: error.line,
                reason: error.reason,
            })
            .collect(),
        total,
    };
    print_answer(matches, &answer, import_for_people)
}

/// Returns the name of the source: as given, or else from the mapping, or else the file name.
fn source_name(matches: &ArgMatches, mapping: &Mapping, path: &Path) -> anyhow::Result<String> {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let named = matches.get_one::<String>("source").cloned();
    let source = named
        .or_else(|| mapping.source.clone())
        .or(stem)
        .unwrap_or_default();
    let source = source.trim().to_owned();
    ensure!(
        !source.is_empty() && source.chars().count() <= 120,
        "the source must have 1 to 120 characters (--source NAME)"
    );
    Ok(source)
}

fn import_for_people(answer: &ImportAnswer) -> String {
    let mut text = String::new();
    for error in answer.errors.iter().take(ERRORS_SHOWN_MAX) {
        text.push_str(&format!("line {}: {}\n", error.line, error.reason));
    }
    if answer.failed > ERRORS_SHOWN_MAX {
        text.push_str(&format!(
            "... and {} more rows that could not be used\n",
            answer.failed - ERRORS_SHOWN_MAX
        ));
    }
    text.push_str(&format!(
        "{}: {} facilities from {} rows ({} merged, {} left out on purpose, {} unusable). \
         The register now holds {} imported facilities.\n\
         A running server takes it on SIGHUP or at its next start.",
        answer.source,
        answer.imported,
        answer.rows,
        answer.merged,
        answer.skipped,
        answer.failed,
        answer.total
    ));
    text
}

#[derive(Serialize)]
struct Stats {
    total: usize,
    by_source: BTreeMap<String, usize>,
    by_country: BTreeMap<String, usize>,
    by_type: BTreeMap<String, usize>,
}

fn stats(
    settings: &Settings,
    base: &KnowledgeBase,
    matches: &ArgMatches,
) -> anyhow::Result<ExitCode> {
    let register = wiring::register(&settings.data_dir, Types::of(base))?;
    let mut stats = Stats {
        total: register.len(),
        by_source: BTreeMap::new(),
        by_country: BTreeMap::new(),
        by_type: BTreeMap::new(),
    };
    for facility in register.facilities() {
        *stats.by_source.entry(facility.source.clone()).or_default() += 1;
        *stats
            .by_country
            .entry(facility.country.clone())
            .or_default() += 1;
        *stats.by_type.entry(facility.kind.clone()).or_default() += 1;
    }
    print_answer(matches, &stats, |stats| {
        let table = |title: &str, counts: &BTreeMap<String, usize>| {
            let rows = counts
                .iter()
                .map(|(name, count)| format!("{count:>8}  {name}\n"));
            format!("\n{title}\n{}", rows.collect::<String>())
        };
        format!(
            "{} facilities\n{}{}{}",
            stats.total,
            table("By source", &stats.by_source),
            table("By country", &stats.by_country),
            table("By type", &stats.by_type)
        )
    })
}

#[derive(Serialize)]
struct NearAnswer {
    place: PlaceAnswer,
    facilities: Vec<NearestFacility>,
}

#[derive(Serialize)]
struct PlaceAnswer {
    name: String,
    country: String,
    region: Option<String>,
    admin1: String,
    admin2: Option<String>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    confidence: f64,
}

impl From<&Located> for PlaceAnswer {
    fn from(place: &Located) -> Self {
        Self {
            name: place.name.clone(),
            country: place.country.clone(),
            region: place.region.clone(),
            admin1: place.admin1.clone(),
            admin2: place.admin2.clone(),
            latitude: place.position.map(|position| position.latitude),
            longitude: place.position.map(|position| position.longitude),
            confidence: place.confidence,
        }
    }
}

fn near(
    settings: &Settings,
    base: &KnowledgeBase,
    matches: &ArgMatches,
) -> anyhow::Result<ExitCode> {
    let text = matches
        .get_one::<String>("place")
        .context("the place is missing")?;
    let Some(place) = Atlas::new(base).find(text, settings.home_country()) else {
        bail!("that place is not known, or exists in several countries (see home_country)");
    };
    let need = match matches.get_one::<String>("level") {
        None => Need::anywhere(TriageLevel::Routine),
        Some(level) => Need::at_level(base, level.parse()?),
    };
    let register = wiring::register(&settings.data_dir, Types::of(base))?;
    let answer = NearAnswer {
        place: PlaceAnswer::from(&place),
        facilities: nearest_facilities(&register, base, &place, &need),
    };
    print_answer(matches, &answer, |answer| {
        let place = &answer.place;
        let mut text = format!(
            "{} ({}, {}), confidence {:.2}",
            place.name, place.admin1, place.country, place.confidence
        );
        for facility in &answer.facilities {
            text.push_str(&format!(
                "\n{:>7.1} km  {}  ({}, {})  [{}]",
                facility.distance_km,
                facility.name,
                facility.kind,
                facility.address,
                facility.source
            ));
        }
        text
    })
}
