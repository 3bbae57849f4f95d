//! Numbers as people write them: `39.5`, `three`, `one-eighty`, `thirty eight point five`.

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

    /// A count at a place ("3", "three", "a"), with the tokens it takes.
    pub(super) fn count_at(&self, words: &[String], at: usize) -> Option<(f64, usize)> {
        let word = words.get(at)?;
        if let Some(number) = digits(word) {
            return Some((number, 1));
        }
        let number = *self.words.get(word)?;
        // "twenty one" is 21.
        let ones = words
            .get(at + 1)
            .and_then(|next| self.words.get(next))
            .filter(|&&it| it < 10.0);
        match ones {
            Some(ones) if number >= 20.0 && words[at + 1].len() > 2 => Some((number + ones, 2)),
            _ => Some((number, 1)),
        }
    }

    /// A measured value: as a count, and also "one eighty", "one hundred and ten", "thirty eight point five".
    pub(super) fn value_at(&self, words: &[String], at: usize) -> Option<(f64, usize)> {
        let (mut number, mut taken) = self.count_at(words, at)?;
        let spoken = digits(&words[at]).is_none();
        if spoken && matches!(words[at].as_str(), "a" | "an" | "to" | "too" | "un" | "une") {
            return None;
        }
        if spoken && words.get(at + taken).is_some_and(|it| it == "hundred") {
            (number, taken) = (number * 100.0, taken + 1);
            let and = usize::from(words.get(at + taken).is_some_and(|it| it == "and"));
            if let Some((rest, length)) = self.count_at(words, at + taken + and) {
                (number, taken) = (number + rest, taken + and + length);
            }
        } else if spoken && number < 3.0 {
            // "one eighty", "two ten"
            if let Some((rest, length)) = self
                .count_at(words, at + taken)
                .filter(|(it, _)| (10.0..100.0).contains(it))
            {
                (number, taken) = (number * 100.0 + rest, taken + length);
            }
        }
        let point = words.get(at + taken).is_some_and(|it| it == "point");
        let tenth = self
            .count_at(words, at + taken + 1)
            .filter(|(it, _)| point && *it < 10.0);
        if let Some((tenth, length)) = tenth {
            (number, taken) = (number + tenth / 10.0, taken + 1 + length);
        }
        Some((number, taken))
    }
}

fn digits(word: &str) -> Option<f64> {
    word.starts_with(|c: char| c.is_ascii_digit())
        .then(|| word.parse().ok())
        .flatten()
}
