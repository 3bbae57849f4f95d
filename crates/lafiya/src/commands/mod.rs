//! The command line: one file per command.

mod assess;
mod audit;
mod backup;
mod eval;
mod facilities;
mod first_start;
mod key;
mod knowledge;
mod knowledge_reports;
mod openapi;
mod serve;
mod serve_reload;
mod serve_webhooks;
mod tenant;
mod tenant_data;
mod user;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;

use crate::settings::{self, Settings};

/// Returns the actor in the audit log for commands: the operating system user, if known.
fn actor() -> String {
    let names = ["SUDO_USER", "USER", "LOGNAME"];
    let user = names.iter().find_map(|name| std::env::var(name).ok());
    match user.filter(|user| !user.is_empty()) {
        Some(user) => format!("cli:{user}"),
        None => "cli".to_owned(),
    }
}

/// Returns the command line. Without a command, `lafiya` serves.
pub(crate) fn command_line() -> Command {
    let config = Arg::new("config")
        .long("config")
        .env(settings::FILE_VARIABLE)
        .value_name("FILE")
        .help("The settings file [default: lafiya.toml, if it exists]")
        .global(true);
    let json = Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Answer as JSON, for programs")
        .global(true);
    let mut command = Command::new("lafiya")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Clinical decision support for African healthcare.\nWithout a command it serves the API on 127.0.0.1:8080.")
        .arg(config)
        .arg(json)
        .args(settings::arguments())
        .subcommand(serve::command())
        .subcommand(tenant::command())
        .subcommand(key::command())
        .subcommand(user::command())
        .subcommand(audit::command())
        .subcommand(backup::command())
        .subcommand(backup::reencrypt_command())
        .subcommand(assess::command())
        .subcommand(eval::command())
        .subcommand(facilities::command())
        .subcommand(knowledge::command())
        .subcommand(openapi::command());
    // Building copies the settings to every subcommand, where they can be hidden.
    command.build();
    command.mut_subcommands(|subcommand| match subcommand.get_name() {
        "serve" => subcommand,
        _ => without_settings_in_help(subcommand),
    })
}

/// Leaves the settings out of the help of a command, where they would hide its own arguments. They
/// are accepted all the same.
fn without_settings_in_help(command: Command) -> Command {
    let hide = |argument: Arg| {
        let is_setting = argument.get_help_heading() == Some(settings::HELP_HEADING);
        argument.hide(is_setting)
    };
    command
        .mut_args(hide)
        .mut_subcommands(without_settings_in_help)
        .after_help("All settings are accepted too: see `lafiya serve --help`.")
}

/// Runs the requested command.
pub(crate) fn run(arguments: &ArgMatches) -> anyhow::Result<ExitCode> {
    if let Some(("openapi", _)) = arguments.subcommand() {
        return openapi::run();
    }
    // Flags may come before or after the command; the innermost matches contain both.
    let innermost = innermost(arguments);
    let settings = Settings::load(innermost)?;
    crate::logging::start(&settings)?;
    settings::warn_of_unknown_variables();
    // These commands need no database and no async runtime.
    match arguments.subcommand() {
        Some(("knowledge", matches)) => return knowledge::run(&settings, matches),
        Some(("assess", matches)) => return assess::run(&settings, matches),
        Some(("eval", matches)) => return eval::run(&settings, matches),
        Some(("facilities", matches)) => return facilities::run(&settings, matches),
        _ => {}
    }
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        match arguments.subcommand() {
            None | Some(("serve", _)) => serve::run(&settings).await,
            Some(("tenant", matches)) => tenant::run(&settings, matches).await,
            Some(("key", matches)) => key::run(&settings, matches).await,
            Some(("user", matches)) => user::run(&settings, matches).await,
            Some(("audit", matches)) => audit::run(&settings, matches).await,
            Some(("backup", matches)) => backup::run(&settings, matches).await,
            Some(("reencrypt", matches)) => backup::reencrypt(&settings, matches).await,
            Some((other, _)) => anyhow::bail!("the command {other} has no implementation"),
        }
    })
}

fn innermost(matches: &ArgMatches) -> &ArgMatches {
    match matches.subcommand() {
        Some((_, inner)) => innermost(inner),
        None => matches,
    }
}

/// Prints a result as JSON or as text.
fn print_answer<T: Serialize>(
    matches: &ArgMatches,
    answer: &T,
    for_people: impl FnOnce(&T) -> String,
) -> anyhow::Result<ExitCode> {
    let text = if matches.get_flag("json") {
        serde_json::to_string_pretty(answer)?
    } else {
        for_people(answer)
    };
    say(text)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a line. If the reader has closed the pipe (`| head`), the line is dropped, which is not
/// an error.
fn say(line: impl Display) -> io::Result<()> {
    match writeln!(io::stdout(), "{line}") {
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Converts a service error to a message for the command line.
fn explained(error: lafiya_service::ServiceError) -> anyhow::Error {
    match error {
        lafiya_service::ServiceError::InvalidRequest(fields) => {
            let lines: Vec<String> = fields
                .iter()
                .map(|field| format!("{} {}", field.pointer.trim_start_matches('/'), field.reason))
                .collect();
            anyhow::anyhow!(lines.join("; "))
        }
        other => anyhow::Error::from(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the long help of a command given by its names.
    fn help_of(names: &[&str]) -> String {
        let mut command = command_line();
        for name in names {
            command = command.find_subcommand(name).expect("it exists").clone();
        }
        command.render_long_help().to_string()
    }

    #[test]
    fn settings_are_listed_where_the_service_starts_only() {
        for names in [&[][..], &["serve"]] {
            assert!(help_of(names).contains("--database-url"), "{names:?}");
        }
        for names in [&["key"][..], &["key", "create"], &["knowledge", "check"]] {
            let help = help_of(names);
            assert!(!help.contains("--database-url"), "{names:?}");
            assert!(help.contains("lafiya serve --help"), "{names:?}");
        }
    }

    #[test]
    fn settings_are_accepted_before_and_after_a_command() {
        for line in [
            ["lafiya", "--database-url", "sqlite:a.db", "audit", "list"],
            ["lafiya", "audit", "list", "--database-url", "sqlite:a.db"],
        ] {
            let matches = command_line()
                .try_get_matches_from(line)
                .expect("it parses");
            let url = innermost(&matches).get_one::<String>("database_url");
            assert_eq!(url.map(String::as_str), Some("sqlite:a.db"));
        }
    }
}
