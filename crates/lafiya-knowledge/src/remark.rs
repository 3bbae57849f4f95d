//! What the checks say: one sentence about one line of one file.

use std::fmt;

/// Whether a remark fails the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The base is broken: it is not served.
    Complaint,
    /// Worth a look, nothing more.
    Note,
}

/// A sentence about a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Path below `knowledge/`; empty where it is about the base as a whole.
    pub file: String,
    /// Line, from 1; 0 where it is about the file as a whole.
    pub line: usize,
    /// Whether it fails the base.
    pub weight: Weight,
    /// The name of the check.
    pub check: &'static str,
    /// What is wrong, for a clinician.
    pub says: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = match self.weight {
            Weight::Complaint => "",
            Weight::Note => "note: ",
        };
        write!(
            f,
            "{}:{}: {weight}{} [{}]",
            self.file, self.line, self.says, self.check
        )
    }
}

/// Why a base cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or directory cannot be read.
    #[error("{path}: {cause}")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The content is broken.
    #[error("the knowledge base has {} complaints; the first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
    Broken(Vec<Remark>),
    /// The packed artefact is not one of this version.
    #[error("the packed knowledge base cannot be read: {0}")]
    Artefact(#[from] postcard::Error),
}
