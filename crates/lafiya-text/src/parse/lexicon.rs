//! The lexicon: every phrasing of every finding, measure and risk factor, as written and as a bag
//! of its content words.
//!
//! As written: "running stomach". As a bag: {belly, pain} matches "pain for my belle" and "belly
//! dey pain me". A single word is only matched as written, in its plural, or as a form of a verb
//! named in the data.

use std::num::NonZeroU32;

use lafiya_knowledge::words::{AgeSpan, SexLimit};
use lafiya_knowledge::{ConceptRef, KnowledgeBase, SearchTerm, TermKind};
use smallvec::SmallVec;

use crate::canon::Canon;
use crate::fold;
use crate::hash::{FastMap, FastSet, SPREAD};
use crate::phrases::PhraseSet;
use crate::stem::{singular, stem};
use crate::words::{self, Besides, Ignored};

/// The meaning of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    pub sense: Sense,
    pub kind: TermKind,
    /// The language, if not English. A doubtful phrase counts only with a cue word of its language.
    pub language: Option<Language>,
    pub confidence: f32,
    /// Counts only when written in capitals ("SI" is not Swahili "si").
    pub capitals: bool,
    /// A second concept that the phrase means ("N/V").
    pub also: Option<ConceptRef>,
    /// Whether it is possible for every sex and age, as nearly all are.
    pub in_anybody: bool,
}

/// Returns the sexes and ages for which a concept is possible.
pub(super) fn limits(base: &KnowledgeBase, concept: ConceptRef) -> (SexLimit, AgeSpan) {
    match concept {
        ConceptRef::Finding(ix) => (base.finding(ix).sex, base.finding(ix).ages),
        ConceptRef::Risk(ix) => (base.risk(ix).sex, base.risk(ix).ages),
        _ => (SexLimit::Any, AgeSpan::default()),
    }
}

impl Meaning {
    fn of(base: &KnowledgeBase, sense: Sense) -> Self {
        let limits = sense.concept().map(|concept| limits(base, concept));
        Self {
            sense,
            kind: TermKind::Lay,
            language: None,
            confidence: 1.0,
            capitals: false,
            also: None,
            in_anybody: limits.is_none_or(|limit| limit == (SexLimit::Any, AgeSpan::default())),
        }
    }

    /// Sort key: a finding before no finding, English before other languages, and the name in the
    /// knowledge base before colloquial names.
    fn rank(&self) -> (bool, bool, TermKind) {
        (
            self.sense == Sense::Nothing,
            self.language.is_some(),
            self.kind,
        )
    }
}

/// A language, by its index in the lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Language(u8);

/// A concept, its absence, or no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// The patient has it.
    Has(ConceptRef),
    /// The patient does not have it.
    Lacks(ConceptRef),
    /// Means no finding, and hides the findings inside the phrase.
    Nothing,
}

impl Sense {
    pub(super) fn concept(self) -> Option<ConceptRef> {
        match self {
            Self::Has(concept) | Self::Lacks(concept) => Some(concept),
            Self::Nothing => None,
        }
    }
}

/// A bag of content words.
#[derive(Clone, Debug)]
pub(super) struct Bag {
    pub meaning: Meaning,
    /// Whether the phrase joins its words with "and" or "or".
    pub joins: bool,
}

/// All phrasings in a knowledge base.
#[derive(Clone, Debug)]
pub(super) struct Lexicon {
    /// Single-word phrases by their singular: "stool" is not "stooling".
    pub single: FastMap<String, usize>,
    /// The meanings of the single-word phrases.
    pub singles: Vec<Vec<Meaning>>,
    /// Longer phrases as written, by the stems of their words.
    pub written: PhraseSet<Meaning>,
    /// Phrases to ignore, by the singulars of their words.
    pub ignored: PhraseSet<Meaning>,
    pub bags: FastMap<BagKey, SmallVec<[Bag; 1]>>,
    /// The numbers of the words that occur in a bag; other words cannot be part of one.
    pub bag_numbers: FastMap<String, BagNumber>,
    /// Pairs of words that occur together in a bag: the first and the last word of a window must be
    /// such a pair.
    pub pairs: Pairs,
    words: FastSet<String>,
    pub nouns: FastSet<String>,
    pub before_verbs: FastSet<String>,
    /// Words that are a finding only if no other word directly follows ("a faint rash").
    pub adjectives: FastSet<String>,
    /// Words that are a finding only shortly after one of these ("had a fit", but "a fit man").
    pub only_after: FastMap<String, FastSet<String>>,
    /// Words before an occupation that show that it is the patient's.
    trades_after: Vec<String>,
    languages: Vec<String>,
    verbs: Vec<String>,
    shorthand: Vec<String>,
}

/// The number of a word that occurs in a bag. Starts at one, so that `Option<BagNumber>` needs no
/// extra space.
pub(super) type BagNumber = NonZeroU32;

/// Larger bags are only matched as written: nobody reorders six words.
pub(super) const BAG_WORDS_MAX: usize = 5;
/// The words of a bag combined into one number, independent of their order. Two bags with the same
/// key would be confused; with 64 bits this does not happen in practice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct BagKey(u64);

impl BagKey {
    /// Returns the key of the words with these numbers. No bag contains a word twice, so no bag
    /// matches the key of repeated words.
    #[inline]
    pub(super) fn of(numbers: impl Iterator<Item = BagNumber>) -> Self {
        Self(numbers.fold(0, |sum, number| sum.wrapping_add(scattered(number))))
    }
}

/// Spreads the bits of a word number over 64 bits, so that no two sums of a few numbers collide.
#[inline]
fn scattered(number: BagNumber) -> u64 {
    let mixed = u64::from(number.get()).wrapping_mul(SPREAD);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Pairs of words, in either order, in a Bloom filter, because this look-up is the most frequent of
/// all. A false positive only costs a bag look-up that finds nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    bits: Vec<u64>,
    /// Pairs that were added but are not in the filter yet.
    added: Vec<(BagNumber, BagNumber)>,
}

/// Filter bits per pair: one in sixteen absent pairs passes.
const BITS_A_PAIR: usize = 16;

impl Pairs {
    /// Adds all pairs of the words.
    fn add(&mut self, words: &[BagNumber]) {
        for (n, one) in words.iter().enumerate() {
            let ordered = |other: &BagNumber| (*one.min(other), *one.max(other));
            self.added.extend(words[n + 1..].iter().map(ordered));
        }
    }

    /// Builds the Bloom filter once all pairs are added.
    fn draw(&mut self) {
        let mut added = std::mem::take(&mut self.added);
        added.sort_unstable();
        added.dedup();
        let words = (added.len() * BITS_A_PAIR).div_ceil(u64::BITS as usize);
        // A power of two, so that a bit mask gives the place.
        self.bits = vec![0; words.next_power_of_two()];
        for (one, other) in added {
            let (place, bit) = self.place(one, other);
            self.bits[place] |= bit;
        }
    }

    #[inline]
    fn place(&self, one: BagNumber, other: BagNumber) -> (usize, u64) {
        let (one, other) = (one.get(), other.get());
        let pair = u64::from(one.min(other)) << 32 | u64::from(one.max(other));
        let mixed = (pair ^ (pair >> 29)).wrapping_mul(SPREAD);
        // The number of words is a power of two.
        let word = (mixed >> 38) as usize & (self.bits.len() - 1);
        (word, 1 << (mixed >> 32 & 63))
    }

    #[inline]
    pub(super) fn has(&self, one: BagNumber, other: BagNumber) -> bool {
        let (place, bit) = self.place(one, other);
        self.bits[place] & bit != 0
    }
}

/// Longer words in capitals are only emphasis.
const CAPITALS_MAX: usize = 4;

impl Lexicon {
    /// Builds the lexicon from the phrases of the knowledge base that `keep` accepts.
    pub(super) fn build(base: &KnowledgeBase, canon: &Canon, keep: impl Fn(&str) -> bool) -> Self {
        let mut ignored = words::ignored();
        // Folded like the terms they are compared with.
        for phrase in ignored.as_written.iter_mut().chain(&mut ignored.excluded) {
            *phrase = fold::words(phrase).join(" ");
        }
        let fillers = words::fillers();
        let mut lexicon = Self {
            nouns: fillers.nouns.into_iter().collect(),
            before_verbs: fillers.before_verbs.into_iter().collect(),
            adjectives: fillers.adjectives.into_iter().collect(),
            only_after: fillers
                .only_after
                .into_iter()
                .map(|(word, before)| (word, before.into_iter().collect()))
                .collect(),
            trades_after: fillers.trades_after,
            languages: Vec::new(),
            verbs: fillers.verbs,
            shorthand: fillers.shorthand,
            single: FastMap::default(),
            singles: Vec::new(),
            words: FastSet::default(),
            written: PhraseSet::default(),
            ignored: PhraseSet::default(),
            bags: FastMap::default(),
            bag_numbers: FastMap::default(),
            pairs: Pairs::default(),
        };
        let mut terms = base.search_terms();
        terms.retain(|term| keep(term.term));
        // Shorter phrases first, so that a phrase that only joins two of them can be recognised.
        terms.sort_by_key(|term| term.term.len());
        for term in terms {
            lexicon.enter_term(base, &term, canon, &ignored);
        }
        for phrase in &ignored.phrases {
            let words = fold::words(phrase);
            let singulars: Vec<String> = words.iter().map(|word| singular(word)).collect();
            lexicon
                .ignored
                .add(&singulars, Meaning::of(base, Sense::Nothing));
        }
        for (phrase, [one, other]) in &ignored.both {
            if let (Some(one), Some(other)) = (base.resolve(one), base.resolve(other)) {
                let both = Meaning {
                    also: Some(other),
                    ..Meaning::of(base, Sense::Has(one))
                };
                lexicon.written.add_phrase(phrase, both);
            }
        }
        for (id, phrases) in &ignored.well {
            for phrase in phrases {
                if let Some(concept) = base.resolve(id) {
                    lexicon.enter_written(phrase, &Meaning::of(base, Sense::Lacks(concept)));
                }
            }
        }
        lexicon.put_best_first();
        lexicon.pairs.draw();
        lexicon
    }

    /// Sorts the meanings, because the first one that is possible is used.
    fn put_best_first(&mut self) {
        for meanings in &mut self.singles {
            meanings.sort_by_key(Meaning::rank);
        }
        self.written.sort_by_key(Meaning::rank);
        self.ignored.sort_by_key(Meaning::rank);
        for bags in self.bags.values_mut() {
            bags.sort_by_key(|bag| bag.meaning.rank());
        }
    }

    fn enter_term(
        &mut self,
        base: &KnowledgeBase,
        term: &SearchTerm<'_>,
        canon: &Canon,
        ignored: &Ignored,
    ) {
        let folded = fold::words(term.term);
        let sense = match term.concept {
            ConceptRef::Condition(_) => {
                // The name of a condition says nothing about findings, although some of its words
                // may.
                let hides = folded.len() > 1
                    && folded
                        .iter()
                        .any(|word| ignored.condition_words.contains(word));
                if hides {
                    self.enter_written(term.term, &Meaning::of(base, Sense::Nothing));
                }
                return;
            }
            // Tests are found with their results: see `results`.
            ConceptRef::Lab(_) => return,
            // A measure without a number is not a finding: "temperature" alone.
            ConceptRef::Measure(_) => return,
            ConceptRef::Risk(ix) if base.risk(ix).text.kind == AGE_OR_SEX => return,
            concept => Sense::Has(concept),
        };
        // Relies on the order of the terms: the single words were entered before the phrase that
        // joins them.
        if ignored.excluded.contains(&folded.join(" ")) || self.is_two_findings(&folded) {
            return;
        }
        self.words.extend(folded.iter().cloned());
        if let (Some(risk), [trade]) = (term.concept.risk(), folded.as_slice())
            && base.risk(risk).text.kind == TRADE
        {
            let after = || self.trades_after.iter().cloned().collect();
            let trade = self.only_after.entry(trade.clone());
            trade.or_insert_with(after);
        }
        let meaning = Meaning {
            kind: term.kind,
            language: term
                .language
                .filter(|language| !language.starts_with("en"))
                .map(|language| self.language(language)),
            confidence: term.confidence,
            capitals: self.is_capitals(term.term),
            also: besides(base, term.concept, &folded, ignored),
            ..Meaning::of(base, sense)
        };
        let in_any_order = !ignored.as_written.contains(&folded.join(" "));
        for variant in variants(term.term) {
            self.enter_written(&variant, &meaning);
            if !in_any_order {
                continue;
            }
            self.enter_bag(&variant, &meaning, canon);
        }
    }

    /// Returns the index of a language, and adds it if it is new.
    fn language(&mut self, name: &str) -> Language {
        let known = self.languages.iter().position(|language| language == name);
        let place = known.unwrap_or_else(|| {
            self.languages.push(name.to_owned());
            self.languages.len() - 1
        });
        Language(u8::try_from(place).unwrap_or(u8::MAX))
    }

    /// Returns the name of a language.
    pub(super) fn language_name(&self, language: Language) -> &str {
        self.languages
            .get(usize::from(language.0))
            .map_or("", String::as_str)
    }

    fn enter_written(&mut self, phrase: &str, meaning: &Meaning) {
        let words = fold::words(phrase);
        let [word] = words.as_slice() else {
            let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
            if !stems.is_empty() {
                self.written.add(&stems, meaning.clone());
            }
            return;
        };
        // Single letters are list items and initials.
        if word.chars().count() < 2 {
            return;
        }
        let word = singular(word);
        for form in verb_forms(&word, &self.verbs).into_iter().chain([word]) {
            let place = *self.single.entry(form).or_insert(self.singles.len());
            if place == self.singles.len() {
                self.singles.push(Vec::new());
            }
            self.singles[place].push(meaning.clone());
        }
    }

    /// Returns the key of a bag of forms, or `None` if a form is in no bag.
    pub(super) fn key(&self, forms: &[&str]) -> Option<BagKey> {
        let numbers = self.numbers(forms)?;
        Some(BagKey::of(numbers.into_iter()))
    }

    fn numbers(&self, forms: &[&str]) -> Option<SmallVec<[BagNumber; BAG_WORDS_MAX]>> {
        let numbers = forms.iter().map(|form| self.bag_numbers.get(*form));
        numbers.map(|number| number.copied()).collect()
    }

    /// Whether a phrase joins two findings: "sweating and shaking" is two, whatever concept the
    /// knowledge base has for both together.
    fn is_two_findings(&self, words: &[String]) -> bool {
        let mut sides = words.split(|word| matches!(word.as_str(), "and" | "with"));
        let (Some([one]), Some([other]), None) = (sides.next(), sides.next(), sides.next()) else {
            return false;
        };
        self.single.contains_key(&singular(one)) && self.single.contains_key(&singular(other))
    }

    /// Whether a term is a short word in capitals, other than common shorthand.
    fn is_capitals(&self, term: &str) -> bool {
        let letters = term.chars().filter(|c| c.is_alphabetic());
        letters.clone().count() <= CAPITALS_MAX
            && letters.clone().all(char::is_uppercase)
            && !self.shorthand.contains(&term.to_lowercase())
    }

    /// Returns every word of every phrase.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    fn enter_bag(&mut self, phrase: &str, meaning: &Meaning, canon: &Canon) {
        let words = canon.words(&fold::words(phrase));
        let units = canon.units(&words.iter().collect::<Vec<_>>());
        let joins = units.iter().any(|unit| matches!(unit.form, "and" | "or"));
        let telling = units.iter().filter(|unit| !unit.role.is_passed_over());
        let mut bag: Vec<&str> = telling
            .map(|unit| unit.form)
            .filter(|form| !matches!(*form, "and" | "or" | "/" | "%"))
            .collect();
        bag.sort_unstable();
        // A bag is a set; see `BagKey`.
        bag.dedup();
        // A bag of negations alone would match anywhere.
        let telling = bag.iter().filter(|form| **form != "not").count();
        if bag.len() < 2 || bag.len() > BAG_WORDS_MAX || telling == 0 {
            return;
        }
        for &word in &bag {
            let known = u32::try_from(self.bag_numbers.len()).unwrap_or(u32::MAX);
            let fresh = BagNumber::MIN.saturating_add(known);
            self.bag_numbers.entry(word.to_owned()).or_insert(fresh);
        }
        let Some(numbers) = self.numbers(&bag) else {
            return;
        };
        self.pairs.add(&numbers);
        let key = BagKey::of(numbers.into_iter());
        let list = self.bags.entry(key).or_default();
        if !list.iter().any(|bag| bag.meaning.sense == meaning.sense) {
            list.push(Bag {
                meaning: meaning.clone(),
                joins,
            });
        }
    }
}

/// Returns what a phrase of these words implies besides its concept.
fn besides(
    base: &KnowledgeBase,
    concept: ConceptRef,
    words: &[String],
    ignored: &Ignored,
) -> Option<ConceptRef> {
    let id = base.id_of(concept);
    let is_said = |besides: &&Besides| {
        besides.findings.iter().any(|finding| finding == id)
            && besides.words.iter().any(|word| words.contains(word))
    };
    let said = ignored.besides.iter().find(is_said)?;
    base.resolve(&said.says)
}

/// Kind of the risk factors that are given separately and not read from the text.
const AGE_OR_SEX: &str = "demographic";
/// Kind of the risk factors that people mention in passing ("the driver said").
const TRADE: &str = "occupational";

/// Returns the phrase itself, and the colloquial form without the clinical suffix ("Hypertension
/// known": "hypertension").
fn variants(term: &str) -> Vec<String> {
    let mut variants = vec![term.to_owned()];
    for tail in [" known", " symptom", " sign", " event", " (symptom)"] {
        if let Some(short) = term.strip_suffix(tail) {
            variants.push(short.to_owned());
            if tail == " known" {
                variants.push(format!("known {short}"));
                variants.push(format!("{short} patient"));
                variants.push(format!("history of {short}"));
            }
        }
    }
    variants
}

/// Returns the forms of a verb that is a finding by itself; empty for other words.
fn verb_forms(word: &str, verbs: &[String]) -> Vec<String> {
    let all = verbs
        .iter()
        .map(|verb| forms(verb))
        .find(|forms| forms.iter().any(|form| form == word));
    all.unwrap_or_default()
        .into_iter()
        .map(|form| singular(&form))
        .filter(|form| form != word)
        .collect()
}

fn forms(verb: &str) -> Vec<String> {
    let short = verb.strip_suffix('e').unwrap_or(verb);
    let last = &verb[verb.len() - 1..];
    // Adds doubled consonants as well, a common misspelling: "vomitting".
    let double_negation = if matches!(last, "t" | "p" | "m") {
        format!("{verb}{last}")
    } else {
        short.to_owned()
    };
    let mut forms = vec![verb.to_owned(), format!("{verb}s")];
    for root in [short, &double_negation] {
        forms.extend([format!("{root}ing"), format!("{root}ed")]);
    }
    forms
}
