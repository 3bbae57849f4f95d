//! Knowledge: what the service knows and its sources, for people who must trust it. Public; it
//! contains no tenant data.

mod condition;
mod finding;
mod lists;
mod medicine;

pub(crate) use condition::condition;
pub(crate) use finding::finding;
pub(crate) use lists::{changes, conditions, findings, overview, rules, sources};
pub(crate) use medicine::{medicine, medicines};

use lafiya_knowledge::KnowledgeBase;

/// A link to a concept's page.
pub(crate) struct Link {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) plain: String,
}

/// A citation of a source, with its URL.
pub(crate) struct Cited {
    pub(crate) text: String,
    pub(crate) url: Option<String>,
}

/// Returns the citation of a source, or its id if the source is unknown.
fn cited(base: &KnowledgeBase, id: &str) -> Cited {
    match base.find_source(id) {
        Some(ix) => {
            let source = base.source(ix);
            Cited {
                text: format!("{}, {}, {}", source.title, source.publisher, source.year),
                url: source.url.clone(),
            }
        }
        None => Cited {
            text: id.to_owned(),
            url: None,
        },
    }
}
