//! The sources that an answer cites, numbered in the order of their first use.

use std::fmt::Write as _;
use std::sync::Arc;

use lafiya_knowledge::{KnowledgeBase, SourceIx};

/// Numbers and lines of the sources.
pub(crate) struct Citations<'a> {
    base: &'a KnowledgeBase,
    /// By `SourceIx`; 0 where it is not cited yet.
    numbers: Vec<u16>,
    lines: Vec<Arc<str>>,
}

impl<'a> Citations<'a> {
    pub(crate) fn new(base: &'a KnowledgeBase) -> Self {
        Self {
            base,
            numbers: vec![0; base.sources().len()],
            lines: Vec::new(),
        }
    }

    /// `[n] Title, publisher, year`.
    pub(crate) fn cite(&mut self, ix: SourceIx) -> Arc<str> {
        Arc::clone(self.shared(ix))
    }

    /// The same for a source by its id; empty for an unknown one, which the checks refuse.
    pub(crate) fn cite_id(&mut self, id: &str) -> String {
        let known = self.base.find_source(id);
        known.map(|ix| self.line(ix).to_owned()).unwrap_or_default()
    }

    /// The line of a source, which has its number from now on.
    pub(crate) fn line(&mut self, ix: SourceIx) -> &str {
        self.shared(ix)
    }

    fn shared(&mut self, ix: SourceIx) -> &Arc<str> {
        if self.numbers[ix.index()] == 0 {
            self.lines.push(self.new_line(ix).into());
            self.numbers[ix.index()] = self.lines.len() as u16;
        }
        &self.lines[usize::from(self.numbers[ix.index()]) - 1]
    }

    fn new_line(&self, ix: SourceIx) -> String {
        /// What stands beside title and publisher: brackets, commas, two numbers.
        const BESIDES: usize = 16;
        let source = self.base.source(ix);
        let length = source.title.len() + source.publisher.len() + BESIDES;
        let mut line = String::with_capacity(length);
        // Writing to a text cannot fail.
        let _ = write!(line, "[{}] ", self.lines.len() + 1);
        line.push_str(&source.title);
        line.push_str(", ");
        line.push_str(&source.publisher);
        let _ = write!(line, ", {}", source.year);
        line
    }

    pub(crate) fn into_lines(self) -> Vec<Arc<str>> {
        self.lines
    }
}
