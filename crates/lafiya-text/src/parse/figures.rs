//! The notation of values: digits, sums and units, and the words that link a value with its name.

use super::reading::Reading;
use crate::phrases::PhraseSet;
use crate::words::Measures;

/// Maximum words between a name and its number.
const LINKS_MAX: usize = 3;

/// Converts a blood pressure given in cm to mm: "tension 17/11".
pub(super) fn in_mm(upper: f64, lower: f64) -> (f64, f64) {
    let in_cm = (6.0..=30.0).contains(&upper) && (3.0..=20.0).contains(&lower) && lower < upper;
    let by = if in_cm { 10.0 } else { 1.0 };
    (upper * by, lower * by)
}

/// Parses a score written as a sum, "GCS E2V2M4", "E3 V4 M5" or "3+2+4". Returns the sum and the
/// number of tokens.
pub(super) fn sum_at(reading: &Reading<'_>, at: usize) -> Option<(f64, usize)> {
    let number = |at: usize| {
        let number = reading.tokens.get(at).filter(|token| token.is_number());
        number.and_then(|_| reading.words[at].parse::<f64>().ok())
    };
    let is = |at: usize, wanted: &str| reading.words.get(at) == Some(&wanted);
    let named = is(at, "e") && is(at + 2, "v") && is(at + 4, "m");
    let added = is(at + 1, "+") && is(at + 3, "+");
    let (places, taken) = match (named, added) {
        (true, _) => ([at + 1, at + 3, at + 5], 6),
        (_, true) => ([at, at + 2, at + 4], 5),
        _ => return None,
    };
    let [eyes, voice, moves] = places.map(number);
    Some((eyes? + voice? + moves?, taken))
}

/// Returns the digits after a decimal comma: "7,5".
pub(super) fn decimals_at<'r>(reading: &'r Reading<'_>, at: usize) -> Option<&'r str> {
    let [comma, decimals] = reading.tokens.get(at..at + 2)? else {
        return None;
    };
    let joined = reading.words[at] == "," && !comma.spaced && !decimals.spaced;
    let figures = reading.words[at + 1];
    let is_number = figures.bytes().all(|byte| byte.is_ascii_digit());
    (joined && is_number && figures.len() <= 2).then_some(figures)
}

/// The phrases around a value, indexed.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    links: PhraseSet<()>,
    not_units: PhraseSet<()>,
    /// Written units, mapped to the unit of the knowledge base.
    units: PhraseSet<Box<str>>,
}

impl Figures {
    pub(super) fn new(words: &Measures) -> Self {
        let mut units = PhraseSet::default();
        for (unit, written) in &words.written_units {
            for phrase in written {
                units.add_phrase(phrase, unit.as_str().into());
            }
        }
        Self {
            links: PhraseSet::of(&words.links),
            not_units: PhraseSet::of(&words.not_units),
            units,
        }
    }

    /// Returns the number of tokens at a position that link a name with its number.
    pub(super) fn link_at(&self, reading: &Reading<'_>, at: usize) -> usize {
        self.links.length_at(&reading.keys, at)
    }

    /// Returns the token after the words that link a name with its number.
    pub(super) fn past_links(&self, reading: &Reading<'_>, from: usize) -> Option<usize> {
        let mut at = from;
        while at < reading.len()
            && at - from <= LINKS_MAX
            && let length @ 1.. = self.link_at(reading, at)
        {
            at += length;
        }
        (at < reading.len()).then_some(at)
    }

    /// Returns the unit after a number in the spelling of the knowledge base, with its number of
    /// tokens.
    pub(super) fn unit_at(&self, reading: &Reading<'_>, at: usize) -> (&str, usize) {
        let written = self.units.longest_at(&reading.keys, at);
        match written.filter(|_| self.not_units.length_at(&reading.keys, at) == 0) {
            Some((length, [unit, ..])) => (unit, length),
            _ => ("", 0),
        }
    }
}

/// Whether "c/o" is at this position, which starts a complaint.
pub(super) fn is_complaint(reading: &Reading<'_>, at: usize) -> bool {
    matches!(reading.words.get(at..at + 3), Some(["c", "/", "o"]))
}

pub(super) fn plain(number: f64) -> String {
    // Most numbers are whole, and integers format about ten times faster.
    let whole = number as u32;
    if f64::from(whole) == number {
        whole.to_string()
    } else {
        number.to_string()
    }
}
