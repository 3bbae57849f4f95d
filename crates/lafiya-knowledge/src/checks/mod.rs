//! The checks: small, named, one sentence each. All run, all remarks come back at once, sorted by file and line.
//!
//! A check reads content and base and says what is wrong in words a clinician understands. It changes nothing.

mod locate;

use std::path::Path;

use crate::base::KnowledgeBase;
use crate::load::{self, SourceFile};
use crate::remark::{LoadError, Remark, Weight};
use crate::schema::Content;
use locate::Locator;

/// A named check.
pub struct Check {
    /// As remarks name it.
    pub name: &'static str,
    /// What it demands, in a sentence.
    pub says: &'static str,
    run: fn(&mut Report<'_>),
}

/// Every check, in the order they run.
pub const CHECKS: &[Check] = &[];

/// Content, the base built from it, and everything there is to say about it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What the files say.
    pub content: Content,
    /// The base. Built whatever the remarks say: references that lead nowhere are left out of it.
    pub base: KnowledgeBase,
    /// Sorted by file and line.
    pub remarks: Vec<Remark>,
}

impl Checked {
    /// The remarks that fail the base.
    pub fn complaints(&self) -> impl Iterator<Item = &Remark> {
        self.remarks
            .iter()
            .filter(|remark| remark.weight == Weight::Complaint)
    }

    /// The remarks that do not.
    pub fn notes(&self) -> impl Iterator<Item = &Remark> {
        self.remarks
            .iter()
            .filter(|remark| remark.weight == Weight::Note)
    }

    /// The base, if nothing is wrong with it.
    pub fn into_base(self) -> Result<KnowledgeBase, LoadError> {
        if self.complaints().next().is_none() {
            return Ok(self.base);
        }
        Err(LoadError::Broken(self.complaints().cloned().collect()))
    }
}

/// Reads and checks files.
pub fn check(files: Vec<SourceFile>) -> Checked {
    let loaded = load::parse(files);
    let base = KnowledgeBase::from_content(loaded.content.clone());
    let mut report = Report {
        content: &loaded.content,
        base: &base,
        locator: Locator::of(&loaded.files),
        check: "",
        remarks: loaded.remarks,
    };
    for check in CHECKS {
        report.check = check.name;
        (check.run)(&mut report);
    }
    let mut remarks = report.remarks;
    remarks.sort();
    remarks.dedup();
    Checked {
        content: loaded.content,
        base,
        remarks,
    }
}

/// Reads and checks a directory.
pub fn check_dir(directory: &Path) -> Result<Checked, LoadError> {
    Ok(check(load::read_dir(directory)?))
}

impl KnowledgeBase {
    /// The base of a list of files; refused when anything is wrong with it.
    pub fn from_files(files: Vec<SourceFile>) -> Result<Self, LoadError> {
        check(files).into_base()
    }

    /// The base of a directory; refused when anything is wrong with it.
    pub fn from_dir(directory: &Path) -> Result<Self, LoadError> {
        check_dir(directory)?.into_base()
    }
}

/// What a check reads, and where it says what it found.
struct Report<'a> {
    content: &'a Content,
    base: &'a KnowledgeBase,
    locator: Locator<'a>,
    check: &'static str,
    remarks: Vec<Remark>,
}

impl Report<'_> {
    /// Complains about an entry; `near` is a text on the very line, if there is one.
    fn complain(&mut self, id: &str, near: &str, says: impl Into<String>) {
        self.say(Weight::Complaint, id, near, says.into());
    }

    /// Notes something about an entry.
    fn note(&mut self, id: &str, near: &str, says: impl Into<String>) {
        self.say(Weight::Note, id, near, says.into());
    }

    fn say(&mut self, weight: Weight, id: &str, near: &str, says: String) {
        let (file, line) = self.locator.find(id, near);
        self.remarks.push(Remark {
            file,
            line,
            weight,
            check: self.check,
            says,
        });
    }
}
