//! Compares search with brute force: with two typing errors, the index must find what computing the
//! distance to every phrase finds.

use lafiya_knowledge::ConceptRef;
use rapidfuzz::distance::osa;

use super::REAL;
use crate::SearchOptions;
use crate::fold;

const QUERIES: usize = 150;
const TYPOS: usize = 2;
const SHOWN: usize = 10;
/// With two errors, shorter phrases are close to too many others.
const LETTERS_MIN: usize = 10;
/// Minimum recall: of 100 phrases that brute force finds, the index finds at least this many.
const RECALL_OF_100_MIN: usize = 99;

/// A small seeded random number generator, so that every run makes the same errors.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Applies a typing error at a random position: a letter left out, doubled, replaced or swapped
/// with the next.
fn mistyped(phrase: &str, numbers: &mut Numbers) -> String {
    let mut letters: Vec<char> = phrase.chars().collect();
    let at = 1 + numbers.below(letters.len() - 2);
    match numbers.below(4) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        2 => letters[at] = char::from(b'a' + numbers.below(26) as u8),
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

#[test]
fn search_finds_what_brute_force_finds_at_two_typos() {
    let (base, search) = (&REAL.base, &REAL.search);
    let terms: Vec<(String, ConceptRef)> = base
        .search_terms()
        .iter()
        .map(|term| (fold::words(term.term).join(" "), term.concept))
        .filter(|(term, _)| term.is_ascii())
        .collect();
    let long: Vec<&(String, ConceptRef)> = terms
        .iter()
        .filter(|(term, _)| term.len() >= LETTERS_MIN)
        .collect();
    let mut numbers = Numbers(20_261_115);
    let (mut by_force, mut by_index, mut missed) = (0, 0, Vec::new());
    for _ in 0..QUERIES {
        let (phrase, concept) = long[numbers.below(long.len())];
        let typed = (0..TYPOS).fold(phrase.clone(), |typed, _| mistyped(&typed, &mut numbers));
        let mut near: Vec<(usize, &ConceptRef)> = terms
            .iter()
            .filter(|(term, _)| term.len().abs_diff(typed.len()) <= TYPOS)
            .map(|(term, concept)| (osa::distance(term.chars(), typed.chars()), concept))
            .filter(|(distance, _)| *distance <= TYPOS)
            .collect();
        near.sort();
        if !near
            .iter()
            .take(SHOWN)
            .any(|(_, suggested)| *suggested == concept)
        {
            continue;
        }
        by_force += 1;
        let options = SearchOptions {
            max_results: SHOWN,
            ..SearchOptions::default()
        };
        let hits = search.find(base, &typed, &options);
        if hits.iter().any(|hit| hit.concept == *concept) {
            by_index += 1;
        } else {
            missed.push(format!("{typed} ({phrase})"));
        }
    }
    assert!(by_force > QUERIES / 2, "brute force finds {by_force}");
    assert!(
        by_index * 100 >= by_force * RECALL_OF_100_MIN,
        "{by_index} of {by_force}; missed: {missed:#?}"
    );
}
