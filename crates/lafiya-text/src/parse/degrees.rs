//! Whose degrees: those of a body, of an angle ("straight leg raise 80 degrees") or of the weather.

use std::ops::Range;

use super::reading::Reading;
use crate::phrases::PhraseSet;
use crate::words::Measures;

/// The words that tell.
#[derive(Clone, Debug)]
pub(super) struct Degrees {
    warm: PhraseSet<()>,
    turned: PhraseSet<()>,
    places: PhraseSet<()>,
}

/// What a body may have, in degrees Celsius.
const OF_BODY: std::ops::RangeInclusive<f64> = 33.0..=43.5;
/// Units that an angle has, too.
const ANY: [&str; 4] = ["degrees", "degree", "deg", "°"];

impl Degrees {
    pub(super) fn new(words: &Measures) -> Self {
        Self {
            warm: PhraseSet::of(&words.warm),
            turned: PhraseSet::of(&words.turned),
            places: PhraseSet::of(&words.places),
        }
    }

    /// Whether a number with its unit, and no name before it, is the temperature of a body.
    pub(super) fn are_of_body(
        &self,
        reading: &Reading<'_>,
        at: Range<usize>,
        celsius: f64,
    ) -> bool {
        let clause = reading.clause_of(at.start);
        if self.places.begins_in(&reading.keys, clause.clone()) {
            return false;
        }
        // "39 °C" says it by itself.
        let is_bare = ANY.contains(&reading.words[at.end - 1]);
        if !is_bare || self.warm.begins_in(&reading.keys, clause.clone()) {
            return true;
        }
        OF_BODY.contains(&celsius) && !self.turned.begins_in(&reading.keys, clause.start..at.start)
    }
}
