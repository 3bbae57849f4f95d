//! A line about the family: "FHx: father has hypertension and had a stroke at 60".

use std::ops::Range;

use smallvec::SmallVec;

use super::marks::Mark;
use super::reading::Reading;
use crate::hash::{FastSet, set_of};
use crate::words::PersonWords;

/// Most texts have no more of them.
pub(super) type Lines = SmallVec<[Range<usize>; 1]>;

/// The words that such a line ends with.
#[derive(Clone, Debug)]
pub(super) struct Kindred {
    /// Name the patient.
    line_ends: FastSet<String>,
    /// Kin "had" something, or "died".
    told_of_kin: FastSet<String>,
}

impl Kindred {
    pub(super) fn new(words: &PersonWords) -> Self {
        Self {
            line_ends: set_of(&words.line_ends),
            told_of_kin: set_of(&words.told_of_kin),
        }
    }

    /// The tokens of the lines about the family: from the heading on, up to the end of the sentence or a word that brings the
    /// patient back ("complains").
    pub(super) fn lines(&self, reading: &Reading<'_>) -> Lines {
        let mut lines = Lines::new();
        if !reading.marks.has_any(Mark::FamilyHeading) {
            return lines;
        }
        let mut at = reading.marks.next(0, Mark::FamilyHeading);
        while at < reading.len() {
            let end = reading.sentence_of(at).end;
            let stop = (at..end).find(|&at| self.brings_patient_back(reading, at));
            lines.push(at..stop.unwrap_or(end));
            at = reading.marks.next(end, Mark::FamilyHeading);
        }
        lines
    }

    /// "..., c/o chest pain", "..., patient coughs blood", "..., she has chest pain".
    fn brings_patient_back(&self, reading: &Reading<'_>, at: usize) -> bool {
        let speaks_anew = || {
            reading.words[at] == ","
                && reading.marks.has(at + 1, Mark::Statement)
                && !reading.is_one_of(at + 2, &self.told_of_kin)
        };
        reading.marks.has(at, Mark::Barrier)
            || reading.is_one_of(at, &self.line_ends)
            || speaks_anew()
    }
}
