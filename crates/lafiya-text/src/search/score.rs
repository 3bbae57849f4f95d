//! Scores an entry against a query: the weight of the words they share, from both sides.
//!
//! A query word that the entry lacks costs, and so does an entry word that the query lacks. Both at
//! once ("throat tightness" against "chest tightness") mean that something else was asked for, and
//! cost most.

use smallvec::SmallVec;

use super::places::Places;
use super::vocabulary::{Fit, Vocabulary};
use crate::canon::Role;

/// One phrase of the index.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub term: Box<str>,
    /// Its words; most phrases have few.
    pub words: SmallVec<[u32; 4]>,
}

/// The data that scoring needs about a phrase, kept small for cache locality.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The number of the concept.
    pub number: u32,
    /// The total weight of its words.
    pub own: f64,
    pub denials: Denials,
    /// How reliably the phrase means the concept, from 0 to 1.
    pub trust: f64,
}

impl Entry {
    /// Sums up the words of its phrase, once all words have their weight.
    pub(super) fn weigh(&mut self, phrase: &Phrase, vocabulary: &Vocabulary) {
        let words = || phrase.words.iter().copied();
        self.own = words().map(|word| vocabulary.weight(word)).sum();
        self.denials = Denials::among(words().map(|word| vocabulary.form(word)));
    }
}

/// Which negation words a phrase contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Denials {
    not: bool,
    cannot: bool,
}

impl Denials {
    pub(super) fn among<'a>(forms: impl Iterator<Item = &'a str>) -> Self {
        let mut denials = Self::default();
        for form in forms {
            denials.not |= form == "not";
            denials.cannot |= form == "cant";
        }
        denials
    }
}

/// A query word with its possible meanings.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    pub role: Role,
    /// Its canonical form, and the opposite form.
    pub form: String,
    pub opposite: Option<String>,
    pub fits: Vec<Fit>,
    /// The index word that this word and the next form together ("head ache").
    pub joined: Option<u32>,
    pub weight: f64,
}

/// A query that is ready for scoring.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub words: Vec<Weighted>,
    pub whole: String,
    pub denials: Denials,
}

/// Factor if both sides have a distinctive word that the other lacks.
const OTHER_THING: f64 = 0.6;
/// A side with less than this share of its weight matched lacks a distinctive word.
const ANSWERED: f64 = 0.75;
/// An entry that matches less of the query than this is about something else, however short it is.
const ASKED_MIN: f64 = 0.6;
/// Factor for a phrase that is not exactly the query, so that it ranks below every exact match.
const NOT_AS_WRITTEN: f64 = 0.975;
/// Factor if the entry says the opposite, or if one side negates what the other says.
const CONTRARY: f64 = 0.55;
/// Fit of two words written separately that the index writes as one.
const JOINED: f32 = 0.97;
/// Hits below this are noise.
pub(super) const SIMILARITY_MIN: f64 = 0.15;
/// A word with at least this many entries does not add entries by itself.
const COMMON_MIN: usize = 400;
/// Longer queries are truncated: no name has more words.
pub(super) const QUERY_WORDS_MAX: usize = 16;

/// A matching pair of a query word and an index word, shared by all entries of that index word.
struct WordMatch {
    /// The query word, by position.
    asked: usize,
    /// The index word.
    told: u32,
    fit: f32,
    /// The weight of the query, and of the entry's own words, that this match alone accounts for.
    asked_weight: f64,
    told_weight: f64,
    /// Whether an entry that shares nothing else can be above the noise limit.
    counts_alone: bool,
}

/// An entry that shares a word. Most share only one, so the first match is stored inline and needs
/// no list.
struct Slot {
    entry: u32,
    /// The first match, by number.
    first: u32,
    /// The last of the other matches, as an index into `further`; `NONE` if there is none.
    further: u32,
}

const NONE: u32 = u32::MAX;

/// All entries that share a word with the query.
#[derive(Default)]
struct MatchedEntries {
    matches: Vec<WordMatch>,
    slots: Vec<Slot>,
    /// Matches after the first of an entry, as a linked list: each with the previous one of the
    /// same entry.
    further: Vec<(u32, u32)>,
}

impl MatchedEntries {
    /// Returns all matches of an entry in the order they were found.
    fn of(&self, slot: &Slot) -> SmallVec<[&WordMatch; 8]> {
        let mut numbers: SmallVec<[u32; 8]> = SmallVec::new();
        let mut next = slot.further;
        while let Some(&(number, before)) = self.further.get(next as usize) {
            numbers.push(number);
            next = before;
        }
        numbers.push(slot.first);
        let numbers = numbers.iter().rev();
        numbers.map(|&n| &self.matches[n as usize]).collect()
    }
}

/// No phrase of the index has more words that one query matches.
const TOLD_MAX: usize = 12;
/// Upper bound, with a wide margin, for what rounding may add to a similarity.
const ROUNDING: f64 = 1e-6;

/// Calls `keep` for every entry that shares a distinctive word with the query, with its similarity.
/// No entry has a trust above `trust_max`.
pub(super) fn score(
    query: &Query,
    (entries, phrases): (&[Entry], &[Phrase]),
    trust_max: f64,
    postings: &[Vec<u32>],
    vocabulary: &Vocabulary,
    mut keep: impl FnMut(u32, f64),
) {
    let total: f64 = query.words.iter().map(|word| word.weight).sum();
    let similar = |asked: f64, told: f64, trust: f64| {
        similarity(asked / total, told) * trust * NOT_AS_WRITTEN
    };
    let counts_alone = |asked: f64| similar(asked, 1.0, trust_max) + ROUNDING >= SIMILARITY_MIN;
    let matched = meet(query, entries.len(), postings, vocabulary, counts_alone);
    for slot in &matched.slots {
        let first = &matched.matches[slot.first as usize];
        let alone = slot.further == NONE;
        // Nearly all slots end here, without their entry being read.
        if alone && !first.counts_alone {
            continue;
        }
        let entry = &entries[slot.entry as usize];
        let (asked, told) = if alone {
            (first.asked_weight, first.told_weight)
        } else {
            shared(query, &matched.of(slot), vocabulary)
        };
        let similar = similar(asked, told / entry.own, entry.trust);
        if similar < SIMILARITY_MIN {
            continue;
        }
        let contrary = query.denials != entry.denials
            || says_opposite(query, &phrases[slot.entry as usize], vocabulary);
        keep(
            slot.entry,
            if contrary {
                similar * CONTRARY
            } else {
                similar
            },
        );
    }
}

/// Returns the matched weight of the query and of the entry for several matches. Each word counts
/// once, with its best fit.
fn shared(query: &Query, matches: &[&WordMatch], vocabulary: &Vocabulary) -> (f64, f64) {
    let mut asked = [0.0_f32; QUERY_WORDS_MAX];
    let mut told: SmallVec<[(u32, f32); TOLD_MAX]> = SmallVec::new();
    for matched in matches {
        asked[matched.asked] = asked[matched.asked].max(matched.fit);
        let room = told.len() < TOLD_MAX;
        match told.iter_mut().find(|(word, _)| *word == matched.told) {
            Some((_, known)) => *known = known.max(matched.fit),
            None if room => told.push((matched.told, matched.fit)),
            // More words than any phrase has; ignoring them only lowers the score.
            None => {}
        }
    }
    let asked = query.words.iter().zip(asked);
    let told = told.iter();
    (
        asked.map(|(word, fit)| word.weight * f64::from(fit)).sum(),
        told.map(|&(word, fit)| vocabulary.weight(word) * f64::from(fit))
            .sum(),
    )
}

/// Looks up the words of the query, the rarest first. A common word ("pain") only adds to entries
/// that a rarer word has already found, unless the query has no other words.
fn meet(
    query: &Query,
    entries: usize,
    postings: &[Vec<u32>],
    vocabulary: &Vocabulary,
    counts_alone: impl Fn(f64) -> bool,
) -> MatchedEntries {
    let uses = |weighted: &Weighted| {
        let lists = weighted
            .fits
            .iter()
            .map(|(word, _)| &postings[*word as usize]);
        lists.map(Vec::len).sum::<usize>()
    };
    let uses: SmallVec<[usize; QUERY_WORDS_MAX]> = query.words.iter().map(uses).collect();
    let mut order: SmallVec<[usize; QUERY_WORDS_MAX]> = (0..query.words.len()).collect();
    order.sort_by_key(|&asked| uses[asked]);
    // The others mostly add to entries that are already counted.
    let brought = |&&uses: &&usize| uses <= COMMON_MIN;
    let likely = uses.iter().filter(brought).sum();
    let mut places = Places::of(entries, likely);
    let mut matched = MatchedEntries {
        slots: Vec::with_capacity(likely),
        ..MatchedEntries::default()
    };
    for (turn, asked) in order.into_iter().enumerate() {
        // If every word of the query is common, the rarest one brings the entries.
        let common = turn > 0 && !matched.slots.is_empty() && uses[asked] > COMMON_MIN;
        for (told, fit) in fits(query, asked) {
            let this = number(matched.matches.len());
            let asked_weight = query.words[asked].weight * f64::from(fit);
            matched.matches.push(WordMatch {
                asked,
                told,
                fit,
                asked_weight,
                told_weight: vocabulary.weight(told) * f64::from(fit),
                counts_alone: counts_alone(asked_weight),
            });
            for &entry in &postings[told as usize] {
                let place = if common {
                    places.place(entry)
                } else {
                    Some(places.place_or(entry, matched.slots.len()))
                };
                let Some(place) = place else { continue };
                match matched.slots.get_mut(place) {
                    Some(slot) => {
                        let last = number(matched.further.len());
                        matched.further.push((this, slot.further));
                        // Prepended to the list of its entry, so `MatchedEntries::of` reverses it.
                        slot.further = last;
                    }
                    None => matched.slots.push(Slot {
                        entry,
                        first: this,
                        further: NONE,
                    }),
                }
            }
        }
    }
    matched
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(NONE)
}

/// Returns the possible meanings of a query word, alone or joined with a neighbour.
fn fits(query: &Query, asked: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
    let before = asked.checked_sub(1).and_then(|n| query.words[n].joined);
    let joined = [query.words[asked].joined, before].into_iter().flatten();
    #[expect(clippy::cast_possible_truncation, reason = "a fit has two digits")]
    let alone = query.words[asked]
        .fits
        .iter()
        .map(|&(word, fit)| (word, fit as f32));
    alone.chain(joined.map(|word| (word, JOINED)))
}

/// Whether the query and the phrase contain opposites, such as "sudden" and "gradual".
fn says_opposite(query: &Query, phrase: &Phrase, vocabulary: &Vocabulary) -> bool {
    let mut opposites = query
        .words
        .iter()
        .filter_map(|word| word.opposite.as_deref());
    opposites.any(|form| {
        let mut words = phrase.words.iter();
        words.any(|&word| vocabulary.form(word) == form)
    })
}

fn similarity(asked: f64, told: f64) -> f64 {
    if asked <= 0.0 || told <= 0.0 {
        return 0.0;
    }
    // The harmonic mean, as in an F1 score: both sides must be matched.
    let balance = 2.0 * asked * told / (asked + told) * (asked / ASKED_MIN).min(1.0);
    if asked < ANSWERED && told < ANSWERED {
        balance * OTHER_THING
    } else {
        balance
    }
}
