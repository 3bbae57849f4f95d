//! Illnesses that are feared or asked about, not known: "I am afraid of HIV", "is this a heart
//! attack?". Symptoms and signs still count ("she fears the bleeding"), and so does a pregnancy
//! that someone fears for.

use lafiya_knowledge::KnowledgeBase;

use super::draft_mention::{DraftMention, Dropped};
use super::marks::Mark;
use super::reading::Reading;

/// Maximum words from the fear to the illness: "fears he has cancer", "afraid of catching HIV".
const FEAR_REACH: usize = 4;
/// Maximum words from the question to the illness: "is it a heart attack".
const QUESTION_REACH: usize = 3;
/// Kind in the knowledge base for an illness that a patient has or had.
const ILLNESS: &str = "medical_history";

/// Drops illnesses that are only feared or asked about.
pub(super) fn drop(reading: &Reading<'_>, base: &KnowledgeBase, drafts: &mut [DraftMention]) {
    let marks = &reading.marks;
    if !marks.has_any(Mark::Fear) && !marks.has_any(Mark::Question) {
        return;
    }
    for mention in drafts.iter_mut() {
        let risk = mention.concept.risk().map(|ix| base.risk(ix));
        if mention.derived || risk.is_none_or(|risk| risk.text.kind != ILLNESS) {
            continue;
        }
        let first = mention.first();
        // An illness with a possessive is known: "he fears her diabetes".
        if first > 0 && marks.has(first - 1, Mark::Possessive) {
            continue;
        }
        let clause = reading.clause_of(first);
        let near = |reach: usize| first.saturating_sub(reach).max(clause.start)..first;
        let begins = reading.sentence_of(first).start;
        let asked = marks.has(begins, Mark::Question) && near(QUESTION_REACH).contains(&begins);
        // "She fears because she is diabetic": the illness is known.
        let feared = marks
            .first(near(FEAR_REACH), Mark::Fear)
            .is_some_and(|fear| marks.first(fear..first, Mark::Barrier).is_none());
        if asked || feared {
            mention.dropped = Some(Dropped::Hypothetical);
        }
    }
}
