//! What can be checked of `deploy/` without a cluster: every setting named there is one of ours,
//! every YAML file can be read, and the systemd unit is one that systemd understands.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::ensure;

use crate::{python, workspace};

const PREFIX: &str = "LAFIYA_";

/// Reads every document of every file, and insists that those for Kubernetes say what they are.
const READ_YAML: &str = r#"
import sys, yaml
for path in sys.argv[1:]:
    documents = list(yaml.safe_load_all(open(path)))
    assert documents and all(isinstance(it, dict) for it in documents), path + " is empty"
    for document in documents if "kubernetes" in path else []:
        for field in ("apiVersion", "kind", "metadata"):
            assert field in document, path + " lacks " + field
"#;

/// Everything that is wrong with `deploy/`, in sentences.
pub(crate) fn complaints() -> anyhow::Result<Vec<String>> {
    let root = workspace::root();
    let settings = settings(&fs::read_to_string(root.join("lafiya.default.toml"))?);
    let mut complaints = Vec::new();
    let mut yaml = Vec::new();
    let mut units = Vec::new();
    for path in workspace::files()? {
        if !path.starts_with("deploy") {
            continue;
        }
        let text = fs::read_to_string(root.join(&path))?;
        let shown = path.display();
        let unknown = names(&text).filter(|name| !settings.contains(*name));
        complaints.extend(unknown.map(|name| format!("{shown} names {name}, which is no setting")));
        match path.extension().and_then(|it| it.to_str()) {
            Some("yaml" | "yml") => yaml.push(root.join(&path)),
            Some("service") => units.push(root.join(&path)),
            _ => {}
        }
    }
    ensure!(!yaml.is_empty() && !units.is_empty(), "deploy/ is empty");
    let mut read = Command::new(python::interpreter()?);
    complaints.extend(said_by(read.args(["-c", READ_YAML]).args(&yaml))?);
    // Where there is no systemd, its unit is read by nobody.
    let mut verify = Command::new("systemd-analyze");
    if verify.arg("verify").args(&units).output().is_ok() {
        let said = said_by(&mut verify)?;
        // The program itself is not installed here.
        let of_ours =
            |line: &String| line.contains("lafiya.service") && !line.contains("not executable");
        complaints.extend(said.into_iter().filter(of_ours));
    }
    Ok(complaints)
}

/// The lines a command complains with, if it does.
fn said_by(command: &mut Command) -> anyhow::Result<Vec<String>> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(said.lines().map(str::to_owned).collect())
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
