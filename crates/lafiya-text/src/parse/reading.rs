//! A text, ready to be read: its words (corrected), their common forms, and where its sentences and clauses end.

use std::ops::Range;

use super::dictionary::{Entry, FormFacts, Met, Sources};
use super::marks::Marks;
use super::traits::{Trait, Traits};
use crate::canon::{Role, Unit, Word};
use crate::fold::Token;

/// The text as the other steps see it. All indices count tokens, but those of units.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub tokens: Vec<Token<'a>>,
    /// The tokens as words, typing errors mended.
    pub words: Vec<&'a str>,
    /// The same as keys, for looking phrases up.
    pub keys: Vec<u64>,
    /// The same, with what is known of them.
    pub entries: Vec<&'a Entry>,
    /// What they may be to the steps.
    pub traits: Vec<Traits>,
    /// What any of them may be.
    pub any: Traits,
    /// Which of them were mended.
    pub mended: &'a [bool],
    /// Words in the common form.
    pub units: Vec<Unit<'a>>,
    /// The unit of each token, by number.
    pub unit_of: Vec<usize>,
    /// What the form of each unit is.
    pub forms: Vec<FormFacts>,
    /// Fillers, modifiers and signs: tokens that say nothing by themselves.
    pub light: Vec<bool>,
    /// Tokens inside a unit of several words.
    pub compound: Vec<bool>,
    /// The whole text is in capitals: they mean nothing then.
    pub all_capitals: bool,
    /// The number of the sentence of each token.
    pub sentence: Vec<usize>,
    /// The number of the clause (between commas) of each token.
    pub clause: Vec<usize>,
    sentences: Vec<Range<usize>>,
    clauses: Vec<Range<usize>>,
    /// What begins at each token.
    pub marks: Marks,
}

impl<'a> Reading<'a> {
    pub(super) fn new(tokens: Vec<Token<'a>>, met: &'a Met<'_>, sources: Sources<'a>) -> Self {
        let entries = met.entries();
        let words: Vec<&Word> = entries.iter().map(|it| &it.word).collect();
        let units = sources.canon.units(&words);
        let forms = units
            .iter()
            .map(|unit| {
                let entry = entries[unit.first];
                // The very form of the word, so what is known of it holds.
                if std::ptr::eq(unit.form, entry.word.form.as_str()) {
                    entry.form
                } else {
                    sources.facts(unit.form)
                }
            })
            .collect();
        let mut light = vec![false; tokens.len()];
        let mut compound = vec![false; tokens.len()];
        let mut unit_of = vec![0; tokens.len()];
        for (n, unit) in units.iter().enumerate() {
            for at in unit.first..unit.last {
                light[at] = unit.role != Role::Content;
                compound[at] = unit.last - unit.first > 1;
                unit_of[at] = n;
            }
        }
        let all_capitals = tokens.len() > 4
            && tokens
                .iter()
                .all(|it| it.capitals || it.is_number() || it.is_sign());
        let traits: Vec<Traits> = entries.iter().map(|it| it.traits).collect();
        let sentences = Stretches::of(&traits, Trait::SentenceEnd);
        let clauses = Stretches::of(&traits, Trait::ClauseEnd);
        let keys: Vec<u64> = words.iter().map(|word| word.key).collect();
        Self {
            marks: sources.marks.find(&entries, &keys),
            keys,
            words: words.iter().map(|word| word.text.as_str()).collect(),
            any: Traits::together(&traits),
            mended: &met.mended,
            sentences: sentences.all,
            clauses: clauses.all,
            tokens,
            entries,
            traits,
            units,
            unit_of,
            forms,
            light,
            compound,
            all_capitals,
            sentence: sentences.numbers,
            clause: clauses.numbers,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The first unit that begins at a token or behind it, by number.
    pub(super) fn unit_from(&self, at: usize) -> usize {
        match self.unit_of.get(at) {
            Some(&n) if self.units[n].first < at => n + 1,
            Some(&n) => n,
            None => self.units.len(),
        }
    }

    /// Whether two tokens stand in one sentence.
    pub(super) fn same_sentence(&self, a: usize, b: usize) -> bool {
        self.sentence[a] == self.sentence[b]
    }

    /// The tokens of the sentence of a token.
    pub(super) fn sentence_of(&self, at: usize) -> Range<usize> {
        self.sentences[self.sentence[at]].clone()
    }

    /// The tokens of the clause of a token.
    pub(super) fn clause_of(&self, at: usize) -> Range<usize> {
        self.clauses[self.clause[at]].clone()
    }
}

/// A text parted in stretches, one behind the other.
#[derive(Debug)]
struct Stretches {
    /// The number of the stretch of each token.
    numbers: Vec<usize>,
    /// The tokens of each stretch.
    all: Vec<Range<usize>>,
}

impl Stretches {
    /// Parts a text behind every token of a trait. The sign belongs to what it ends.
    fn of(traits: &[Traits], end: Trait) -> Self {
        let mut numbers = Vec::with_capacity(traits.len());
        let mut all = Vec::with_capacity(traits.len() / 4 + 1);
        let mut from = 0;
        for (at, it) in traits.iter().enumerate() {
            numbers.push(all.len());
            if it.has(end) {
                all.push(from..at + 1);
                from = at + 1;
            }
        }
        if from < traits.len() {
            all.push(from..traits.len());
        }
        Self { numbers, all }
    }
}
