//! `lafiya openapi`: prints the OpenAPI 3.1 document.

use std::process::ExitCode;

use clap::Command;

pub(super) fn command() -> Command {
    Command::new("openapi").about("Print the OpenAPI 3.1 document")
}

pub(super) fn run() -> anyhow::Result<ExitCode> {
    print!("{}", lafiya_http::openapi::document_text());
    Ok(ExitCode::SUCCESS)
}
