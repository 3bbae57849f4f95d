//! `cargo xtask fuzz`: runs the property tests for arbitrary texts, Bundles, content files and
//! cases with a larger budget and a new seed. `cargo xtask test` runs the same properties as unit
//! tests with a fixed seed and a small budget. The API as a whole is fuzzed by the stage
//! `contract`.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::ensure;

use crate::process::{self, nothing};
use crate::workspace;

const CASES: u32 = 20_000;

/// The packages and test name prefixes for text, FHIR, the knowledge loader and the engine.
const TARGETS: &[(&str, &str)] = &[
    ("lafiya-text", "any_"),
    ("lafiya-fhir", "any_"),
    ("lafiya-knowledge", "any_"),
    ("lafiya-engine", "properties"),
];

pub(crate) fn run(cases: Option<u32>, seed: Option<u64>) -> anyhow::Result<()> {
    let cases = cases.unwrap_or(CASES);
    let seed = match seed {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
    };
    for (package, filter) in TARGETS {
        println!("{package} {filter}: seed {seed}, {cases} cases for each property");
        let mut test = Command::new("cargo");
        test.args(["test", "--package", package, filter])
            .env("LAFIYA_FUZZ_CASES", cases.to_string())
            .env("PROPTEST_CASES", cases.to_string())
            .env("LAFIYA_FUZZ_SEED", seed.to_string())
            .current_dir(workspace::root());
        let output = process::run(&mut test, nothing)?;
        let ran = output
            .lines()
            .any(|line| line.starts_with("test result: ok.") && !line.contains(" 0 passed"));
        ensure!(ran, "{package} has no properties named {filter}");
    }
    Ok(())
}
