//! Maps words to concepts: fuzzy search over every name in the knowledge base, and extraction of
//! findings from free text.
//!
//! [`Search`] answers search-box queries; [`Parser`] reads a narrative in everyday words. Both are
//! pure functions of the knowledge base and the text: no files, clock, network or log. Word lists
//! are data, under `words/`.
#![warn(missing_docs)]

mod bloom_filter;
mod canon;
mod evidence;
mod fold;
mod hash;
mod parse;
mod phrases;
mod search;
mod stem;
#[cfg(test)]
mod tests;
mod words;

pub use evidence::evidence;
pub use parse::{Mention, ParseContext, Parsed, Parser};
pub use search::{Hit, Search, SearchOptions};
