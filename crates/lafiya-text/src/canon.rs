//! One form for words that mean the same: stems, groups of synonyms, and several words for one.
//!
//! This is what makes "belle dey pain me" and "abdominal pain" comparable. Which words belong together is data.

use std::sync::Arc;

use crate::fold::Token;
use crate::hash::{FastMap, FastSet, key};
use crate::stem::{singular, stem};
use crate::words::{Fillers, Same};

/// What a word is to a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Carries meaning.
    Content,
    /// Carries meaning only where a phrase has it.
    Modifier,
    /// A person: passed over like a filler.
    Person,
    /// Carries none.
    Filler,
}

impl Role {
    /// Whether phrases pass it over.
    pub(crate) fn is_passed_over(self) -> bool {
        matches!(self, Self::Filler | Self::Person)
    }
}

/// A word in its common form, with the tokens it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The common form.
    pub form: String,
    /// First token.
    pub first: usize,
    /// The token after the last.
    pub last: usize,
    /// What it is to a phrase.
    pub role: Role,
}

/// The groups of words, ready to use.
#[derive(Clone, Debug)]
pub(crate) struct Canon {
    groups: FastMap<String, String>,
    /// First word to the phrases that begin with it, longest first, with the form that replaces them.
    phrases: FastMap<String, Vec<(Vec<String>, String)>>,
    fillers: FastSet<String>,
    modifiers: FastSet<String>,
    persons: FastSet<String>,
    abbreviations: FastSet<String>,
    opposites: Vec<[String; 2]>,
    /// Words met while building, so that reading need not take them apart again.
    known: FastMap<String, Arc<Word>>,
}

/// A word taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub singular: String,
    pub stem: String,
    pub form: String,
    pub role: Role,
    /// The word itself and its stem as keys, for looking phrases up.
    pub key: u64,
    pub stem_key: u64,
}

impl Canon {
    pub(crate) fn new(same: &Same, fillers: &Fillers) -> Self {
        let mut groups = FastMap::default();
        for (group, words) in &same.words {
            for word in words.iter().chain([group]) {
                groups.entry(stem(word)).or_insert_with(|| group.clone());
            }
        }
        let mut phrases: FastMap<String, Vec<(Vec<String>, String)>> = FastMap::default();
        for (form, written) in &same.phrases {
            for phrase in written {
                let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
                phrases
                    .entry(words[0].clone())
                    .or_default()
                    .push((words, form.clone()));
            }
        }
        for list in phrases.values_mut() {
            list.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        Self {
            groups,
            phrases,
            fillers: fillers.fillers.iter().cloned().collect(),
            modifiers: fillers.modifiers.iter().cloned().collect(),
            persons: fillers.persons.iter().cloned().collect(),
            abbreviations: fillers.abbreviations.iter().cloned().collect(),
            opposites: same.opposite.iter().map(|it| it.sides.clone()).collect(),
            known: FastMap::default(),
        }
    }

    /// Remembers words that texts are likely to have.
    pub(crate) fn learn<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        for word in words {
            let apart = self.take_apart(word);
            self.known.insert(word.to_owned(), apart);
        }
    }

    /// A word that was learnt, taken apart.
    pub(crate) fn learnt(&self, word: &str) -> Option<Arc<Word>> {
        self.known.get(word).cloned()
    }

    /// A word taken apart.
    pub(crate) fn word(&self, word: &str) -> Arc<Word> {
        self.learnt(word).unwrap_or_else(|| self.take_apart(word))
    }

    fn take_apart(&self, word: &str) -> Arc<Word> {
        let stem = stem(word);
        Arc::new(Word {
            key: key(word),
            stem_key: key(&stem),
            singular: singular(word),
            form: self
                .groups
                .get(&stem)
                .cloned()
                .unwrap_or_else(|| stem.clone()),
            stem,
            role: self.role(word),
        })
    }

    /// The common form of one word.
    pub(crate) fn form(&self, word: &str) -> String {
        let stem = stem(word);
        self.groups.get(&stem).cloned().unwrap_or(stem)
    }

    /// The units of a row of folded words.
    pub(crate) fn units<S: AsRef<str>>(&self, words: &[S]) -> Vec<Unit> {
        let apart: Vec<Arc<Word>> = words.iter().map(|word| self.word(word.as_ref())).collect();
        self.units_of(words, &apart)
    }

    /// The same for words already taken apart.
    pub(crate) fn units_of<S: AsRef<str>>(&self, words: &[S], apart: &[Arc<Word>]) -> Vec<Unit> {
        let mut units = Vec::with_capacity(words.len());
        let mut at = 0;
        while at < words.len() {
            let phrase = self.phrase_at(words, at);
            let (form, taken) = phrase.unwrap_or_else(|| (apart[at].form.clone(), 1));
            let role = if taken > 1 {
                Role::Content
            } else {
                apart[at].role
            };
            units.push(Unit {
                form,
                first: at,
                last: at + taken,
                role,
            });
            at += taken;
        }
        units
    }

    /// Leaves out the full stop of an abbreviation: "Lt. hip" is one phrase, not two sentences.
    pub(crate) fn without_points(&self, tokens: &mut Vec<Token>) {
        let mut before = false;
        tokens.retain(|token| {
            let point = token.text == "." && before && !token.spaced;
            before = self.abbreviations.contains(&token.text);
            !point
        });
    }

    /// The form that excludes this one.
    pub(crate) fn opposite(&self, form: &str) -> Option<&str> {
        self.opposites.iter().find_map(|[a, b]| match form {
            _ if form == a => Some(b.as_str()),
            _ if form == b => Some(a.as_str()),
            _ => None,
        })
    }

    /// Every word of the lists as written.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.fillers
            .iter()
            .chain(&self.modifiers)
            .chain(&self.persons)
            .chain(self.phrases.values().flatten().flat_map(|(words, _)| words))
            .map(String::as_str)
    }

    fn phrase_at<S: AsRef<str>>(&self, words: &[S], at: usize) -> Option<(String, usize)> {
        let list = self.phrases.get(words[at].as_ref())?;
        let fits = |phrase: &[String]| {
            words.len() - at >= phrase.len()
                && phrase
                    .iter()
                    .zip(&words[at..])
                    .all(|(wanted, word)| wanted == word.as_ref())
        };
        let (phrase, form) = list.iter().find(|(phrase, _)| fits(phrase))?;
        Some((form.clone(), phrase.len()))
    }

    fn role(&self, word: &str) -> Role {
        if self.fillers.contains(word) {
            Role::Filler
        } else if self.persons.contains(word) {
            Role::Person
        } else if self.modifiers.contains(word) || self.modifiers.contains(&singular(word)) {
            Role::Modifier
        } else {
            Role::Content
        }
    }
}
