//! Tests the web app in a real browser: Debian's Chromium, driven by the suite in
//! `crates/lafiya-web/browser`. Its two npm packages are installed below `target/`; Node is not
//! needed to build or run the service.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{self, nothing};
use crate::servers;
use crate::workspace;

/// The browser and the programs that run the suite, each with its Debian package.
const PROGRAMS: &[(&str, &str)] = &[("chromium", "chromium"), ("node", "nodejs"), ("npm", "npm")];

/// Runs the suite against the built binary.
pub(crate) fn test() -> anyhow::Result<()> {
    install_what_is_missing()?;
    let folder = prepared()?;
    let mut suite = Command::new("node");
    suite
        .args(["--test", "app.test.mjs"])
        .current_dir(&folder)
        .env("LAFIYA_BLACKBOX_BINARY", workspace::debug_binary());
    let output = process::run(&mut suite, failures)?;
    ensure!(
        output.contains("# fail 0") || output.contains("ℹ fail 0"),
        "the suite ran no tests"
    );
    Ok(())
}

/// Takes the screenshots for the documents with the built binary.
pub(crate) fn take_pictures() -> anyhow::Result<()> {
    workspace::build()?;
    install_what_is_missing()?;
    let images = workspace::root().join("docs/images");
    let mut script = Command::new("node");
    script
        .arg("pictures.mjs")
        .arg(images)
        .current_dir(prepared()?)
        .env("LAFIYA_BLACKBOX_BINARY", workspace::debug_binary());
    process::run(&mut script, nothing).map(drop)
}

fn failures(line: &str) -> bool {
    line.trim_start().starts_with("not ok") || line.trim_start().starts_with('✖')
}

/// Copies the suite to a folder below `target/`, installs its packages there and returns the
/// folder.
fn prepared() -> anyhow::Result<PathBuf> {
    let source = workspace::root().join("crates/lafiya-web/browser");
    let folder = workspace::target_dir().join("browser");
    fs::create_dir_all(&folder)?;
    let fresh = fs::read(source.join("package.json"))?;
    let installed = folder.join("node_modules").is_dir()
        && fs::read(folder.join("package.json")).is_ok_and(|old| old == fresh);
    copy_all(&source, &folder)?;
    if !installed {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock"])
            .current_dir(&folder);
        process::run(&mut npm, nothing)?;
    }
    Ok(folder)
}

fn copy_all(from: &Path, to: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Installs only missing packages: a machine may have its own Node, which conflicts with Debian's
/// npm.
fn install_what_is_missing() -> anyhow::Result<()> {
    let missing = missing_packages();
    if missing.is_empty() {
        return Ok(());
    }
    servers::install(&missing)?;
    let missing = missing_packages();
    ensure!(
        missing.is_empty(),
        "{} installed but not found",
        missing.join(", ")
    );
    Ok(())
}

fn missing_packages() -> Vec<&'static str> {
    let missing = PROGRAMS
        .iter()
        .filter(|(program, _)| !process::runs(program));
    missing.map(|(_, package)| *package).collect()
}
