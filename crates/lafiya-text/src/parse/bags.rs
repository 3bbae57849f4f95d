//! Bags of telling words: phrases met in any order, with nothing but fillers, modifiers, times and denials between.
//!
//! "Pain for my right leg" and "leg dey pain me" fill the bag {leg, pain}. The words at both ends belong to the bag; a
//! modifier or a denial between them may be left out, and a denial that is left out denies the phrase. One word more may
//! be passed over: "chest dey pain me like say dem press am" fills {chest, pain, press}.

use super::dictionary::{FormFacts, Joint, Number};
use super::lexicon::{BAG_WORDS_MAX, Bag, BagKey, BagNumber};
use super::marks::Mark;
use super::matches::{Choosing, Match, Tokens, confidence};
use super::reading::Reading;
use super::traits::Trait;
use crate::canon::{Role, Unit};

const AS_BAG: f64 = 0.92;
/// Modifiers and denials that may be left out of one window.
const OPTIONAL_MAX: usize = 4;
const WINDOW_MAX: usize = BAG_WORDS_MAX + 2;
/// An "and" that the phrase does not have ("the skin is thick and rough") is borne by a bag of so many.
const WORDS_FOR_JOINER: usize = 3;
/// A match that passes over a word that means something is less sure.
const WITH_GAP: f64 = 0.8;
/// The form of what denies that somebody is able to.
const CANNOT: &str = "cant";
/// Words that most rows do not exceed.
const ROW: usize = 16;

/// A unit as bags see it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// A word of some bag.
    Word(BagNumber),
    /// A modifier that no bag has.
    Modifier,
    And,
    Or,
    PassedOver,
    /// Ends every window.
    Stranger,
}

/// A word of some bag, or one that may be passed over, where it stands.
#[derive(Clone, Copy)]
struct Word {
    /// The unit.
    at: usize,
    /// None where no bag has it.
    number: Option<BagNumber>,
    /// May be left out.
    optional: bool,
    /// The word "not".
    denial: bool,
    /// The joiners that stand before it in the text.
    joiners: Joiners,
}

/// Joiners of a text up to some place.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Joiners {
    and: u32,
    or: u32,
}

/// A window of words that may fill a bag.
struct Window<'a> {
    words: &'a [Word],
    /// The places of the words that are passed over, one bit each.
    gaps: u32,
}

/// Adds all bags that the text fills.
pub(super) fn find(reading: &Reading<'_>, choosing: &Choosing<'_>, found: &mut Vec<Match>) {
    let mut row: Vec<Word> = Vec::with_capacity(ROW);
    let mut joiners = Joiners::default();
    for (at, (unit, form)) in reading.units.iter().zip(&reading.forms).enumerate() {
        if unit.role.is_passed_over() {
            continue;
        }
        match see(reading, choosing, at, (unit, form)) {
            Seen::Word(number) => row.push(Word {
                at,
                number: Some(number),
                optional: is_optional(reading, unit, form),
                denial: form.denies,
                joiners,
            }),
            Seen::Stranger if is_passable(reading, at) => row.push(Word {
                at,
                number: None,
                optional: false,
                denial: false,
                joiners,
            }),
            Seen::And if !begins_statement(reading, at + 1) => joiners.and += 1,
            Seen::Or if !begins_statement(reading, at + 1) => joiners.or += 1,
            Seen::PassedOver | Seen::Modifier => {}
            // "My sister is a sickler and I have bone pain": no phrase goes on behind the "and".
            Seen::And | Seen::Or | Seen::Stranger => {
                fill(&row, reading, choosing, found);
                row.clear();
            }
        }
    }
    fill(&row, reading, choosing, found);
}

/// Whether somebody begins to speak of himself or another at a unit.
fn begins_statement(reading: &Reading<'_>, at: usize) -> bool {
    let unit = reading.units.get(at);
    unit.is_some_and(|it| reading.marks.has(it.first, Mark::Statement))
}

/// Every window in a row of words without a stranger among them.
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
                // A word that cannot be left out must be of a bag with the last one, too, or be passed over.
                let fits = |it: &Word| {
                    it.optional || it.number.is_some_and(|number| pairs.has(number, end))
                };
                let mut misfits = (1..).zip(&behind[..n]).filter(|(_, it)| !fits(it));
                let misfit = misfits.next().map(|(place, _)| place);
                if misfits.next().is_none() {
                    let words = &window[..n + 2];
                    if let Some(it) = Window::fullest(words, misfit, reading, choosing) {
                        found.push(it);
                    }
                }
            } else if !last.optional {
                // No bag has both, and every longer window would have to, unless it passes it over.
                if met_stranger || !is_passable(reading, last.at) {
                    break;
                }
                met_stranger = true;
            }
        }
    }
}

/// Whether a word may be passed over although it means something: no finding by itself, no part of the body, no denial,
/// nothing that begins another statement, and no sign.
fn is_passable(reading: &Reading<'_>, at: usize) -> bool {
    let (first, form) = (reading.units[at].first, reading.forms[at]);
    let marks = [Mark::Trigger, Mark::Barrier, Mark::Ending, Mark::Statement];
    // Most that are asked are signs.
    let token = &reading.tokens[first];
    !token.is_sign()
        && !token.is_number()
        && !form.is_bodily()
        && !form.denies
        && reading.units[at].form != CANNOT
        && !reading.traits[first].has_any([Trait::Single, Trait::Person])
        && !reading.marks.has_one_of(first, marks)
}

/// How bags see a unit that is neither a filler nor a person.
#[inline]
fn see(
    reading: &Reading<'_>,
    choosing: &Choosing<'_>,
    at: usize,
    (unit, form): (&Unit<'_>, &FormFacts),
) -> Seen {
    let is_modifier = |at: usize| {
        let unit = reading.units.get(at);
        unit.is_some_and(|it| it.role == Role::Modifier)
    };
    match form.joint {
        // "Sudden, painless loss of vision": one phrase.
        Some(Joint::Comma) if at > 0 && is_modifier(at - 1) && is_modifier(at + 1) => {
            return Seen::PassedOver;
        }
        Some(Joint::And) => return Seen::And,
        Some(Joint::Or) => return Seen::Or,
        Some(Joint::Comma) | None => {}
    }
    if choosing.times[unit.first] || reading.tokens[unit.first].is_number() {
        Seen::PassedOver
    } else if let Some(number) = form.bag {
        Seen::Word(number)
    } else if is_optional(reading, unit, form) {
        Seen::Modifier
    } else {
        Seen::Stranger
    }
}

/// Whether a word may be left out of a bag: a modifier, a denial or a number in words.
#[inline]
fn is_optional(reading: &Reading<'_>, unit: &Unit<'_>, form: &FormFacts) -> bool {
    let counts = || matches!(reading.entries[unit.first].number, Some(Number::Spoken(_)));
    unit.role == Role::Modifier || form.denies || counts()
}

impl<'a> Window<'a> {
    /// The fullest bag of some words: all of them, or all but one that may be passed over. A word that is in no bag with the last
    /// (`misfit`, by place) must be that one.
    // Few get here: kept out of the way of those who do not.
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

    /// The fullest bag: with all modifiers and denials, or with some left out.
    fn fill(&self, reading: &Reading<'_>, choosing: &Choosing<'_>) -> Option<Match> {
        // Where a word is passed over and one denies, every word counts.
        if self.gaps != 0 && self.words.iter().any(|it| it.denial) {
            return None;
        }
        let mut choices = subsets(self.optional()).map(|it| it | self.gaps);
        choices.find_map(|left_out| {
            // Too many words for any bag.
            let count = self.words.len() - left_out.count_ones() as usize;
            if count > BAG_WORDS_MAX {
                return None;
            }
            // What is in no bag is among the gaps.
            let kept = self.kept(left_out).filter_map(|it| it.number);
            let list = choosing.lexicon.bags.get(&BagKey::of(kept))?;
            self.met((list, left_out), reading, choosing)
        })
    }

    /// The words but those that are left out.
    #[inline]
    fn kept(&self, left_out: u32) -> impl Iterator<Item = &'a Word> {
        let words = self.words.iter().zip(0..);
        words
            .filter(move |(_, n)| left_out >> n & 1 == 0)
            .map(|(it, _)| it)
    }

    /// What the first of these bags means that the text allows, where some words are left out.
    // Few get here: kept out of the way of those who do not.
    #[inline(never)]
    fn met(
        &self,
        (bags, left_out): (&[Bag], u32),
        reading: &Reading<'_>,
        choosing: &Choosing<'_>,
    ) -> Option<Match> {
        let kept = || self.kept(left_out);
        let count = kept().count();
        let denied = self.kept(!left_out).find(|it| it.denial);
        if self.denies_a_finding(reading, count, denied) {
            return None;
        }
        let usable = bags
            .iter()
            .filter(|bag| bag.joins || !self.is_joined(reading, count));
        let meaning = choosing.choose(usable.map(|bag| &bag.meaning))?;
        let mut core = Tokens::new();
        for unit in kept().map(|it| &reading.units[it.at]) {
            (unit.first..unit.last).for_each(|at| core.push(at));
        }
        let mended = core.iter().any(|&at| reading.mended[at]);
        Some(Match {
            confidence: confidence(meaning, self.trust(), mended),
            core,
            sense: meaning.sense,
            also: meaning.also,
            weight: kept().map(|it| if it.denial { 1 } else { 2 }).sum(),
            // "Not moving not talking" says twice what "not moving or talking" says once.
            denied_inside: denied.is_some() && !kept().any(|it| it.denial),
        })
    }

    fn trust(&self) -> f64 {
        if self.gaps == 0 { AS_BAG } else { WITH_GAP }
    }

    /// The places of the words that may be left out, one bit each.
    fn optional(&self) -> u32 {
        let inner = (1..).zip(&self.words[1..self.words.len() - 1]);
        inner
            .filter(|(_, it)| it.optional)
            .take(OPTIONAL_MAX)
            .fold(0, |bits, (n, _)| bits | 1_u32 << n)
    }

    /// Whether its words are joined as those of two phrases would be, where so many of them are kept. "The skin is thick and rough" is
    /// one phrase all the same; "frequency or urgency" and "pain and swelling of the knee" are two.
    fn is_joined(&self, reading: &Reading<'_>, kept: usize) -> bool {
        let joiners = |word: Option<&Word>| word.map(|it| it.joiners).unwrap_or_default();
        let (before, behind) = (joiners(self.words.first()), joiners(self.words.last()));
        if before == behind {
            return false;
        }
        let denies = |it: &Word| it.denial || reading.units[it.at].form == CANNOT;
        let is_plain = self.gaps == 0 && !self.words.iter().any(denies);
        let complaints = self
            .words
            .iter()
            .filter(|it| reading.forms[it.at].complaint);
        let is_one = kept >= WORDS_FOR_JOINER
            && is_plain
            && before.or == behind.or
            && complaints.count() < 2;
        !is_one
    }

    /// "vomiting, no stooling" denies the second finding, and "no stooling" is not the phrase "no stool"; "late ... not" is
    /// not "not late". But "neck is not stiff" denies the phrase. Both ends are always among the words that are kept.
    fn denies_a_finding(&self, reading: &Reading<'_>, kept: usize, denied: Option<&Word>) -> bool {
        let is_finding = |at: usize| {
            let unit = reading.units.get(at);
            unit.is_some_and(|unit| reading.traits[unit.first].has(Trait::Single))
        };
        // "no urinary symptoms" denies symptoms, not urine.
        let goes_on = |at: usize| reading.tells(at + 1);
        let ends = (self.words.first(), self.words.last());
        let only_denied = match ends {
            (Some(not), Some(word)) if kept == 2 => {
                not.denial && (is_finding(word.at) || goes_on(word.at))
            }
            _ => false,
        };
        let ends_in_denial = ends.1.is_some_and(|it| it.denial);
        ends_in_denial || only_denied || denied.is_some_and(|it| is_finding(it.at + 1))
    }
}

/// Every choice among some bits, from none on.
fn subsets(bits: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(0), move |choice: &u32| {
        let next = choice.wrapping_sub(bits) & bits;
        (next != 0).then_some(next)
    })
}
