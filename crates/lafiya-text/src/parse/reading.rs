//! A text prepared for parsing: its words with corrected spelling, their canonical forms, and its
//! sentence and clause boundaries.

use std::ops::Range;

use super::dictionary::{Entry, FormFacts, LookedUpWords, Sources};
use super::marks::Marks;
use super::traits::{Trait, Traits};
use crate::canon::{Role, Run, Unit};
use crate::fold::Token;
use crate::hash::FastSet;

/// The text as the other steps see it. All indices are token indices, except those of units.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub tokens: Vec<Token>,
    /// The words of the tokens, with typing errors corrected.
    pub words: Vec<&'a str>,
    /// The word keys, for phrase look-ups.
    pub keys: Vec<u64>,
    /// The dictionary entries of the words.
    pub entries: Vec<&'a Entry>,
    /// The traits of the words.
    pub traits: Vec<Traits>,
    /// The union of all traits. It shows which steps have nothing to do.
    any: Traits,
    /// Which words were corrected.
    pub mended: &'a [bool],
    /// The words in canonical form.
    pub units: Vec<Unit<'a>>,
    /// The properties of each unit's form.
    pub forms: Vec<FormFacts>,
    /// Whether the whole text is in capitals, which makes them insignificant.
    pub all_capitals: bool,
    /// The position of each token.
    places: Vec<TokenPosition>,
    sentences: Vec<Range<usize>>,
    clauses: Vec<Range<usize>>,
    /// The cues that begin at each token.
    pub marks: Marks,
}

/// The position of a token.
#[derive(Clone, Copy, Debug)]
struct TokenPosition {
    /// The indices of its unit, its sentence and its clause (between commas).
    unit: u32,
    sentence: u32,
    clause: u32,
    /// A filler, a modifier or a punctuation sign: has no meaning by itself.
    light: bool,
    /// Part of a unit of several words.
    compound: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        tokens: Vec<Token>,
        met: &'a LookedUpWords<'_>,
        sources: Sources<'a>,
    ) -> Self {
        let entries = met.entries();
        let runs = sources.canon.runs(&entries);
        let units = sources.canon.units_of(&entries, &runs);
        let traits: Vec<Traits> = entries.iter().map(|entry| entry.traits).collect();
        let mut forms = Vec::with_capacity(units.len());
        for run in &runs {
            match run {
                Run::Plain(row) => {
                    forms.extend(entries[row.clone()].iter().map(|entry| entry.form));
                }
                Run::Compound(number, _) => forms.push(met.compounds[*number as usize]),
            }
        }
        let mut places = places(&runs, &units);
        let (sentences, clauses) = part(&traits, &mut places);
        let all_capitals = tokens.len() > 4
            && tokens
                .iter()
                .all(|token| token.capitals || token.is_number() || token.is_sign());
        let keys: Vec<u64> = entries.iter().map(|entry| entry.word.key).collect();
        Self {
            marks: sources.marks.find(&entries, &keys),
            keys,
            words: entries
                .iter()
                .map(|entry| entry.word.text.as_str())
                .collect(),
            mended: &met.mended,
            sentences,
            clauses,
            tokens,
            entries,
            any: Traits::of_all(&traits),
            traits,
            units,
            forms,
            all_capitals,
            places,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the word at a token, or an empty string after the last one.
    #[inline]
    pub(super) fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// Whether the word at a token is in a list.
    #[inline]
    pub(super) fn is_one_of(&self, at: usize, words: &FastSet<String>) -> bool {
        words.contains(self.word(at))
    }

    /// Whether any token has one of these traits.
    #[inline]
    pub(super) fn has_any<const N: usize>(&self, wanted: [Trait; N]) -> bool {
        self.any.has_any(wanted)
    }

    /// Returns the first token from a position on that has one of these traits, or the end of the
    /// text.
    #[inline]
    pub(super) fn next_of<const N: usize>(&self, from: usize, wanted: [Trait; N]) -> usize {
        // Fast path: most texts have no token with a given trait.
        if !self.has_any(wanted) {
            return self.len();
        }
        let rest = self.traits.get(from..).unwrap_or_default();
        Traits::first(rest, wanted).map_or(self.len(), |n| from + n)
    }

    /// Calls back for every token that has one of these traits, in order.
    #[inline]
    pub(super) fn each_of<const N: usize>(&self, wanted: [Trait; N], tell: impl FnMut(usize)) {
        // Fast path: most texts have no token with a given trait.
        if self.has_any(wanted) {
            Traits::each(&self.traits, wanted, tell);
        }
    }

    /// Calls `take` for every token that has one of these traits, except those consumed by an
    /// earlier call. `take` returns the end of what it consumes.
    #[inline]
    pub(super) fn take_each_of<const N: usize>(
        &self,
        wanted: [Trait; N],
        mut take: impl FnMut(usize) -> Option<usize>,
    ) {
        let mut behind = 0;
        self.each_of(wanted, |at| {
            if at >= behind
                && let Some(end) = take(at)
            {
                behind = end;
            }
        });
    }

    /// Returns the index of the first unit that begins at a token or after it.
    #[inline]
    pub(super) fn unit_from(&self, at: usize) -> usize {
        match self.places.get(at).map(|place| place.unit as usize) {
            // The token is inside a unit that begins before it.
            Some(n) if self.units[n].first < at => n + 1,
            Some(n) => n,
            None => self.units.len(),
        }
    }

    /// Returns the index of a token's unit.
    #[inline]
    pub(super) fn unit_of(&self, at: usize) -> usize {
        self.places[at].unit as usize
    }

    /// Whether a token has no meaning by itself: a filler, a modifier or a punctuation sign.
    #[inline]
    pub(super) fn is_light(&self, at: usize) -> bool {
        self.places[at].light
    }

    /// Whether a unit is a content word that is neither a joiner nor a negation.
    pub(super) fn tells(&self, n: usize) -> bool {
        self.units.get(n).is_some_and(|unit| {
            unit.role == Role::Content
                && self.tokens[unit.first].is_word()
                && !matches!(unit.form, "and" | "or" | "not")
        })
    }

    /// Whether a token is part of a unit of several words.
    #[inline]
    pub(super) fn is_compound(&self, at: usize) -> bool {
        self.places[at].compound
    }

    /// Returns the index of a token's sentence.
    #[inline]
    pub(super) fn sentence(&self, at: usize) -> u32 {
        self.places[at].sentence
    }

    /// Returns the index of a token's clause (between commas).
    #[inline]
    pub(super) fn clause(&self, at: usize) -> u32 {
        self.places[at].clause
    }

    /// Returns the text between a token, or the end, and the token before it. It contains the
    /// hyphens, which are not tokens.
    pub(super) fn gap_before<'t>(&self, text: &'t str, at: usize) -> &'t str {
        let start = at.checked_sub(1).map_or(0, |n| self.tokens[n].bytes().end);
        let end = self.tokens.get(at);
        &text[start..end.map_or(text.len(), |token| token.bytes().start)]
    }

    /// Whether two tokens are in the same sentence.
    #[inline]
    pub(super) fn same_sentence(&self, a: usize, b: usize) -> bool {
        self.sentence(a) == self.sentence(b)
    }

    /// Returns the tokens of a token's sentence.
    #[inline]
    pub(super) fn sentence_of(&self, at: usize) -> Range<usize> {
        self.sentences[self.sentence(at) as usize].clone()
    }

    /// Returns the tokens of a token's clause.
    #[inline]
    pub(super) fn clause_of(&self, at: usize) -> Range<usize> {
        self.clauses[self.clause(at) as usize].clone()
    }
}

/// Assigns units to the tokens of a text. Sentences and clauses are filled in later.
fn places(runs: &[Run], units: &[Unit<'_>]) -> Vec<TokenPosition> {
    let mut places = Vec::with_capacity(units.last().map_or(0, |unit| unit.last));
    let place = |(number, unit): (usize, &Unit<'_>), compound: bool| TokenPosition {
        unit: number as u32,
        sentence: 0,
        clause: 0,
        light: unit.role != Role::Content,
        compound,
    };
    let mut first = 0;
    for run in runs {
        match run {
            Run::Plain(row) => {
                let behind = first + row.len();
                let units = (first..behind).zip(&units[first..behind]);
                places.extend(units.map(|unit| place(unit, false)));
                first = behind;
            }
            Run::Compound(_, row) => {
                let place = place((first, &units[first]), row.len() > 1);
                places.extend(row.clone().map(|_| place));
                first += 1;
            }
        }
    }
    places
}

/// Initial capacity: most texts have no more clauses.
const CLAUSES: usize = 64;

/// Splits a text into sentences and clauses, and records them in the token positions.
fn part(traits: &[Traits], places: &mut [TokenPosition]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let mut sentences = Vec::with_capacity(CLAUSES);
    let mut clauses = Vec::with_capacity(CLAUSES);
    let (mut sentence, mut clause) = (0, 0);
    let mut close = |end: usize, ends_sentence: bool| {
        for place in &mut places[clause..end] {
            place.sentence = sentences.len() as u32;
            place.clause = clauses.len() as u32;
        }
        if ends_sentence {
            sentences.push(sentence..end);
            sentence = end;
        }
        clauses.push(clause..end);
        clause = end;
    };
    // The sign belongs to the clause that it ends. The end of a sentence also ends its clause.
    Traits::each(traits, [Trait::ClauseEnd], |at| {
        let is_last = at + 1 == traits.len();
        close(at + 1, is_last || traits[at].has(Trait::SentenceEnd));
    });
    if traits
        .last()
        .is_some_and(|traits| !traits.has(Trait::ClauseEnd))
    {
        close(traits.len(), true);
    }
    (sentences, clauses)
}
