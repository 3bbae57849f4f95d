//! Reading free text.

use jiff::civil::Date;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Choice, Severity, Sex};

/// What is known besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseContext {
    /// The patient's age; an age in the text serves where this is missing.
    pub age: Option<Age>,
    /// The patient's sex.
    pub sex: Option<Sex>,
    /// The day the text was written: gives "since Sunday" a number.
    pub evaluated_at: Option<Date>,
}

/// A concept that the text speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The concept.
    pub concept: ConceptRef,
    /// First character, counted in characters.
    pub start: usize,
    /// The character after the last.
    pub end: usize,
    /// The words as written.
    pub orth: String,
    /// Whether the patient has it.
    pub choice: Choice,
    /// How bad, where said.
    pub severity: Option<Severity>,
    /// For how many days, where a number can be derived.
    pub duration_days: Option<u32>,
    /// A measured value as written, with its unit.
    pub value: Option<String>,
    /// How surely the words mean the concept, 0 to 1.
    pub confidence: f64,
}

/// What a text says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// In the order of the text; each concept once.
    pub mentions: Vec<Mention>,
    /// True when something was found and nothing was guessed.
    pub obvious: bool,
}

/// The reader. Built once from a base and good for that base only.
#[derive(Clone, Debug)]
pub struct Parser {}

impl Parser {
    /// Builds the reader of a base.
    pub fn build(_base: &KnowledgeBase) -> Self {
        Self {}
    }

    /// Reads a text.
    pub fn parse(&self, _base: &KnowledgeBase, _text: &str, _context: &ParseContext) -> Parsed {
        Parsed::default()
    }
}
