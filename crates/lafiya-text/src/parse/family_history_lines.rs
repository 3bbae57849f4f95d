//! Family history lines: "FHx: father has hypertension and had a stroke at 60".

use std::ops::Range;

use smallvec::SmallVec;

use super::marks::Mark;
use super::reading::Reading;
use crate::hash::{FastSet, set_of};
use crate::words::PersonWords;

/// Most texts have at most one such line.
pub(super) type Lines = SmallVec<[Range<usize>; 1]>;

/// The words that end a family history line.
#[derive(Clone, Debug)]
pub(super) struct FamilyHistoryLines {
    /// Words that refer to the patient again.
    line_ends: FastSet<String>,
    /// Words for what happened to relatives: "had", "died".
    told_of_kin: FastSet<String>,
}

impl FamilyHistoryLines {
    pub(super) fn new(words: &PersonWords) -> Self {
        Self {
            line_ends: set_of(&words.line_ends),
            told_of_kin: set_of(&words.told_of_kin),
        }
    }

    /// Returns the tokens of the family history lines: from the heading to the end of the sentence,
    /// or to a word that refers to the patient again ("complains").
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

    /// Whether the patient is the subject again: "..., c/o chest pain", "..., patient coughs
    /// blood", "..., she has chest pain".
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
