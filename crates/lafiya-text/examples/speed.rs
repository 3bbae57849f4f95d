//! Measures how fast narratives are parsed and phrases are found, compared with a bare scan for the
//! same phrases in the same run.
//!
//! `cargo xtask bench text` runs it in release mode and stores the figures. It uses one core and no
//! separate warm-up. Each figure is the minimum over many rounds, because other load on the machine
//! only adds time. How the costs grow is measured with a quarter, a half and all of the phrases;
//! phrases that the narrative may contain are in every part, so that all parts find the same.

use std::hint::black_box;
use std::time::Instant;

use aho_corasick::{AhoCorasick, MatchKind};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::{Age, Sex};
use lafiya_text::{ParseContext, Parser, Search, SearchOptions};
use rapidfuzz::distance::osa;
use serde_json::json;

/// The API's length limit for a text, in characters.
const CHARACTERS: usize = 2000;
const ROUNDS: usize = 200;
/// Each part contains one in this many phrases.
const PARTS: [u32; 3] = [4, 2, 1];
const BRUTE_ROUNDS: usize = 5;

/// A nurse's run-on notes and a mother's narrative, with words that are hard to tell apart.
const STORY: &str = "A 34-year-old woman presents with a 3/7 history of fever, chills and vomiting, no cough or catarrh. \
She complains of severe headache since yesterday, pain in the right upper quadrant of the abdomen and yellow eyes; denies \
chest pain, shortness of breath, or swelling of the legs. My pikin body dey hot since Sunday, e no dey gree chop, him belle \
dey run and e dey vomit anything wey e take. BP 180/110, temp 39.5, RR 28, SpO2 91%, pulse 120 bpm. Her mother had diabetes \
and her sister has asthma. She is not sure if she has lost weight. On examination there is neck stiffness, a petechial rash \
on the trunk, crackles at both lung bases and pitting oedema of both feet. She was treated for malaria last year. The pain \
is worse on movement and she vomitted twice this morning; urine is dark like coke. If the fever comes back she will return. ";

const QUERIES: [&str; 10] = [
    "running stomach",
    "hedache",
    "body dey hot",
    "shortnes of breth",
    "pain in my right leg",
    "diarrhea",
    "meningitis",
    "yelow eyes",
    "high blood presure",
    "coughing blood",
];

fn main() {
    let base = match lafiya_content::load() {
        Ok(base) => base,
        Err(error) => return eprintln!("the embedded base does not load: {error}"),
    };
    let story: String = STORY.chars().cycle().take(CHARACTERS).collect();
    let terms: Vec<String> = base
        .search_terms()
        .iter()
        .map(|term| term.term.to_lowercase())
        .collect();
    let scan = least_us(ROUNDS, bare_scan(&terms, &story));
    let reads = PARTS.map(|part| {
        let keep = |phrase: &str| is_of_part(phrase, part) || is_of_story(phrase, &story);
        let kept = terms.iter().filter(|term| keep(term)).count();
        let parser = Parser::build_over(&base, keep);
        (kept, least_us(ROUNDS, parse(&base, &parser, &story)))
    });
    let searches = PARTS.map(|part| {
        let keep = |phrase: &str| is_of_part(phrase, part);
        let kept = terms.iter().filter(|term| keep(term)).count();
        let search = Search::build_over(&base, keep);
        let us = least_us(ROUNDS, find(&base, &search)) / QUERIES.len() as f64;
        (kept, us)
    });
    let [.., (_, read)] = reads;
    let [.., (_, search)] = searches;
    let brute = least_us(BRUTE_ROUNDS, brute_force(&terms)) / QUERIES.len() as f64;
    let figures = json!({
        "phrases": terms.len(),
        "characters": CHARACTERS,
        "bare_scan_us": scan,
        "parse_us": read,
        "search_us": search,
        "brute_force_search_us": brute,
        "parse_us_by_phrases": reads,
        "search_us_by_phrases": searches,
    });
    println!("{figures}");
}

/// Whether a phrase belongs to a part of the given size. Selected by a hash of its letters, so that
/// every part contains the smaller ones.
fn is_of_part(phrase: &str, part: u32) -> bool {
    let letters = phrase.bytes().filter(u8::is_ascii_alphanumeric);
    let sum = letters.fold(0_u32, |sum, byte| {
        sum.wrapping_mul(31) + u32::from(byte.to_ascii_lowercase())
    });
    sum.is_multiple_of(part)
}

/// Whether the narrative contains every word of a phrase.
fn is_of_story(phrase: &str, story: &str) -> bool {
    let mut words = phrase.split(|c: char| !c.is_alphanumeric());
    words.all(|word| story.contains(&word.to_lowercase()))
}

fn least_us(rounds: usize, mut run: impl FnMut()) -> f64 {
    let round = || {
        let started = Instant::now();
        run();
        started.elapsed().as_secs_f64() * 1e6
    };
    std::iter::repeat_with(round)
        .take(rounds)
        .fold(f64::INFINITY, f64::min)
}

/// Lower bound for any parser: one pass of an automaton over all phrases.
fn bare_scan<'a>(terms: &[String], story: &'a str) -> impl FnMut() + 'a {
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(terms);
    let story = story.to_lowercase();
    move || {
        if let Ok(automaton) = &automaton {
            black_box(automaton.find_iter(black_box(&story)).count());
        }
    }
}

fn parse<'a>(base: &'a KnowledgeBase, parser: &'a Parser, story: &'a str) -> impl FnMut() + 'a {
    let context = ParseContext {
        age: Some(Age::from_years(34)),
        sex: Some(Sex::Female),
        evaluated_at: None,
    };
    move || {
        black_box(parser.parse(base, black_box(story), &context));
    }
}

fn find<'a>(base: &'a KnowledgeBase, search: &'a Search) -> impl FnMut() + 'a {
    let options = SearchOptions {
        max_results: 8,
        ..SearchOptions::default()
    };
    move || {
        for query in QUERIES {
            black_box(search.find(base, black_box(query), &options));
        }
    }
}

/// Baseline without an index: computes the distance of the query to every phrase.
fn brute_force(terms: &[String]) -> impl FnMut() + '_ {
    move || {
        for query in QUERIES {
            let near = terms
                .iter()
                .filter(|term| osa::distance(query.chars(), term.chars()) <= 2);
            black_box(near.count());
        }
    }
}
