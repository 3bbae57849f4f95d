//! A text, ready to be read: its words (corrected), their common forms, and where its sentences and clauses end.

use std::sync::Arc;

use super::spelling::Spelling;
use crate::canon::{Canon, Role, Unit, Word};
use crate::fold::{self, Token};

/// The text as the other steps see it. All indices count tokens.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub tokens: Vec<Token>,
    /// The tokens as words, typing errors mended.
    pub words: Vec<String>,
    /// The same as keys, for looking phrases up.
    pub keys: Vec<u64>,
    /// The same, taken apart.
    pub apart: Vec<Arc<Word>>,
    /// Which of them were mended.
    pub mended: Vec<bool>,
    /// Words in the common form.
    pub units: Vec<Unit>,
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
}

impl Reading {
    pub(super) fn new(text: &str, canon: &Canon, spelling: &Spelling) -> Self {
        let mut tokens = fold::tokens(text);
        canon.without_points(&mut tokens);
        let mut words = Vec::with_capacity(tokens.len());
        let mut apart: Vec<Arc<Word>> = Vec::with_capacity(tokens.len());
        let mut mended = vec![false; tokens.len()];
        for (at, token) in tokens.iter().enumerate() {
            // The canon has learnt every word that the speller knows, so such a word is right.
            if let Some(word) = canon.learnt(&token.text) {
                words.push(token.text.clone());
                apart.push(word);
                continue;
            }
            let meant = spelling.correct(&token.text);
            mended[at] = meant.is_some();
            let word = meant.unwrap_or(&token.text);
            words.push(word.to_owned());
            apart.push(canon.word(word));
        }
        let units = canon.units_of(&words, &apart);
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
        Self {
            tokens,
            keys: apart.iter().map(|word| word.key).collect(),
            words,
            apart,
            mended,
            units,
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
    pub(super) fn sentence_of(&self, at: usize) -> std::ops::Range<usize> {
        self.range(&self.sentence, at)
    }

    /// The tokens of the clause of a token.
    pub(super) fn clause_of(&self, at: usize) -> std::ops::Range<usize> {
        self.range(&self.clause, at)
    }

    fn range(&self, numbers: &[usize], at: usize) -> std::ops::Range<usize> {
        let number = numbers[at];
        let from = numbers[..at]
            .iter()
            .rposition(|&it| it != number)
            .map_or(0, |n| n + 1);
        let to = numbers[at..]
            .iter()
            .position(|&it| it != number)
            .map_or(numbers.len(), |n| at + n);
        from..to
    }
}

/// Numbers sentences and clauses. The sign belongs to what it ends.
fn boundaries(tokens: &[Token]) -> (Vec<usize>, Vec<usize>) {
    let (mut sentence, mut clause) = (0, 0);
    let mut sentences = Vec::with_capacity(tokens.len());
    let mut clauses = Vec::with_capacity(tokens.len());
    for token in tokens {
        sentences.push(sentence);
        clauses.push(clause);
        match token.text.as_str() {
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
