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
        let stop = (at..end).find(|&at| brings_patient_back(reading, at));
        lines.push(at..stop.unwrap_or(end));
        at = reading.marks.next(end, Mark::FamilyHeading);
    }
    lines
}

/// "..., c/o chest pain", "..., patient coughs blood", "..., she has chest pain". Kin "had" something, or "died".
fn brings_patient_back(reading: &Reading<'_>, at: usize) -> bool {
    let word = |at: usize| reading.words.get(at).copied().unwrap_or_default();
    let speaks_anew = || {
        let of_kin = matches!(word(at + 2), "had" | "died" | "was");
        word(at) == "," && reading.marks.has(at + 1, Mark::Statement) && !of_kin
    };
    reading.marks.has(at, Mark::Barrier) || matches!(word(at), "patient" | "pt") || speaks_anew()
}
