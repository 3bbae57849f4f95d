//! Numbers as people write them: `39.5`, `three`, `one-eighty`, `thirty eight point five`.

use super::dictionary::{Entry, Number};
use crate::hash::FastMap;
use crate::words::Numbered;

/// Number words of all languages.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    words: FastMap<String, f64>,
}

impl Numbers {
    pub(super) fn new(numbers: &Numbered) -> Self {
        let mut words = FastMap::default();
        for (number, list) in numbers {
            if let Ok(number) = number.parse::<f64>() {
                words.extend(list.iter().map(|word| (word.clone(), number)));
            }
        }
        Self { words }
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.keys().map(String::as_str)
    }

    /// Returns the number that a single word means.
    pub(super) fn of(&self, word: &str) -> Option<Number> {
        let spoken = || Some(Number::Spoken(*self.words.get(word)?));
        digits(word).map(Number::Digits).or_else(spoken)
    }
}

/// Parses a count at a token ("3", "three", "a"). Returns it with its number of tokens.
pub(super) fn count_at(entries: &[&Entry], at: usize) -> Option<(f64, usize)> {
    let tens = match entries.get(at)?.number? {
        Number::Digits(number) => return Some((number, 1)),
        Number::Spoken(number) => number,
    };
    // "twenty one" is 21.
    match entries.get(at + 1) {
        Some(Entry {
            number: Some(Number::Spoken(ones)),
            word,
            ..
        }) if tens >= 20.0 && *ones < 10.0 && word.text.len() > 2 => Some((tens + ones, 2)),
        _ => Some((tens, 1)),
    }
}

/// Parses a measured value: a count, or "one eighty", "one hundred and ten", "thirty eight point
/// five".
pub(super) fn value_at(entries: &[&Entry], at: usize) -> Option<(f64, usize)> {
    let (mut number, mut taken) = count_at(entries, at)?;
    let is = |at: usize, wanted: &str| {
        entries
            .get(at)
            .is_some_and(|entry| entry.word.text == wanted)
    };
    let spoken = matches!(entries[at].number, Some(Number::Spoken(_)));
    let article = ["a", "an", "to", "too", "un", "une"];
    if spoken && article.iter().any(|word| is(at, word)) {
        return None;
    }
    if spoken && is(at + taken, "hundred") {
        (number, taken) = (number * 100.0, taken + 1);
        let and = usize::from(is(at + taken, "and"));
        if let Some((rest, length)) = count_at(entries, at + taken + and) {
            (number, taken) = (number + rest, taken + and + length);
        }
    } else if spoken && number < 3.0 {
        // A leading one or two may mean hundreds: "one eighty", "two ten".
        if let Some((rest, length)) =
            count_at(entries, at + taken).filter(|(number, _)| (10.0..100.0).contains(number))
        {
            (number, taken) = (number * 100.0 + rest, taken + length);
        }
    }
    let point = is(at + taken, "point");
    let tenth = count_at(entries, at + taken + 1).filter(|(number, _)| point && *number < 10.0);
    if let Some((tenth, length)) = tenth {
        (number, taken) = (number + tenth / 10.0, taken + 1 + length);
    }
    Some((number, taken))
}

fn digits(word: &str) -> Option<f64> {
    word.starts_with(|c: char| c.is_ascii_digit())
        .then(|| word.parse().ok())
        .flatten()
}
