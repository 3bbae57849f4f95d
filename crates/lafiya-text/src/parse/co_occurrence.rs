//! Co-occurrence rules: what a finding means in combination with another. Blisters on a burnt
//! patient are a blistered burn, not a rash. The ids are data.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::concept_set::ConceptSet;
use super::draft_mention::DraftMention;
use super::known;
use crate::words::BodyWords;

/// Findings that change their meaning if they co-occur with others.
#[derive(Clone, Debug)]
pub(super) struct CoOccurrence(Vec<CoOccurrenceRule>);

#[derive(Clone, Debug)]
struct CoOccurrenceRule {
    findings: ConceptSet,
    beside: ConceptSet,
    means: ConceptRef,
}

impl CoOccurrence {
    pub(super) fn new(base: &KnowledgeBase, words: &BodyWords) -> Self {
        let all = words.company.iter().filter_map(|rule| {
            Some(CoOccurrenceRule {
                findings: known(base, &rule.findings),
                beside: known(base, &rule.beside),
                means: base.resolve(&rule.means)?,
            })
        });
        Self(all.collect())
    }

    /// On both sides, only findings that the patient has count.
    pub(super) fn apply(&self, drafts: &mut [DraftMention]) {
        let has = |mention: &DraftMention, ids: &ConceptSet| {
            ids.contains(mention.concept) && mention.is_had()
        };
        for company in &self.0 {
            // Fast path: most texts contain no such combination.
            let any = |ids: &ConceptSet| drafts.iter().any(|mention| has(mention, ids));
            if !any(&company.findings) || !any(&company.beside) {
                continue;
            }
            for mention in drafts.iter_mut() {
                if has(mention, &company.findings) {
                    mention.concept = company.means;
                }
            }
        }
    }
}
