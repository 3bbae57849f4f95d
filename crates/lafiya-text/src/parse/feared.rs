//! An illness that is feared or asked about is not one that is known: "I am afraid of HIV", "is this a heart attack?". What is
//! felt or seen is there all the same ("she fears the bleeding"), and so is a pregnancy that somebody fears for.

use lafiya_knowledge::KnowledgeBase;

use super::marks::Mark;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};

/// Words from the fear to the illness: "fears he has cancer", "afraid of catching HIV".
const FEAR_REACH: usize = 4;
/// Words from the question to it: "is it a heart attack".
const QUESTION_REACH: usize = 3;
/// What the base calls an illness that a patient has or had.
const ILLNESS: &str = "medical_history";

/// Drops illnesses that are only feared or asked about.
pub(super) fn drop(reading: &Reading<'_>, base: &KnowledgeBase, spotted: &mut [Spotted]) {
    let marks = &reading.marks;
    if !marks.has_any(Mark::Fear) && !marks.has_any(Mark::Question) {
        return;
    }
    for it in spotted.iter_mut() {
        let risk = it.concept.risk().map(|ix| base.risk(ix));
        if it.derived || risk.is_none_or(|risk| risk.text.kind != ILLNESS) {
            continue;
        }
        let first = it.first();
        // An illness that somebody owns is known: "he fears her diabetes".
        if first > 0 && marks.has(first - 1, Mark::Possessive) {
            continue;
        }
        let clause = reading.clause_of(first);
        let near = |reach: usize| first.saturating_sub(reach).max(clause.start)..first;
        let begins = reading.sentence_of(first).start;
        let asked = marks.has(begins, Mark::Question) && near(QUESTION_REACH).contains(&begins);
        // "She fears because she is diabetic".
        let feared = marks
            .first(near(FEAR_REACH), Mark::Fear)
            .is_some_and(|fear| marks.first(fear..first, Mark::Barrier).is_none());
        if asked || feared {
            it.dropped = Some(Dropped::Hypothetical);
        }
    }
}
