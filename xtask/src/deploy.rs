//! What can be checked of `deploy/` without a cluster: every setting named there is one of ours, and
//! every file is one that its reader understands, by that reader's own schema or linter.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;

use crate::{python, workspace};

const PREFIX: &str = "LAFIYA_";

/// The version of Kubernetes whose schemas judge, the oldest that knows every field we use.
const KUBERNETES: &str = "1.30.0";

/// Everything that is wrong with `deploy/`, in sentences.
pub(crate) fn complaints() -> anyhow::Result<Vec<String>> {
    let root = workspace::root();
    let settings = settings(&fs::read_to_string(root.join("lafiya.default.toml"))?);
    let mut complaints = Vec::new();
    let mut judged = 0;
    for path in workspace::files()? {
        if !path.starts_with("deploy") {
            continue;
        }
        let text = fs::read_to_string(root.join(&path))?;
        let shown = path.display();
        let unknown = names(&text).filter(|name| !settings.contains(*name));
        complaints.extend(unknown.map(|name| format!("{shown} names {name}, which is no setting")));
        let path = root.join(&path);
        if path.extension().is_some_and(|it| it == "service") {
            complaints.extend(said_by_systemd(&path));
        } else if let Some(mut judge) = judge_of(&path)? {
            judged += 1;
            complaints.extend(said_by(judge.arg(&path))?);
        }
    }
    ensure!(judged >= 3, "deploy/ is not whole");
    Ok(complaints)
}

/// Whoever knows what may stand in such a file, about to be told the file.
fn judge_of(path: &Path) -> anyhow::Result<Option<Command>> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let judge = match path.file_name().and_then(OsStr::to_str) {
        Some("compose.yaml") => {
            let mut judge = Command::new(program("check-jsonschema")?);
            judge.args(["--builtin-schema", "vendor.compose-spec"]);
            judge
        }
        Some("Dockerfile") => Command::new(program("hadolint")?),
        _ if ending == "yaml" => {
            let mut judge = Command::new(program("kubernetes-validate")?);
            judge.args(["--strict", "--quiet", "--kubernetes-version", KUBERNETES]);
            judge
        }
        _ => return Ok(None),
    };
    Ok(Some(judge))
}

/// A program that came with the libraries for Python.
fn program(name: &str) -> anyhow::Result<PathBuf> {
    Ok(python::interpreter()?.with_file_name(name))
}

/// The lines a command complains with, if it does.
fn said_by(command: &mut Command) -> anyhow::Result<Vec<String>> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().map(str::to_owned).collect())
}

/// What systemd says about a unit of ours. Where there is no systemd, nobody can read it.
fn said_by_systemd(unit: &Path) -> Vec<String> {
    let mut verify = Command::new("systemd-analyze");
    let Ok(output) = verify.arg("verify").arg(unit).output() else {
        return Vec::new();
    };
    let name = unit.file_name().and_then(OsStr::to_str).unwrap_or_default();
    // It speaks of other units too, and says that the program is not installed here, which is so.
    let is_ours = |line: &&str| line.contains(name) && !line.contains("is not executable");
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().filter(is_ours).map(str::to_owned).collect()
}

/// The variables of all settings.
fn settings(catalogue: &str) -> BTreeSet<String> {
    catalogue
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| format!("{PREFIX}{}", name.to_uppercase()))
        .collect()
}

/// The variables that a text names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(PREFIX).map(move |(start, _)| {
        let rest = &text[start..];
        let is_end = |it: char| !(it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_');
        &rest[..rest.find(is_end).unwrap_or(rest.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_setting_is_seen() {
        let settings = settings("# Where.\nlisten = \"x\"\n");
        let text = "LAFIYA_LISTEN=1\nEnvironment=LAFIYA_LISTNE=2";
        let unknown: Vec<&str> = names(text).filter(|it| !settings.contains(*it)).collect();
        assert_eq!(unknown, ["LAFIYA_LISTNE"]);
    }
}
