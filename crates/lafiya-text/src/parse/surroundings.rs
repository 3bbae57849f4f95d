//! The context of a number or a result: whether it is a current value of the patient's blood. "CSF
//! glucose 40", "target Hb 10" and "baseline creatinine 0.9" are not.

use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Age, Sex};

use super::marks::Mark;
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::Results;

/// The input of the steps that parse numbers, besides the words.
pub(super) struct Written<'a> {
    pub text: &'a str,
    pub base: &'a KnowledgeBase,
    pub patient: (Option<Age>, Option<Sex>),
    /// The tokens that belong to a time.
    pub in_time: &'a [bool],
    pub surroundings: &'a Surroundings,
}

/// The words that give a value another meaning.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    not_yet: PhraseSet<()>,
    another_day: PhraseSet<()>,
    not_blood: PhraseSet<()>,
    blood: PhraseSet<()>,
    /// Sample names at the start of a sentence about them.
    samples: PhraseSet<()>,
    named_blood: PhraseSet<()>,
}

/// Plausible years of a result.
const YEARS: std::ops::Range<u32> = 1950..2100;

impl Surroundings {
    pub(super) fn new(words: &Results) -> Self {
        Self {
            not_yet: PhraseSet::of(&words.not_yet),
            another_day: PhraseSet::of(&words.another_day),
            not_blood: PhraseSet::of(&words.not_blood),
            blood: PhraseSet::of(&words.blood),
            samples: PhraseSet::of(&words.samples),
            named_blood: PhraseSet::of(&words.named_blood),
        }
    }

    /// Whether it is neither planned nor in the past.
    pub(super) fn is_now(&self, reading: &Reading<'_>, at: usize) -> bool {
        let sentence = reading.sentence_of(at);
        let waits = self.not_yet.begins_in(&reading.keys, sentence.start..at);
        let clause = reading.clause_of(at);
        !waits && reading.marks.first(clause, Mark::Past).is_none()
    }

    /// Whether a number is a current value of the patient's blood.
    pub(super) fn is_own(&self, reading: &Reading<'_>, at: usize) -> bool {
        self.is_todays(reading, at) && self.is_of_blood(reading, at)
    }

    /// Whether a number is current: no "baseline" and no year in its clause.
    fn is_todays(&self, reading: &Reading<'_>, at: usize) -> bool {
        let clause = reading.clause_of(at);
        let is_old = |n: usize| self.another_day.length_at(&reading.keys, n) > 0;
        let is_year = |n: usize| {
            let year = reading.words[n]
                .parse()
                .is_ok_and(|year| YEARS.contains(&year));
            year && n > clause.start && reading.words[n - 1] == "in"
        };
        self.is_now(reading, at) && !clause.clone().any(|n| is_old(n) || is_year(n))
    }

    /// Whether a test is a blood test, which the last preceding word for a fluid decides. Such a
    /// word counts within the clause of the test and at the start of a list: "CSF: cells 450,
    /// glucose 1.2", "CSF cells 450, glucose 1.2".
    pub(super) fn is_of_blood(&self, reading: &Reading<'_>, at: usize) -> bool {
        // "Blood glucose" is unambiguous.
        if self.blood.length_at(&reading.keys, at) > 0 {
            return true;
        }
        let (sentence, clause) = (reading.sentence_of(at), reading.clause_of(at));
        for n in (sentence.start..at).rev() {
            if self.blood.length_at(&reading.keys, n) > 0 {
                return true;
            }
            let behind = match self.not_blood.length_at(&reading.keys, n) {
                0 => continue,
                length => n + length,
            };
            let heads = reading.words.get(behind) == Some(&":")
                || reading.next_of(behind, [Trait::Test, Trait::Measure]) == behind;
            let is_sample = || {
                n == sentence.start
                    && self.samples.length_at(&reading.keys, n) > 0
                    && self.named_blood.length_at(&reading.keys, at) == 0
            };
            if clause.contains(&n) || heads || is_sample() {
                return false;
            }
        }
        true
    }
}
