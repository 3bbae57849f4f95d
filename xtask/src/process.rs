//! Runs a command of a stage. Its output is captured and shown in full if it fails; while it runs,
//! only selected lines are shown.

use std::io::{BufRead, BufReader, PipeReader};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

/// After this much silence a sign of life is printed, because some build machines end silent jobs.
const SILENCE_MAX: Duration = Duration::from_secs(60);
const POLLED_EVERY: Duration = Duration::from_millis(20);

/// Selects the lines that are shown while the command runs.
pub(crate) type Shown = fn(&str) -> bool;

/// Shows nothing unless the command fails.
pub(crate) fn nothing(_: &str) -> bool {
    false
}

/// Selects the lines in which cargo reports tests and their results.
pub(crate) fn test_lines(line: &str) -> bool {
    let line = line.trim_start();
    ["Running ", "Doc-tests ", "test result:"]
        .iter()
        .any(|start| line.starts_with(start))
        || (line.starts_with("test ") && line.ends_with("FAILED"))
}

/// Runs the command and returns its output. If it fails, the whole output is shown.
pub(crate) fn run(command: &mut Command, shown: Shown) -> anyhow::Result<String> {
    let said = words(command);
    let (reader, writer) = std::io::pipe()?;
    command
        .stdin(Stdio::null())
        // One pipe for both streams keeps their lines in order.
        .stdout(writer.try_clone()?)
        .stderr(writer);
    let mut child = command
        .spawn()
        .with_context(|| format!("`{said}` cannot be started"))?;
    // The command holds the writing ends of the pipe. They must be dropped, or the reader would
    // wait forever.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let output = Arc::new(Mutex::new(String::new()));
    let reading = thread::spawn({
        let output = Arc::clone(&output);
        move || read_lines(reader, &output, shown)
    });
    let status = wait_with_signs_of_life(&mut child, &output)?;
    // A grandchild that is still running would keep the pipe open, so the output so far has to
    // suffice.
    let deadline = Instant::now() + Duration::from_secs(2);
    while !reading.is_finished() && Instant::now() < deadline {
        thread::sleep(POLLED_EVERY);
    }
    let output = text_of(&output);
    if !status.success() {
        println!("{output}");
        bail!("`{said}` failed ({status})");
    }
    Ok(output)
}

/// Sends a signal (`STOP`, `CONT`, …) to processes.
pub(crate) fn signal(name: &str, pids: &[u32]) -> anyhow::Result<()> {
    let status = Command::new("kill")
        .arg(format!("-{name}"))
        .args(pids.iter().map(u32::to_string))
        .stderr(Stdio::null())
        .status()?;
    ensure!(status.success(), "SIG{name} was not sent to {pids:?}");
    Ok(())
}

fn read_lines(reader: PipeReader, output: &Mutex<String>, shown: Shown) {
    let mut reader = BufReader::new(reader);
    let mut bytes = Vec::new();
    while matches!(reader.read_until(b'\n', &mut bytes), Ok(count) if count > 0) {
        // Output may be cut within a character.
        let line = String::from_utf8_lossy(&bytes);
        if shown(line.trim_end()) {
            println!("      {}", line.trim());
        }
        if let Ok(mut output) = output.lock() {
            output.push_str(&line);
        }
        bytes.clear();
    }
}

fn wait_with_signs_of_life(
    child: &mut std::process::Child,
    output: &Mutex<String>,
) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let mut spoken = started;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if spoken.elapsed() > SILENCE_MAX {
            spoken = Instant::now();
            let text = text_of(output);
            let last = text.lines().last().unwrap_or_default().trim();
            println!("      {} s: {last:.100}", started.elapsed().as_secs());
        }
        thread::sleep(POLLED_EVERY);
    }
}

fn text_of(output: &Mutex<String>) -> String {
    output.lock().map(|text| text.clone()).unwrap_or_default()
}

/// Returns the command as typed in a shell.
fn words(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    words.join(" ")
}

/// Returns the path of this program. A concurrent build may have replaced the file, which works as
/// well; the system then reports the path of the old one as deleted.
pub(crate) fn own_program() -> anyhow::Result<std::path::PathBuf> {
    let path = std::env::current_exe()?;
    let replaced = path
        .to_str()
        .and_then(|path| path.strip_suffix(" (deleted)"));
    Ok(replaced.map_or_else(|| path.clone(), std::path::PathBuf::from))
}

/// Whether a program exists, checked by asking for its version.
pub(crate) fn runs(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_both_streams_is_returned() {
        let output = run(
            Command::new("sh").args(["-c", "echo one; echo two >&2"]),
            nothing,
        )
        .unwrap();
        assert!(output.contains("one") && output.contains("two"), "{output}");
    }

    #[test]
    fn a_failure_names_the_command() {
        let error = run(Command::new("sh").args(["-c", "exit 3"]), nothing).unwrap_err();
        assert!(error.to_string().contains("sh -c exit 3"), "{error}");
    }

    #[test]
    fn only_summary_and_failure_lines_of_cargo_test_are_shown() {
        assert!(test_lines("test result: ok. 3 passed; 0 failed"));
        assert!(test_lines("     Running unittests src/lib.rs"));
        assert!(test_lines("test errors::one ... FAILED"));
        assert!(!test_lines("test errors::one ... ok"));
    }
}
