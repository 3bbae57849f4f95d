//! What an allergy did once is no finding of today: "allergic to penicillin (rash)", "allergies: aspirin - bronchospasm". Nor is
//! the medicine taken that the patient cannot take.
//!
//! A reaction of today is one: whatever says that it is new, or counts its hours, leaves the sentence alone.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::known;
use super::marks::Mark;
use super::reading::Reading;
use super::spotted::{Dropped, Spotted};
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::Allergies;

/// The words of allergies, with the risk factors of a base.
#[derive(Clone, Debug)]
pub(super) struct AllergyReader {
    /// Risk factors that say what the patient cannot take.
    risks: Vec<ConceptRef>,
    /// Lead to what happens: "causes", a bracket, a dash.
    leads: PhraseSet<()>,
    /// Say that it has just been taken, or happened.
    taken: PhraseSet<()>,
}

/// What the base calls a medicine that is taken, and what somebody eats.
const TAKEN: [&str; 2] = ["medication", "exposure"];

impl AllergyReader {
    pub(super) fn new(base: &KnowledgeBase, words: &Allergies) -> Self {
        Self {
            risks: known(base, &words.risks),
            leads: PhraseSet::of(&words.leads),
            taken: PhraseSet::of(&words.taken),
        }
    }

    /// Drops what allergies did and what is not taken because of them.
    pub(super) fn drop(&self, reading: &Reading<'_>, base: &KnowledgeBase, spotted: &mut [Spotted]) {
        let is_told = |it: &&Spotted| self.risks.contains(&it.concept) && it.is_had();
        let Some(behind) = spotted.iter().find(is_told).map(|it| it.last() + 1) else {
            return;
        };
        if behind >= reading.len() {
            return;
        }
        let told = behind..self.end(reading, behind);
        if told.is_empty() || self.is_of_today(reading, told.start, told.end) {
            return;
        }
        for it in spotted.iter_mut().filter(|it| told.contains(&it.first())) {
            let is_reaction = it.is_finding() && self.is_led(reading, told.start..it.first());
            if is_reaction || is_avoided(reading, base, it) {
                it.dropped = Some(Dropped::Past);
            }
        }
    }

    /// The end of the sentence, and of those behind it that are made the same way: "Allergies: penicillin - anaphylaxis. Sulfa -
    /// rash."
    fn end(&self, reading: &Reading<'_>, at: usize) -> usize {
        let is_item = |at: usize| reading.words.get(at + 1) == Some(&"-");
        let mut end = reading.sentence_of(at).end;
        while end < reading.len() && is_item(end) {
            end = reading.sentence_of(end).end;
        }
        end
    }

    fn is_of_today(&self, reading: &Reading<'_>, from: usize, to: usize) -> bool {
        let marks = [Mark::Anew, Mark::Barrier, Mark::Beginning, Mark::Statement];
        // "(Rash) and had the injection 2 hours ago".
        let times = [Trait::Moment, Trait::Unit];
        (from..to).any(|at| {
            reading.marks.has_one_of(at, marks)
                || reading.traits[at].has_any(times)
                || self.taken.length_at(&reading.keys, at) > 0
        })
    }

    /// Whether a word or a sign that leads to a reaction stands before it, and no end of the item between.
    fn is_led(&self, reading: &Reading<'_>, before: Range<usize>) -> bool {
        let lead = before.clone().rev().find(|&at| self.leads.length_at(&reading.keys, at) > 0);
        lead.is_some_and(|lead| {
            let bracket = reading.words[lead] == "(";
            let ends = |at: usize| match reading.words[at] {
                ")" | "." | ";" => true,
                "," => !bracket,
                _ => false,
            };
            !(lead..before.end).any(ends)
        })
    }
}

/// Whether it is something taken, named as an item of the list.
fn is_avoided(reading: &Reading<'_>, base: &KnowledgeBase, it: &Spotted) -> bool {
    let risk = it.concept.risk().map(|ix| base.risk(ix));
    let is_taken = risk.is_some_and(|risk| TAKEN.contains(&risk.text.kind.as_str()));
    let before = it.first().checked_sub(1);
    is_taken
        && before.is_some_and(|at| {
            reading.tokens[at].is_sign() || matches!(reading.words[at], "to" | "and" | "or")
        })
}
