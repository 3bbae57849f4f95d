//! Checks `deploy/` without a cluster: every setting named there exists, and every file is valid
//! according to its own schema or linter.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;

use crate::{python, workspace};

const PREFIX: &str = "LAFIYA_";

/// The Kubernetes version of the schemas: the oldest that has every field we use.
const KUBERNETES: &str = "1.30.0";

/// Returns all problems in `deploy/`, as sentences.
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
        if path
            .extension()
            .is_some_and(|extension| extension == "service")
        {
            complaints.extend(said_by_systemd(&path));
        } else if let Some(mut judge) = judge_of(&path)? {
            judged += 1;
            complaints.extend(said_by(judge.arg(&path))?);
        }
    }
    ensure!(judged >= 3, "deploy/ is not whole");
    Ok(complaints)
}

/// Returns the command that validates such a file; the caller adds the file name.
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

/// Returns the path of a program that was installed with the Python libraries.
fn program(name: &str) -> anyhow::Result<PathBuf> {
    Ok(python::interpreter()?.with_file_name(name))
}

/// Returns the error lines of a command, if it fails.
fn said_by(command: &mut Command) -> anyhow::Result<Vec<String>> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().map(str::to_owned).collect())
}

/// Returns the complaints of systemd about one of our units; none if systemd is not installed.
fn said_by_systemd(unit: &Path) -> Vec<String> {
    let mut verify = Command::new("systemd-analyze");
    let Ok(output) = verify.arg("verify").arg(unit).output() else {
        return Vec::new();
    };
    let name = unit.file_name().and_then(OsStr::to_str).unwrap_or_default();
    // It also reports on other units, and that the program is not installed here, which is
    // expected.
    let is_ours = |line: &&str| line.contains(name) && !line.contains("is not executable");
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().filter(is_ours).map(str::to_owned).collect()
}

/// Returns the environment variables of all settings.
fn settings(catalogue: &str) -> BTreeSet<String> {
    catalogue
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| format!("{PREFIX}{}", name.to_uppercase()))
        .collect()
}

/// Returns the environment variables that a text names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(PREFIX).map(move |(start, _)| {
        let rest = &text[start..];
        let is_end = |letter: char| {
            !(letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
        };
        &rest[..rest.find(is_end).unwrap_or(rest.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_setting_is_detected() {
        let settings = settings("# Where.\nlisten = \"x\"\n");
        let text = "LAFIYA_LISTEN=1\nEnvironment=LAFIYA_LISTNE=2";
        let unknown: Vec<&str> = names(text)
            .filter(|name| !settings.contains(*name))
            .collect();
        assert_eq!(unknown, ["LAFIYA_LISTNE"]);
    }
}
