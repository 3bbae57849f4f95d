//! All terms that refer to a concept, for search and free-text recognition.
//!
//! The list is not normalised. Folding, spelling and ranking are left to the search.

use crate::base::{ConceptRef, ConditionIx, FindingIx, KnowledgeBase, LabIx, MeasureIx, RiskIx};

/// The kind of a term, from most to least specific.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermKind {
    /// The clinical name.
    Name,
    /// The name a patient would use.
    CommonName,
    /// Another clinical word.
    Synonym,
    /// An everyday phrase.
    Lay,
}

/// A term and the concept it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTerm<'a> {
    /// The concept.
    pub concept: ConceptRef,
    /// The word or phrase, as written.
    pub term: &'a str,
    /// The kind of term.
    pub kind: TermKind,
    /// The language, if a file of lay terms states it; all other terms are English and Pidgin as
    /// used in clinics.
    pub language: Option<&'a str>,
    /// How certainly the term means the concept, 0 to 1.
    pub confidence: f32,
}

impl KnowledgeBase {
    /// Returns every term: findings, measures, risk factors, tests and conditions, then the files
    /// of lay terms.
    pub fn search_terms(&self) -> Vec<SearchTerm<'_>> {
        const NONE: &[String] = &[];
        let mut terms = Vec::new();
        for (n, finding) in self.findings().iter().enumerate() {
            let concept = ConceptRef::Finding(FindingIx::at(n));
            add(
                &mut terms,
                concept,
                [&finding.text.name, &finding.text.common_name],
                &finding.text.synonyms,
                &finding.text.lay,
            );
        }
        for (n, measure) in self.measures().iter().enumerate() {
            let concept = ConceptRef::Measure(MeasureIx::at(n));
            add(
                &mut terms,
                concept,
                [&measure.text.name, &measure.text.common_name],
                &measure.text.synonyms,
                &measure.text.lay,
            );
        }
        for (n, risk) in self.risks().iter().enumerate() {
            let concept = ConceptRef::Risk(RiskIx::at(n));
            add(
                &mut terms,
                concept,
                [&risk.text.name, &risk.text.common_name],
                &risk.text.synonyms,
                &risk.text.lay,
            );
        }
        for (n, lab) in self.labs().iter().enumerate() {
            let concept = ConceptRef::Lab(LabIx::at(n));
            add(
                &mut terms,
                concept,
                [&lab.text.name, &lab.text.common_name],
                &lab.text.synonyms,
                NONE,
            );
        }
        for (n, condition) in self.conditions().iter().enumerate() {
            let concept = ConceptRef::Condition(ConditionIx::at(n));
            add(
                &mut terms,
                concept,
                [&condition.text.name, &condition.text.common_name],
                &condition.text.synonyms,
                NONE,
            );
        }
        terms.extend(self.lay_terms().iter().filter_map(|lay_term| {
            Some(SearchTerm {
                concept: self.resolve(&lay_term.concept)?,
                term: &lay_term.phrase,
                kind: TermKind::Lay,
                language: Some(&lay_term.language),
                confidence: lay_term.confidence,
            })
        }));
        terms
    }
}

/// Adds the terms of one concept. A common name that equals the clinical one is added once.
fn add<'a>(
    terms: &mut Vec<SearchTerm<'a>>,
    concept: ConceptRef,
    [name, common_name]: [&'a String; 2],
    synonyms: &'a [String],
    lay: &'a [String],
) {
    let plain = Some(common_name).filter(|plain| !plain.is_empty() && *plain != name);
    let names = std::iter::once((name, TermKind::Name))
        .chain(plain.map(|name| (name, TermKind::CommonName)));
    let others = synonyms
        .iter()
        .map(|synonym| (synonym, TermKind::Synonym))
        .chain(lay.iter().map(|phrase| (phrase, TermKind::Lay)));
    terms.extend(names.chain(others).map(|(term, kind)| SearchTerm {
        concept,
        term,
        kind,
        language: None,
        confidence: 1.0,
    }));
}
