//! Drops findings that describe a known allergy, not today's illness: "allergic to penicillin
//! (rash)", "allergies: aspirin - bronchospasm". The medicine that the patient cannot take is not
//! counted as taken either.
//!
//! A reaction of today is kept. A sentence is left alone if it says that something is new or gives
//! hours, or if it has a dash outside a list of allergies ("allergic to groundnuts - lips
//! swollen").

use std::ops::Range;

use lafiya_knowledge::KnowledgeBase;

use super::concept_set::ConceptSet;
use super::draft_mention::{DraftMention, Dropped};
use super::known;
use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::Allergies;

/// The phrases for allergies, with the risk factors of a knowledge base.
#[derive(Clone, Debug)]
pub(super) struct AllergyReader {
    /// Risk factors for what the patient cannot take.
    risks: ConceptSet,
    /// Phrases that introduce the reaction: "causes", a bracket, a dash.
    leads: PhraseSet<()>,
    /// Phrases for something just taken, something that just happened, or no allergy.
    others: PhraseSet<()>,
}

/// Kinds in the knowledge base for a medicine taken and for something eaten.
const TAKEN: [&str; 2] = ["medication", "exposure"];

impl AllergyReader {
    pub(super) fn new(base: &KnowledgeBase, words: &Allergies) -> Self {
        Self {
            risks: known(base, &words.risks),
            leads: PhraseSet::of(&words.leads),
            others: PhraseSet::of(&[words.taken.as_slice(), &words.none].concat()),
        }
    }

    /// Drops the reactions to allergens, and what is not taken because of them.
    pub(super) fn drop(
        &self,
        (text, reading): (&str, &Reading<'_>),
        base: &KnowledgeBase,
        drafts: &mut [DraftMention],
    ) {
        let is_told =
            |mention: &&DraftMention| self.risks.contains(mention.concept) && mention.is_had();
        let Some(allergy) = drafts.iter().find(is_told) else {
            return;
        };
        let behind = allergy.last() + 1;
        // "Allergies:" starts a list and "allergic to" names one allergen, but "an allergic
        // reaction" is present now.
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
        for mention in drafts
            .iter_mut()
            .filter(|mention| told.contains(&mention.first()))
        {
            let led = || self.is_led(reading, told.start..mention.first() + 1, dashed);
            if (mention.is_finding() && led()) || is_avoided(reading, base, mention) {
                mention.dropped = Some(Dropped::Past);
            }
        }
    }

    /// Returns the end of the sentence and of the following sentences of the same form: "Allergies:
    /// penicillin - anaphylaxis. Sulfa - rash."
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
        // "(Rash) and had the injection 2 hours ago": a time shows that the reaction is new.
        let times = [Trait::Moment, Trait::Unit];
        let heading = told.start;
        told.any(|at| {
            reading.marks.has_one_of(at, marks)
                || reading.traits[at].has_any(times)
                || self.others.length_at(&reading.keys, at) > 0
                // "Allergies: penicillin - BP: ..." starts a new topic.
                || (at > heading && reading.words[at] == ":")
        })
    }

    /// Whether a phrase or sign introduces the last word, with no end of the list item in between.
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

/// Whether a dash precedes a token. Tokens do not keep hyphens.
fn follows_dash(text: &str, reading: &Reading<'_>, at: usize) -> bool {
    if !(1..reading.len()).contains(&at) {
        return false;
    }
    let gap = reading.gap_before(text, at);
    gap.contains(['-', '–', '—']) && gap.contains(' ')
}

/// Whether it is a medicine or food, named as an item of the list.
fn is_avoided(reading: &Reading<'_>, base: &KnowledgeBase, mention: &DraftMention) -> bool {
    let risk = mention.concept.risk().map(|ix| base.risk(ix));
    let is_taken = risk.is_some_and(|risk| TAKEN.contains(&risk.text.kind.as_str()));
    let before = mention.first().checked_sub(1);
    is_taken
        && before.is_some_and(|at| {
            reading.tokens[at].is_sign() || matches!(reading.words[at], "to" | "and" | "or")
        })
}
