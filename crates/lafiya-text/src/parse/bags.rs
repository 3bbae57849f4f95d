//! Bags of telling words: phrases met in any order, with nothing but fillers, modifiers, times and denials between.
//!
//! "Pain for my right leg" and "leg dey pain me" fill the bag {leg, pain}. The words at both ends belong to the bag; a
//! modifier or a denial between them may be left out, and a denial that is left out denies the phrase.

use smallvec::SmallVec;

use super::lexicon::{BAG_WORDS_MAX, Bag, bag_key, pair};
use super::matches::{Choosing, Match, Tokens, confidence};
use super::reading::Reading;
use super::traits::Trait;
use crate::canon::Role;

const AS_BAG: f64 = 0.92;
/// Modifiers and denials that may be left out of one window.
const OPTIONAL_MAX: usize = 4;
const WINDOW_MAX: usize = BAG_WORDS_MAX + 2;

/// A unit as bags see it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// A word of some bag, by its number; `optional` may be left out, `denial` is the word "not".
    Word {
        number: u32,
        optional: bool,
        denial: bool,
    },
    /// A modifier that no bag has.
    Modifier,
    Joiner,
    PassedOver,
    /// Ends every window.
    Stranger,
}

/// A window of units that may fill a bag.
struct Window<'a> {
    units: &'a [usize],
    seen: &'a [Seen],
    joined: bool,
}

/// Adds all bags that the text fills.
pub(super) fn find(reading: &Reading<'_>, choosing: &Choosing<'_>, found: &mut Vec<Match>) {
    let seen: Vec<Seen> = (0..reading.units.len())
        .map(|at| see(reading, choosing, at))
        .collect();
    let mut units: Vec<usize> = Vec::with_capacity(WINDOW_MAX);
    for start in 0..seen.len() {
        let Seen::Word { number: first, .. } = seen[start] else {
            continue;
        };
        units.clear();
        let mut joined = false;
        for (at, it) in seen.iter().enumerate().skip(start) {
            let last = match it {
                Seen::Word { number, .. } if units.len() < WINDOW_MAX => {
                    units.push(at);
                    *number
                }
                Seen::Joiner => {
                    joined = true;
                    continue;
                }
                Seen::PassedOver | Seen::Modifier => continue,
                Seen::Word { .. } | Seen::Stranger => break,
            };
            if units.len() < 2 || !choosing.lexicon.pairs.contains(&pair(first, last)) {
                continue;
            }
            let window = Window {
                units: &units,
                seen: &seen,
                joined,
            };
            found.extend(window.fill(reading, choosing));
        }
    }
}

fn see(reading: &Reading<'_>, choosing: &Choosing<'_>, at: usize) -> Seen {
    let unit = &reading.units[at];
    if unit.role.is_passed_over() {
        return Seen::PassedOver;
    }
    let in_time = choosing.times[unit.first] || reading.tokens[unit.first].is_number();
    let denial = unit.form == "not";
    let optional = unit.role == Role::Modifier || denial;
    let is_modifier = |at: usize| {
        let unit = reading.units.get(at);
        unit.is_some_and(|it| it.role == Role::Modifier)
    };
    // "Sudden, painless loss of vision": one phrase.
    if unit.form == "," && at > 0 && is_modifier(at - 1) && is_modifier(at + 1) {
        return Seen::PassedOver;
    }
    if matches!(unit.form, "and" | "or") {
        Seen::Joiner
    } else if in_time {
        Seen::PassedOver
    } else if let Some(number) = reading.forms[at].bag {
        Seen::Word {
            number,
            optional,
            denial,
        }
    } else if optional {
        Seen::Modifier
    } else {
        Seen::Stranger
    }
}

impl Window<'_> {
    /// The fullest bag: with all modifiers and denials, or with some left out.
    fn fill(&self, reading: &Reading<'_>, choosing: &Choosing<'_>) -> Option<Match> {
        let inner = &self.units[1..self.units.len() - 1];
        let optional: SmallVec<[usize; OPTIONAL_MAX]> = inner
            .iter()
            .copied()
            .filter(|&at| self.is_optional(at))
            .take(OPTIONAL_MAX)
            .collect();
        for dropped in 0..(1_usize << optional.len()) {
            let left_out = |at: usize| {
                optional
                    .iter()
                    .position(|&it| it == at)
                    .is_some_and(|n| dropped >> n & 1 == 1)
            };
            let kept: SmallVec<[usize; WINDOW_MAX]> = self
                .units
                .iter()
                .copied()
                .filter(|&at| !left_out(at))
                .collect();
            let Some(list) = self.bag(choosing, &kept) else {
                continue;
            };
            let denied = optional
                .iter()
                .copied()
                .find(|&at| left_out(at) && self.is_denial(at));
            if self.denies_a_finding(reading, &kept, denied) {
                continue;
            }
            let usable = list
                .iter()
                .filter(|bag| bag.joins || !self.joined)
                .map(|bag| &bag.meaning);
            let Some(meaning) = choosing.choose(usable) else {
                continue;
            };
            let core: Tokens = kept
                .iter()
                .flat_map(|&at| reading.units[at].first..reading.units[at].last)
                .collect();
            return Some(Match {
                confidence: confidence(reading, &core, meaning, AS_BAG),
                core,
                sense: meaning.sense,
                also: meaning.also,
                weight: kept
                    .iter()
                    .map(|&at| if self.is_denial(at) { 1 } else { 2 })
                    .sum(),
                denied_inside: denied.is_some(),
            });
        }
        None
    }

    fn bag<'c>(&self, choosing: &'c Choosing<'_>, kept: &[usize]) -> Option<&'c Vec<Bag>> {
        let numbers = kept.iter().filter_map(|&at| match self.seen[at] {
            Seen::Word { number, .. } => Some(number),
            _ => None,
        });
        choosing.lexicon.bags.get(&bag_key(numbers)?)
    }

    fn is_optional(&self, at: usize) -> bool {
        matches!(self.seen[at], Seen::Word { optional: true, .. })
    }

    fn is_denial(&self, at: usize) -> bool {
        matches!(self.seen[at], Seen::Word { denial: true, .. })
    }

    /// "vomiting, no stooling" denies the second finding, and "no stooling" is not the phrase "no stool"; "late ... not" is
    /// not "not late". But "neck is not stiff" denies the phrase.
    fn denies_a_finding(
        &self,
        reading: &Reading<'_>,
        kept: &[usize],
        denied: Option<usize>,
    ) -> bool {
        let is_finding = |at: usize| {
            let unit = reading.units.get(at);
            unit.is_some_and(|unit| reading.traits[unit.first].has(Trait::Single))
        };
        let ends_in_denial = kept.last().is_some_and(|&at| self.is_denial(at));
        // "no urinary symptoms" denies symptoms, not urine.
        let goes_on = |at: usize| {
            reading.units.get(at + 1).is_some_and(|unit| {
                unit.role == Role::Content
                    && reading.tokens[unit.first]
                        .text
                        .starts_with(char::is_alphabetic)
                    && !matches!(unit.form, "and" | "or" | "not")
            })
        };
        let only_denied =
            kept.len() == 2 && self.is_denial(kept[0]) && (is_finding(kept[1]) || goes_on(kept[1]));
        ends_in_denial || only_denied || denied.is_some_and(|at| is_finding(at + 1))
    }
}
