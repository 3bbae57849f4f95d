//! What is said of this moment: "no fever now" counts more than the fever that was before.
//!
//! The word for now belongs to what stands nearest: "no fever yesterday but fever today" is a fever.

use lafiya_model::Choice;

use super::concept_set::ConceptSet;
use super::marks::Mark;
use super::reading::Reading;
use super::spotted::Spotted;

/// Notes which denials are of now. A danger that is over now was there all the same.
pub(super) fn note(reading: &Reading<'_>, dangers: &ConceptSet, spotted: &mut [Spotted]) {
    if !reading.marks.has_any(Mark::Now) {
        return;
    }
    for n in 0..spotted.len() {
        let it = &spotted[n];
        let may_be = it.choice == Choice::Absent && !dangers.contains(it.concept);
        spotted[n].now = may_be && is_of_now(reading, &spotted[n], spotted);
    }
}

/// Whether a word for now stands in the clause, and no mention of the same that is there is nearer to it.
fn is_of_now(reading: &Reading<'_>, it: &Spotted, spotted: &[Spotted]) -> bool {
    let clause = reading.clause_of(it.first());
    let mut nows = { clause }.filter(|&at| reading.marks.has(at, Mark::Now));
    nows.any(|now| {
        let between = it.first().min(now)..it.first().max(now);
        let is_nearer = |other: &Spotted| {
            other.concept == it.concept
                && other.choice == Choice::Present
                && other.first() != it.first()
                && between.contains(&other.first())
        };
        !spotted.iter().any(is_nearer)
    })
}
