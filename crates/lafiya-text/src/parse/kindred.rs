//! A line about the family: "FHx: father has hypertension and had a stroke at 60".

use std::ops::Range;

use smallvec::SmallVec;

use super::marks::Mark;
use super::reading::Reading;

/// Most texts have no more of them.
pub(super) type Lines = SmallVec<[Range<usize>; 1]>;

/// The tokens of the lines about the family: from the heading on, up to the end of the sentence or a word that brings the
/// patient back ("complains").
pub(super) fn lines(reading: &Reading<'_>) -> Lines {
    let mut lines = Lines::new();
    if !reading.marks.has_any(Mark::FamilyHeading) {
        return lines;
    }
    let mut at = reading.marks.next(0, Mark::FamilyHeading);
    while at < reading.len() {
        let end = reading.sentence_of(at).end;
        let stop = reading.marks.first(at..end, Mark::Barrier).unwrap_or(end);
        lines.push(at..stop);
        at = reading.marks.next(end, Mark::FamilyHeading);
    }
    lines
}
