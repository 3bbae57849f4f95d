//! Logs: for people or as JSON, on standard error so that standard output stays for answers.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::settings::{LogFormat, Settings};

/// Starts logging for the whole process.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let filter =
        EnvFilter::try_new(&settings.log_level).context("log_level is not a valid filter")?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match settings.log_format {
        LogFormat::Pretty => builder
            .with_target(false)
            .with_ansi(std::io::stderr().is_terminal())
            .init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
