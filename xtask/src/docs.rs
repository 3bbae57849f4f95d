//! Checks of the documents and the source tree, which report all problems at once. Each check reads
//! the project on disk and returns its complaints as sentences.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{tidy, workspace};

/// The maximum number of lines in a source file; longer files should be split.
const SOURCE_LINES_MAX: usize = 700;

/// The text files of the project.
pub(crate) struct Tree {
    pub(crate) files: Vec<(PathBuf, String)>,
}

type Check = fn(&Tree) -> Vec<String>;

const CHECKS: &[Check] = &[
    paths_named_in_architecture_exist,
    no_source_file_is_too_long,
    no_text_names_a_path_of_one_machine,
    commands_in_the_readme_exist,
    tests_named_in_documents_exist,
    every_claim_names_its_proof,
];

/// Documents that name tests as proof of their claims.
const NAMING_TESTS: &[&str] = &["docs/operating/security.md", "docs/clinical/safety.md"];

/// Returns all complaints.
pub(crate) fn complaints() -> anyhow::Result<Vec<String>> {
    let root = workspace::root();
    let files = workspace::files()?
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(root.join(&path)).ok()?;
            Some((path, text))
        })
        .collect();
    let tree = Tree { files };
    let mut complaints: Vec<String> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    complaints.extend(tidy::complaints(&tree));
    Ok(complaints)
}

impl Tree {
    fn text(&self, name: &str) -> Option<&str> {
        let (_, text) = self
            .files
            .iter()
            .find(|(path, _)| path == Path::new(name))?;
        Some(text)
    }

    /// Whether a path is a file, or a folder that contains one.
    fn has(&self, path: &str) -> bool {
        let path = Path::new(path.trim_end_matches('/'));
        self.files.iter().any(|(file, _)| file.starts_with(path))
            || workspace::root().join(path).exists()
    }
}

/// Whether a file is a Rust source file.
pub(crate) fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Checks that every path in backticks in ARCHITECTURE.md exists.
fn paths_named_in_architecture_exist(tree: &Tree) -> Vec<String> {
    const NAME: &str = "ARCHITECTURE.md";
    let Some(text) = tree.text(NAME) else {
        return vec![format!("{NAME} is missing")];
    };
    let named: BTreeSet<&str> = code_spans(text).filter(|span| is_a_path(span)).collect();
    named
        .into_iter()
        .filter(|path| !tree.has(path))
        .map(|path| format!("{NAME} names `{path}`, which does not exist"))
        .collect()
}

/// Checks that no Rust file is too long.
fn no_source_file_is_too_long(tree: &Tree) -> Vec<String> {
    tree.files
        .iter()
        .filter(|(path, _)| is_rust(path))
        .map(|(path, text)| (path.display(), text.lines().count()))
        .filter(|(_, lines)| *lines > SOURCE_LINES_MAX)
        .map(|(path, lines)| format!("{path} has {lines} lines, more than {SOURCE_LINES_MAX}"))
        .collect()
}

/// Checks that no text names a folder that exists only on one developer's machine.
fn no_text_names_a_path_of_one_machine(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in &tree.files {
        for (number, line) in text.lines().enumerate() {
            if names_a_machine_path(line) {
                let shown = path.display();
                let number = number + 1;
                complaints.push(format!("{shown}:{number} names a path of one machine"));
            }
        }
    }
    complaints
}

/// Checks that every command in the README exists.
fn commands_in_the_readme_exist(tree: &Tree) -> Vec<String> {
    let Some(text) = tree.text("README.md") else {
        return vec!["README.md is missing".to_owned()];
    };
    fenced_lines(text)
        .filter_map(shown_command)
        .filter(|command| !command.exists())
        .map(|command| format!("README.md shows a command that does not exist: {command:?}"))
        .collect()
}

/// Checks that every test named as proof in a document exists.
fn tests_named_in_documents_exist(tree: &Tree) -> Vec<String> {
    let sources = || tree.files.iter().filter(|(path, _)| is_rust(path));
    let mut complaints = Vec::new();
    for document in NAMING_TESTS {
        let Some(text) = tree.text(document) else {
            complaints.push(format!("{document} is missing"));
            continue;
        };
        for name in code_spans(text).filter(|span| is_a_sentence(span)) {
            let definition = format!("fn {name}(");
            if !sources().any(|(_, source)| source.contains(&definition)) {
                complaints.push(format!(
                    "{document} names the test `{name}`, which does not exist"
                ));
            }
        }
    }
    complaints
}

/// Checks that every row of a table with a last column "Shown by" names a test there, or links to
/// one.
fn every_claim_names_its_proof(tree: &Tree) -> Vec<String> {
    let documents = NAMING_TESTS.iter().map(|name| (name, tree.text(name)));
    documents
        .flat_map(|(name, text)| {
            let bare = claims_without_proof(text.unwrap_or_default());
            bare.map(move |claim| format!("{name} names no test for `{claim}`"))
        })
        .collect()
}

/// Returns the first cells of rows that name no test and have no link.
fn claims_without_proof(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter_map(move |line| {
        if !line.starts_with('|') {
            inside = false;
            return None;
        }
        let mut cells = line.trim().trim_matches('|').split('|');
        let (first, last) = (cells.next()?.trim(), cells.next_back()?.trim());
        if last == "Shown by" {
            inside = true;
            return None;
        }
        let is_rule = first.chars().all(|letter| letter == '-');
        let proven = code_spans(last).any(is_a_sentence) || last.contains(".md)");
        (inside && !is_rule && !proven).then_some(first)
    })
}

/// Whether a span is the name of one of our tests, which have four words or more.
fn is_a_sentence(span: &str) -> bool {
    let word =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    span.chars().all(word) && span.matches('_').count() >= 3
}

pub(crate) fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Whether a span looks like a path from the root: folders with slashes, or a file name with an
/// extension that we use. Patterns, URLs and API paths do not count.
fn is_a_path(span: &str) -> bool {
    let plain = span
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
    let known = [
        "crates/",
        "knowledge/",
        "docs/",
        "xtask/",
        "deploy/",
        "evaluation/",
        ".ci/",
    ];
    let ending = [".rs", ".md", ".toml"];
    plain
        && (known.iter().any(|start| span.starts_with(start))
            || (!span.contains('/')
                && ending.iter().any(|end| span.ends_with(end))
                && is_at_root(span)))
}

/// Whether a bare name belongs at the root: upper case, or known. Other bare names such as
/// `router.rs` depend on the context of their paragraph and cannot be checked.
fn is_at_root(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        || [
            "lafiya.default.toml",
            "rust-toolchain.toml",
            "rustfmt.toml",
            "clippy.toml",
        ]
        .contains(&name)
}

fn names_a_machine_path(line: &str) -> bool {
    // Split in two so that this file does not match itself.
    const HOMES: &[&str] = &[
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
    ];
    HOMES.iter().any(|home| {
        line.match_indices(home).any(|(at, _)| {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            !before.is_some_and(|before| before.is_alphanumeric() || "._-~/}>)".contains(before))
        })
    })
}

/// Returns the lines inside fenced code blocks.
fn fenced_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        inside && !fence
    })
}

/// One of our commands, as shown in a document.
#[derive(Debug, PartialEq, Eq)]
enum ShownCommand {
    Xtask(Vec<String>),
    Service(Vec<String>),
}

fn shown_command(line: &str) -> Option<ShownCommand> {
    let line = line.trim().trim_start_matches("$ ");
    let words: Vec<&str> = line.split_whitespace().collect();
    let commands = |words: &[&str]| -> Vec<String> {
        words
            .iter()
            .take_while(|word| {
                word.chars()
                    .all(|letter| letter.is_ascii_lowercase() || letter == '-')
            })
            .take_while(|word| !word.starts_with('-'))
            .map(|&word| word.to_owned())
            .collect()
    };
    match words.as_slice() {
        ["cargo", "xtask", rest @ ..] => Some(ShownCommand::Xtask(commands(rest))),
        ["cargo", "run", rest @ ..] => {
            let own = rest
                .iter()
                .position(|word| *word == "--")
                .map_or(rest.len(), |at| at + 1);
            Some(ShownCommand::Service(commands(
                rest.get(own..).unwrap_or_default(),
            )))
        }
        [program, rest @ ..] if *program == "lafiya" || program.ends_with("/lafiya") => {
            Some(ShownCommand::Service(commands(rest)))
        }
        _ => None,
    }
}

impl ShownCommand {
    fn exists(&self) -> bool {
        match self {
            Self::Xtask(words) => {
                let first = words.first().map_or("", String::as_str);
                crate::command_line().find_subcommand(first).is_some()
            }
            Self::Service(words) => Command::new(workspace::debug_binary())
                .args(words)
                .arg("--help")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_distinguished_from_other_code_spans() {
        for (span, expected) in [
            ("crates/lafiya-http/src/router.rs", true),
            ("knowledge/", true),
            ("CHANGELOG.md", true),
            ("lafiya.default.toml", true),
            ("router.rs", false),
            ("knowledge/conditions/<id>.toml", false),
            ("/v1/assess", false),
            ("cargo xtask test", false),
        ] {
            assert_eq!(is_a_path(span), expected, "{span}");
        }
    }

    #[test]
    fn machine_specific_paths_are_found() {
        let home = concat!("/ro", "ot/");
        assert!(names_a_machine_path(&format!("see {home}notes")));
        assert!(names_a_machine_path(&format!("\"{home}x\"")));
        assert!(!names_a_machine_path(&format!(
            "https://example.org{home}x"
        )));
        assert!(!names_a_machine_path("target/debug"));
    }

    #[test]
    fn commands_are_parsed_from_shell_lines() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(
            shown_command("$ cargo xtask test --only unit"),
            Some(ShownCommand::Xtask(words(&["test"])))
        );
        assert_eq!(
            shown_command("cargo run --release"),
            Some(ShownCommand::Service(Vec::new()))
        );
        assert_eq!(
            shown_command("lafiya key create --tenant demo"),
            Some(ShownCommand::Service(words(&["key", "create"])))
        );
        assert_eq!(shown_command("curl http://127.0.0.1:8080"), None);
    }

    #[test]
    fn a_claim_without_a_test_is_found() {
        let text = "| Risk | Shown by |\n|---|---|\n| one | `it_is_shown_here` |\n| two | our word |\n\n| x | y |\n";
        assert_eq!(claims_without_proof(text).collect::<Vec<_>>(), ["two"]);
    }

    #[test]
    fn only_lines_inside_fences_are_commands() {
        let text = "lafiya a\n```sh\nlafiya b\n```\nlafiya c\n";
        assert_eq!(fenced_lines(text).collect::<Vec<_>>(), ["lafiya b"]);
    }
}
