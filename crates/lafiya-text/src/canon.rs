//! One form for words that mean the same: stems, groups of synonyms, and several words for one.
//!
//! This is what makes "belle dey pain me" and "abdominal pain" comparable. Which words belong together is data.

use crate::fold::Token;
use crate::hash::{FastMap, FastSet, key};
use crate::stem::{singular, stem, stem_of_singular};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    /// The common form.
    pub form: &'a str,
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
    /// First word to the place of the phrases that begin with it.
    openings: FastMap<String, usize>,
    /// Phrases with one first word, longest first.
    phrases: Vec<Vec<Phrase>>,
    fillers: FastSet<String>,
    modifiers: FastSet<String>,
    persons: FastSet<String>,
    abbreviations: FastSet<String>,
    opposites: Vec<[String; 2]>,
}

/// Several words that stand for one.
#[derive(Clone, Debug)]
struct Phrase {
    words: Vec<String>,
    /// Those behind the first as keys.
    behind: Vec<u64>,
    /// The form that replaces them.
    form: String,
}

/// A word taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    pub singular: String,
    pub form: String,
    pub role: Role,
    /// The word itself, its singular and its stem as keys, for looking phrases up.
    pub key: u64,
    pub singular_key: u64,
    pub stem_key: u64,
    /// The place of those phrases that begin with it and may stand for one word.
    pub opens: Option<usize>,
}

impl AsRef<Self> for Word {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Canon {
    pub(crate) fn new(same: &Same, fillers: &Fillers) -> Self {
        let mut groups = FastMap::default();
        for (group, words) in &same.words {
            for word in words.iter().chain([group]) {
                groups.entry(stem(word)).or_insert_with(|| group.clone());
            }
        }
        let mut openings = FastMap::default();
        let mut phrases: Vec<Vec<Phrase>> = Vec::new();
        for (form, written) in &same.phrases {
            for phrase in written {
                let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
                let place = *openings.entry(words[0].clone()).or_insert(phrases.len());
                if place == phrases.len() {
                    phrases.push(Vec::new());
                }
                phrases[place].push(Phrase {
                    behind: words[1..].iter().map(|word| key(word)).collect(),
                    words,
                    form: form.clone(),
                });
            }
        }
        for list in &mut phrases {
            list.sort_by_key(|it| std::cmp::Reverse(it.words.len()));
        }
        Self {
            groups,
            openings,
            phrases,
            fillers: fillers.fillers.iter().cloned().collect(),
            modifiers: fillers.modifiers.iter().cloned().collect(),
            persons: fillers.persons.iter().cloned().collect(),
            abbreviations: fillers.abbreviations.iter().cloned().collect(),
            opposites: same.opposite.iter().map(|it| it.sides.clone()).collect(),
        }
    }

    /// Takes a word apart.
    pub(crate) fn word(&self, word: &str) -> Word {
        let singular = singular(word);
        let stem = stem_of_singular(singular.clone());
        Word {
            text: word.to_owned(),
            key: key(word),
            stem_key: key(&stem),
            singular_key: key(&singular),
            role: self.role(word, &singular),
            singular,
            form: self.groups.get(&stem).cloned().unwrap_or(stem),
            opens: self.openings.get(word).copied(),
        }
    }

    /// Takes the words of a phrase apart.
    pub(crate) fn words(&self, phrase: &[String]) -> Vec<Word> {
        phrase.iter().map(|word| self.word(word)).collect()
    }

    /// The common form of one word.
    pub(crate) fn form(&self, word: &str) -> String {
        let stem = stem(word);
        self.groups.get(&stem).cloned().unwrap_or(stem)
    }

    /// The units of a row of words.
    pub(crate) fn units<'a, W: AsRef<Word>>(&'a self, words: &[&'a W]) -> Vec<Unit<'a>> {
        let mut units = Vec::with_capacity(words.len());
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_ref();
            let unit = match self.phrase_at(words, at) {
                Some((form, taken)) => Unit {
                    form,
                    first: at,
                    last: at + taken,
                    // "A bit" is passed over as "slightly" is; what stands for a complaint is none of these.
                    role: match taken {
                        1 => word.role,
                        _ => self.role(form, form),
                    },
                },
                None => Unit {
                    form: &word.form,
                    first: at,
                    last: at + 1,
                    role: word.role,
                },
            };
            at = unit.last;
            units.push(unit);
        }
        units
    }

    /// Leaves out the full stop of an abbreviation: "Lt. hip" is one phrase, not two sentences.
    pub(crate) fn without_points(&self, tokens: &mut Vec<Token<'_>>) {
        let is_point = |before: &str, token: &Token<'_>| {
            token.text == "." && !token.spaced && self.abbreviations.contains(before)
        };
        // Most texts have none, and then nothing is moved.
        if !tokens.windows(2).any(|it| is_point(it[0].text, &it[1])) {
            return;
        }
        let mut before = "";
        tokens.retain(|token| {
            let point = is_point(before, token);
            before = token.text;
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
            .chain(self.phrases.iter().flatten().flat_map(|it| &it.words))
            .map(String::as_str)
    }

    #[inline]
    fn phrase_at<W: AsRef<Word>>(&self, words: &[&W], at: usize) -> Option<(&str, usize)> {
        let list = &self.phrases[words[at].as_ref().opens?];
        let rest = &words[at + 1..];
        // The first word is that of all phrases of the list.
        let fits = |phrase: &&Phrase| {
            let mut pairs = phrase.behind.iter().zip(rest);
            phrase.behind.len() <= rest.len() && pairs.all(|(key, it)| it.as_ref().key == *key)
        };
        let phrase = list.iter().find(fits)?;
        Some((&phrase.form, 1 + phrase.behind.len()))
    }

    fn role(&self, word: &str, singular: &str) -> Role {
        if self.fillers.contains(word) {
            Role::Filler
        } else if self.persons.contains(word) {
            Role::Person
        } else if self.modifiers.contains(word) || self.modifiers.contains(singular) {
            Role::Modifier
        } else {
            Role::Content
        }
    }
}
