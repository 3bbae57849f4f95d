//! The knowledge base with the indices built from it: search, the free text parser and the atlas.
//! They are replaced together. An index is built when it is first used, because the first
//! assessment after a start needs none of them.

use std::ops::Deref;
use std::sync::{Arc, LazyLock, OnceLock};

use lafiya_facilities::{Atlas, Types};
use lafiya_knowledge::KnowledgeBase;
use lafiya_provider::Scrubber;
use lafiya_text::{Parser, Search};

use crate::phrase_tables::PhraseTableId;

/// A knowledge base with its indices.
pub struct Library {
    base: Arc<KnowledgeBase>,
    /// Fuzzy search.
    pub search: Index<Search>,
    /// The free text parser.
    pub parser: Index<Parser>,
    /// Place names and regions.
    pub atlas: Index<Atlas>,
    /// The id of its phrase table, once the store has it.
    stored_phrase_table: OnceLock<PhraseTableId>,
    /// Built when the first text is sent to a provider; most installations never need it.
    scrubber: OnceLock<Scrubber>,
}

/// An index over a knowledge base, built on first use.
pub type Index<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

fn index<T: 'static>(base: &Arc<KnowledgeBase>, build: fn(&KnowledgeBase) -> T) -> Index<T> {
    let base = Arc::clone(base);
    LazyLock::new(Box::new(move || build(&base)))
}

impl Library {
    /// Creates a library whose indices are not built yet.
    pub fn new(base: KnowledgeBase) -> Self {
        let base = Arc::new(base);
        Self {
            search: index(&base, Search::build),
            parser: index(&base, Parser::build),
            atlas: index(&base, Atlas::new),
            stored_phrase_table: OnceLock::new(),
            scrubber: OnceLock::new(),
            base,
        }
    }

    /// Builds all missing indices, so that no request has to wait for them.
    pub fn prepare(&self) {
        LazyLock::force(&self.atlas);
        LazyLock::force(&self.parser);
        LazyLock::force(&self.search);
    }

    /// Returns the facility types of this knowledge base, used to read facility registers.
    pub fn facility_types(&self) -> Types {
        Types::of(&self.base)
    }

    /// Returns the scrubber, which removes personal data from texts.
    pub fn scrubber(&self) -> &Scrubber {
        self.scrubber.get_or_init(|| Scrubber::new(&self.base))
    }

    /// Returns the id of its phrase table once the store has it, which allows documents to refer to
    /// it.
    pub(crate) fn stored_phrase_table(&self) -> Option<&PhraseTableId> {
        self.stored_phrase_table.get()
    }

    /// Records that the store has its phrase table.
    pub(crate) fn phrase_table_is_stored(&self, id: PhraseTableId) {
        // Another task may have stored it too; the id is the same.
        let _ = self.stored_phrase_table.set(id);
    }

    /// Returns the knowledge base.
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
