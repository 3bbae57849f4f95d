//! Checks of how the project is written: comments, words, names in documents, pictures, commits.
//! Each check takes the tree and returns complaints in sentences, like those of [`crate::docs`].

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::docs::{Tree, code_spans, is_rust};
use crate::workspace;

/// The longest comment line, in characters.
const COMMENT_COLUMNS_MAX: usize = 100;
/// The longest subject of a commit, in characters.
const SUBJECT_MAX: usize = 72;
/// A commit that changes more lines than this needs a body.
const LINES_WITHOUT_BODY_MAX: usize = 50;
/// The rules for commits hold for everything after this one.
const COMMITS_SINCE: &str = "ec9a9848c7fe783173b7b2e0ce77b5ea40e7e5f7";

/// Words that this project once used in place of a term of the field, each with that term.
/// They are refused in comments and documents.
const METAPHORS: &[(&str, &str)] = &[
    ("desk", "connection thread"),
    ("desks", "connection threads"),
    ("whereabouts", "location"),
    ("drawer", "idle connections"),
    ("patience", "timeout"),
    ("sieve", "Bloom filter"),
    ("sieved", "filtered"),
    ("nobody else's", "only"),
    ("gait", "mode"),
    ("gaits", "modes"),
    ("moods of the machine", "noise of the machine"),
    ("mood of the machine", "noise of the machine"),
    ("slowest of a hundred", "p99"),
    ("in a hundred", "%"),
    ("of a hundred", "%"),
    ("reckoned", "computed"),
    ("reckons", "computes"),
    ("whence", "from where"),
    ("betimes", "early"),
    ("anew", "again"),
    ("wears", "has"),
    ("kindred", "family"),
];

/// Third-person and past forms end like this; these words end like it and are imperatives.
const IMPERATIVES: &[&str] = &[
    "address", "bring", "canvas", "compress", "cross", "discuss", "embed", "express", "feed",
    "focus", "guess", "miss", "need", "pass", "press", "process", "seed", "shed", "speed",
    "spread", "string", "suppress",
];

/// Everything that is wrong.
pub(crate) fn complaints(tree: &Tree) -> Vec<String> {
    let mut all = long_comment_lines(tree);
    all.extend(metaphors(tree));
    all.extend(unknown_names(tree));
    all.extend(unused_pictures(tree));
    all.extend(bad_commits(&commits()));
    all
}

/// Documents about the code and its operation. Clinical content has words of its own.
fn is_document(path: &Path) -> bool {
    let is_markdown = path.extension().is_some_and(|extension| extension == "md");
    is_markdown && !path.starts_with("knowledge") && !path.starts_with("evaluation")
}

/// A line of a source file that is a comment and nothing else.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// No comment line is longer than a screen is wide. An address cannot be broken.
fn long_comment_lines(tree: &Tree) -> Vec<String> {
    let is_long = |line: &str| line.chars().count() > COMMENT_COLUMNS_MAX && !line.contains("://");
    lines(tree, is_rust, is_comment)
        .filter(|(_, _, line)| is_long(line))
        .map(|(path, number, _)| {
            format!("{path}:{number} is a comment of more than {COMMENT_COLUMNS_MAX} columns")
        })
        .collect()
}

/// The lines of some files that are of a kind, each with its file and number.
fn lines(
    tree: &Tree,
    of_file: fn(&Path) -> bool,
    of_line: fn(&str) -> bool,
) -> impl Iterator<Item = (String, usize, &str)> {
    let files = tree.files.iter().filter(move |(path, _)| of_file(path));
    files.flat_map(move |(path, text)| {
        let numbered = text.lines().zip(1..).filter(move |(line, _)| of_line(line));
        numbered.map(move |(line, number)| (path.display().to_string(), number, line))
    })
}

/// No comment and no document uses a word of [`METAPHORS`].
fn metaphors(tree: &Tree) -> Vec<String> {
    /// Shows the words that are refused, as examples.
    const STYLE_GUIDE: &str = "docs/contributing/style.md";
    let comments = lines(tree, is_rust, is_comment);
    let documents = lines(tree, is_document, |_| true);
    comments
        .chain(documents)
        .filter(|(path, _, _)| path != STYLE_GUIDE)
        .flat_map(|(path, number, line)| {
            let prose = without_code(line).to_lowercase();
            let used = METAPHORS
                .iter()
                .filter(move |(word, _)| has_word(&prose, word));
            used.map(move |(word, term)| {
                format!("{path}:{number} says \"{word}\"; the term is \"{term}\"")
            })
        })
        .collect()
}

/// A line without what stands in backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Whether a text has a word or phrase that is not part of a longer word.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

/// Every function, type and setting that ARCHITECTURE.md or a decision record names exists.
fn unknown_names(tree: &Tree) -> Vec<String> {
    let is_named_in =
        |path: &Path| path == Path::new("ARCHITECTURE.md") || path.starts_with("docs/decisions");
    let known: BTreeSet<&str> = tree
        .files
        .iter()
        .filter(|(path, _)| !is_document(path))
        .flat_map(|(_, text)| {
            text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        })
        .collect();
    let documents = tree.files.iter().filter(|(path, _)| is_named_in(path));
    documents
        .flat_map(|(path, text)| {
            let spans: BTreeSet<&str> = code_spans(text).filter_map(code_name).collect();
            let unknown = spans.into_iter().filter(|name| !known.contains(name));
            unknown.map(|name| {
                let path = path.display();
                format!("{path} names `{name}`, which is nowhere in the code")
            })
        })
        .collect()
}

/// The name that has to exist where a span is one of code: the last part of a path, a call or a
/// setting. Commands, values and sentences are something else.
fn code_name(span: &str) -> Option<&str> {
    let name = span.rsplit("::").next()?.trim_end_matches("()");
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_plain = !name.is_empty() && name.chars().all(is_name);
    let has_shape = name.contains('_')
        || name
            .chars()
            .skip(1)
            .any(|letter| letter.is_ascii_uppercase());
    (is_plain && has_shape).then_some(name)
}

/// Every picture is shown by a document.
fn unused_pictures(tree: &Tree) -> Vec<String> {
    let pictures = workspace::files().unwrap_or_default();
    let pictures = pictures
        .iter()
        .filter(|path| path.starts_with("docs/images"));
    unused(tree, pictures.filter_map(|path| path.file_name()?.to_str()))
}

fn unused<'a>(tree: &Tree, pictures: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_shown = |name: &str| {
        let documents = tree.files.iter().filter(|(path, _)| is_document(path));
        documents.into_iter().any(|(_, text)| text.contains(name))
    };
    pictures
        .filter(|name| !is_shown(name))
        .map(|name| format!("docs/images/{name} is in no document"))
        .collect()
}

/// A commit as the rules see it.
struct Commit {
    subject: String,
    has_body: bool,
    changed_lines: usize,
}

/// The commits that the rules hold for. None where there is no repository, or not all of it: a
/// source archive and a shallow clone are tested as well.
fn commits() -> Vec<Commit> {
    const MARK: &str = "\u{1}";
    let range = format!("{COMMITS_SINCE}..HEAD");
    let log = Command::new("git")
        .args(["log", "--no-merges", "--shortstat"])
        .arg(format!("--format={MARK}%s{MARK}%b{MARK}"))
        .arg(range)
        .current_dir(workspace::root())
        .output();
    let Ok(log) = log else { return Vec::new() };
    let text = String::from_utf8_lossy(&log.stdout).into_owned();
    let parts: Vec<&str> = text.split(MARK).skip(1).collect();
    parts
        .chunks(3)
        .filter_map(|part| {
            let [subject, body, statistics] = part else {
                return None;
            };
            Some(Commit {
                subject: (*subject).to_owned(),
                has_body: !body.trim().is_empty(),
                changed_lines: changed_lines(statistics),
            })
        })
        .collect()
}

/// Insertions and deletions of a line such as "2 files changed, 3 insertions(+), 1 deletion(-)".
fn changed_lines(statistics: &str) -> usize {
    let changes = statistics
        .split(',')
        .filter(|part| part.contains("insertion") || part.contains("deletion"));
    changes
        .filter_map(|part| part.split_whitespace().next()?.parse::<usize>().ok())
        .sum()
}

/// Subjects are short, name their scope and are imperative; a large change says why.
fn bad_commits(commits: &[Commit]) -> Vec<String> {
    let mut complaints = Vec::new();
    for commit in commits {
        let subject = &commit.subject;
        let mut complain = |what: &str| complaints.push(format!("commit \"{subject}\" {what}"));
        if subject.chars().count() > SUBJECT_MAX {
            complain(&format!(
                "has a subject of more than {SUBJECT_MAX} characters"
            ));
        }
        match subject.split_once(": ") {
            None => complain("names no scope (\"scope: do this\")"),
            Some((_, told)) if !is_imperative(told) => complain("is not imperative"),
            Some(_) => {}
        }
        if commit.changed_lines > LINES_WITHOUT_BODY_MAX && !commit.has_body {
            complain("changes much and has no body that says why");
        }
    }
    complaints
}

/// Whether a subject begins with a verb as in "add", not "adds", "added" or "adding".
fn is_imperative(subject: &str) -> bool {
    let first = subject.split_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches([',', ':']).to_lowercase();
    let is_inflected = (first.ends_with('s') && !first.ends_with("ss"))
        || first.ends_with("ed")
        || first.ends_with("ing");
    let is_article = [
        "a", "an", "the", "no", "new", "fewer", "more", "what", "how",
    ];
    let is_noun = is_article.contains(&first.as_str());
    IMPERATIVES.contains(&first.as_str()) || !(is_inflected || is_noun)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let file = |(path, text): &(&str, &str)| (PathBuf::from(path), (*text).to_owned());
        Tree {
            files: files.iter().map(file).collect(),
        }
    }

    fn commit(subject: &str, has_body: bool, changed_lines: usize) -> Vec<String> {
        bad_commits(&[Commit {
            subject: subject.to_owned(),
            has_body,
            changed_lines,
        }])
    }

    #[test]
    fn a_long_comment_line_is_found() {
        let long = format!("// {}\n", "word ".repeat(20));
        let code = format!("let x = \"{}\";\n", "word ".repeat(20));
        let address = format!("// https://example.org/{}\n", "word/".repeat(20));
        let found = |text: &str| long_comment_lines(&tree(&[("a.rs", text)])).len();
        assert_eq!(found(&long), 1);
        assert_eq!(found(&code), 0);
        assert_eq!(found(&address), 0);
    }

    #[test]
    fn a_metaphor_in_a_comment_or_a_document_is_found() {
        let (word, _) = METAPHORS[0];
        let comment = format!("/// A {word} for connections.\nfn {word}() {{}}\n");
        let document =
            format!("The {word} is full. `{word}` is code, {word}top is another word.\n");
        assert_eq!(metaphors(&tree(&[("a.rs", &comment)])).len(), 1);
        assert_eq!(metaphors(&tree(&[("docs/a.md", &document)])).len(), 1);
        assert_eq!(metaphors(&tree(&[("knowledge/a.md", &document)])).len(), 0);
    }

    #[test]
    fn a_name_that_no_code_has_is_found() {
        let code = (
            "crates/a/src/lib.rs",
            "fn known_function() {} struct KnownType;",
        );
        let found = |text: &str| unknown_names(&tree(&[code, ("ARCHITECTURE.md", text)]));
        assert_eq!(
            found("`known_function()`, `a::KnownType`, `plain`"),
            [""; 0]
        );
        assert_eq!(found("`lost_function`").len(), 1);
        assert_eq!(found("`a::LostType`").len(), 1);
        assert_eq!(found("`LAFIYA_LOST_SETTING`").len(), 1);
    }

    #[test]
    fn a_picture_without_a_document_is_found() {
        let tree = tree(&[("README.md", "![](docs/images/shown.png)")]);
        let found = unused(&tree, ["shown.png", "lost.png"].into_iter());
        assert_eq!(found, ["docs/images/lost.png is in no document"]);
    }

    #[test]
    fn a_bad_commit_is_found() {
        assert_eq!(commit("engine: add a bound", false, 50), [""; 0]);
        assert_eq!(commit("engine: compress the table", true, 500), [""; 0]);
        assert_eq!(commit("engine: add a bound", false, 51).len(), 1);
        assert_eq!(commit("engine: adds a bound", false, 1).len(), 1);
        assert_eq!(commit("engine: a bound for all", false, 1).len(), 1);
        assert_eq!(commit("add a bound", false, 1).len(), 1);
        assert_eq!(
            commit(&format!("engine: add {}", "x".repeat(70)), false, 1).len(),
            1
        );
    }

    #[test]
    fn changed_lines_are_insertions_and_deletions() {
        let of = changed_lines;
        assert_eq!(of(" 2 files changed, 30 insertions(+), 1 deletion(-)"), 31);
        assert_eq!(of(" 1 file changed, 1 insertion(+)"), 1);
        assert_eq!(of(""), 0);
    }
}
