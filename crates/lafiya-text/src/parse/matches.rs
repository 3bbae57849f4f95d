//! Finds the phrases of the lexicon in a text: all candidates first, then the best ones that do not
//! overlap.
//!
//! What a match means for the patient (negated, past, about another person) is not decided here.

use std::cell::OnceCell;
use std::num::NonZeroU32;
use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Sex};
use smallvec::SmallVec;

use super::bags;
use super::dictionary::FormFacts;
use super::draft_mention::is_danger;
use super::lexicon::{Lexicon, Meaning, Sense, limits};
use super::reading::Reading;
use super::traits::Trait;
use crate::canon::Role;
use crate::fold::Token;
use crate::hash::FastMap;

/// Token indices in ascending order; mostly few.
pub(super) type Tokens = SmallVec<[usize; FEW]>;
const FEW: usize = 4;

/// Returns the indices of a range of tokens.
pub(super) fn tokens(row: Range<usize>) -> Tokens {
    let (first, length) = (row.start, row.end - row.start);
    if length <= FEW {
        Tokens::from_buf_and_len([first, first + 1, first + 2, first + 3], length)
    } else {
        row.collect()
    }
}

/// A phrase found in the text.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The tokens it covers.
    pub core: Tokens,
    pub sense: Sense,
    /// From 0 to 1.
    pub confidence: f64,
    /// A second concept that the phrase means.
    pub also: Option<ConceptRef>,
    /// Twice the number of content words it covers; a negation among them counts half.
    pub weight: usize,
    /// Whether a negation is between its words ("neck is not stiff").
    pub denied_inside: bool,
}

impl Match {
    pub(super) fn first(&self) -> usize {
        self.core[0]
    }

    pub(super) fn concept(&self) -> Option<ConceptRef> {
        self.sense.concept()
    }
}

/// The context for choosing a meaning.
pub(super) struct Choosing<'a> {
    pub base: &'a KnowledgeBase,
    pub lexicon: &'a Lexicon,
    pub sex: Option<Sex>,
    pub age: Option<Age>,
    /// Languages with a cue word in the text. Determined on demand, because few phrases need it.
    pub languages: Languages<'a>,
    /// Tokens of times, ages and the like. They are skipped inside a phrase ("my period is two
    /// weeks late") and are never part of one ("6 months old with cough" does not mean a cough for
    /// months).
    pub times: Vec<bool>,
}

/// Phrases of another language with a lower confidence need a cue word of that language.
const SURE_OF_LANGUAGE: f32 = 0.8;
const WRITTEN: f64 = 1.0;
const MENDED: f64 = 0.85;
/// Minimum confidence for sharing a word with a better match.
const SURE_TO_SHARE: f64 = 0.9;
/// Maximum tokens back to the word that makes a doubtful word a finding.
const ONLY_AFTER_REACH: usize = 3;

/// Returns all matches in text order. Few of them share a token (see `may_share`).
pub(super) fn find(reading: &Reading<'_>, choosing: &Choosing<'_>) -> Vec<Match> {
    let mut candidates = written(reading, choosing);
    let in_order = candidates.len();
    bags::find(reading, choosing, &mut candidates);
    let mut claims = vec![0_u16; reading.len()];
    for matched in &candidates {
        for &at in &matched.core {
            claims[at] = claims[at].saturating_add(1);
        }
    }
    // A match that shares its tokens with no other is chosen whatever its rank.
    let is_alone = |matched: &Match| matched.core.iter().all(|&at| claims[at] == 1);
    let mut chosen: Vec<bool> = candidates.iter().map(is_alone).collect();
    // Sorts compact ranks instead of the large matches, the best last. Among equals, the one found
    // first is taken.
    let mut order: Vec<u128> = Vec::with_capacity(candidates.len());
    let rivals = (0..candidates.len()).filter(|&n| !chosen[n]);
    order.extend(rivals.map(|n| u128::from(rank(&candidates[n])) << 64 | u128::from(!(n as u64))));
    order.sort_unstable();
    // The match that took each token, numbered from one.
    let mut taken: Vec<Option<NonZeroU32>> = vec![None; reading.len()];
    for ranked in order.into_iter().rev() {
        let n = !(ranked as u64) as usize;
        let core = &candidates[n].core;
        let is_own = |at: usize| taken[at].is_none() && !reading.is_light(at);
        let may_share = || {
            let owners = core.iter().filter_map(|&at| taken[at]);
            let owners = owners.map(|owner| &candidates[owner.get() as usize - 1]);
            let owners: SmallVec<[&Match; FEW]> = owners.collect();
            may_share(&candidates[n], &owners, reading, choosing.base)
        };
        let is_taken = core.iter().any(|&at| taken[at].is_some());
        if is_taken && !(core.iter().any(|&at| is_own(at)) && may_share()) {
            continue;
        }
        let own = NonZeroU32::new(n as u32 + 1);
        core.iter().for_each(|&at| taken[at] = taken[at].or(own));
        chosen[n] = true;
    }
    // Bag matches come after the matches as written, which are in text order.
    let has_bags = chosen[in_order..].contains(&true);
    let mut chosen = chosen.into_iter();
    candidates.retain(|_| chosen.next().unwrap_or_default());
    if has_bags {
        candidates.sort_by_key(Match::first);
    }
    candidates
}

/// Whether a match may share tokens with better matches. "Lips are swelling after eating nuts" says
/// two things about the swelling: a confident phrase may share one word with another finding, and a
/// danger sign may share more than one. A negation cannot be shared.
fn may_share(
    matched: &Match,
    owners: &[&Match],
    reading: &Reading<'_>,
    base: &KnowledgeBase,
) -> bool {
    let denies = |&at: &usize| reading.forms[reading.unit_of(at)].denies;
    let shared_max = match matched.sense {
        Sense::Has(concept) if is_danger(base, concept) => matched.core.len() - 1,
        Sense::Has(_) => 1,
        _ => 0,
    };
    let is_another =
        |owner: &&Match| matches!(owner.sense, Sense::Has(_)) && owner.sense != matched.sense;
    owners.len() <= shared_max
        && matched.confidence >= SURE_TO_SHARE
        && !matched.core.iter().any(denies)
        && owners.iter().all(is_another)
}

/// Sort key: the match that covers more content words comes first, then the more confident one,
/// then the longer span. Among equals, the earlier one.
fn rank(matched: &Match) -> u64 {
    let span = matched.core.last().copied().unwrap_or_default() - matched.first();
    let weight = u8::try_from(matched.weight).unwrap_or(u8::MAX);
    // Confidence is always a whole number of hundredths, so rounding is exact.
    let sure = (matched.confidence * 100.0 + 0.5) as u8;
    let span = u16::try_from(span).unwrap_or(u16::MAX);
    let early = u32::MAX - u32::try_from(matched.first()).unwrap_or(u32::MAX);
    u64::from(weight) << 56 | u64::from(sure) << 48 | u64::from(span) << 32 | u64::from(early)
}

/// Returns the phrases that match as written, in text order.
// Kept separate from its caller for better register allocation.
#[inline(never)]
fn written(reading: &Reading<'_>, choosing: &Choosing<'_>) -> Vec<Match> {
    let lexicon = choosing.lexicon;
    let mut found = Vec::with_capacity(reading.len() / 2);
    for (at, entry) in reading.entries.iter().enumerate() {
        let traits = entry.traits;
        if !traits.has_any([Trait::Written, Trait::Ignored, Trait::Single]) {
            continue;
        }
        let mut enter = |length: usize, meanings: &[Meaning]| {
            as_written(reading, choosing, (at..at + length, meanings), &mut found);
        };
        let behind = || reading.entries[at + 1..].iter().map(|entry| &entry.word);
        let next = behind().next();
        if let Some(begun) = entry.written
            && let next = next.map(|word| word.stem_key)
            && lexicon.written.may_begin(begun, next)
        {
            let stems = behind().map(|word| word.stem_key);
            lexicon.written.each_from(begun, stems, |length, meanings| {
                if !denies_more(reading, at, length) {
                    enter(length, meanings);
                }
            });
        }
        if let Some(begun) = entry.ignored
            && let next = next.map(|word| word.singular_key)
            && lexicon.ignored.may_begin(begun, next)
        {
            let singulars = behind().map(|word| word.singular_key);
            lexicon.ignored.each_from(begun, singulars, &mut enter);
        }
        // A light word is never a finding by itself ("does" is not "DOE").
        if let Some(single) = entry.single
            && !reading.is_light(at)
            && !is_verb(reading, at)
            && !is_quality(reading, lexicon, at)
        {
            enter(1, &lexicon.singles[single]);
        }
    }
    found
}

/// "no urine frequency" negates the frequency; it does not contain the phrase "no urine".
fn denies_more(reading: &Reading<'_>, at: usize, length: usize) -> bool {
    if length != 2 {
        return false;
    }
    let denies = reading.units.get(reading.unit_from(at));
    denies.is_some_and(|deny| deny.form == "not" && deny.first == at)
        && reading.tells(reading.unit_from(at + length))
}

/// Whether a word is used as a verb, not as a noun: "it burns", "I fit swallow". Inside a set
/// expression ("no fit") it does not have its own meaning at all.
fn is_verb(reading: &Reading<'_>, at: usize) -> bool {
    // "No fits" negates fits; "no fit" is Pidgin for "cannot".
    let several = || reading.words[at - 1] == "no" && reading.words[at].ends_with('s');
    reading.is_compound(at)
        || reading.traits[at].has(Trait::Noun)
            && at > 0
            && reading.traits[at - 1].has(Trait::BeforeVerb)
            && !several()
}

/// Whether a word only qualifies another: "a faint rash", "a fit young man".
fn is_quality(reading: &Reading<'_>, lexicon: &Lexicon, at: usize) -> bool {
    let traits = reading.traits[at];
    (traits.has(Trait::Adjective) && is_followed(reading, at))
        || (traits.has(Trait::OnlyAfter) && lacks_sign(reading, lexicon, at))
}

/// Whether another content word follows directly.
fn is_followed(reading: &Reading<'_>, at: usize) -> bool {
    let next = reading.units.get(reading.unit_from(at + 1));
    next.is_some_and(|unit| {
        unit.role == Role::Content
            && !reading.tokens[unit.first].is_sign()
            && !matches!(unit.form, "and" | "or" | "not")
    })
}

/// Whether the word lacks a preceding word that would make it a finding.
#[inline(never)]
fn lacks_sign(reading: &Reading<'_>, lexicon: &Lexicon, at: usize) -> bool {
    let only_after = lexicon.only_after.get(reading.words[at]);
    only_after.is_some_and(|before| {
        !(at.saturating_sub(ONLY_AFTER_REACH)..at)
            .any(|n| before.contains(reading.words[n]) && reading.same_sentence(n, at))
    })
}

/// Adds the meaning of a phrase matched as written, if it has one.
fn as_written(
    reading: &Reading<'_>,
    choosing: &Choosing<'_>,
    (at, meanings): (Range<usize>, &[Meaning]),
    found: &mut Vec<Match>,
) {
    let is_usable = |meaning: &&Meaning| !meaning.capitals || is_loud(reading, at.clone());
    let usable = meanings.iter().filter(is_usable);
    let Some(meaning) = choosing.choose(usable) else {
        return;
    };
    let mended = reading.mended[at.clone()].contains(&true);
    found.push(Match {
        core: tokens(at.clone()),
        confidence: confidence(meaning, WRITTEN, mended),
        sense: meaning.sense,
        also: meaning.also,
        weight: weight(reading, at),
        denied_inside: false,
    });
}

/// Whether a phrase is written in capitals in a text where capitals are significant.
// Rarely taken: few phrases require capitals.
#[cold]
fn is_loud(reading: &Reading<'_>, at: Range<usize>) -> bool {
    let is_loud = |token: &Token| token.capitals || token.is_number();
    reading.tokens[at].iter().all(is_loud) && !reading.all_capitals
}

/// The weight of one content word, which is the minimum for a phrase.
const WORD: usize = 2;

/// Returns the weight of a phrase matched as written.
fn weight(reading: &Reading<'_>, at: Range<usize>) -> usize {
    // A single token belongs to one unit.
    if at.end - at.start == 1 {
        return WORD;
    }
    // A unit that begins before the phrase ("is not" before "not sucking well") also counts.
    let telling = reading.unit_of(at.start)..reading.unit_from(at.end);
    let units = reading.units[telling.clone()].iter();
    let weights = units
        .zip(&reading.forms[telling])
        .map(|(unit, form)| unit_weight(*form, unit.role));
    weights.sum::<usize>().max(WORD)
}

impl Choosing<'_> {
    /// Returns the best meaning that sex, age and language allow. The lexicon is sorted, so the
    /// first one is the best.
    pub(super) fn choose<'m>(
        &self,
        meanings: impl Iterator<Item = &'m Meaning>,
    ) -> Option<&'m Meaning> {
        let mut meanings = meanings;
        meanings.find(|meaning| self.possible(meaning) && self.spoken(meaning))
    }

    #[inline]
    fn possible(&self, meaning: &Meaning) -> bool {
        meaning.in_anybody
            || meaning.sense.concept().is_none_or(|concept| {
                let (sexes, ages) = limits(self.base, concept);
                self.sex.is_none_or(|sex| sexes.allows(sex))
                    && self.age.is_none_or(|age| ages.contains(age))
            })
    }

    /// Whether a meaning's language fits. A doubtful phrase of another language needs another word
    /// of that language in the text.
    fn spoken(&self, meaning: &Meaning) -> bool {
        let Some(language) = meaning.language else {
            return true;
        };
        meaning.confidence >= SURE_OF_LANGUAGE
            || self.languages.has(self.lexicon.language_name(language))
    }
}

fn unit_weight(form: FormFacts, role: Role) -> usize {
    match role {
        _ if form.denies => 1,
        Role::Content | Role::Modifier => WORD,
        Role::Person | Role::Filler => 0,
    }
}

/// Returns the confidence of a meaning that was found in a certain way.
pub(super) fn confidence(meaning: &Meaning, way: f64, mended: bool) -> f64 {
    let sure = f64::from(meaning.confidence) * way * if mended { MENDED } else { 1.0 };
    // Rounds to hundredths. The value is between 0 and 1, so adding one half and truncating is
    // enough.
    let hundredths = (sure * 100.0 + 0.5) as u8;
    f64::from(hundredths) / 100.0
}

/// The languages whose cue words occur in the text: two short ones, or one long one.
pub(super) struct Languages<'a> {
    reading: &'a Reading<'a>,
    cues: &'a FastMap<String, Vec<String>>,
    spoken: OnceCell<Vec<&'a str>>,
}

impl<'a> Languages<'a> {
    pub(super) fn of(reading: &'a Reading<'a>, cues: &'a FastMap<String, Vec<String>>) -> Self {
        Self {
            reading,
            cues,
            spoken: OnceCell::new(),
        }
    }

    fn has(&self, language: &str) -> bool {
        self.spoken.get_or_init(|| self.find()).contains(&language)
    }

    fn find(&self) -> Vec<&'a str> {
        let mut shown: FastMap<&str, usize> = FastMap::default();
        let words = self.reading.words.iter().zip(&self.reading.traits);
        for (&word, _) in words.filter(|(_, traits)| traits.has(Trait::Cue)) {
            for language in self.cues.get(word).into_iter().flatten() {
                *shown.entry(language).or_default() += if word.len() > 3 { 2 } else { 1 };
            }
        }
        let spoken = shown.into_iter().filter(|(_, count)| *count >= 2);
        spoken.map(|(language, _)| language).collect()
    }
}
