//! Bags of content words: matches phrases in any word order, with only fillers, modifiers, times
//! and negations in between.
//!
//! "Pain for my right leg" and "leg dey pain me" both match the bag {leg, pain}. The first and the
//! last word of a match belong to the bag. A modifier or a negation between them may be left out; a
//! negation that is left out negates the phrase. One other word may be skipped: "chest dey pain me
//! like say dem press am" matches {chest, pain, press}.

use super::dictionary::{FormFacts, Joint, Number};
use super::lexicon::{BAG_WORDS_MAX, Bag, BagKey, BagNumber};
use super::marks::Mark;
use super::matches::{Choosing, Match, Tokens, confidence};
use super::reading::Reading;
use super::traits::Trait;
use crate::canon::{Role, Unit};

const AS_BAG: f64 = 0.92;
/// Maximum modifiers and negations that may be left out of one window.
const OPTIONAL_MAX: usize = 4;
const WINDOW_MAX: usize = BAG_WORDS_MAX + 2;
/// Minimum bag size that tolerates an "and" that is not in the phrase ("the skin is thick and
/// rough").
const WORDS_FOR_JOINER: usize = 3;
/// Confidence factor of a match that skips a content word.
const WITH_GAP: f64 = 0.8;
/// The canonical form that negates an ability.
const CANNOT: &str = "cant";
/// Initial capacity: most rows have no more words.
const ROW: usize = 16;

/// How bags treat a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnitRole {
    /// A word of at least one bag.
    Word(BagNumber),
    /// A modifier that is in no bag.
    Modifier,
    And,
    Or,
    PassedOver,
    /// An unknown word: ends every window.
    Stranger,
}

/// A word of at least one bag, or one that may be skipped, with its position.
#[derive(Clone, Copy)]
struct Word {
    /// The unit index.
    at: usize,
    /// `None` if no bag contains it.
    number: Option<BagNumber>,
    /// Whether it may be left out.
    optional: bool,
    /// Whether it is the word "not".
    denial: bool,
    /// The joiners before it in the text.
    joiners: Joiners,
}

/// The number of joiners in the text up to a position.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Joiners {
    and: u32,
    or: u32,
}

/// A window of words that may match a bag.
struct Window<'a> {
    words: &'a [Word],
    /// Bit mask of the words that are skipped.
    gaps: u32,
}

/// Adds all bags that match the text.
pub(super) fn find(reading: &Reading<'_>, choosing: &Choosing<'_>, found: &mut Vec<Match>) {
    let mut row: Vec<Word> = Vec::with_capacity(ROW);
    let mut joiners = Joiners::default();
    for (at, (unit, form)) in reading.units.iter().zip(&reading.forms).enumerate() {
        if unit.role.is_passed_over() {
            continue;
        }
        match see(reading, choosing, at, (unit, form)) {
            UnitRole::Word(number) => row.push(Word {
                at,
                number: Some(number),
                optional: is_optional(reading, unit, form),
                denial: form.denies,
                joiners,
            }),
            UnitRole::Stranger if is_passable(reading, at) => row.push(Word {
                at,
                number: None,
                optional: false,
                denial: false,
                joiners,
            }),
            UnitRole::And if !begins_statement(reading, at + 1) => joiners.and += 1,
            UnitRole::Or if !begins_statement(reading, at + 1) => joiners.or += 1,
            UnitRole::PassedOver | UnitRole::Modifier => {}
            // "My sister is a sickler and I have bone pain": no phrase continues after this "and".
            UnitRole::And | UnitRole::Or | UnitRole::Stranger => {
                fill(&row, reading, choosing, found);
                row.clear();
            }
        }
    }
    fill(&row, reading, choosing, found);
}

/// Whether a statement about a person starts at a unit.
fn begins_statement(reading: &Reading<'_>, at: usize) -> bool {
    let unit = reading.units.get(at);
    unit.is_some_and(|unit| reading.marks.has(unit.first, Mark::Statement))
}

/// Checks every window in a row of words without unknown words.
fn fill(row: &[Word], reading: &Reading<'_>, choosing: &Choosing<'_>, found: &mut Vec<Match>) {
    let pairs = &choosing.lexicon.pairs;
    for start in 0..row.len().saturating_sub(1) {
        let window = &row[start..row.len().min(start + WINDOW_MAX)];
        let [
            Word {
                number: Some(first),
                ..
            },
            behind @ ..,
        ] = window
        else {
            continue;
        };
        let mut met_stranger = false;
        for (n, last) in behind.iter().enumerate() {
            if let Some(end) = last.number
                && pairs.has(*first, end)
            {
                // A required word must share a bag with the last one, or be skipped.
                let fits = |word: &Word| {
                    word.optional || word.number.is_some_and(|number| pairs.has(number, end))
                };
                let mut misfits = (1..).zip(&behind[..n]).filter(|(_, word)| !fits(word));
                let misfit = misfits.next().map(|(place, _)| place);
                if misfits.next().is_none() {
                    let words = &window[..n + 2];
                    if let Some(fullest) = Window::fullest(words, misfit, reading, choosing) {
                        found.push(fullest);
                    }
                }
            } else if !last.optional {
                // No bag contains both, and every longer window would need one unless it skips this
                // word.
                if met_stranger || !is_passable(reading, last.at) {
                    break;
                }
                met_stranger = true;
            }
        }
    }
}

/// Whether a content word may be skipped: it is not a finding by itself, a body part, a negation,
/// the start of another statement, or punctuation.
fn is_passable(reading: &Reading<'_>, at: usize) -> bool {
    let (first, form) = (reading.units[at].first, reading.forms[at]);
    let marks = [Mark::Trigger, Mark::Barrier, Mark::Ending, Mark::Statement];
    // Cheap check first: most candidates are punctuation.
    let token = &reading.tokens[first];
    !token.is_sign()
        && !token.is_number()
        && !form.is_bodily()
        && !form.denies
        && reading.units[at].form != CANNOT
        && !reading.traits[first].has_any([Trait::Single, Trait::Person])
        && !reading.marks.has_one_of(first, marks)
}

/// Classifies a unit that is neither a filler nor a person.
#[inline]
fn see(
    reading: &Reading<'_>,
    choosing: &Choosing<'_>,
    at: usize,
    (unit, form): (&Unit<'_>, &FormFacts),
) -> UnitRole {
    let is_modifier = |at: usize| {
        let unit = reading.units.get(at);
        unit.is_some_and(|unit| unit.role == Role::Modifier)
    };
    match form.joint {
        // "Sudden, painless loss of vision" is one phrase.
        Some(Joint::Comma) if at > 0 && is_modifier(at - 1) && is_modifier(at + 1) => {
            return UnitRole::PassedOver;
        }
        Some(Joint::And) => return UnitRole::And,
        Some(Joint::Or) => return UnitRole::Or,
        Some(Joint::Comma) | None => {}
    }
    if choosing.times[unit.first] || reading.tokens[unit.first].is_number() {
        UnitRole::PassedOver
    } else if let Some(number) = form.bag {
        UnitRole::Word(number)
    } else if is_optional(reading, unit, form) {
        UnitRole::Modifier
    } else {
        UnitRole::Stranger
    }
}

/// Whether a word may be left out of a bag: a modifier, a negation or a number word.
#[inline]
fn is_optional(reading: &Reading<'_>, unit: &Unit<'_>, form: &FormFacts) -> bool {
    let counts = || matches!(reading.entries[unit.first].number, Some(Number::Spoken(_)));
    unit.role == Role::Modifier || form.denies || counts()
}

impl<'a> Window<'a> {
    /// Returns the largest bag that matches the words: all of them, or all but one that may be
    /// skipped. If a word shares no bag with the last one (`misfit`, by position), it must be the
    /// one skipped.
    // Rarely taken: kept out of line so that the fast path stays small.
    #[inline(never)]
    fn fullest(
        words: &'a [Word],
        misfit: Option<u32>,
        reading: &Reading<'_>,
        choosing: &Choosing<'_>,
    ) -> Option<Match> {
        let without = |place: u32| {
            let gap = &words[place as usize];
            let may_pass = !gap.optional && is_passable(reading, gap.at);
            let window = || Window {
                words,
                gaps: 1 << place,
            };
            may_pass.then(|| window().fill(reading, choosing)).flatten()
        };
        match misfit {
            Some(place) => without(place),
            None => {
                let whole = Window { words, gaps: 0 }.fill(reading, choosing);
                let inner = 1..u32::try_from(words.len()).unwrap_or(1) - 1;
                whole.or_else(|| { inner }.find_map(without))
            }
        }
    }

    /// Returns the largest matching bag: with all modifiers and negations, or with some left out.
    fn fill(&self, reading: &Reading<'_>, choosing: &Choosing<'_>) -> Option<Match> {
        // No word may be skipped in a window with a negation.
        if self.gaps != 0 && self.words.iter().any(|word| word.denial) {
            return None;
        }
        let mut choices = subsets(self.optional()).map(|subset| subset | self.gaps);
        choices.find_map(|left_out| {
            // Too many words for any bag.
            let count = self.words.len() - left_out.count_ones() as usize;
            if count > BAG_WORDS_MAX {
                return None;
            }
            // Words that are in no bag are among the gaps.
            let kept = self.kept(left_out).filter_map(|word| word.number);
            let list = choosing.lexicon.bags.get(&BagKey::of(kept))?;
            self.met((list, left_out), reading, choosing)
        })
    }

    /// Returns the words that are not left out.
    #[inline]
    fn kept(&self, left_out: u32) -> impl Iterator<Item = &'a Word> {
        let words = self.words.iter().zip(0..);
        words
            .filter(move |(_, n)| left_out >> n & 1 == 0)
            .map(|(word, _)| word)
    }

    /// Returns the first of these bags that the text allows, with some words left out.
    // Rarely taken: kept out of line so that the fast path stays small.
    #[inline(never)]
    fn met(
        &self,
        (bags, left_out): (&[Bag], u32),
        reading: &Reading<'_>,
        choosing: &Choosing<'_>,
    ) -> Option<Match> {
        let kept = || self.kept(left_out);
        let count = kept().count();
        let denied = self.kept(!left_out).find(|word| word.denial);
        if self.denies_a_finding(reading, count, denied) {
            return None;
        }
        let usable = bags
            .iter()
            .filter(|bag| bag.joins || !self.is_joined(reading, count));
        let meaning = choosing.choose(usable.map(|bag| &bag.meaning))?;
        let mut core = Tokens::new();
        for unit in kept().map(|word| &reading.units[word.at]) {
            (unit.first..unit.last).for_each(|at| core.push(at));
        }
        let mended = core.iter().any(|&at| reading.mended[at]);
        Some(Match {
            confidence: confidence(meaning, self.trust(), mended),
            core,
            sense: meaning.sense,
            also: meaning.also,
            weight: kept().map(|word| if word.denial { 1 } else { 2 }).sum(),
            // "Not moving not talking" repeats the negation of "not moving or talking".
            denied_inside: denied.is_some() && !kept().any(|word| word.denial),
        })
    }

    fn trust(&self) -> f64 {
        if self.gaps == 0 { AS_BAG } else { WITH_GAP }
    }

    /// Returns a bit mask of the words that may be left out.
    fn optional(&self) -> u32 {
        let inner = (1..).zip(&self.words[1..self.words.len() - 1]);
        inner
            .filter(|(_, word)| word.optional)
            .take(OPTIONAL_MAX)
            .fold(0, |bits, (n, _)| bits | 1_u32 << n)
    }

    /// Whether the words are joined like those of two separate phrases, given how many of them are
    /// kept. "The skin is thick and rough" is still one phrase; "frequency or urgency" and "pain
    /// and swelling of the knee" are two.
    fn is_joined(&self, reading: &Reading<'_>, kept: usize) -> bool {
        let joiners = |word: Option<&Word>| word.map(|word| word.joiners).unwrap_or_default();
        let (before, behind) = (joiners(self.words.first()), joiners(self.words.last()));
        if before == behind {
            return false;
        }
        let denies = |word: &Word| word.denial || reading.units[word.at].form == CANNOT;
        let is_plain = self.gaps == 0 && !self.words.iter().any(denies);
        let complaints = self
            .words
            .iter()
            .filter(|word| reading.forms[word.at].complaint);
        let is_one = kept >= WORDS_FOR_JOINER
            && is_plain
            && before.or == behind.or
            && complaints.count() < 2;
        !is_one
    }

    /// Whether a negation belongs to a single finding instead of the phrase. "vomiting, no
    /// stooling" negates the second finding: it does not contain the phrase "no stool", and "late
    /// ... not" is not "not late". But "neck is not stiff" negates the phrase. The first and the
    /// last word are always kept.
    fn denies_a_finding(&self, reading: &Reading<'_>, kept: usize, denied: Option<&Word>) -> bool {
        let is_finding = |at: usize| {
            let unit = reading.units.get(at);
            unit.is_some_and(|unit| reading.traits[unit.first].has(Trait::Single))
        };
        // "no urinary symptoms" negates symptoms, not urine.
        let goes_on = |at: usize| reading.tells(at + 1);
        let ends = (self.words.first(), self.words.last());
        let only_denied = match ends {
            (Some(not), Some(word)) if kept == 2 => {
                not.denial && (is_finding(word.at) || goes_on(word.at))
            }
            _ => false,
        };
        let ends_in_denial = ends.1.is_some_and(|word| word.denial);
        ends_in_denial || only_denied || denied.is_some_and(|denied| is_finding(denied.at + 1))
    }
}

/// Returns every subset of a bit mask, starting with the empty one.
fn subsets(bits: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(0), move |choice: &u32| {
        let next = choice.wrapping_sub(bits) & bits;
        (next != 0).then_some(next)
    })
}
