//! Problems of a Bundle: all of them at once, each with its location as a FHIRPath.

use crate::codes::TOKEN_CHARACTERS_MAX;
use crate::node::Node;

/// Maximum number of reported problems; a longer list would not help.
const PROBLEMS_MAX: usize = 100;

/// Kinds of problems. Each has our own code and a FHIR issue type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A required element is missing.
    Missing,
    /// It has another JSON type, or a structure that FHIR does not allow.
    Structure,
    /// It has the right type but an impossible value.
    Value,
    /// A code, unit or word is unknown.
    UnknownCode,
    /// Valid FHIR that this service does not support.
    NotSupported,
    /// Two parts of the Bundle contradict each other.
    Conflict,
    /// More than the limits of one assessment.
    TooMuch,
}

impl ProblemKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Missing,
        Self::Structure,
        Self::Value,
        Self::UnknownCode,
        Self::NotSupported,
        Self::Conflict,
        Self::TooMuch,
    ];

    /// Returns our code, in the code system `problem`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Structure => "structure",
            Self::Value => "value",
            Self::UnknownCode => "unknown-code",
            Self::NotSupported => "not-supported",
            Self::Conflict => "conflict",
            Self::TooMuch => "too-much",
        }
    }

    /// Returns the display text.
    pub fn display(self) -> &'static str {
        match self {
            Self::Missing => "Something required is missing",
            Self::Structure => "Not of the shape that FHIR R4 gives it",
            Self::Value => "A value that cannot be",
            Self::UnknownCode => "A code, unit or word that is not known",
            Self::NotSupported => "Correct FHIR that this service does not take",
            Self::Conflict => "Two parts of the Bundle contradict each other",
            Self::TooMuch => "More than fits into one assessment",
        }
    }

    /// Returns the FHIR issue type.
    pub fn issue_type(self) -> &'static str {
        match self {
            Self::Missing => "required",
            Self::Structure => "structure",
            Self::Value => "value",
            Self::UnknownCode => "code-invalid",
            Self::NotSupported => "not-supported",
            Self::Conflict => "conflict",
            Self::TooMuch => "too-long",
        }
    }
}

/// A problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// The location, as a FHIRPath that starts with `Bundle`.
    pub expression: String,
    /// What is wrong, as a sentence that helps to fix it and contains no patient data.
    pub says: String,
    /// The unknown local code, so that the edge can suggest alternatives.
    pub unknown_code: Option<String>,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    /// Notes a problem of a node.
    pub(crate) fn note(&mut self, kind: ProblemKind, at: &Node<'_>, says: impl Into<String>) {
        self.note_at(kind, at.path(), says);
    }

    /// Notes a problem at a path.
    pub(crate) fn note_at(
        &mut self,
        kind: ProblemKind,
        expression: impl Into<String>,
        says: impl Into<String>,
    ) {
        if self.found.len() < PROBLEMS_MAX {
            self.found.push(Problem {
                kind,
                expression: expression.into(),
                says: says.into(),
                unknown_code: None,
            });
        }
    }

    /// Notes an unknown local code.
    pub(crate) fn note_unknown(&mut self, at: &Node<'_>, code: &str, says: impl Into<String>) {
        let before = self.found.len();
        self.note(ProblemKind::UnknownCode, at, says);
        // A longer text was not meant to be one of our codes, so alternatives are not searched for.
        if let Some(noted) = self.found.get_mut(before)
            && code.len() <= TOKEN_CHARACTERS_MAX
        {
            noted.unknown_code = Some(code.to_owned());
        }
    }

    /// Returns the number of problems.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Returns all problems.
    pub(crate) fn into_list(self) -> Vec<Problem> {
        self.found
    }
}
