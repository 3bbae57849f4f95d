//! The benchmark programs in the crates that they measure, built in release mode and run by cargo.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use super::figures::numbers;
use crate::workspace;

/// Returns the output of an example of a package.
pub(super) fn example(package: &str, name: &str) -> anyhow::Result<String> {
    printed(&[
        "run",
        "--release",
        "--quiet",
        "--package",
        package,
        "--example",
        name,
    ])
}

/// Returns the output of a benchmark of a package.
pub(super) fn bench(package: &str, name: &str) -> anyhow::Result<String> {
    printed(&["bench", "--quiet", "--package", package, "--bench", name])
}

fn printed(arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(workspace::root())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be started")?;
    ensure!(
        output.status.success(),
        "`cargo {}` did not run",
        arguments.join(" ")
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the numbers of every line that has exactly `N` of them.
pub(super) fn lines_of<const N: usize>(printed: &str) -> Vec<[f64; N]> {
    let lines = printed.lines().map(numbers);
    lines.filter_map(|line| line.try_into().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_other_numbers_are_ignored() {
        let printed = "facilities tree force\n 1000 2.1 82\n 10000 2.6 978\ndone in 3 s\n";
        assert_eq!(
            lines_of::<3>(printed),
            [[1000.0, 2.1, 82.0], [10000.0, 2.6, 978.0]]
        );
    }
}
