//! `lafiya backup` and `lafiya reencrypt`: operations on all data while the service runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Arg, ArgMatches, Command, value_parser};
use lafiya_service::{Context, keeping};
use lafiya_storage::store::{self, NewAct, StoreError, StoreUrl};
use serde_json::json;

use super::{actor, explained, print_answer};
use crate::settings::Settings;
use crate::wiring;

pub(super) fn command() -> Command {
    Command::new("backup")
        .about("Copy the embedded database into a new file, while the service runs")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file to make; it must not exist yet"),
        )
}

pub(super) fn reencrypt_command() -> Command {
    Command::new("reencrypt").about("Seal all stored documents with the first data key")
}

pub(super) async fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let StoreUrl::Sqlite(database) = settings.store_url()? else {
        bail!(
            "the data is in PostgreSQL, which has its own tool for this: \
             pg_dump --format=custom --file=FILE \"$LAFIYA_DATABASE_URL\""
        );
    };
    let Some(file) = matches.get_one::<PathBuf>("file") else {
        unreachable!("clap requires the file");
    };
    if !database.exists() {
        bail!("there is no database at {} yet", database.display());
    }
    let context = wiring::admin_context(settings).await?;
    let made = recorded_copy(&context, &database, file).await;
    context.store.close().await;
    made?;
    let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
    let answer = json!({ "file": file, "bytes": bytes });
    print_answer(matches, &answer, |_| {
        format!("Copied and checked: {} ({bytes} bytes).", file.display())
    })
}

/// Makes the copy, then logs it, so that a failed backup is not logged.
async fn recorded_copy(context: &Context, database: &Path, file: &Path) -> anyhow::Result<()> {
    match store::back_up_sqlite(database, file).await {
        Err(StoreError::Conflict) => bail!("{} exists already", file.display()),
        other => other.context("no backup was made")?,
    }
    let act = NewAct {
        at: context.clock.now(),
        actor: actor(),
        action: "data.backup",
        tenant: None,
        subject: file.display().to_string(),
        detail: "{}".to_owned(),
    };
    let logged = context.store.log_act(act).await;
    logged.context("the backup was made, but not written into the audit log")
}

pub(super) async fn reencrypt(
    settings: &Settings,
    matches: &ArgMatches,
) -> anyhow::Result<ExitCode> {
    if !settings.data_keys()?.seal_documents() {
        bail!("no data key is set (LAFIYA_DATA_KEY)");
    }
    let context = wiring::admin_context(settings).await?;
    wiring::settle_data_keys(&context).await?;
    let outcome = keeping::reseal(&context, &actor()).await.map_err(explained);
    context.store.close().await;
    let outcome = outcome?;
    let (resealed, remaining) = (outcome.resealed, outcome.remaining);
    let answer = json!({ "reencrypted": resealed, "remaining": remaining });
    print_answer(matches, &answer, |_| match remaining {
        0 => format!("Sealed {resealed} documents anew. Older data keys are no longer needed."),
        _ => format!(
            "Sealed {resealed} documents anew; {remaining} still need an older data key. \
             Give every replica the new key first, then run this again."
        ),
    })
}
