//! `cargo xtask fuzz`: the properties of reading and searching over arbitrary text, with a larger budget and a new seed.
//! The test command runs the same properties with a fixed seed and a small budget.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::process::{self, nothing};
use crate::workspace;

const CASES: u32 = 20_000;

pub(crate) fn run(cases: Option<u32>, seed: Option<u64>) -> anyhow::Result<()> {
    let cases = cases.unwrap_or(CASES);
    let seed = match seed {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
    };
    println!("seed {seed}, {cases} texts for each property");
    let mut test = Command::new("cargo");
    test.args(["test", "--package", "lafiya-text", "--lib", "any_text"])
        .env("LAFIYA_FUZZ_CASES", cases.to_string())
        .env("LAFIYA_FUZZ_SEED", seed.to_string())
        .current_dir(workspace::root());
    process::run(&mut test, nothing)?;
    Ok(())
}
