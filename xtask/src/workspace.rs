//! The workspace: paths, builds and files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::process;

/// Folders at the root without source files: build output, run-time data, version control.
const NOT_OURS: &[&str] = &["target", "data", ".git"];

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns cargo's target folder.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Returns the path of the service in the dev profile.
pub(crate) fn debug_binary() -> PathBuf {
    target_dir().join("debug/lafiya")
}

/// Builds everything that tests run, including the service. It always builds the whole workspace:
/// for a single package, or for binaries without tests, cargo selects other features for shared
/// dependencies and compiles them a second time (measured: three minutes).
pub(crate) fn build() -> anyhow::Result<()> {
    let mut build = Command::new("cargo");
    build
        .args(["build", "--workspace", "--bins", "--tests", "--examples"])
        .current_dir(root());
    process::run(&mut build, process::nothing).map(drop)
}

/// Returns every file of the project, as a sorted path relative to the root. It reads the folders
/// instead of asking git, so that an exported archive can be checked too.
pub(crate) fn files() -> anyhow::Result<Vec<PathBuf>> {
    let root = root();
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        let shown = folder.display();
        for entry in fs::read_dir(&folder).with_context(|| format!("{shown} cannot be read"))? {
            let entry = entry?;
            let path = entry.path().strip_prefix(&root)?.to_path_buf();
            let kind = entry.file_type()?;
            if kind.is_dir() && !NOT_OURS.iter().any(|name| path == Path::new(name)) {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
