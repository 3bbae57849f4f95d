//! Statements about the present moment: "no fever now" outweighs an earlier fever.
//!
//! The word for now belongs to the nearest finding: "no fever yesterday but fever today" is a
//! fever.

use lafiya_model::Choice;

use super::concept_set::ConceptSet;
use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;

/// Marks negated findings that are about now. Danger signs are excluded: one that is over now was
/// still there.
pub(super) fn note(reading: &Reading<'_>, dangers: &ConceptSet, drafts: &mut [DraftMention]) {
    if !reading.marks.has_any(Mark::Now) {
        return;
    }
    for n in 0..drafts.len() {
        let mention = &drafts[n];
        let may_be = mention.choice == Choice::Absent && !dangers.contains(mention.concept);
        drafts[n].now = may_be && is_of_now(reading, &drafts[n], drafts);
    }
}

/// Whether the clause contains a word for now, and no present mention of the same concept is nearer
/// to it.
fn is_of_now(reading: &Reading<'_>, mention: &DraftMention, drafts: &[DraftMention]) -> bool {
    let clause = reading.clause_of(mention.first());
    let mut nows = { clause }.filter(|&at| reading.marks.has(at, Mark::Now));
    nows.any(|now| {
        let between = mention.first().min(now)..mention.first().max(now);
        let is_nearer = |other: &DraftMention| {
            other.concept == mention.concept
                && other.choice == Choice::Present
                && other.first() != mention.first()
                && between.contains(&other.first())
        };
        !drafts.iter().any(is_nearer)
    })
}
