//! The sources that an answer cites, numbered in order of first use.

use lafiya_knowledge::{KnowledgeBase, SourceIx};
use lafiya_model::Text;

/// Enough capacity for most answers.
const USUALLY: usize = 32;

/// The cited sources with their numbers and citation lines.
pub(crate) struct Citations<'a> {
    base: &'a KnowledgeBase,
    /// By `SourceIx`; 0 if not cited yet.
    numbers: Vec<u16>,
    lines: Vec<Text<'a>>,
}

impl<'a> Citations<'a> {
    pub(crate) fn new(base: &'a KnowledgeBase) -> Self {
        Self {
            base,
            numbers: vec![0; base.sources().len()],
            lines: Vec::with_capacity(USUALLY),
        }
    }

    /// Returns the line `[n] Title, publisher, year` of a source, and assigns its number on first
    /// use.
    pub(crate) fn cite(&mut self, ix: SourceIx) -> Text<'a> {
        self.line(ix).clone()
    }

    /// Like [`Self::cite`], by source id. Empty for an unknown id, which the knowledge checks
    /// reject.
    pub(crate) fn cite_id(&mut self, id: &str) -> Text<'a> {
        let known = self.base.find_source(id);
        known.map(|ix| self.cite(ix)).unwrap_or_default()
    }

    fn line(&mut self, ix: SourceIx) -> &Text<'a> {
        if self.numbers[ix.index()] == 0 {
            let number = self.lines.len() as u16 + 1;
            self.lines.push(Text::cited(number, self.base.citation(ix)));
            self.numbers[ix.index()] = number;
        }
        &self.lines[usize::from(self.numbers[ix.index()]) - 1]
    }

    pub(crate) fn into_lines(self) -> Vec<Text<'a>> {
        self.lines
    }
}
