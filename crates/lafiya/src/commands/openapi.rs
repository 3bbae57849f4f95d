//! `lafiya openapi`: prints the OpenAPI 3.1 document.

use std::process::ExitCode;

use clap::Command;

use super::say;

pub(super) fn command() -> Command {
    Command::new("openapi").about("Print the OpenAPI 3.1 document")
}

pub(super) fn run() -> anyhow::Result<ExitCode> {
    say(lafiya_http::openapi::document_text().trim_end())?;
    Ok(ExitCode::SUCCESS)
}
