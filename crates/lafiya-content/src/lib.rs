//! The knowledge base that ships in the binary: checked and packed by the build script, unpacked here.
//!
//! Nothing else lives here. A base from a directory is `KnowledgeBase::from_dir`.
#![warn(missing_docs)]

use lafiya_knowledge::{KnowledgeBase, LoadError};

static ARTEFACT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/knowledge.postcard"));

/// The embedded knowledge base.
pub fn load() -> Result<KnowledgeBase, LoadError> {
    KnowledgeBase::from_artefact(ARTEFACT)
}
