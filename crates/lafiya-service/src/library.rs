//! The knowledge base with the indices that are built from it: search, the reader of free text and the atlas.
//! They belong together and are replaced together.

use std::ops::Deref;
use std::sync::OnceLock;

use lafiya_facilities::{Atlas, Types};
use lafiya_knowledge::KnowledgeBase;
use lafiya_provider::Scrubber;
use lafiya_text::{Parser, Search};

/// A knowledge base ready to be searched and read by.
pub struct Library {
    base: KnowledgeBase,
    /// Fuzzy search.
    pub search: Search,
    /// The reader of free text.
    pub parser: Parser,
    /// The places that are known by name.
    pub atlas: Atlas,
    /// Made when the first text is to leave; most installations never need it.
    scrubber: OnceLock<Scrubber>,
}

impl Library {
    /// Builds the indices of a base.
    pub fn new(base: KnowledgeBase) -> Self {
        Self {
            search: Search::build(&base),
            parser: Parser::build(&base),
            atlas: Atlas::new(&base),
            scrubber: OnceLock::new(),
            base,
        }
    }

    /// Its kinds of facilities, by which registers are read.
    pub fn facility_types(&self) -> Types {
        Types::of(&self.base)
    }

    /// What takes people out of a text.
    pub fn scrubber(&self) -> &Scrubber {
        self.scrubber.get_or_init(|| Scrubber::new(&self.base))
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
