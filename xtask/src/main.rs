//! Development tasks of the project. `cargo xtask test` is the only test command; the others keep
//! documents and figures up to date. Nothing here is part of the product, and the product never
//! depends on it.

mod bench;
mod browser;
mod budget;
mod deploy;
mod docs;
mod faults;
mod fuzz;
mod http;
mod marks;
mod openapi;
mod postgres;
mod process;
mod python;
mod redis;
mod servers;
mod supply_chain;
mod test;
mod tidy;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

fn main() -> ExitCode {
    match run(&command_line().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &ArgMatches) -> anyhow::Result<()> {
    match arguments.subcommand() {
        Some(("test", matches)) => test::run(&test::Selection {
            only: matches
                .get_many::<String>("only")
                .map(|names| names.cloned().collect()),
            budgets: if matches.get_flag("ignore-budgets") {
                budget::Strictness::Shown
            } else {
                budget::Strictness::Enforced
            },
        }),
        Some(("openapi", matches)) => openapi::run(openapi::Options::of(
            matches.get_flag("check"),
            matches.get_flag("accept-baseline"),
        )),
        Some(("bench", matches)) => run_bench(matches),
        Some(("fuzz", matches)) => fuzz::run(
            matches.get_one::<u32>("cases").copied(),
            matches.get_one::<u64>("seed").copied(),
        ),
        Some(("faults", matches)) => faults::run(&faults::Options {
            only: matches.get_one::<String>("only").cloned(),
            binary: matches.get_one::<PathBuf>("binary").cloned(),
            older: matches.get_one::<PathBuf>("older").cloned(),
        }),
        Some(("sbom", matches)) => {
            supply_chain::write_bill(matches.get_one::<PathBuf>("output").cloned())
        }
        Some(("inference", _)) => test::inference(),
        Some(("pictures", _)) => browser::take_pictures(),
        Some(("servers", _)) => servers::lend(),
        Some((servers::HOLD, matches)) => servers::hold(if matches.get_flag("durable") {
            postgres::WaitsForDisk::Always
        } else {
            postgres::WaitsForDisk::Never
        }),
        _ => unreachable!("clap requires one of the commands"),
    }
}

fn run_bench(arguments: &ArgMatches) -> anyhow::Result<()> {
    let binary = |matches: &ArgMatches| matches.get_one::<PathBuf>("binary").cloned();
    match arguments.subcommand() {
        Some(("all", matches)) => {
            let usual = bench::Options::usual(binary(matches));
            let number = |name: &str| matches.get_one::<usize>(name).copied();
            bench::all(&bench::Options {
                only: matches
                    .get_many::<String>("only")
                    .map(|names| names.cloned().collect()),
                assessments: number("assessments").unwrap_or(usual.assessments),
                stored_max: number("stored").unwrap_or(usual.stored_max),
                save: matches.get_flag("save"),
                ..usual
            })
        }
        Some(("service", matches)) => bench::all(&bench::Options {
            only: Some(vec!["start-up".to_owned(), "service".to_owned()]),
            ..bench::Options::usual(binary(matches))
        }),
        Some(("start-up", matches)) => bench::start_up(binary(matches).as_deref()),
        Some(("text", _)) => bench::text(),
        Some(("engine", _)) => bench::engine(),
        _ => unreachable!("clap requires one of the benches"),
    }
}

/// Returns the commands, for clap and for the check of the README.
pub(crate) fn command_line() -> Command {
    Command::new("cargo xtask")
        .about("Chores of the project")
        .subcommand_required(true)
        .subcommand(
            Command::new("test")
                .about("Everything that must hold before a change is merged")
                .arg(
                    Arg::new("only")
                        .long("only")
                        .value_name("STAGES")
                        .value_delimiter(',')
                        .value_parser(test::stage_names())
                        .help("Only these stages, with commas between them"),
                )
                .arg(flag(
                    "ignore-budgets",
                    "Show the time budgets but do not fail on them (a busy machine)",
                )),
        )
        .subcommand(
            Command::new("openapi")
                .about("Write docs/api/openapi.json from the binary")
                .arg(flag("check", "Fail when the committed document differs"))
                .arg(
                    flag(
                        "accept-baseline",
                        "Also make this the contract that later versions may only add to",
                    )
                    .conflicts_with("check"),
                ),
        )
        .subcommand(bench_command())
        .subcommand(
            Command::new("inference")
                .about("The AI provider against a genuine llama.cpp server from PyPI"),
        )
        .subcommand(
            Command::new("fuzz")
                .about("Read, search and reason over arbitrary input, longer than the test command does")
                .arg(
                    Arg::new("cases")
                        .long("cases")
                        .value_name("N")
                        .value_parser(value_parser!(u32))
                        .help("Cases for each property [default: 20000]"),
                )
                .arg(
                    Arg::new("seed")
                        .long("seed")
                        .value_name("N")
                        .value_parser(value_parser!(u64))
                        .help("Repeat the run of this seed [default: a new one]"),
                ),
        )
        .subcommand(
            Command::new("faults")
                .about("Break everything the service stands on, and write what became of it into the documents")
                .arg(
                    Arg::new("only")
                        .value_name("NAME")
                        .help("Only the faults whose name contains this; the document is left alone"),
                )
                .arg(
                    Arg::new("binary")
                        .long("binary")
                        .value_name("PATH")
                        .value_parser(value_parser!(PathBuf))
                        .help("Break this binary [default: the debug build]"),
                )
                .arg(
                    Arg::new("older")
                        .long("older")
                        .value_name("PATH")
                        .value_parser(value_parser!(PathBuf))
                        .help("Upgrade from this binary [default: the same one]"),
                ),
        )
        .subcommand(
            Command::new("sbom")
                .about("Write what the binary is made of (CycloneDX 1.5)")
                .arg(
                    Arg::new("output")
                        .long("output")
                        .value_name("PATH")
                        .value_parser(value_parser!(PathBuf))
                        .help("The file [default: sbom/lafiya.cdx.json in the target folder]"),
                ),
        )
        .subcommand(
            Command::new("pictures")
                .about("Take the pictures of the web app that the documents show"),
        )
        .subcommand(
            Command::new("servers")
                .about("Start a throwaway PostgreSQL and Redis and keep them until Ctrl-D"),
        )
        .subcommand(
            Command::new(servers::HOLD)
                .hide(true)
                .arg(flag("durable", "Wait for the disk")),
        )
}

fn bench_command() -> Command {
    let binary = Arg::new("binary")
        .long("binary")
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .help("Measure this binary [default: a release build]");
    Command::new("bench")
        .about("Figures, as a table and as JSON in target/bench")
        .subcommand_required(true)
        .subcommand(
            Command::new("all")
                .about("Every row in one run, beside the limit of the machine")
                .arg(binary.clone())
                .arg(
                    Arg::new("only")
                        .long("only")
                        .value_name("PARTS")
                        .value_delimiter(',')
                        .value_parser(bench::part_names())
                        .help("Only these parts, with commas between them"),
                )
                .arg(
                    Arg::new("assessments")
                        .long("assessments")
                        .value_name("N")
                        .value_parser(value_parser!(usize))
                        .help("Assessments over which memory is watched [default: 20000]"),
                )
                .arg(
                    Arg::new("stored")
                        .long("stored")
                        .value_name("N")
                        .value_parser(value_parser!(usize))
                        .help(
                            "Stored assessments up to which growth is measured [default: 1000000]",
                        ),
                )
                .arg(
                    flag(
                        "save",
                        "Also write the figures and their picture into the documents",
                    )
                    .conflicts_with("only"),
                ),
        )
        .subcommand(
            Command::new("service")
                .about("The service under load, beside a bare web server")
                .arg(binary.clone()),
        )
        .subcommand(
            Command::new("engine")
                .about("One turn of reasoning over a base of 800 conditions and 1,500 findings"),
        )
        .subcommand(
            Command::new("start-up")
                .about("Time to the first healthy answer, and memory at rest")
                .arg(binary),
        )
        .subcommand(
            Command::new("text")
                .about("Reading 2,000 characters and searching, beside the bare scan"),
        )
}

fn flag(name: &'static str, says: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(says)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command_line().debug_assert();
    }
}
