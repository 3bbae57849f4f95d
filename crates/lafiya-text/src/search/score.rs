//! How well an entry fits a query: the weight of the words they share, seen from both sides.
//!
//! A word that the query has and the entry lacks costs, and so does the reverse; both at once ("throat tightness"
//! against "chest tightness") means something else was asked for, and costs most.

use lafiya_knowledge::ConceptRef;

use super::vocabulary::{Fit, Vocabulary};
use crate::canon::Role;

/// One phrase of the index.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub concept: ConceptRef,
    pub term: String,
    pub words: Vec<u32>,
    /// How surely the phrase means the concept, 0 to 1.
    pub trust: f64,
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
}

/// Both sides have a telling word that the other lacks.
const OTHER_THING: f64 = 0.6;
/// A side that has less than this of its weight answered lacks a telling word.
const ANSWERED: f64 = 0.75;
/// An entry that answers less of the query than this is about something else, however short it is.
const ASKED_MIN: f64 = 0.6;
/// A phrase that is not exactly the query stays below every one that is.
const NOT_AS_WRITTEN: f64 = 0.975;
/// The entry says the opposite.
const CONTRARY: f64 = 0.55;
/// Two words written apart that the index writes as one.
const JOINED: f64 = 0.97;

/// A word of the query that fits a word of an entry.
struct Meeting {
    entry: u32,
    asked: usize,
    told: u32,
    fit: f64,
}

/// Every entry that shares a word with the query, with its similarity.
pub(super) fn score(
    query: &Query,
    entries: &[Entry],
    postings: &[Vec<u32>],
    vocabulary: &Vocabulary,
) -> Vec<(u32, f64)> {
    let mut meetings = meetings(query, postings);
    meetings.sort_unstable_by_key(|it| it.entry);
    let total: f64 = query.words.iter().map(|it| it.weight).sum();
    meetings
        .chunk_by(|a, b| a.entry == b.entry)
        .map(|met| {
            let entry = &entries[met[0].entry as usize];
            let own: f64 = entry.words.iter().map(|&it| vocabulary.weight(it)).sum();
            let asked: f64 = (0..query.words.len())
                .map(|n| query.words[n].weight * best(met, |it| it.asked == n))
                .sum();
            let told: f64 = entry
                .words
                .iter()
                .map(|&word| vocabulary.weight(word) * best(met, |it| it.told == word))
                .sum();
            let contrary = if contradicts(query, entry, vocabulary) {
                CONTRARY
            } else {
                1.0
            };
            (
                met[0].entry,
                similarity(asked / total, told / own) * contrary * entry.trust * NOT_AS_WRITTEN,
            )
        })
        .collect()
}

fn meetings(query: &Query, postings: &[Vec<u32>]) -> Vec<Meeting> {
    let mut meetings = Vec::new();
    for (asked, word) in query.words.iter().enumerate() {
        let before = asked.checked_sub(1).and_then(|n| query.words[n].joined);
        let joined = [word.joined, before]
            .into_iter()
            .flatten()
            .map(|it| (it, JOINED));
        for (told, fit) in word.fits.iter().copied().chain(joined) {
            let list = &postings[told as usize];
            meetings.extend(list.iter().map(|&entry| Meeting {
                entry,
                asked,
                told,
                fit,
            }));
        }
    }
    meetings
}

fn best(met: &[Meeting], which: impl Fn(&Meeting) -> bool) -> f64 {
    met.iter()
        .filter(|it| which(it))
        .map(|it| it.fit)
        .fold(0.0, f64::max)
}

/// One says "sudden", the other "gradual"; one denies what the other says.
fn contradicts(query: &Query, entry: &Entry, vocabulary: &Vocabulary) -> bool {
    let told = |form: &str| {
        entry
            .words
            .iter()
            .any(|&word| vocabulary.form(word) == form)
    };
    let opposed = query
        .words
        .iter()
        .any(|it| it.opposite.as_deref().is_some_and(told));
    let denies = |form: &str| query.words.iter().any(|it| it.form == form) != told(form);
    opposed || denies("not") || denies("cant")
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
