//! Canonical forms: maps words with the same meaning to one form, using stems, synonym groups and
//! multi-word compounds.
//!
//! This makes "belle dey pain me" and "abdominal pain" comparable. The synonym groups are data.

use std::ops::Range;

use crate::bloom_filter::KeySet;
use crate::fold::Token;
use crate::hash::{FastMap, FastSet, key, set_of};
use crate::phrases::{PhrasePrefix, PhraseSet};
use crate::stem::{singular, stem, stem_of_singular};
use crate::words::{Fillers, Same};

/// The role of a word in a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A content word.
    Content,
    /// A modifier: it has meaning only where a phrase contains it.
    Modifier,
    /// A word for a person: skipped like a filler.
    Person,
    /// A filler: it has no meaning.
    Filler,
}

impl Role {
    /// Whether phrase matching skips the word.
    pub(crate) fn is_passed_over(self) -> bool {
        matches!(self, Self::Filler | Self::Person)
    }
}

/// A word or compound in its canonical form, with the tokens it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    /// The canonical form.
    pub form: &'a str,
    /// First token.
    pub first: usize,
    /// One past the last token.
    pub last: usize,
    /// Its role in a phrase.
    pub role: Role,
}

/// Consecutive words of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// Plain words: each has its own form.
    Plain(Range<usize>),
    /// A compound: its number and the words that make it up.
    Compound(u32, Range<usize>),
}

/// Initial capacity: most texts have at most this many runs.
const RUNS: usize = 64;

/// The canonicalizer, built from the synonym groups.
#[derive(Clone, Debug)]
pub(crate) struct Canon {
    groups: FastMap<String, String>,
    /// Multi-word phrases, each with the number of its compound.
    phrases: PhraseSet<u32>,
    compounds: Vec<Compound>,
    fillers: FastSet<String>,
    modifiers: FastSet<String>,
    persons: FastSet<String>,
    /// Keys of the abbreviations.
    abbreviations: KeySet,
    /// Labels whose value follows a punctuation sign: "AVPU: P".
    labels: KeySet,
    /// The key of the full stop.
    point: u64,
    opposites: Vec<[String; 2]>,
}

/// A single form that replaces several words.
#[derive(Clone, Debug)]
struct Compound {
    /// The form that replaces the words.
    form: String,
    /// The role of the compound: "a bit" is a filler like "slightly", but a compound that means a
    /// complaint is not.
    role: Role,
}

/// An analysed word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    pub singular: String,
    pub form: String,
    pub role: Role,
    /// Keys of the word, its singular and its stem, for phrase look-ups.
    pub key: u64,
    pub singular_key: u64,
    pub stem_key: u64,
    /// Where the word leads in the automaton of compound phrases, if it starts one.
    pub opens: Option<PhrasePrefix>,
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
                // A word of two groups keeps the first.
                groups.entry(stem(word)).or_insert_with(|| group.clone());
            }
        }
        let mut canon = Self {
            groups,
            phrases: PhraseSet::default(),
            compounds: Vec::new(),
            fillers: set_of(&fillers.fillers),
            modifiers: set_of(&fillers.modifiers),
            persons: set_of(&fillers.persons),
            abbreviations: fillers
                .abbreviations
                .iter()
                .map(|abbreviation| key(abbreviation))
                .collect(),
            labels: fillers.labels.iter().map(|label| key(label)).collect(),
            point: key("."),
            opposites: same
                .opposite
                .iter()
                .map(|opposite| opposite.sides.clone())
                .collect(),
        };
        for ((form, written), number) in same.phrases.iter().zip(0..) {
            for phrase in written {
                canon.phrases.add_phrase(phrase, number);
            }
            canon.compounds.push(Compound {
                form: form.clone(),
                role: canon.role(form, form),
            });
        }
        canon
    }

    /// The canonical forms of the compounds, by number.
    pub(crate) fn compounds(&self) -> impl Iterator<Item = &str> {
        self.compounds.iter().map(|compound| compound.form.as_str())
    }

    /// Analyses a word.
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
            opens: self.phrases.begun(key(word)),
        }
    }

    /// Analyses the words of a phrase.
    pub(crate) fn words(&self, phrase: &[String]) -> Vec<Word> {
        phrase.iter().map(|word| self.word(word)).collect()
    }

    /// Returns the canonical form of one word.
    pub(crate) fn form(&self, word: &str) -> String {
        let stem = stem(word);
        self.groups.get(&stem).cloned().unwrap_or(stem)
    }

    /// Splits a sequence of words into runs: maximal stretches of plain words, and single
    /// compounds.
    pub(crate) fn runs<W: AsRef<Word>>(&self, words: &[&W]) -> Vec<Run> {
        let mut runs = Vec::with_capacity(RUNS);
        let mut plain = 0;
        let mut at = 0;
        while let Some(n) = words[at..]
            .iter()
            .position(|word| word.as_ref().opens.is_some())
        {
            at += n;
            let Some((number, taken)) = self.compound_at(words, at) else {
                at += 1;
                continue;
            };
            // May be empty; a loop over it then does nothing.
            runs.push(Run::Plain(plain..at));
            runs.push(Run::Compound(number, at..at + taken));
            at += taken;
            plain = at;
        }
        runs.push(Run::Plain(plain..words.len()));
        runs
    }

    /// Returns the units of a sequence of words.
    pub(crate) fn units<'a, W: AsRef<Word>>(&'a self, words: &[&'a W]) -> Vec<Unit<'a>> {
        self.units_of(words, &self.runs(words))
    }

    /// Returns the units of a sequence of words whose runs are known.
    pub(crate) fn units_of<'a, W: AsRef<Word>>(
        &'a self,
        words: &[&'a W],
        runs: &[Run],
    ) -> Vec<Unit<'a>> {
        let mut units = Vec::with_capacity(words.len());
        for run in runs {
            match run {
                Run::Plain(row) => {
                    let words = words[row.clone()].iter().map(|&word| word.as_ref());
                    units.extend(words.zip(row.clone()).map(|(word, at)| Unit {
                        form: &word.form,
                        first: at,
                        last: at + 1,
                        role: word.role,
                    }));
                }
                Run::Compound(number, row) => {
                    let compound = &self.compounds[*number as usize];
                    units.push(Unit {
                        form: &compound.form,
                        first: row.start,
                        last: row.end,
                        role: match row.len() {
                            // A single word keeps its own role, whatever its form.
                            1 => words[row.start].as_ref().role,
                            _ => compound.role,
                        },
                    });
                }
            }
        }
        units
    }

    /// Removes the full stop after an abbreviation ("Lt. hip" is one phrase, not two sentences) and
    /// the punctuation after a label ("AVPU: P").
    pub(crate) fn without_points(&self, tokens: &mut Vec<Token>) {
        let is_point = |before: u64, token: &Token| {
            // A full stop after a space ends a sentence.
            let is_shortened =
                || !token.spaced && token.key == self.point && self.abbreviations.contains(before);
            token.is_sign() && (self.labels.contains(before) || is_shortened())
        };
        // Most texts contain none, so nothing has to be moved.
        if !tokens
            .windows(2)
            .any(|token| is_point(token[0].key, &token[1]))
        {
            return;
        }
        let mut before = key("");
        tokens.retain(|token| {
            let point = is_point(before, token);
            before = token.key;
            !point
        });
    }

    /// Returns the form that is the opposite of this one.
    pub(crate) fn opposite(&self, form: &str) -> Option<&str> {
        self.opposites.iter().find_map(|[a, b]| match form {
            _ if form == a => Some(b.as_str()),
            _ if form == b => Some(a.as_str()),
            _ => None,
        })
    }

    /// Returns every word of the lists as written.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.fillers
            .iter()
            .chain(&self.modifiers)
            .chain(&self.persons)
            .map(String::as_str)
            .chain(self.phrases.vocabulary())
    }

    /// Returns the longest compound that begins at a word, and its length in words.
    #[inline]
    fn compound_at<W: AsRef<Word>>(&self, words: &[&W], at: usize) -> Option<(u32, usize)> {
        let begun = words[at].as_ref().opens?;
        let rest = words[at + 1..].iter().map(|word| word.as_ref().key);
        let (length, compounds) = self.phrases.longest_begun(begun, rest)?;
        Some((*compounds.first()?, length))
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
