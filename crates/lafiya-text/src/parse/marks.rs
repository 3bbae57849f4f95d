//! Cue words: where a negation ends, where a list continues, where the past is mentioned.
//!
//! Many steps check every word of a text for such phrases. The lists are therefore matched together
//! in one pass, and each token stores which lists have a phrase that begins there.

use std::ops::Range;

use super::dictionary::Entry;
use super::traits::first_with;
use crate::phrases::{PhrasePrefix, PhraseSet};
use crate::words::{GestationWords, PersonWords, ScopeWords};

/// A kind of cue phrase that may begin at a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Negates, makes uncertain or makes conditional.
    Trigger,
    NotNegator,
    /// Ends the reach of what came before.
    Barrier,
    /// Joins the items of a list.
    Joiner,
    /// Joins items so that a negation of one negates all.
    Alternative,
    /// Begins a new statement.
    Statement,
    /// Turns what precedes it into a statement.
    StatementVerb,
    /// Says that something is over.
    Ending,
    /// May precede such a word.
    BeforeEnding,
    Past,
    PastVerb,
    /// Past without a verb.
    Former,
    /// May introduce a past time: "when he was 2".
    Then,
    /// Marks a note as past history.
    History,
    /// Refers to today, or to a recurrence.
    Anew,
    /// Says that something began at that time and continues.
    Beginning,
    /// A clinician's term for the patient.
    Patient,
    /// Excludes someone: "except me".
    Except,
    /// After and before the weeks of a pregnancy.
    BehindWeeks,
    BeforeWeeks,
    /// A two-word phrase before the weeks.
    TwoBeforeWeeks,
    /// Words between a pregnancy and its weeks.
    BetweenWeeks,
    /// After weeks that are not weeks of a pregnancy.
    NotWeeks,
    /// Says that the writer is that many weeks pregnant.
    Mother,
    /// Shows that a note is a midwife's: "G3P2", "ANC".
    Midwifery,
    /// Refers to the present moment.
    Now,
    /// Says that something is feared.
    Fear,
    /// Starts a question if a sentence begins with it.
    Question,
    /// A possessive.
    Possessive,
    /// Heading of a family history line.
    FamilyHeading,
    /// Introduces the time until which something was absent.
    Until,
}

impl Mark {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Higher numbers do not occur in notes.
const PREGNANCIES_MAX: u32 = 15;

/// The phrases of all cue kinds.
#[derive(Clone, Debug)]
pub(super) struct MarkWords {
    phrases: PhraseSet<Mark>,
}

/// The cue kinds of a single word, and where it leads in the automaton if longer phrases begin with
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marked {
    alone: u32,
    longer: Option<PhrasePrefix>,
}

/// The cues of a text, by token.
#[derive(Debug)]
pub(super) struct Marks {
    by_token: Vec<u32>,
    /// The union over all tokens.
    any: u32,
}

impl MarkWords {
    pub(super) fn new(
        scope: &ScopeWords,
        persons: &PersonWords,
        gestation: &GestationWords,
    ) -> Self {
        let triggers = [
            &scope.not_negators,
            &scope.echoes,
            &scope.doubts,
            &scope.hypotheticals,
            &scope.denials,
            &scope.list_negators,
            &scope.negators,
            &scope.unsaid,
            &scope.opening_negators,
            &scope.paired_negators,
        ];
        let lists = [
            (&scope.not_negators, Mark::NotNegator),
            (&scope.untils, Mark::Until),
            (&scope.befores, Mark::Until),
            (&scope.barriers, Mark::Barrier),
            (&scope.joiners, Mark::Joiner),
            (&scope.alternatives, Mark::Alternative),
            (&scope.statement_verbs, Mark::StatementVerb),
            (&scope.endings, Mark::Ending),
            (&scope.before_endings, Mark::BeforeEnding),
            (&scope.pasts, Mark::Past),
            (&scope.past_verbs, Mark::PastVerb),
            (&scope.formers, Mark::Former),
            (&scope.thens, Mark::Then),
            (&scope.histories, Mark::History),
            (&scope.anew, Mark::Anew),
            (&scope.begins, Mark::Beginning),
            (&persons.patient, Mark::Patient),
            (&persons.except, Mark::Except),
            (&gestation.behind, Mark::BehindWeeks),
            (&gestation.before, Mark::BeforeWeeks),
            (&gestation.before_two, Mark::TwoBeforeWeeks),
            (&gestation.between, Mark::BetweenWeeks),
            (&gestation.not_weeks, Mark::NotWeeks),
            (&gestation.mother, Mark::Mother),
            (&gestation.midwifery, Mark::Midwifery),
            (&scope.now, Mark::Now),
            (&scope.fears, Mark::Fear),
            (&scope.questions, Mark::Question),
            (&persons.possessives, Mark::Possessive),
            (&persons.family_headings, Mark::FamilyHeading),
        ];
        let mut words = Self {
            phrases: PhraseSet::default(),
        };
        let triggers = triggers.into_iter().map(|list| (list, Mark::Trigger));
        for (list, mark) in triggers.chain(lists) {
            list.iter().for_each(|phrase| words.add(phrase, mark));
        }
        for count in gravida_notes() {
            words.add(&count, Mark::Midwifery);
        }
        // "denies pain in her legs or back": a possessive does not begin a statement.
        let statements = persons.first.iter().chain(&persons.third);
        for phrase in statements.filter(|word| !persons.possessives.contains(word)) {
            words.add(phrase, Mark::Statement);
        }
        words
    }

    fn add(&mut self, phrase: &str, mark: Mark) {
        self.phrases.add_phrase(phrase, mark);
    }

    /// Returns every word of the lists, for the spelling corrector.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.phrases.vocabulary()
    }

    /// Returns the cue kinds of a word.
    pub(super) fn marked(&self, key: u64) -> Marked {
        let begun = self.phrases.begun(key);
        Marked {
            alone: begun.map_or(0, |phrase| self.bits(phrase, &[])),
            longer: begun.filter(|phrase| self.phrases.goes_on(*phrase)),
        }
    }

    pub(super) fn find(&self, entries: &[&Entry], keys: &[u64]) -> Marks {
        let marks = entries.iter().enumerate().map(|(at, entry)| {
            let Marked { alone, longer } = entry.marked;
            let next = || keys.get(at + 1).copied();
            match longer {
                Some(begun) if self.phrases.may_go_on(begun, next()) => {
                    self.bits(begun, &keys[at + 1..])
                }
                _ => alone,
            }
        });
        let by_token: Vec<u32> = marks.collect();
        Marks {
            any: by_token.iter().fold(0, |any, bits| any | bits),
            by_token,
        }
    }

    /// Returns the cue kinds of all phrases that begin with a word. `rest` are the words after it.
    fn bits(&self, begun: PhrasePrefix, rest: &[u64]) -> u32 {
        let mut bits = 0;
        let rest = rest.iter().copied();
        self.phrases.each_from(begun, rest, |_, marks| {
            bits = marks.iter().fold(bits, |bits, mark| bits | mark.bit());
        });
        bits
    }
}

/// Returns gravidity and parity as midwives write them: "G3", "G3P2".
fn gravida_notes() -> impl Iterator<Item = String> {
    (1..=PREGNANCIES_MAX).flat_map(|pregnancies| {
        let births = (0..=pregnancies).map(move |births| format!("g {pregnancies} p {births}"));
        births.chain([format!("g {pregnancies}")])
    })
}

impl Marks {
    /// Whether a phrase of the kind begins at a token; false after the end of the text.
    #[inline]
    pub(super) fn has(&self, at: usize, mark: Mark) -> bool {
        let bits = self.by_token.get(at);
        bits.is_some_and(|bits| bits & mark.bit() != 0)
    }

    /// Whether a phrase of any of the kinds begins at a token.
    #[inline]
    pub(super) fn has_one_of<const N: usize>(&self, at: usize, marks: [Mark; N]) -> bool {
        let wanted = marks.iter().fold(0, |bits, mark| bits | mark.bit());
        let bits = self.by_token.get(at);
        bits.is_some_and(|bits| bits & wanted != 0)
    }

    /// Returns the first token from a position on where a phrase of the kind begins, or the end of
    /// the text.
    #[inline]
    pub(super) fn next(&self, from: usize, mark: Mark) -> usize {
        let to = self.by_token.len();
        self.first(from..to, mark).unwrap_or(to)
    }

    /// Returns the first token in a range where a phrase of the kind begins.
    #[inline]
    pub(super) fn first(&self, tokens: Range<usize>, mark: Mark) -> Option<usize> {
        // Fast path: most texts have no phrase of a given kind.
        if !self.has_any(mark) {
            return None;
        }
        let from = tokens.start;
        let row = self.by_token.get(tokens).unwrap_or_default();
        first_with(row, |bits| *bits, mark.bit()).map(|n| from + n)
    }

    /// Whether a phrase of the kind begins anywhere.
    #[inline]
    pub(super) fn has_any(&self, mark: Mark) -> bool {
        self.any & mark.bit() != 0
    }
}
