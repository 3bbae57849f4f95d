//! `lafiya tenant export` and `lafiya tenant erase`: export or deletion of a tenant's data.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use lafiya_service::Context;
use lafiya_service::rights::{self, ExportFailure};
use serde_json::json;

use super::{actor, explained, print_answer};

pub(super) fn export_command(name: Arg) -> Command {
    Command::new("export")
        .about("Write everything a tenant has as JSON lines, one record a line")
        .arg(name)
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("FILE")
                .help("A new file to write to [default: standard output]"),
        )
}

pub(super) fn erase_command(name: Arg) -> Command {
    Command::new("erase")
        .about("Remove a tenant and everything it has, for good")
        .arg(name)
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Yes, I mean it: there is no way back"),
        )
}

pub(super) async fn export(
    context: &Context,
    name: &str,
    matches: &ArgMatches,
) -> anyhow::Result<ExitCode> {
    let Some(file) = matches.get_one::<String>("output") else {
        write_records(context, name, &mut io::stdout().lock()).await?;
        return Ok(ExitCode::SUCCESS);
    };
    // Checked before the file is created, so that an unknown name leaves no empty file.
    lafiya_service::tenants::find(context, name)
        .await
        .map_err(explained)?;
    let mut writer = BufWriter::new(new_private_file(Path::new(file))?);
    let records = write_records(context, name, &mut writer).await?;
    let answer = json!({ "tenant": name, "file": file, "records": records });
    print_answer(matches, &answer, |_| {
        format!("Wrote {records} records of {name} to {file}.")
    })
}

async fn write_records(
    context: &Context,
    name: &str,
    writer: &mut impl Write,
) -> anyhow::Result<u64> {
    let actor = actor();
    let exported = rights::export(context, name, &actor, |record| {
        serde_json::to_writer(&mut *writer, &record).map_err(io::Error::from)?;
        writer.write_all(b"\n")
    });
    let records = match exported.await {
        Ok(records) => records,
        Err(ExportFailure::Service(error)) => return Err(explained(error)),
        Err(ExportFailure::Taker(error)) => return Err(error).context("the export was broken off"),
    };
    writer.flush().context("the export was broken off")?;
    Ok(records)
}

/// Creates a file that only its owner can read, because it will contain health data. Fails if it
/// exists.
fn new_private_file(path: &Path) -> anyhow::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .with_context(|| format!("{} cannot be made", path.display()))
}

pub(super) async fn erase(
    context: &Context,
    name: &str,
    matches: &ArgMatches,
) -> anyhow::Result<ExitCode> {
    if !matches.get_flag("yes") {
        bail!(
            "this removes {name} with all its keys, assessments and usage, for good; \
             say --yes if that is meant (`lafiya tenant export` keeps a copy)"
        );
    }
    let removed = rights::erase(context, name, &actor())
        .await
        .map_err(explained)?;
    let answer = json!({ "tenant": name, "erased": true, "rows": removed });
    print_answer(matches, &answer, |_| {
        format!(
            "Erased {name}: {removed} rows are gone. Backups keep them until they are replaced."
        )
    })
}
