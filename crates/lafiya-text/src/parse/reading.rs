//! A text, ready to be read: its words (corrected), their common forms, and where its sentences and clauses end.

use std::ops::Range;

use super::dictionary::{Entry, FormFacts, Met, Sources};
use super::marks::Marks;
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
    /// Which of them were mended.
    pub mended: &'a [bool],
    /// Words in the common form.
    pub units: Vec<Unit<'a>>,
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
            .map(|unit| match unit.last - unit.first {
                1 if unit.form == entries[unit.first].word.form => entries[unit.first].form,
                _ => sources.facts(unit.form),
            })
            .collect();
        let mut light = vec![false; tokens.len()];
        let mut compound = vec![false; tokens.len()];
        for unit in &units {
            light[unit.first..unit.last].fill(unit.role != Role::Content);
            compound[unit.first..unit.last].fill(unit.last - unit.first > 1);
        }
        let all_capitals = tokens.len() > 4
            && tokens
                .iter()
                .all(|it| it.capitals || it.is_number() || it.is_sign());
        let (sentence, clause) = boundaries(&tokens);
        let keys: Vec<u64> = words.iter().map(|word| word.key).collect();
        Self {
            marks: sources.marks.find(&keys),
            keys,
            words: words.iter().map(|word| word.text.as_str()).collect(),
            mended: &met.mended,
            sentences: stretches(&sentence),
            clauses: stretches(&clause),
            tokens,
            entries,
            units,
            forms,
            light,
            compound,
            all_capitals,
            sentence,
            clause,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
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

/// The tokens that bear each number; the numbers rise by one.
fn stretches(numbers: &[usize]) -> Vec<Range<usize>> {
    let mut from = 0;
    let alike = numbers.chunk_by(|a, b| a == b);
    alike
        .map(|chunk| {
            from += chunk.len();
            from - chunk.len()..from
        })
        .collect()
}

/// Numbers sentences and clauses. The sign belongs to what it ends.
fn boundaries(tokens: &[Token<'_>]) -> (Vec<usize>, Vec<usize>) {
    let (mut sentence, mut clause) = (0, 0);
    let mut sentences = Vec::with_capacity(tokens.len());
    let mut clauses = Vec::with_capacity(tokens.len());
    for token in tokens {
        sentences.push(sentence);
        clauses.push(clause);
        match token.text {
            "." | "!" | "?" | ";" | "\n" | "…" | "。" | "؟" => {
                sentence += 1;
                clause += 1;
            }
            "," | ":" | "(" | ")" | "–" | "—" | "،" => clause += 1,
            _ => {}
        }
    }
    (sentences, clauses)
}
