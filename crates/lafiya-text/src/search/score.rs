//! How well an entry fits a query: the weight of the words they share, seen from both sides.
//!
//! A word that the query has and the entry lacks costs, and so does the reverse; both at once ("throat tightness"
//! against "chest tightness") means something else was asked for, and costs most.

use smallvec::SmallVec;

use super::places::Places;
use super::vocabulary::{Fit, Vocabulary};
use crate::canon::Role;

/// One phrase of the index.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub term: String,
    pub words: Vec<u32>,
}

/// What scoring needs of a phrase, small so that many lie close together.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The number of the concept.
    pub number: u32,
    /// The weight of its words together.
    pub own: f64,
    pub denials: Denials,
    /// How surely the phrase means the concept, 0 to 1.
    pub trust: f64,
}

impl Entry {
    /// What the words of its phrase are together, once all words have their weight.
    pub(super) fn weigh(&mut self, phrase: &Phrase, vocabulary: &Vocabulary) {
        let words = || phrase.words.iter().copied();
        self.own = words().map(|word| vocabulary.weight(word)).sum();
        self.denials = Denials::among(words().map(|word| vocabulary.form(word)));
    }
}

/// Which words that deny stand in a phrase.
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

/// A word of the query with what it may mean.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    pub role: Role,
    /// Its common form, and the form that excludes it.
    pub form: String,
    pub opposite: Option<String>,
    pub fits: Vec<Fit>,
    /// The index word that this word makes together with the next ("head ache").
    pub joined: Option<u32>,
    pub weight: f64,
}

/// A query, ready to be scored.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub words: Vec<Weighted>,
    pub whole: String,
    pub denials: Denials,
}

/// Both sides have a telling word that the other lacks.
const OTHER_THING: f64 = 0.6;
/// A side that has less than this of its weight answered lacks a telling word.
const ANSWERED: f64 = 0.75;
/// An entry that answers less of the query than this is about something else, however short it is.
const ASKED_MIN: f64 = 0.6;
/// A phrase that is not exactly the query stays below every one that is.
const NOT_AS_WRITTEN: f64 = 0.975;
/// The entry says the opposite, or one denies what the other says.
const CONTRARY: f64 = 0.55;
/// Two words written apart that the index writes as one.
const JOINED: f32 = 0.97;
/// Hits below this are noise.
pub(super) const SIMILARITY_MIN: f64 = 0.15;
/// A word that so many entries have brings none by itself.
const COMMON_MIN: usize = 400;
/// Longer phrases are cut: no name has more words.
pub(super) const QUERY_WORDS_MAX: usize = 16;

/// What an entry shares with the query so far.
struct Slot {
    entry: u32,
    /// Words of the entry that were met, with their best fit.
    told: SmallVec<[(u32, f32); 3]>,
}

/// All entries that share a word with the query.
#[derive(Default)]
struct Slots {
    slots: Vec<Slot>,
    /// The best fit of each word of the query, for one slot behind the other.
    asked: Vec<f32>,
}

/// No phrase of the index has more words that one query meets.
const TOLD_MAX: usize = 12;

/// Gives every entry that shares a telling word with the query to `keep`, with its similarity.
pub(super) fn score(
    query: &Query,
    (entries, phrases): (&[Entry], &[Phrase]),
    postings: &[Vec<u32>],
    vocabulary: &Vocabulary,
    mut keep: impl FnMut(u32, f64),
) {
    let total: f64 = query.words.iter().map(|it| it.weight).sum();
    let found = slots(query, entries.len(), postings);
    let asked = found.asked.chunks(query.words.len().max(1));
    for (slot, asked) in found.slots.iter().zip(asked) {
        let entry = &entries[slot.entry as usize];
        let asked: f64 = query
            .words
            .iter()
            .zip(asked)
            .map(|(word, fit)| word.weight * f64::from(*fit))
            .sum();
        let told: f64 = slot
            .told
            .iter()
            .map(|&(word, fit)| vocabulary.weight(word) * f64::from(fit))
            .sum();
        let similar = similarity(asked / total, told / entry.own) * entry.trust * NOT_AS_WRITTEN;
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

/// Goes through the words of the query, the rarest first. A common word ("pain") only adds to entries that a rarer one
/// has brought, unless the query has nothing else.
fn slots(query: &Query, entries: usize, postings: &[Vec<u32>]) -> Slots {
    let mut order: Vec<usize> = (0..query.words.len()).collect();
    let uses = |n: &usize| {
        query.words[*n]
            .fits
            .iter()
            .map(|(word, _)| postings[*word as usize].len())
            .sum::<usize>()
    };
    order.sort_by_key(uses);
    let mut places = Places::of(entries);
    let mut found = Slots::default();
    for (turn, asked) in order.into_iter().enumerate() {
        let common = turn > 0 && !found.slots.is_empty() && uses(&asked) > COMMON_MIN;
        for (told, fit) in fits(query, asked) {
            for &entry in &postings[told as usize] {
                let fresh = found.slots.len();
                let Some(slot) = places.place(entry, || (!common).then_some(fresh)) else {
                    continue;
                };
                if slot == fresh {
                    found.slots.push(Slot {
                        entry,
                        told: SmallVec::new(),
                    });
                    found.asked.extend(query.words.iter().map(|_| 0.0));
                }
                let best = &mut found.asked[slot * query.words.len() + asked];
                *best = best.max(fit);
                found.slots[slot].meet(told, fit);
            }
        }
    }
    found
}

/// What a word of the query may mean, alone or joined with a neighbour.
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

impl Slot {
    fn meet(&mut self, told: u32, fit: f32) {
        let room = self.told.len() < TOLD_MAX;
        match self.told.iter_mut().find(|(word, _)| *word == told) {
            Some((_, known)) => *known = known.max(fit),
            None if room => self.told.push((told, fit)),
            None => {}
        }
    }
}

/// One says "sudden", the other "gradual".
fn says_opposite(query: &Query, phrase: &Phrase, vocabulary: &Vocabulary) -> bool {
    let mut opposites = query.words.iter().filter_map(|it| it.opposite.as_deref());
    opposites.any(|form| {
        let mut words = phrase.words.iter();
        words.any(|&word| vocabulary.form(word) == form)
    })
}

fn similarity(asked: f64, told: f64) -> f64 {
    if asked <= 0.0 || told <= 0.0 {
        return 0.0;
    }
    let balance = 2.0 * asked * told / (asked + told) * (asked / ASKED_MIN).min(1.0);
    if asked < ANSWERED && told < ANSWERED {
        balance * OTHER_THING
    } else {
        balance
    }
}
