//! Reference data: lists and details of the knowledge base, for clients that build forms from it.

use lafiya_knowledge::{ConceptRef, Condition, KnowledgeBase, MeasureIx};
use lafiya_model::ConceptKind;

use crate::error::ServiceError;

/// The parameters of a list.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Words to search for in names, plain names and synonyms.
    pub query: Option<String>,
    /// The category to filter by.
    pub category: Option<String>,
    /// Page size.
    pub limit: usize,
    /// Results to skip.
    pub offset: usize,
}

/// A page of concepts and their total number.
#[derive(Clone, Debug)]
pub struct Page {
    /// The concepts of this page.
    pub items: Vec<ConceptRef>,
    /// Total number of matches.
    pub total: usize,
}

/// Returns one page of the concepts of a kind, best match first, then by name.
pub fn list(base: &KnowledgeBase, kind: ConceptKind, request: &ListRequest) -> Page {
    let wanted = request.query.as_deref().map(folded);
    let mut found: Vec<(u8, &str, ConceptRef)> = concepts(base, kind)
        .filter(|&concept| {
            request
                .category
                .as_deref()
                .is_none_or(|category| base.category_of(concept) == category)
        })
        .filter_map(|concept| {
            let rank = wanted
                .as_deref()
                .map_or(Some(0), |wanted| match_rank(base, concept, wanted))?;
            Some((rank, base.name_of(concept), concept))
        })
        .collect();
    found.sort_unstable_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
    let total = found.len();
    let items = found
        .into_iter()
        .skip(request.offset)
        .take(request.limit)
        .map(|(_, _, concept)| concept)
        .collect();
    Page { items, total }
}

/// Finds a condition by its id.
pub fn condition<'a>(base: &'a KnowledgeBase, id: &str) -> Result<&'a Condition, ServiceError> {
    match base.resolve(id) {
        Some(ConceptRef::Condition(ix)) => Ok(base.condition(ix)),
        _ => Err(ServiceError::NotFound("a condition of that id")),
    }
}

fn concepts(base: &KnowledgeBase, kind: ConceptKind) -> Box<dyn Iterator<Item = ConceptRef>> {
    match kind {
        ConceptKind::Symptom => {
            let measures =
                (0..base.measures().len()).map(|place| ConceptRef::Measure(MeasureIx::at(place)));
            Box::new(
                base.finding_indices()
                    .map(ConceptRef::Finding)
                    .chain(measures),
            )
        }
        ConceptKind::RiskFactor => Box::new(base.risk_indices().map(ConceptRef::Risk)),
        ConceptKind::LabTest => Box::new(base.lab_indices().map(ConceptRef::Lab)),
        ConceptKind::Condition => Box::new(base.condition_indices().map(ConceptRef::Condition)),
    }
}

/// Returns the rank of a match. 0: the exact name; 1: a name starts with it; 2: a word starts with
/// it; 3: it occurs elsewhere.
fn match_rank(base: &KnowledgeBase, concept: ConceptRef, wanted: &str) -> Option<u8> {
    let rank = |term: &str| {
        let term = folded(term);
        if term == wanted {
            Some(0)
        } else if term.starts_with(wanted) {
            Some(1)
        } else if term.contains(&format!(" {wanted}")) {
            Some(2)
        } else {
            term.contains(wanted).then_some(3)
        }
    };
    let names = [
        base.name_of(concept),
        base.common_name_of(concept),
        base.id_of(concept),
    ];
    let synonyms = synonyms(base, concept).iter().map(String::as_str);
    names.into_iter().chain(synonyms).filter_map(rank).min()
}

fn synonyms(base: &KnowledgeBase, concept: ConceptRef) -> &[String] {
    match concept {
        ConceptRef::Finding(ix) => &base.finding(ix).text.synonyms,
        ConceptRef::Risk(ix) => &base.risk(ix).text.synonyms,
        ConceptRef::Lab(ix) => &base.lab(ix).text.synonyms,
        ConceptRef::Condition(ix) => &base.condition(ix).text.synonyms,
        ConceptRef::Measure(_) => &[],
    }
}

fn folded(text: &str) -> String {
    text.to_lowercase().replace(['-', '_'], " ")
}
