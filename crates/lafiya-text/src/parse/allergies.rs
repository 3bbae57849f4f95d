//! What an allergy did once is no finding of today: "allergic to penicillin (rash)", "allergies: aspirin - bronchospasm". Nor is
//! the medicine taken that the patient cannot take.
//!
//! A reaction of today is one: whatever says that it is new, or counts its hours, leaves the sentence alone, and so does a dash
//! outside of a list of allergies ("allergic to groundnuts - lips swollen").

use std::ops::Range;

use lafiya_knowledge::KnowledgeBase;

use super::concept_set::ConceptSet;
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
    risks: ConceptSet,
    /// Lead to what happens: "causes", a bracket, a dash.
    leads: PhraseSet<()>,
    /// Say that it has just been taken, or happened, or that there is no allergy.
    others: PhraseSet<()>,
}

/// What the base calls a medicine that is taken, and what somebody eats.
const TAKEN: [&str; 2] = ["medication", "exposure"];

impl AllergyReader {
    pub(super) fn new(base: &KnowledgeBase, words: &Allergies) -> Self {
        Self {
            risks: known(base, &words.risks),
            leads: PhraseSet::of(&words.leads),
            others: PhraseSet::of(&[words.taken.as_slice(), &words.none].concat()),
        }
    }

    /// Drops what allergies did and what is not taken because of them.
    pub(super) fn drop(
        &self,
        (text, reading): (&str, &Reading<'_>),
        base: &KnowledgeBase,
        spotted: &mut [Spotted],
    ) {
        let is_told = |it: &&Spotted| self.risks.contains(it.concept) && it.is_had();
        let Some(allergy) = spotted.iter().find(is_told) else {
            return;
        };
        let behind = allergy.last() + 1;
        // "Allergies:" lists them; "allergic to" names one. "An allergic reaction" is there now.
        let listed = reading.words.get(behind) == Some(&":");
        let named =
            (allergy.first()..=behind.min(reading.len() - 1)).any(|n| reading.words[n] == "to");
        if behind >= reading.len() || !(listed || named) {
            return;
        }
        let dashed = |at: usize| listed && follows_dash(text, reading, at);
        let told = behind..self.end(reading, behind, dashed);
        if self.says_more(reading, told.clone()) {
            return;
        }
        for it in spotted.iter_mut().filter(|it| told.contains(&it.first())) {
            let led = || self.is_led(reading, told.start..it.first() + 1, dashed);
            if (it.is_finding() && led()) || is_avoided(reading, base, it) {
                it.dropped = Some(Dropped::Past);
            }
        }
    }

    /// The end of the sentence, and of those behind it that are made the same way: "Allergies: penicillin - anaphylaxis. Sulfa -
    /// rash."
    fn end(&self, reading: &Reading<'_>, at: usize, dashed: impl Fn(usize) -> bool) -> usize {
        let mut end = reading.sentence_of(at).end;
        while end < reading.len() && dashed(end + 1) {
            end = reading.sentence_of(end).end;
        }
        end
    }

    fn says_more(&self, reading: &Reading<'_>, mut told: Range<usize>) -> bool {
        let marks = [
            Mark::Anew,
            Mark::Barrier,
            Mark::Beginning,
            Mark::Statement,
            Mark::StatementVerb,
        ];
        // "(Rash) and had the injection 2 hours ago".
        let times = [Trait::Moment, Trait::Unit];
        let heading = told.start;
        told.any(|at| {
            reading.marks.has_one_of(at, marks)
                || reading.traits[at].has_any(times)
                || self.others.length_at(&reading.keys, at) > 0
                // "Allergies: penicillin - BP: ..." goes on to something else.
                || (at > heading && reading.words[at] == ":")
        })
    }

    /// Whether a word or a sign leads to what stands last, and no end of the item between.
    fn is_led(
        &self,
        reading: &Reading<'_>,
        tokens: Range<usize>,
        dashed: impl Fn(usize) -> bool,
    ) -> bool {
        let leads = |at: &usize| self.leads.length_at(&reading.keys, *at) > 0 || dashed(*at);
        let lead = { tokens.clone() }.rev().find(leads);
        lead.is_some_and(|lead| {
            let bracket = reading.words[lead] == "(";
            let ends = |at: usize| match reading.words[at] {
                ")" | "." | ";" => true,
                "," => !bracket,
                _ => false,
            };
            !(lead..tokens.end).any(ends)
        })
    }
}

/// Whether a dash stands before a token; words keep none.
fn follows_dash(text: &str, reading: &Reading<'_>, at: usize) -> bool {
    if !(1..reading.len()).contains(&at) {
        return false;
    }
    let gap = reading.gap_before(text, at);
    gap.contains(['-', '–', '—']) && gap.contains(' ')
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
