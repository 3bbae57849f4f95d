//! What the tests of the knowledge base share.
#![allow(dead_code, reason = "each test binary uses some of it")]

use lafiya_knowledge::KnowledgeBase;

/// Loads the embedded knowledge base.
pub(crate) fn base() -> KnowledgeBase {
    lafiya_content::load().expect("the embedded base loads")
}

/// Whether a text contains any of these words.
pub(crate) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}
