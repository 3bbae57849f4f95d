//! Numbers after the name of a test: "creatinine 2.4 mg/dL", "WBC 18,000/mm3", "platelets of 45 x
//! 10^9/L".
//!
//! Units and limits come from the knowledge base. A number without a unit counts only if every
//! possible unit leads to the same conclusion about the patient.

use lafiya_knowledge::{ConceptRef, Derived, KnowledgeBase, Person, normal_unit, split_number};

use crate::hash::{FastMap, FastSet, set_of};
use crate::words::Results;

/// Spellings of units.
#[derive(Clone, Debug)]
pub(super) struct Units {
    /// Alternative spellings, mapped to the spelling of the knowledge base.
    spellings: FastMap<String, String>,
    /// Words that turn a number into a quantity or a dose. If the knowledge base does not know the
    /// unit, the number is not a result.
    words: FastSet<String>,
}

/// Maximum words of a unit, such as "cells per mm3".
const UNIT_WORDS_MAX: usize = 3;
/// Characters that mark the text after a number as a unit, known or not.
const OF_UNITS: [char; 4] = ['/', '%', '^', '³'];

impl Units {
    pub(super) fn new(words: &Results) -> Self {
        let pairs = words.units.iter().flat_map(|(unit, written)| {
            let written = written.iter().map(|spelling| plain(spelling));
            written.map(|spelling| (spelling, unit.clone()))
        });
        Self {
            spellings: pairs.collect(),
            words: set_of(&words.unit_words),
        }
    }

    /// Parses the number at the start of a text as a test result.
    pub(super) fn amount(
        &self,
        text: &str,
        base: &KnowledgeBase,
        test: ConceptRef,
    ) -> Option<Amount> {
        let quantity = base.quantity(test)?;
        let digits = digits_of(text);
        // "1.200" is ambiguous: a decimal or a thousands separator.
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        if part.len() == 3 && !whole.starts_with('0') && whole.len() <= 3 {
            return None;
        }
        let (mut number, _) = split_number(digits)?;
        let mut rest = &text[digits.len()..];
        // Spaces as thousands separators: "18 000".
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
        // "3-5" and "120/80" are not single numbers, "3+" is a dipstick grade, and "12 -> 7" has
        // the values of two days.
        let part = rest.trim_start_matches(['-', '–', '/', ':']);
        let is_followed = part.len() < rest.len() && part.starts_with(|c: char| c.is_ascii_digit());
        let arrow = ["->", "→", "=>", "to ", "–>"];
        let becomes = arrow
            .iter()
            .any(|arrow| rest.trim_start().starts_with(arrow));
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

    /// Returns a unit in the spelling of the knowledge base, with its power of ten in front.
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

/// A number as written.
pub(super) struct Amount {
    number: f64,
    /// The unit in the spelling of the knowledge base, if one was written.
    unit: Option<String>,
    /// The byte offset after it.
    end: usize,
}

impl Amount {
    /// Returns an amount further out by this factor, used for limits; negative numbers move away
    /// from zero, too.
    pub(super) fn beyond(mut self, times: f64) -> Self {
        self.number *= if self.number < 0.0 {
            2.0 - times
        } else {
            times
        };
        self
    }

    /// Returns the negated amount if the test allows negative values.
    pub(super) fn below_zero(mut self, base: &KnowledgeBase, test: ConceptRef) -> Self {
        let unit = self.unit.as_deref().unwrap_or_default();
        let quantity = base.quantity(test);
        if quantity.is_some_and(|quantity| quantity.read_number(-self.number, unit).is_ok()) {
            self.number = -self.number;
        }
        self
    }

    pub(super) fn has_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// Returns what the amount implies for a person, and the length of the parsed text in bytes.
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
                readings.all(|reading| reading == first).then_some(first)?
            }
        };
        Some((said, self.end))
    }
}

/// Returns the digits at the start of a text, with points and commas between them.
fn digits_of(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    text[..text.len() - rest.len()].trim_end_matches(['.', ','])
}

/// Parses "x 10^9", "×10⁹" or "x10e3": returns the power and the rest of the text.
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

/// Returns the ends of the words of a text, up to the first word that ends a clause.
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

/// Normalizes the spelling of a unit.
fn plain(written: &str) -> String {
    normal_unit(written).replace('³', "3")
}
