//! Where things are: the root of the workspace, what is built, and the text files in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Folders at the root that hold nothing of ours: build output, run-time data, version control.
const NOT_OURS: &[&str] = &["target", "data", ".git"];

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The service as the dev profile builds it.
pub(crate) fn debug_binary() -> PathBuf {
    target_dir().join("debug/lafiya")
}

/// Every file of the project, as a path relative to the root, sorted. The tree is walked rather
/// than asked of git, so that an exported archive can be checked too.
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
