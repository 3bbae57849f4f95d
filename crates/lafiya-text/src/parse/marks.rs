//! Words that mark a place: where a denial ends, where a list goes on, where the past is spoken of.
//!
//! Many steps ask the same of every word of a text. The lists are therefore found together, in one walk, and each place
//! remembers which of them have a phrase that begins there.

use std::ops::Range;

use super::dictionary::Entry;
use super::traits::first_with;
use crate::phrases::{Begun, PhraseSet};
use crate::words::{GestationWords, PersonWords, ScopeWords};

/// What may begin at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Denies, doubts or supposes.
    Trigger,
    NotNegator,
    /// Ends the reach of what came before.
    Barrier,
    /// Joins the items of a list.
    Joiner,
    /// Joins them so that a denial of one denies all.
    Alternative,
    /// Begins a new statement of its own.
    Statement,
    /// Makes a statement of what stands before it.
    StatementVerb,
    /// Says that something is over.
    Ending,
    /// May stand before such a word.
    BeforeEnding,
    Past,
    PastVerb,
    /// Of the past without any verb.
    Former,
    /// May lead to a past time: "when he was 2".
    Then,
    /// Says that a note tells what was.
    History,
    /// Speaks of today, or of one time more.
    Anew,
    /// Says that something began then and goes on.
    Beginning,
    /// What a clinician calls the patient.
    Patient,
    /// "Except me".
    Except,
    /// Behind and before the weeks of a pregnancy.
    BehindWeeks,
    BeforeWeeks,
    /// Before them with two words.
    TwoBeforeWeeks,
    /// Between a pregnancy and its weeks.
    BetweenWeeks,
    /// Behind weeks that are not those of a pregnancy.
    NotWeeks,
    /// Says that who writes is so far.
    Mother,
    /// Says that the note is a midwife's: "G3P2", "ANC".
    Midwifery,
    /// Says that it is about this moment.
    Now,
    /// Says that something is feared.
    Fear,
    /// Asks whether something is so, where a sentence begins with it.
    Question,
    /// Owns what stands behind it.
    Possessive,
    /// Opens a line about the family.
    FamilyHeading,
    /// Leads to the time up to which something was not there.
    Until,
}

impl Mark {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Nobody writes more.
const PREGNANCIES_MAX: u32 = 15;

/// The phrases of all marks.
#[derive(Clone, Debug)]
pub(super) struct MarkWords {
    phrases: PhraseSet<Mark>,
}

/// The marks of a word by itself, and where it leads to where longer phrases begin with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marked {
    alone: u32,
    longer: Option<Begun>,
}

/// The marks of a text, by token.
#[derive(Debug)]
pub(super) struct Marks {
    by_token: Vec<u32>,
    /// Of all tokens together.
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
        // "denies pain in her legs or back": a word that owns begins nothing.
        let statements = persons.first.iter().chain(&persons.third);
        for phrase in statements.filter(|word| !persons.possessives.contains(word)) {
            words.add(phrase, Mark::Statement);
        }
        words
    }

    fn add(&mut self, phrase: &str, mark: Mark) {
        self.phrases.add_phrase(phrase, mark);
    }

    /// Every word of the lists, for the speller.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.phrases.vocabulary()
    }

    /// What a word marks.
    pub(super) fn marked(&self, key: u64) -> Marked {
        let begun = self.phrases.begun(key);
        Marked {
            alone: begun.map_or(0, |it| self.bits(it, &[])),
            longer: begun.filter(|it| self.phrases.goes_on(*it)),
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

    /// The marks of all phrases that begin with a word; `rest` are the words behind it.
    fn bits(&self, begun: Begun, rest: &[u64]) -> u32 {
        let mut bits = 0;
        let rest = rest.iter().copied();
        self.phrases.each_from(begun, rest, |_, marks| {
            bits = marks.iter().fold(bits, |bits, mark| bits | mark.bit());
        });
        bits
    }
}

/// How often a woman was pregnant and how often she gave birth, as midwives write it: "G3", "G3P2".
fn gravida_notes() -> impl Iterator<Item = String> {
    (1..=PREGNANCIES_MAX).flat_map(|pregnancies| {
        let births = (0..=pregnancies).map(move |births| format!("g {pregnancies} p {births}"));
        births.chain([format!("g {pregnancies}")])
    })
}

impl Marks {
    /// Whether a phrase of the mark begins at a place; behind the text none does.
    #[inline]
    pub(super) fn has(&self, at: usize, mark: Mark) -> bool {
        let bits = self.by_token.get(at);
        bits.is_some_and(|bits| bits & mark.bit() != 0)
    }

    /// The same of several marks.
    #[inline]
    pub(super) fn has_one_of<const N: usize>(&self, at: usize, marks: [Mark; N]) -> bool {
        let wanted = marks.iter().fold(0, |bits, mark| bits | mark.bit());
        let bits = self.by_token.get(at);
        bits.is_some_and(|bits| bits & wanted != 0)
    }

    /// The first token from a place on where one begins; the end of the text where there is none.
    #[inline]
    pub(super) fn next(&self, from: usize, mark: Mark) -> usize {
        let to = self.by_token.len();
        self.first(from..to, mark).unwrap_or(to)
    }

    /// The first of these tokens where one begins.
    #[inline]
    pub(super) fn first(&self, tokens: Range<usize>, mark: Mark) -> Option<usize> {
        // What most steps look for, most texts lack.
        if !self.has_any(mark) {
            return None;
        }
        let from = tokens.start;
        let row = self.by_token.get(tokens).unwrap_or_default();
        first_with(row, |bits| *bits, mark.bit()).map(|n| from + n)
    }

    /// Whether one begins anywhere.
    #[inline]
    pub(super) fn has_any(&self, mark: Mark) -> bool {
        self.any & mark.bit() != 0
    }
}
