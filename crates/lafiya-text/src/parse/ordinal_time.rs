//! A week or month told by its number: "7th month", "seventh month", "week 34", "mwezi wa saba".
//! Nobody says so of how long a finding has lasted; near a pregnancy it is how far it is.

use super::counted_time::CountedTime;
use super::dictionary::Number;
use super::numbers;
use super::reading::Reading;
use crate::hash::{FastMap, FastSet, set_of};
use crate::words::GestationWords;

/// The words of ordinal numbers.
#[derive(Clone, Debug)]
pub(super) struct OrdinalTimes {
    /// "seventh".
    words: FastMap<String, u32>,
    /// Behind digits: "7th".
    signs: FastSet<String>,
    /// Between a unit and its number: "mwezi wa saba".
    links: FastSet<String>,
}

/// Weeks and months have at most this number in a pregnancy.
const ORDINAL_MAX: f64 = 44.0;

impl OrdinalTimes {
    pub(super) fn new(words: &GestationWords) -> Self {
        let numbered = words.ordinals.iter().filter_map(|(number, list)| {
            let number: u32 = number.parse().ok()?;
            Some(list.iter().map(move |word| (word.clone(), number)))
        });
        Self {
            words: numbered.flatten().collect(),
            signs: set_of(&words.ordinal_signs),
            links: set_of(&words.ordinal_links),
        }
    }

    /// Parses an ordinal number of weeks or months whose number or unit stands at a token.
    pub(super) fn at(&self, reading: &Reading<'_>, at: usize) -> Option<CountedTime> {
        let entry = reading.entries.get(at)?;
        if let Some(Number::Digits(number)) = entry.number {
            let unit = at + 1 + usize::from(reading.is_one_of(at + 1, &self.signs));
            let is_ordinal = unit > at + 1;
            return self
                .counted(reading, number, (at, unit), unit + 1)
                .filter(|_| is_ordinal);
        }
        entry.unit_hours?;
        if let Some(&number) = at
            .checked_sub(1)
            .and_then(|n| self.words.get(reading.words[n]))
        {
            return self.counted(reading, f64::from(number), (at - 1, at), at + 1);
        }
        let linked = usize::from(reading.is_one_of(at + 1, &self.links));
        let (number, length) = numbers::count_at(&reading.entries, at + 1 + linked)?;
        let end = at + 1 + linked + length;
        let is_digits = matches!(reading.entries[end - 1].number, Some(Number::Digits(_)));
        // "Week 34" and "mwezi wa saba", but not "weeks three days" or "week 2/7".
        let goes_on = reading
            .entries
            .get(end)
            .is_some_and(|next| next.unit_hours.is_some())
            || matches!(reading.word(end), "/" | "+" | "-" | "%");
        ((is_digits || linked > 0) && !goes_on)
            .then(|| self.counted(reading, number, (at, at), end))
            .flatten()
    }

    fn counted(
        &self,
        reading: &Reading<'_>,
        number: f64,
        (at, unit): (usize, usize),
        end: usize,
    ) -> Option<CountedTime> {
        let hours = reading.entries.get(unit)?.unit_hours?;
        let count = CountedTime::ordinal((at, end), number, hours);
        (1.0..=ORDINAL_MAX).contains(&number).then_some(count)
    }
}
