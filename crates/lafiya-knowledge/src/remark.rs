//! Remarks of the checks: one sentence about one line of a file.

use std::fmt;

/// The severity of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The knowledge base is invalid and is not served.
    Complaint,
    /// Worth a look, but not an error.
    Note,
}

/// A remark about a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Path below `knowledge/`; empty if it concerns the knowledge base as a whole.
    pub file: String,
    /// Line, from 1; 0 if it concerns the whole file.
    pub line: usize,
    /// The severity.
    pub weight: Weight,
    /// The name of the check.
    pub check: &'static str,
    /// The message, written for a clinician.
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

/// The reason why a knowledge base could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or directory cannot be read.
    #[error("{path}: {cause}")]
    Unreadable {
        /// The path.
        path: String,
        /// The cause.
        cause: std::io::Error,
    },
    /// The content is invalid.
    #[error("the knowledge base has {} complaints; the first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
    Broken(Vec<Remark>),
    /// The packed artefact does not have the format of this version.
    #[error("the packed knowledge base cannot be read: {0}")]
    Artefact(#[from] postcard::Error),
}
