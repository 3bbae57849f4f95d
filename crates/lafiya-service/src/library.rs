//! The knowledge base with the indices that are built from it: search, the reader of free text and the atlas.
//! They belong together and are replaced together. An index is built when it is first asked for: the first assessment
//! after a start needs none of them.

use std::ops::Deref;
use std::sync::{Arc, LazyLock, OnceLock};

use lafiya_facilities::{Atlas, Types};
use lafiya_knowledge::KnowledgeBase;
use lafiya_provider::Scrubber;
use lafiya_text::{Parser, Search};

use crate::books::BookId;

/// A knowledge base ready to be searched and read by.
pub struct Library {
    base: Arc<KnowledgeBase>,
    /// Fuzzy search.
    pub search: Index<Search>,
    /// The reader of free text.
    pub parser: Index<Parser>,
    /// The places that are known by name.
    pub atlas: Index<Atlas>,
    /// The id of its book, once the store keeps that.
    kept_book: OnceLock<BookId>,
    /// Made when the first text is to leave; most installations never need it.
    scrubber: OnceLock<Scrubber>,
}

/// An index over a base, built by whoever needs it first.
pub type Index<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

fn index<T: 'static>(base: &Arc<KnowledgeBase>, build: fn(&KnowledgeBase) -> T) -> Index<T> {
    let base = Arc::clone(base);
    LazyLock::new(Box::new(move || build(&base)))
}

impl Library {
    /// A base with its indices still to be built.
    pub fn new(base: KnowledgeBase) -> Self {
        let base = Arc::new(base);
        Self {
            search: index(&base, Search::build),
            parser: index(&base, Parser::build),
            atlas: index(&base, Atlas::new),
            kept_book: OnceLock::new(),
            scrubber: OnceLock::new(),
            base,
        }
    }

    /// Builds what is not built yet, so that no request has to wait for it.
    pub fn prepare(&self) {
        LazyLock::force(&self.atlas);
        LazyLock::force(&self.parser);
        LazyLock::force(&self.search);
    }

    /// Its kinds of facilities, by which registers are read.
    pub fn facility_types(&self) -> Types {
        Types::of(&self.base)
    }

    /// What takes people out of a text.
    pub fn scrubber(&self) -> &Scrubber {
        self.scrubber.get_or_init(|| Scrubber::new(&self.base))
    }

    /// The id of its book, where the store keeps that: documents may name what stands in it.
    pub(crate) fn kept_book(&self) -> Option<&BookId> {
        self.kept_book.get()
    }

    /// From now on the store keeps its book.
    pub(crate) fn book_is_kept(&self, id: BookId) {
        // Somebody else may have kept it too: it is the same book.
        let _ = self.kept_book.set(id);
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
