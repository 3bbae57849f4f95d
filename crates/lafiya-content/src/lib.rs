//! The knowledge base embedded in the binary: checked and packed by the build script, unpacked
//! here.
//!
//! To load a knowledge base from a directory, use `KnowledgeBase::from_dir`.
#![warn(missing_docs)]

use lafiya_knowledge::{KnowledgeBase, LoadError};

static ARTEFACT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/knowledge.postcard"));

/// Returns the embedded knowledge base.
///
/// # Example
///
/// ```
/// let base = lafiya_content::load()?;
/// assert!(base.resolve("s_fever").is_some());
/// # Ok::<(), lafiya_knowledge::LoadError>(())
/// ```
pub fn load() -> Result<KnowledgeBase, LoadError> {
    KnowledgeBase::from_artefact(ARTEFACT)
}
