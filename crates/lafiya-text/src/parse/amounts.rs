//! Numbers behind the name of a test: "creatinine 2.4 mg/dL", "WBC 18,000/mm3", "platelets of 45 x 10^9/L".
//!
//! Units and limits are the base's. A number without a unit counts only where every unit in which it could be meant says the
//! same of the patient.

use lafiya_knowledge::{ConceptRef, Derived, KnowledgeBase, Person, normal_unit, split_number};

use crate::hash::{FastMap, FastSet, set_of};
use crate::words::Results;

/// How units are written.
#[derive(Clone, Debug)]
pub(super) struct Units {
    /// Spellings that the base has under another one.
    spellings: FastMap<String, String>,
    /// Words that make a unit or a dose of a number: where the base does not know it, the number is no result.
    words: FastSet<String>,
}

/// Words that a unit may take, such as "cells per mm3".
const UNIT_WORDS_MAX: usize = 3;
/// What makes a unit of what stands behind a number, whether or not the base knows it.
const OF_UNITS: [char; 4] = ['/', '%', '^', '³'];

impl Units {
    pub(super) fn new(words: &Results) -> Self {
        let pairs = words.units.iter().flat_map(|(unit, written)| {
            let written = written.iter().map(|it| plain(it));
            written.map(|it| (it, unit.clone()))
        });
        Self {
            spellings: pairs.collect(),
            words: set_of(&words.unit_words),
        }
    }

    /// The number at the beginning of a text, as one of a test.
    pub(super) fn amount(
        &self,
        text: &str,
        base: &KnowledgeBase,
        test: ConceptRef,
    ) -> Option<Amount> {
        let quantity = base.quantity(test)?;
        let digits = digits_of(text);
        // "1.200" may be either.
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        if part.len() == 3 && !whole.starts_with('0') && whole.len() <= 3 {
            return None;
        }
        let (mut number, _) = split_number(digits)?;
        let mut rest = &text[digits.len()..];
        // "18 000"
        while let Some(group) = rest.strip_prefix(' ').map(digits_of) {
            match group.len() {
                0 => break,
                3 if part.is_empty() && whole.len() <= 3 => {
                    number = number * 1000.0 + split_number(group)?.0;
                    rest = &rest[1 + group.len()..];
                }
                _ => return None,
            }
        }
        let digits = &text[..text.len() - rest.len()];
        // "3-5" and "120/80" are not one number, "3+" is a colour on a strip, "12 -> 7" has two days.
        let part = rest.trim_start_matches(['-', '–', '/', ':']);
        let is_followed = part.len() < rest.len() && part.starts_with(|c: char| c.is_ascii_digit());
        let arrow = ["->", "→", "=>", "to ", "–>"];
        let becomes = arrow.iter().any(|it| rest.trim_start().starts_with(it));
        if is_followed || becomes || rest.starts_with('+') {
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
        let is_unit = power.is_some()
            || behind.starts_with(char::is_alphabetic)
            || word.contains(OF_UNITS)
            || self.words.contains(&word.to_lowercase());
        (!is_unit).then_some(Amount {
            number,
            unit: None,
            end: digits.len(),
        })
    }

    /// A unit as the base spells it, with the power of ten before it.
    fn spelt(&self, written: &str, power: Option<&str>) -> String {
        let unit = plain(written);
        let unit = self.spellings.get(&unit).cloned().unwrap_or(unit);
        match power {
            Some(power) => {
                let unit = format!("10^{power}{unit}");
                self.spellings.get(&unit).cloned().unwrap_or(unit)
            }
            None => unit,
        }
    }
}

/// A number as it was written.
pub(super) struct Amount {
    number: f64,
    /// As the base spells it; none where none was written.
    unit: Option<String>,
    /// The byte behind it.
    end: usize,
}

impl Amount {
    /// Another amount, so many times as large; below zero, what is less is further from it.
    pub(super) fn beyond(mut self, times: f64) -> Self {
        self.number *= if self.number < 0.0 {
            2.0 - times
        } else {
            times
        };
        self
    }

    /// The same below zero, where the test knows such values.
    pub(super) fn below_zero(mut self, base: &KnowledgeBase, test: ConceptRef) -> Self {
        let unit = self.unit.as_deref().unwrap_or_default();
        let quantity = base.quantity(test);
        if quantity.is_some_and(|it| it.read_number(-self.number, unit).is_ok()) {
            self.number = -self.number;
        }
        self
    }

    pub(super) fn has_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// What it says of a person, and how many bytes told it.
    pub(super) fn says(
        &self,
        base: &KnowledgeBase,
        test: ConceptRef,
        person: &Person,
    ) -> Option<(Derived, usize)> {
        let quantity = base.quantity(test)?;
        let derived = |value| base.derive(test, value, person);
        let said = match &self.unit {
            Some(unit) => derived(quantity.read_number(self.number, unit).ok()?),
            None => {
                let mut readings = quantity.readings(self.number).map(derived);
                let first = readings.next()?;
                readings.all(|it| it == first).then_some(first)?
            }
        };
        Some((said, self.end))
    }
}

/// The figures at the beginning of a text, with points and commas between them.
fn digits_of(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    text[..text.len() - rest.len()].trim_end_matches(['.', ','])
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

/// A unit in one spelling.
fn plain(written: &str) -> String {
    normal_unit(written).replace('³', "3")
}
