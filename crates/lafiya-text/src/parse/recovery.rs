//! Recoveries: findings that are over by the end of the narrative. Unconscious, then awake again,
//! was a short loss of consciousness.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;

use super::draft_mention::DraftMention;
use crate::words::Ignored;

/// Findings, each with the finding that it becomes after a recovery.
#[derive(Clone, Debug)]
pub(super) struct Recoveries(Vec<(ConceptRef, ConceptRef)>);

impl Recoveries {
    pub(super) fn new(base: &KnowledgeBase, ignored: &Ignored) -> Self {
        let ids = ignored.over.iter();
        Self(
            ids.filter_map(|(id, was)| Some((base.resolve(id)?, base.resolve(was)?)))
                .collect(),
        )
    }

    /// Replaces a finding that a later word says is over. A word before it ("was alert this
    /// morning") does not end it.
    pub(super) fn apply(&self, drafts: &mut [DraftMention]) {
        for &(concept, was) in &self.0 {
            let ends = drafts
                .iter()
                .filter(|mention| {
                    mention.concept == concept
                        && mention.choice == Choice::Absent
                        && mention.derived
                })
                .map(DraftMention::first)
                .max();
            let Some(end) = ends else { continue };
            for mention in drafts.iter_mut() {
                if mention.concept == concept
                    && mention.choice == Choice::Present
                    && mention.first() < end
                {
                    mention.concept = was;
                }
            }
        }
    }
}
