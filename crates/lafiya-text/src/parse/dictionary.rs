//! Precomputed facts about single words, independent of their context.
//!
//! The parser then looks up each word of a text once. A word that is not in the dictionary is
//! corrected or described on the fly, in the same way as the others.

use super::compose::Composer;
use super::forms::Forms;
use super::lexicon::{BagNumber, Lexicon};
use super::marks::{MarkWords, Marked};
use super::measures::MeasureReader;
use super::medicines::MedicineReader;
use super::narration::Pronoun;
use super::persons::PersonWord;
use super::results::ResultReader;
use super::scope::Scope;
use super::severity::Grades;
use super::spelling::Spelling;
use super::subject::Subjects;
use super::time::Times;
use super::traits::{Trait, Traits};
use crate::canon::{Canon, Word};
use crate::fold::{Folded, Token};
use crate::hash::{FastMap, KeyMap, key};
use crate::phrases::PhrasePrefix;

/// The properties of a canonical form for the composing steps. Small, because every unit of a text
/// has its own copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FormFacts {
    /// Its number, if a bag of the lexicon contains it.
    pub bag: Option<BagNumber>,
    /// A body part.
    pub part: bool,
    /// A complaint that a body part can have.
    pub complaint: bool,
    /// The word "not" in any variant.
    pub denies: bool,
    pub joint: Option<Joint>,
}

/// Words and signs that join or separate words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
    Comma,
}

impl FormFacts {
    /// Whether it is a body part or a complaint of one.
    #[inline]
    pub(super) fn is_bodily(&self) -> bool {
        self.part || self.complaint
    }
}

/// A number as written (`39.5`) or as a word (`three`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Digits(f64),
    Spoken(f64),
}

/// A word with its properties.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub word: Word,
    pub form: FormFacts,
    pub traits: Traits,
    /// Where its stem leads in the automaton of the longer phrases.
    pub written: Option<PhrasePrefix>,
    /// Where its singular leads in the automaton of phrases to ignore.
    pub ignored: Option<PhrasePrefix>,
    /// The index of its meaning as a single word.
    pub single: Option<usize>,
    pub marked: Marked,
    /// Begins a negation of what precedes it.
    pub denies_before: bool,
    pub person: Option<PersonWord>,
    pub pronoun: Pronoun,
    /// Turns a following number into an age.
    pub leads_age: bool,
    /// Where it leads in the automaton of measure names.
    pub measure: Option<PhrasePrefix>,
    /// Where it leads in the automaton of times without a number.
    pub moment: Option<PhrasePrefix>,
    pub number: Option<Number>,
    /// The length of a unit of time in hours.
    pub unit_hours: Option<u32>,
    pub weekday: Option<i8>,
}

impl AsRef<Word> for Entry {
    fn as_ref(&self) -> &Word {
        &self.word
    }
}

/// The components that contribute properties of a word.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub canon: &'a Canon,
    pub lexicon: &'a Lexicon,
    pub composer: &'a Composer,
    pub times: &'a Times,
    pub languages: &'a FastMap<String, Vec<String>>,
    pub marks: &'a MarkWords,
    pub scope: &'a Scope,
    pub measures: &'a MeasureReader,
    pub medicines: &'a MedicineReader,
    pub results: &'a ResultReader,
    pub subjects: &'a Subjects,
    pub grades: &'a Grades,
    pub forms: &'a Forms,
}

impl Sources<'_> {
    fn describe(&self, text: &str) -> Entry {
        let word = self.canon.word(text);
        let mut entry = Entry {
            form: self.facts(&word.form),
            traits: Traits::default(),
            written: self.lexicon.written.begun(word.stem_key),
            ignored: self.lexicon.ignored.begun(word.singular_key),
            single: self.lexicon.single.get(&word.singular).copied(),
            marked: self.marks.marked(word.key),
            denies_before: self.scope.begins_after_negator(word.key),
            person: self.subjects.naming(word.key),
            pronoun: self.subjects.pronoun(text),
            leads_age: self.times.leads_age(text),
            measure: self.measures.begun(word.key),
            moment: self.times.begun(word.key),
            number: self.times.numbers.of(text),
            unit_hours: self.times.unit_hours(&word),
            weekday: self.times.weekday(text),
            word,
        };
        entry.traits = self.traits(&entry);
        entry
    }

    fn traits(&self, entry: &Entry) -> Traits {
        let Word { text, key, .. } = &entry.word;
        let ends_sentence = ends_sentence(text);
        let lexicon = self.lexicon;
        let moment = entry.weekday.is_some() || entry.moment.is_some();
        let number = entry.number.is_some() || text.starts_with(|c: char| c.is_ascii_digit());
        Traits::of(&[
            (Trait::SentenceEnd, ends_sentence),
            (Trait::ClauseEnd, ends_sentence || parts_clauses(text)),
            (Trait::Written, entry.written.is_some()),
            (Trait::Ignored, entry.ignored.is_some()),
            (Trait::Single, entry.single.is_some()),
            (Trait::Cue, self.languages.contains_key(text)),
            (Trait::Moment, moment),
            (Trait::Number, number),
            (Trait::Unit, entry.unit_hours.is_some()),
            (Trait::UnitFirst, self.times.is_unit_first(text)),
            (Trait::SaysAge, self.times.says_age(text)),
            (Trait::Aged, self.times.is_aged(text)),
            (Trait::Measure, entry.measure.is_some()),
            (Trait::Medicine, self.medicines.begins(*key)),
            (Trait::Person, entry.person.is_some()),
            (Trait::GradeBefore, self.grades.begins_before(*key)),
            (Trait::GradeAfter, self.grades.begins_after(*key)),
            (Trait::Noun, lexicon.nouns.contains(&entry.word.singular)),
            (Trait::BeforeVerb, lexicon.before_verbs.contains(text)),
            (Trait::Adjective, lexicon.adjectives.contains(text)),
            (Trait::OnlyAfter, lexicon.only_after.contains_key(text)),
            (Trait::Purpose, text == "for"),
            (Trait::Owner, self.subjects.is_owner(text)),
            (Trait::Passive, self.subjects.is_passive(text)),
            (Trait::Describing, self.subjects.describes(text)),
            (Trait::Reporting, self.subjects.reports(text)),
            (Trait::Crowd, self.subjects.is_crowd(text)),
            (Trait::Inherited, self.subjects.begins_disease(*key)),
            (Trait::Test, self.results.begins_test(*key)),
            (Trait::Outcome, self.results.begins_outcome(*key)),
            (Trait::Noted, self.forms.begins(*key)),
            (Trait::Slash, matches!(text.as_str(), "/" | "+")),
        ])
    }

    /// Returns the properties of a form. Synonyms share one form.
    fn facts(&self, form: &str) -> FormFacts {
        FormFacts {
            bag: self.lexicon.bag_numbers.get(form).copied(),
            part: self.composer.is_part(form),
            complaint: self.composer.is_complaint(form),
            denies: form == "not",
            joint: match form {
                "and" => Some(Joint::And),
                "or" => Some(Joint::Or),
                "," => Some(Joint::Comma),
                _ => None,
            },
        }
    }
}

fn ends_sentence(sign: &str) -> bool {
    matches!(sign, "." | "!" | "?" | ";" | "\n" | "…" | "。" | "؟")
}

fn parts_clauses(sign: &str) -> bool {
    matches!(sign, "," | ":" | "(" | ")" | "–" | "—" | "،")
}

/// The words that are likely to occur in texts.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    entries: KeyMap<Entry>,
    /// Placeholder for an unknown word until it is described.
    blank: Entry,
    /// The properties of the compound forms, by number.
    compounds: Vec<FormFacts>,
}

/// Numbers below this are in the dictionary: ages, days, pulse rates.
const NUMBERS: u32 = 250;
const SIGNS: &str = ".,;:!?()/%+=&↑↓→\n";

/// The words of a text, looked up.
pub(super) struct LookedUpWords<'a> {
    /// One entry per token; unknown words have the blank entry.
    entries: Vec<&'a Entry>,
    /// Entries of unknown words that could not be corrected.
    unknown_words: Vec<Entry>,
    /// The tokens of such words, each with the index of its entry.
    unknown_tokens: Vec<(usize, usize)>,
    /// Which tokens were corrected.
    pub mended: Vec<bool>,
    /// The properties of the compound forms, by number.
    pub compounds: &'a [FormFacts],
}

/// Where a word was found: in the dictionary, or among the unknown words, by index.
#[derive(Clone, Copy)]
enum FoundIn<'a> {
    Known(&'a Entry),
    Unknown(usize),
}

/// Number of recent unknown words that are cached, because names and misspellings repeat.
const REMEMBERED: usize = 16;

impl Dictionary {
    pub(super) fn build(spelling: &Spelling, sources: Sources<'_>) -> Self {
        // Numbers and signs are too short to be corrected, so they may be in the dictionary
        // although the spelling corrector does not know them.
        let numbers = (0..NUMBERS).map(|number| number.to_string());
        let signs = SIGNS.chars().map(String::from);
        let words = spelling.known().map(str::to_owned);
        let words = words.chain(numbers).chain(signs);
        let entries = words.map(|word| sources.describe(&word));
        Self {
            entries: entries.map(|entry| (entry.word.key, entry)).collect(),
            blank: sources.describe(" "),
            compounds: sources
                .canon
                .compounds()
                .map(|form| sources.facts(form))
                .collect(),
        }
    }

    /// Looks up the words of a text, corrects unknown ones, and describes those that cannot be
    /// corrected.
    pub(super) fn look_up<'a>(
        &'a self,
        (folded, tokens): (&Folded<'_>, &[Token]),
        spelling: &Spelling,
        sources: Sources<'_>,
    ) -> LookedUpWords<'a> {
        let (mut unknown_words, mut unknown_tokens) = (Vec::new(), Vec::new());
        let mut mended = vec![false; tokens.len()];
        let mut lacked: Vec<(u64, FoundIn<'_>)> = Vec::new();
        let find = |(at, token): (usize, &Token)| {
            let key = token.key;
            // The dictionary contains every word the spelling corrector knows, so a word found here
            // is spelt correctly.
            if let Some(entry) = self.entries.get(&key) {
                return entry;
            }
            // Only the last few: a name or an error is repeated soon, and a short list is faster
            // than a map.
            let mut before = lacked.iter().rev().take(REMEMBERED);
            let again = before.find(|(known, _)| *known == key);
            let found = again.map(|(_, found)| *found).unwrap_or_else(|| {
                let text = folded.spelling(token);
                let found = match self.mend(text, spelling) {
                    Some(meant) => FoundIn::Known(meant),
                    None => {
                        unknown_words.push(sources.describe(text));
                        FoundIn::Unknown(unknown_words.len() - 1)
                    }
                };
                lacked.push((key, found));
                found
            });
            match found {
                FoundIn::Known(meant) => {
                    mended[at] = true;
                    meant
                }
                FoundIn::Unknown(n) => {
                    unknown_tokens.push((at, n));
                    &self.blank
                }
            }
        };
        LookedUpWords {
            entries: tokens.iter().enumerate().map(find).collect(),
            unknown_words,
            unknown_tokens,
            mended,
            compounds: &self.compounds,
        }
    }

    /// Returns the entry of the word that a misspelling means.
    fn mend(&self, word: &str, spelling: &Spelling) -> Option<&Entry> {
        self.entries.get(&key(spelling.correct(word)?))
    }
}

impl LookedUpWords<'_> {
    /// Returns the entries in text order.
    pub(super) fn entries(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.clone();
        for &(at, n) in &self.unknown_tokens {
            entries[at] = &self.unknown_words[n];
        }
        entries
    }
}
