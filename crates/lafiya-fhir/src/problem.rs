//! What is wrong with a Bundle: every problem at once, each with the place as a FHIRPath.

use crate::codes::TOKEN_CHARACTERS_MAX;
use crate::node::Node;

/// At most so many are reported; more help nobody.
const PROBLEMS_MAX: usize = 100;

/// Kinds of problem. Each has a code of ours and an issue type of FHIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Something required is not there.
    Missing,
    /// Of another JSON type, or of a shape FHIR does not allow.
    Structure,
    /// The right type, but a value that cannot be.
    Value,
    /// A code, unit or word that nobody here knows.
    UnknownCode,
    /// Correct FHIR that this service does not take.
    NotSupported,
    /// Two parts of the Bundle say different things.
    Conflict,
    /// More than fits into one assessment.
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

    /// Our code, in the code system `problem`.
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

    /// For people.
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

    /// The issue type of FHIR.
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

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// Where, as a FHIRPath from `Bundle` on.
    pub expression: String,
    /// What is wrong, as a sentence that helps and repeats no patient data.
    pub says: String,
    /// The local code that is not known, so that the edge can suggest what was meant.
    pub unknown_code: Option<String>,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    /// Notes a problem at a place.
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

    /// Notes a local code that names nothing.
    pub(crate) fn note_unknown(&mut self, at: &Node<'_>, code: &str, says: impl Into<String>) {
        let before = self.found.len();
        self.note(ProblemKind::UnknownCode, at, says);
        // What is longer was never meant to be a code of ours, and is not worth a search.
        if let Some(noted) = self.found.get_mut(before)
            && code.len() <= TOKEN_CHARACTERS_MAX
        {
            noted.unknown_code = Some(code.to_owned());
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// All of them.
    pub(crate) fn into_list(self) -> Vec<Problem> {
        self.found
    }
}
