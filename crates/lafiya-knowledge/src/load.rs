//! Parses files into content. Every file is parsed, and every error is reported with its file and
//! line.
//!
//! An error in one entry of a list does not hide the others. Only the format is checked here.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::remark::{LoadError, Remark, Weight};
use crate::schema::{Content, Country, Finding, LayTerm};

/// One file: its path below `knowledge/`, with forward slashes, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Such as `conditions/c_measles.toml`.
    pub path: String,
    /// The full text.
    pub text: String,
}

/// Parsed content, with its source files and the parse errors.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The content that could be parsed.
    pub content: Content,
    /// The files, sorted by path.
    pub files: Vec<SourceFile>,
    /// The parse errors.
    pub remarks: Vec<Remark>,
}

/// Reads all content files below a directory. Other files (Markdown, facility registers) are
/// ignored.
pub fn read_dir(directory: &Path) -> Result<Vec<SourceFile>, LoadError> {
    let mut files = Vec::new();
    collect(directory, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Parses files. Errors are collected, not returned early.
pub fn parse(mut files: Vec<SourceFile>) -> Loaded {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut reading = Reading::default();
    for file in &files {
        reading.read(file);
    }
    reading.content.content_hash = content_hash(&files);
    Loaded {
        content: reading.content,
        files,
        remarks: reading.remarks,
    }
}

fn collect(directory: &Path, below: &str, files: &mut Vec<SourceFile>) -> Result<(), LoadError> {
    let unreadable = |cause| LoadError::Unreadable {
        path: directory.display().to_string(),
        cause,
    };
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        if entry.file_type().map_err(unreadable)?.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else if is_content(&path) {
            let text =
                std::fs::read_to_string(entry.path()).map_err(|cause| LoadError::Unreadable {
                    path: entry.path().display().to_string(),
                    cause,
                })?;
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

/// Whether a file is content. Facility registers and place lists belong to other parts of the
/// product.
fn is_content(path: &str) -> bool {
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let foreign = path.starts_with("facilities/") || path.starts_with("places/");
    let known = path.ends_with(".toml") || path.ends_with(".csv") || path == "planned.txt";
    known && !hidden && !foreign
}

fn content_hash(files: &[SourceFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.path.as_bytes());
        hash.update([0]);
        hash.update((file.text.len() as u64).to_be_bytes());
        hash.update(file.text.as_bytes());
    }
    hex::encode(hash.finalize())
}

#[derive(Default)]
struct Reading {
    content: Content,
    remarks: Vec<Remark>,
}

impl Reading {
    fn read(&mut self, file: &SourceFile) {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let (to, said) = (&mut self.content, &mut self.remarks);
        match (folder, name) {
            ("conditions", _) => to.conditions.extend(one(file, said)),
            ("findings", _) => to.findings.extend(findings(file, stem, said)),
            ("risk-factors", _) => to.risk_factors.extend(list(file, "risk_factor", said)),
            ("medicines", _) => to.medicines.extend(one(file, said)),
            ("rules", _) => to.rules.extend(list(file, "rule", said)),
            ("regions", _) => to.countries.extend(one::<Country>(file, said)),
            ("lay-terms", _) => to.lay_terms.extend(lay_terms(file, stem, said)),
            ("", "vital-signs.toml") => to.measures = list(file, "measure", said),
            ("", "lab-tests.toml") => to.lab_tests = list(file, "lab_test", said),
            ("", "scores.toml") => to.scores = list(file, "score", said),
            ("", "together.toml") => to.pairs = list(file, "pair", said),
            ("", "screens.toml") => to.screens = list(file, "screen", said),
            ("", "gates.toml") => to.gates = list(file, "gate", said),
            ("", "exposures.toml") => to.exposures = list(file, "exposure", said),
            ("", "scales.toml") => to.scales = list(file, "scale", said),
            ("", "sources.toml") => to.sources = list(file, "source", said),
            ("", "specialists.toml") => to.specialists = list(file, "specialist", said),
            ("", "belts.toml") => to.belts = list(file, "belt", said),
            ("", "population.toml") => to.population = list(file, "share", said),
            ("", "aliases.toml") => to.aliases = list(file, "alias", said),
            ("", "medicine-classes.toml") => {
                to.medicine_classes = one(file, said).unwrap_or_default();
            }
            ("", "weight-for-age.toml") => {
                to.weight_for_age = one(file, said).unwrap_or_default();
            }
            ("", "services.toml") => to.services = one(file, said).unwrap_or_default(),
            ("", "triage.toml") => to.triage = one(file, said).unwrap_or_default(),
            ("", "VERSION.toml") => to.version = one(file, said).unwrap_or_default(),
            ("", "planned.txt") => to.planned = planned(&file.text),
            _ => {
                let says = "no file of this name is known; see FORM.md";
                said.push(complaint(file, 0, "unknown-file", says));
            }
        }
    }
}

/// Parses findings. The category of a finding is the name of its file.
fn findings(file: &SourceFile, stem: &str, remarks: &mut Vec<Remark>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = list(file, "finding", remarks);
    for finding in &mut findings {
        finding.category = stem.replace('-', "_");
    }
    findings
}

/// Parses a file that contains a single object.
fn one<T: DeserializeOwned>(file: &SourceFile, remarks: &mut Vec<Remark>) -> Option<T> {
    match toml::from_str(&file.text) {
        Ok(item) => Some(item),
        Err(error) => {
            remarks.push(unreadable(file, &error, None));
            None
        }
    }
}

/// Parses a file that contains a list under one key. If it does not parse as a whole, each entry is
/// parsed separately.
fn list<T: DeserializeOwned>(file: &SourceFile, key: &str, remarks: &mut Vec<Remark>) -> Vec<T> {
    if let Ok(mut lists) = toml::from_str::<BTreeMap<String, Vec<T>>>(&file.text) {
        let items = lists.remove(key).unwrap_or_default();
        for stray in lists.keys() {
            let says =
                format!("`{stray}` does not belong here; entries of this file are `[[{key}]]`");
            remarks.push(complaint(
                file,
                line_with(&file.text, stray),
                "unreadable",
                &says,
            ));
        }
        return items;
    }
    let lists: BTreeMap<String, Vec<Spanned<toml::Value>>> = match toml::from_str(&file.text) {
        Ok(lists) => lists,
        Err(error) => {
            remarks.push(unreadable(file, &error, None));
            return Vec::new();
        }
    };
    let mut items = Vec::new();
    for entry in lists.into_values().flatten() {
        let span = entry.span();
        let id = entry
            .get_ref()
            .get("id")
            .and_then(|id| id.as_str())
            .unwrap_or("an entry without id")
            .to_owned();
        match T::deserialize(entry.into_inner()) {
            Ok(item) => items.push(item),
            Err(error) => remarks.push(unreadable(file, &error, Some((&id, span)))),
        }
    }
    items
}

fn lay_terms(file: &SourceFile, language: &str, remarks: &mut Vec<Remark>) -> Vec<LayTerm> {
    let mut terms = Vec::new();
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(file.text.as_bytes());
    for row in reader.deserialize::<LayTerm>() {
        match row {
            Ok(term) => terms.push(LayTerm {
                language: language.to_owned(),
                ..term
            }),
            Err(error) => {
                let line = error
                    .position()
                    .map_or(0, |at| usize::try_from(at.line()).unwrap_or(0));
                remarks.push(complaint(file, line, "unreadable", &error.to_string()));
            }
        }
    }
    terms
}

fn planned(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn unreadable(
    file: &SourceFile,
    error: &toml::de::Error,
    entry: Option<(&str, Range<usize>)>,
) -> Remark {
    let message = error.message().trim();
    match entry {
        Some((id, span)) => {
            let line =
                line_with(&file.text, &format!("\"{id}\"")).max(line_of(&file.text, span.start));
            complaint(file, line, "unreadable", &format!("{id}: {message}"))
        }
        None => {
            let line = error
                .span()
                .map_or(0, |span| line_of(&file.text, span.start));
            complaint(file, line, "unreadable", message)
        }
    }
}

fn complaint(file: &SourceFile, line: usize, check: &'static str, says: &str) -> Remark {
    Remark {
        file: file.path.clone(),
        line,
        weight: Weight::Complaint,
        check,
        says: says.to_owned(),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()
        .iter()
        .take(at)
        .filter(|&&byte| byte == b'\n')
        .count()
        + 1
}

fn line_with(text: &str, words: &str) -> usize {
    text.lines()
        .position(|line| line.contains(words))
        .map_or(0, |line| line + 1)
}
