//! Tests with the real knowledge base: sentences by language and phenomenon, the utterances of
//! `evaluation/`, search, arbitrary text.

mod answers;
mod any_text;
mod bygone;
mod company;
mod contrasts;
mod danger;
mod denials;
mod evaluation;
mod forms;
mod gestation;
mod languages;
mod queries;
mod results;
mod sentences;
mod stated_weeks;
mod stories;
mod tellers;
mod typos;
mod values;
mod whose_and_when;

use std::sync::LazyLock;

use lafiya_knowledge::KnowledgeBase;

use crate::{Parser, Search};

/// The embedded knowledge base with its parser and search, built once.
pub(crate) struct Real {
    pub base: KnowledgeBase,
    pub parser: Parser,
    pub search: Search,
}

pub(crate) static REAL: LazyLock<Real> = LazyLock::new(|| {
    let base = lafiya_content::load().unwrap();
    Real {
        parser: Parser::build(&base),
        search: Search::build(&base),
        base,
    }
});
