//! The knowledge base with the indices that are built from it: search and the reader of free text.
//! They belong together and are replaced together.

use std::ops::Deref;

use lafiya_knowledge::KnowledgeBase;
use lafiya_text::{Parser, Search};

/// A knowledge base ready to be searched and read by.
pub struct Library {
    base: KnowledgeBase,
    /// Fuzzy search.
    pub search: Search,
    /// The reader of free text.
    pub parser: Parser,
}

impl Library {
    /// Builds the indices of a base.
    pub fn new(base: KnowledgeBase) -> Self {
        Self {
            search: Search::build(&base),
            parser: Parser::build(&base),
            base,
        }
    }

    /// The base itself.
    pub fn base(&self) -> &KnowledgeBase {
        &self.base
    }
}

impl Deref for Library {
    type Target = KnowledgeBase;
    fn deref(&self) -> &KnowledgeBase {
        &self.base
    }
}
