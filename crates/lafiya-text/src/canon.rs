//! One form for words that mean the same: stems, groups of synonyms, and several words for one.
//!
//! This is what makes "belle dey pain me" and "abdominal pain" comparable. Which words belong together is data.

use std::collections::{HashMap, HashSet};

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
    groups: HashMap<String, String>,
    /// First word to the phrases that begin with it, longest first, with the form that replaces them.
    phrases: HashMap<String, Vec<(Vec<String>, String)>>,
    fillers: HashSet<String>,
    modifiers: HashSet<String>,
    persons: HashSet<String>,
    opposites: Vec<[String; 2]>,
}

impl Canon {
    pub(crate) fn new(same: &Same, fillers: &Fillers) -> Self {
        let mut groups = HashMap::new();
        for (group, words) in &same.words {
            for word in words.iter().chain([group]) {
                groups.entry(stem(word)).or_insert_with(|| group.clone());
            }
        }
        let mut phrases: HashMap<String, Vec<(Vec<String>, String)>> = HashMap::new();
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
            opposites: same.opposite.iter().map(|it| it.sides.clone()).collect(),
        }
    }

    /// The common form of one word.
    pub(crate) fn form(&self, word: &str) -> String {
        let stem = stem(word);
        self.groups.get(&stem).cloned().unwrap_or(stem)
    }

    /// The units of a row of folded words.
    pub(crate) fn units<S: AsRef<str>>(&self, words: &[S]) -> Vec<Unit> {
        let mut units = Vec::with_capacity(words.len());
        let mut at = 0;
        while at < words.len() {
            let (form, taken) = self
                .phrase_at(words, at)
                .unwrap_or_else(|| (self.form(words[at].as_ref()), 1));
            let role = if taken > 1 {
                Role::Content
            } else {
                self.role(words[at].as_ref())
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
