//! What was only looked for: "HIV screening declined", "how much is a pregnancy test?". An illness, or a pregnancy, that is named
//! as the aim of a test is told by the result of that test alone.

use std::ops::Range;

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::Choice;

use super::marks::Mark;
use super::reading::Reading;
use super::results::ResultReader;
use super::spotted::Spotted;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::Results;

/// The words of looking for something.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    testing: PhraseSet<()>,
    before: PhraseSet<()>,
    known: PhraseSet<()>,
}

/// What the base calls that which a test may look for.
const KINDS: [&str; 2] = ["medical_history", "obstetric"];
/// Words of the longest phrase before what is looked for.
const BEFORE_MAX: usize = 2;

impl Tested {
    pub(super) fn new(words: &Results) -> Self {
        Self {
            testing: PhraseSet::of(&words.testing),
            before: PhraseSet::of(&words.testing_before),
            known: PhraseSet::of(&words.told_known),
        }
    }

    /// Takes out what was looked for and not told; what the test denied is absent.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        results: &ResultReader,
        spotted: &mut Vec<Spotted>,
    ) {
        let may_be = |it: &Spotted| is_sought(base, it) && it.is_had() && !it.derived;
        spotted.retain_mut(|it| {
            let aim = may_be(it).then(|| self.aim(reading, it)).flatten();
            let Some(aim) = aim else {
                return true;
            };
            match self.told(reading, results, aim) {
                Some(Choice::Absent) => it.choice = Choice::Absent,
                told => return told.is_some(),
            }
            true
        });
    }

    /// What a test denied once and now tells is there: "HIV negative last year, now reactive".
    pub(super) fn retell(
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        results: &ResultReader,
        spotted: &mut [Spotted],
    ) {
        // Few texts tell of a result and of now.
        if !reading.has_any([Trait::Outcome]) || !reading.marks.has_any(Mark::Now) {
            return;
        }
        for it in spotted {
            if it.choice != Choice::Absent || !is_sought(base, it) {
                continue;
            }
            let told = reading.next_of(it.first() + 1, [Trait::Outcome]);
            let behind = told + 1..reading.sentence_of(it.last()).end;
            // No result in its sentence.
            if behind.is_empty() {
                continue;
            }
            let Some(now) = reading.marks.first(behind.clone(), Mark::Now) else {
                continue;
            };
            // "HIV negative, RDT now positive", "HIV negative, husband now reactive".
            let clause = reading.clause_of(now);
            let another = reading.next_of(behind.start, [Trait::Test]) < behind.end
                || reading.next_of(clause.start, [Trait::Person]) < now;
            if !another && results.later(reading, behind) == Some(Choice::Present) {
                (it.choice, it.dropped, it.now) = (Choice::Present, None, false);
            }
        }
    }

    /// The words that make something the aim of a test, together with it.
    fn aim(&self, reading: &Reading<'_>, it: &Spotted) -> Option<Range<usize>> {
        let behind = it.last() + 1;
        let length = self.testing.length_at(&reading.keys, behind);
        if length > 0 && reading.same_sentence(it.last(), behind) {
            return Some(it.first()..behind + length);
        }
        let first = it.first();
        let from = first.checked_sub(BEFORE_MAX)?;
        let leads = self.before.length_at(&reading.keys, from) == BEFORE_MAX;
        leads.then_some(from..behind)
    }

    /// What is told of it: that it is there, anywhere in the sentence, or right behind the test that it is not.
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

/// Whether it is something that a test may look for.
fn is_sought(base: &KnowledgeBase, it: &Spotted) -> bool {
    let risk = it.concept.risk().map(|ix| base.risk(ix));
    risk.is_some_and(|risk| KINDS.contains(&risk.text.kind.as_str()))
}
