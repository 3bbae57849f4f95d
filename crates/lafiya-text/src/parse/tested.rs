//! Conditions that were only tested for: "HIV screening declined", "how much is a pregnancy test?".
//! If an illness or a pregnancy is named as the aim of a test, only the result of the test decides.

use std::ops::Range;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::Choice;

use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::reading::Reading;
use super::results::ResultReader;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::Results;

/// The phrases for testing for something.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    testing: PhraseSet<()>,
    before: PhraseSet<()>,
    known: PhraseSet<()>,
}

/// Kinds in the knowledge base that a test may look for.
const KINDS: [&str; 2] = ["medical_history", "obstetric"];
/// Maximum length in words of the phrases before what is looked for.
const BEFORE_MAX: usize = 4;

impl Tested {
    pub(super) fn new(words: &Results) -> Self {
        Self {
            testing: PhraseSet::of(&words.testing),
            before: PhraseSet::of(&words.testing_before),
            known: PhraseSet::of(&words.told_known),
        }
    }

    /// Drops conditions that were tested for without a stated result, and marks those with a
    /// negative result as absent.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        results: &ResultReader,
        drafts: &mut Vec<DraftMention>,
    ) {
        let may_be = |mention: &DraftMention| {
            is_sought(base, mention) && mention.is_had() && !mention.derived
        };
        drafts.retain_mut(|mention| {
            let aim = may_be(mention)
                .then(|| self.aim(reading, mention))
                .flatten();
            let Some(aim) = aim else {
                return true;
            };
            match self.told(reading, results, aim) {
                Some(Choice::Absent) => mention.choice = Choice::Absent,
                told => return told.is_some(),
            }
            true
        });
    }

    /// Marks a condition as present if an earlier result was negative and the current one is
    /// positive: "HIV negative last year, now reactive".
    pub(super) fn retell(
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        results: &ResultReader,
        drafts: &mut [DraftMention],
    ) {
        // Fast path: few texts state both a result and a word for now.
        if !reading.has_any([Trait::Outcome]) || !reading.marks.has_any(Mark::Now) {
            return;
        }
        for mention in drafts {
            if mention.choice != Choice::Absent || !is_sought(base, mention) {
                continue;
            }
            let told = reading.next_of(mention.first() + 1, [Trait::Outcome]);
            let behind = told + 1..reading.sentence_of(mention.last()).end;
            // There is no result in its sentence.
            if behind.is_empty() {
                continue;
            }
            let Some(now) = reading.marks.first(behind.clone(), Mark::Now) else {
                continue;
            };
            // Excludes "HIV negative, RDT now positive" and "HIV negative, husband now reactive".
            let clause = reading.clause_of(now);
            let another = reading.next_of(behind.start, [Trait::Test]) < behind.end
                || reading.next_of(clause.start, [Trait::Person]) < now;
            if !another && results.later(reading, behind) == Some(Choice::Present) {
                (mention.choice, mention.dropped, mention.now) = (Choice::Present, None, false);
            }
        }
    }

    /// Returns the condition together with the words that make it the aim of a test.
    fn aim(&self, reading: &Reading<'_>, mention: &DraftMention) -> Option<Range<usize>> {
        let behind = mention.last() + 1;
        let length = self.testing.length_at(&reading.keys, behind);
        if length > 0 && reading.same_sentence(mention.last(), behind) {
            return Some(mention.first()..behind + length);
        }
        let first = mention.first();
        let lengths = (1..=BEFORE_MAX.min(first)).rev();
        let from = { lengths }
            .map(|length| first - length)
            .find(|&from| self.before.length_at(&reading.keys, from) == first - from)?;
        Some(from..behind)
    }

    /// Returns the stated result: the first one between the test and the next comma, or else a
    /// positive one anywhere in the sentence.
    fn told(
        &self,
        reading: &Reading<'_>,
        results: &ResultReader,
        aim: Range<usize>,
    ) -> Option<Choice> {
        let sentence = reading.sentence_of(aim.start);
        let outcome = |at: usize| results.outcome_at(reading, at).map(|(choice, _)| choice);
        let is_comma = |at: &usize| reading.words[*at] == ",";
        let item = (aim.end..sentence.end)
            .find(is_comma)
            .unwrap_or(sentence.end);
        if let Some(choice) = (aim.end..item).find_map(outcome) {
            return Some(choice);
        }
        let is_known = |at: usize| {
            let denied = at > 0 && reading.words[at - 1] == "not";
            self.known.length_at(&reading.keys, at) > 0 && !denied
        };
        let mut sentence = sentence;
        let present = sentence.any(|at| outcome(at) == Some(Choice::Present) || is_known(at));
        present.then_some(Choice::Present)
    }
}

/// Whether a test may look for it.
fn is_sought(base: &KnowledgeBase, mention: &DraftMention) -> bool {
    let risk = mention.concept.risk().map(|ix| base.risk(ix));
    risk.is_some_and(|risk| KINDS.contains(&risk.text.kind.as_str()))
}
