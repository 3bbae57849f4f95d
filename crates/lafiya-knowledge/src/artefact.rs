//! The packed knowledge base: the content as one compact blob, for embedding in a binary.
//!
//! Only content is packed. Indices are built on loading, so an artefact cannot disagree with the
//! code that reads it.

use crate::base::KnowledgeBase;
use crate::remark::LoadError;
use crate::schema::Content;

/// Packs content.
pub fn pack(content: &Content) -> Result<Vec<u8>, LoadError> {
    Ok(postcard::to_stdvec(content)?)
}

impl KnowledgeBase {
    /// Loads a packed knowledge base. It was checked when it was packed.
    pub fn from_artefact(bytes: &[u8]) -> Result<Self, LoadError> {
        Ok(Self::from_content(postcard::from_bytes(bytes)?))
    }
}
