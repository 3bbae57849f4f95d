//! Numbers behind the name of a test: "creatinine 2.4 mg/dL", "WBC 18,000/mm3", "platelets of 45 x 10^9/L".
//!
//! Units and limits are the base's. A number without a unit counts only where every unit in which it could be meant says the
//! same of the patient.

use std::collections::BTreeMap;

use lafiya_knowledge::{ConceptRef, Derived, KnowledgeBase, Person, Quantity, split_number};

use crate::hash::FastMap;

/// Spellings of units that the base has under another one.
#[derive(Clone, Debug)]
pub(super) struct UnitSpellings(FastMap<String, String>);

/// Words that a unit may take, such as "cells per mm3".
const UNIT_WORDS_MAX: usize = 3;
/// What makes a unit of what stands behind a number, whether or not the base knows it.
const OF_UNITS: [char; 4] = ['/', '%', '^', '³'];
/// The same for whole words.
const UNIT_WORDS: [&str; 7] = ["per", "cells", "cell", "x", "×", "million", "thousand"];

impl UnitSpellings {
    pub(super) fn new(spellings: &BTreeMap<String, Vec<String>>) -> Self {
        let pairs = spellings.iter().flat_map(|(unit, written)| {
            let written = written.iter().map(|it| joined(it));
            written.map(|it| (it, unit.clone()))
        });
        Self(pairs.collect())
    }

    /// What a test whose number stands at the beginning of a text says of a person, and how many bytes tell it.
    pub(super) fn read(
        &self,
        text: &str,
        base: &KnowledgeBase,
        concept: ConceptRef,
        person: &Person,
    ) -> Option<(Derived, usize)> {
        let quantity = base.quantity(concept)?;
        let Amount { number, unit, end } = self.amount(text, quantity)?;
        let derived = |value| base.derive(concept, value, person);
        let Some(unit) = unit else {
            let mut readings = quantity.readings(number).map(derived);
            let first = readings.next()?;
            return readings.all(|it| it == first).then_some((first, end));
        };
        let value = quantity.read_number(number, &unit).ok()?;
        Some((derived(value), end))
    }

    fn amount(&self, text: &str, quantity: &Quantity) -> Option<Amount> {
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        let digits = text.trim_start_matches(is_of_number);
        let digits = text[..text.len() - digits.len()].trim_end_matches(['.', ',']);
        let (number, _) = split_number(digits)?;
        let rest = &text[digits.len()..];
        // "3-5" and "120/80" are not one number.
        let part = rest.trim_start_matches(['-', '–', '/', ':']);
        if part.len() < rest.len() && part.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (power, behind) = power_of_ten(rest);
        let mut ends = word_ends(behind);
        ends.truncate(UNIT_WORDS_MAX);
        let known = ends.iter().rev().find_map(|&end| {
            let unit = self.spelt(&behind[..end], power);
            quantity.knows_unit(&unit).then_some((unit, end))
        });
        if let Some((unit, end)) = known {
            return Some(Amount {
                number,
                unit: Some(unit),
                end: text.len() - behind.len() + end,
            });
        }
        let word = ends.first().map_or("", |&end| behind[..end].trim());
        let is_unit = power.is_some() || word.contains(OF_UNITS) || UNIT_WORDS.contains(&word);
        (!is_unit).then_some(Amount {
            number,
            unit: None,
            end: digits.len(),
        })
    }

    /// A unit as the base spells it, with the power of ten before it.
    fn spelt(&self, written: &str, power: Option<&str>) -> String {
        let unit = joined(written);
        let unit = self.0.get(&unit).cloned().unwrap_or(unit);
        match power {
            Some(power) => {
                let unit = format!("10^{power}{unit}");
                self.0.get(&unit).cloned().unwrap_or(unit)
            }
            None => unit,
        }
    }
}

/// A number as it was written.
struct Amount {
    number: f64,
    /// As the base spells it; none where none was written.
    unit: Option<String>,
    /// The byte behind it.
    end: usize,
}

/// "x 10^9", "×10⁹", "x10e3": the power, and what stands behind it.
fn power_of_ten(text: &str) -> (Option<&str>, &str) {
    let plain = text.trim_start();
    let times = plain.trim_start_matches(['x', 'X', '×', '*']).trim_start();
    let Some(power) = times.strip_prefix("10") else {
        return (None, text);
    };
    let power = power.trim_start_matches(['^', 'e', 'E']);
    for (written, meant) in [("9", "9"), ("3", "3"), ("6", "6"), ("⁹", "9"), ("³", "3")] {
        if let Some(rest) = power.strip_prefix(written) {
            return (Some(meant), rest);
        }
    }
    (None, text)
}

/// Where the words of a text end, up to the first that ends a clause.
fn word_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end();
        let cut = bare.find([',', ';', '(', ')', '\n']);
        let word_end = cut.unwrap_or(bare.len());
        let kept = bare[..word_end].trim_end_matches('.');
        if !kept.is_empty() {
            ends.push(at + kept.len());
        }
        if kept.len() < bare.len() || ends.len() > UNIT_WORDS_MAX {
            break;
        }
        at += word.len();
    }
    ends
}

/// A unit without gaps, in small letters.
fn joined(written: &str) -> String {
    let letters = written.chars().filter(|c| !c.is_whitespace());
    let lower: String = letters.flat_map(char::to_lowercase).collect();
    lower
        .replace("per", "/")
        .replace(['μ', 'µ'], "u")
        .replace('³', "3")
}
