//! Knowledge: what the service knows and where it has it from, for whoever must trust it. Open to
//! everybody; nothing here belongs to a tenant.

mod condition;
mod finding;
mod lists;

pub(crate) use condition::condition;
pub(crate) use finding::finding;
pub(crate) use lists::{changes, conditions, findings, overview, rules, sources};

use lafiya_knowledge::KnowledgeBase;

/// A link to a concept's page.
pub(crate) struct Link {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) plain: String,
}

/// A source as a citation, with its place on the net.
pub(crate) struct Cited {
    pub(crate) text: String,
    pub(crate) url: Option<String>,
}

/// The citation of a source's id; the id itself where the base does not know it.
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
