//! Property tests on arbitrary text: parsing does not panic, offsets are valid, and results are
//! deterministic.
//!
//! A normal test run uses a fixed seed and a small budget; `cargo xtask fuzz` sets another seed and
//! a larger budget.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::REAL;
use crate::{ParseContext, SearchOptions};

fn is_sound(text: &str) {
    let characters: Vec<char> = text.chars().collect();
    let parsed = REAL
        .parser
        .parse(&REAL.base, text, &ParseContext::default());
    for mention in &parsed.mentions {
        assert!(
            mention.start < mention.end && mention.end <= characters.len(),
            "{mention:?}"
        );
        assert_eq!(
            mention.orth,
            characters[mention.start..mention.end]
                .iter()
                .collect::<String>()
        );
        assert!((0.0..=1.0).contains(&mention.confidence));
    }
    assert_eq!(
        parsed,
        REAL.parser
            .parse(&REAL.base, text, &ParseContext::default())
    );
    let options = SearchOptions {
        max_results: 20,
        ..SearchOptions::default()
    };
    let hits = REAL.search.find(&REAL.base, text, &options);
    assert!(
        hits.windows(2)
            .all(|hit| hit[0].similarity >= hit[1].similarity)
    );
    assert_eq!(hits, REAL.search.find(&REAL.base, text, &options));
}

const CASES: u32 = 256;
const SEED: u64 = 20_261_115;

/// Returns the budget and the seed, from the environment if the fuzz command sets them.
fn budget() -> ProptestConfig {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let cases = number("LAFIYA_FUZZ_CASES").and_then(|number| u32::try_from(number).ok());
    ProptestConfig {
        cases: cases.unwrap_or(CASES),
        rng_seed: RngSeed::Fixed(number("LAFIYA_FUZZ_SEED").unwrap_or(SEED)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Returns text fragments that exercise the boundaries of the grammar, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "no",
        "fever",
        "3/7",
        "x",
        "BP",
        "180/110",
        "/",
        "of",
        "not",
        "if",
        "my",
        "sister",
        "pain",
        "leg",
        "and",
        ",",
        ".",
        "?",
        "since",
        "Sunday",
        "two",
        "weeks",
        "one",
        "eighty",
        "over",
        "temp",
        "39.5",
        "°C",
        "hundred",
        "point",
        "’",
        "e no get",
        "blood",
        "🤒",
        "\u{200f}",
        "\n",
        "ẹ̀fọ́rí",
        "½",
        "٣",
        "ﬁ",
        "e\u{301}",
        "İ",
        "ß",
        "N/V",
        "stopped",
        "but not today",
        "insulin",
        "-",
        "(",
        ":",
        "old",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(budget())]

    #[test]
    fn arbitrary_unicode_gives_valid_results(text in "\\PC{0,200}") {
        is_sound(&text);
    }

    #[test]
    fn arbitrary_bytes_as_text_give_valid_results(text in any::<String>()) {
        is_sound(&text);
    }

    #[test]
    fn shuffled_sentence_fragments_give_valid_results(text in pieces()) {
        is_sound(&text);
    }
}

#[test]
fn long_and_odd_texts_give_valid_results() {
    let deep = "no ".repeat(600);
    let list = "fever, ".repeat(280);
    let odd = [
        "",
        " ",
        "\u{0}",
        "\r\n\r\n",
        "....",
        "1/2/3/4",
        "39.5.6",
        "no",
        "not",
        "if",
        "?",
        "BP 180/",
        "temp",
        deep.as_str(),
        list.as_str(),
    ];
    for text in odd {
        is_sound(text);
    }
}
