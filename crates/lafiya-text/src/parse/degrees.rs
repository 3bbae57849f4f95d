//! What degrees refer to: body temperature, an angle ("straight leg raise 80 degrees") or the
//! weather.

use std::ops::Range;

use super::reading::Reading;
use crate::phrases::PhraseSet;
use crate::words::Measures;

/// The words that decide it.
#[derive(Clone, Debug)]
pub(super) struct Degrees {
    warm: PhraseSet<()>,
    turned: PhraseSet<()>,
    places: PhraseSet<()>,
}

/// Possible body temperatures in °C.
const OF_BODY: std::ops::RangeInclusive<f64> = 33.0..=43.5;
/// Units that are also used for angles.
const ANY: [&str; 4] = ["degrees", "degree", "deg", "°"];

impl Degrees {
    pub(super) fn new(words: &Measures) -> Self {
        Self {
            warm: PhraseSet::of(&words.warm),
            turned: PhraseSet::of(&words.turned),
            places: PhraseSet::of(&words.places),
        }
    }

    /// Whether a number with a unit and without a name before it is a body temperature.
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
        // "39 °C" is unambiguous.
        let is_bare = ANY.contains(&reading.words[at.end - 1]);
        if !is_bare || self.warm.begins_in(&reading.keys, clause.clone()) {
            return true;
        }
        OF_BODY.contains(&celsius) && !self.turned.begins_in(&reading.keys, clause.start..at.start)
    }
}
