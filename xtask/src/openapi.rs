//! The committed OpenAPI document, which is generated from the binary and never edited. The
//! baseline beside it is the contract that later versions may only extend; it is updated
//! deliberately with a release.

use std::fs;
use std::process::Command;

use anyhow::{Context, bail};

use crate::workspace;

const DOCUMENT: &str = "docs/api/openapi.json";
const BASELINE: &str = "docs/api/baseline.json";

/// What to do with the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Options {
    /// Write the document.
    Write,
    /// Write it and make it the baseline.
    AcceptBaseline,
    /// Compare it with the committed document.
    Check,
}

impl Options {
    /// Converts the flags of the command line.
    pub(crate) fn of(check: bool, accept_baseline: bool) -> Self {
        match (check, accept_baseline) {
            (true, _) => Self::Check,
            (false, true) => Self::AcceptBaseline,
            (false, false) => Self::Write,
        }
    }
}

/// `cargo xtask openapi`
pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    workspace::build()?;
    let document = printed_document()?;
    if options == Options::Check {
        return check_against(&document);
    }
    let root = workspace::root();
    fs::create_dir_all(root.join("docs/api"))?;
    fs::write(root.join(DOCUMENT), &document)?;
    println!("{DOCUMENT} is written.");
    if options == Options::AcceptBaseline {
        fs::write(root.join(BASELINE), &document)?;
        println!("{BASELINE} is written: from now on the API may only add to it.");
    }
    Ok(())
}

/// Fails if the committed document differs from the output of the built binary.
pub(crate) fn check() -> anyhow::Result<()> {
    check_against(&printed_document()?)
}

fn check_against(document: &str) -> anyhow::Result<()> {
    let committed = fs::read_to_string(workspace::root().join(DOCUMENT)).unwrap_or_default();
    if committed == document {
        return Ok(());
    }
    let line = committed
        .lines()
        .zip(document.lines())
        .take_while(|(old, new)| old == new)
        .count();
    bail!(
        "{DOCUMENT} differs from what the binary prints, from line {} on: run `cargo xtask openapi`",
        line + 1
    );
}

fn printed_document() -> anyhow::Result<String> {
    let output = Command::new(workspace::debug_binary())
        .arg("openapi")
        .output()
        .context("the binary cannot be started; build it first")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
