//! Words to concepts: fuzzy search over everything the knowledge base calls by a name, and free text read for findings.
//!
//! [`Search`] answers what somebody types into a box; [`Parser`] reads a story in the words people use. Both are pure
//! functions of the knowledge base and the text: no files, clock, network or log. Word lists are data, under `words/`.
#![warn(missing_docs)]

mod canon;
mod evidence;
mod fold;
mod hash;
mod parse;
mod phrases;
mod search;
mod sieve;
mod stem;
#[cfg(test)]
mod tests;
mod words;

pub use evidence::evidence;
pub use parse::{Mention, ParseContext, Parsed, Parser};
pub use search::{Hit, Search, SearchOptions};
