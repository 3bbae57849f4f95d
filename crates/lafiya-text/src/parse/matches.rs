//! Finding the phrases of the lexicon in a text: all that fit, then the best ones that do not overlap.
//!
//! What a match means for the patient (denied, past, somebody else's) is not decided here.

use std::cell::OnceCell;
use std::num::NonZeroU32;
use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Sex};
use smallvec::SmallVec;

use super::bags;
use super::dictionary::FormFacts;
use super::lexicon::{Lexicon, Meaning, Sense, limits};
use super::reading::Reading;
use super::spotted::is_danger;
use super::traits::Trait;
use crate::canon::Role;
use crate::fold::Token;
use crate::hash::FastMap;

/// Places of tokens, in order: few, mostly.
pub(super) type Tokens = SmallVec<[usize; FEW]>;
const FEW: usize = 4;

/// The places of a row of tokens.
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
    /// The tokens that carry it.
    pub core: Tokens,
    pub sense: Sense,
    /// 0 to 1.
    pub confidence: f64,
    /// A second concept that the phrase says.
    pub also: Option<ConceptRef>,
    /// Telling words it explains, doubled; a denial among them counts half.
    pub weight: usize,
    /// A denial stands between its words ("neck is not stiff").
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

/// What choosing a meaning needs.
pub(super) struct Choosing<'a> {
    pub base: &'a KnowledgeBase,
    pub lexicon: &'a Lexicon,
    pub sex: Option<Sex>,
    pub age: Option<Age>,
    /// Languages of which the text shows a cue: found out when a phrase asks for one, which few do.
    pub languages: Languages<'a>,
    /// Tokens of times, ages and the like: passed over inside a phrase ("my period is two weeks late"), and never a word of
    /// one (who is "6 months old with cough" has not coughed for months).
    pub times: Vec<bool>,
}

/// Phrases of a language below this need a cue of it.
const SURE_OF_LANGUAGE: f32 = 0.8;
const WRITTEN: f64 = 1.0;
const MENDED: f64 = 0.85;
/// A match that is less sure shares no word with a better one.
const SURE_TO_SHARE: f64 = 0.9;
/// Tokens back to the word that makes a doubtful one a finding.
const ONLY_AFTER_REACH: usize = 3;

/// All matches, in the order of the text. Few share a token that carries them (`may_share`).
pub(super) fn find(reading: &Reading<'_>, choosing: &Choosing<'_>) -> Vec<Match> {
    let mut candidates = written(reading, choosing);
    let in_order = candidates.len();
    bags::find(reading, choosing, &mut candidates);
    let mut claims = vec![0_u16; reading.len()];
    for it in &candidates {
        for &at in &it.core {
            claims[at] = claims[at].saturating_add(1);
        }
    }
    // What shares its tokens with no other is chosen whatever its rank.
    let is_alone = |it: &Match| it.core.iter().all(|&at| claims[at] == 1);
    let mut chosen: Vec<bool> = candidates.iter().map(is_alone).collect();
    // Matches are bulky: their ranks are sorted in their place, the best last. Of equals the one found first is taken.
    let mut order: Vec<u128> = Vec::with_capacity(candidates.len());
    let rivals = (0..candidates.len()).filter(|&n| !chosen[n]);
    order.extend(rivals.map(|n| u128::from(rank(&candidates[n])) << 64 | u128::from(!(n as u64))));
    order.sort_unstable();
    // Who has taken each token, by number from one on.
    let mut taken: Vec<Option<NonZeroU32>> = vec![None; reading.len()];
    for ranked in order.into_iter().rev() {
        let n = !(ranked as u64) as usize;
        let core = &candidates[n].core;
        let is_own = |at: usize| taken[at].is_none() && !reading.is_light(at);
        let may_share = || {
            let owners = core.iter().filter_map(|&at| taken[at]);
            let owners = owners.map(|it| &candidates[it.get() as usize - 1]);
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
    // Bags stand behind what is as written, which stands in the order of the text.
    let has_bags = chosen[in_order..].contains(&true);
    let mut chosen = chosen.into_iter();
    candidates.retain(|_| chosen.next().unwrap_or_default());
    if has_bags {
        candidates.sort_by_key(Match::first);
    }
    candidates
}

/// "Lips are swelling after eating nuts" says two things of the swelling: a sure phrase may share one word with another finding, and
/// that of a danger more than one. What denies is nobody else's.
fn may_share(it: &Match, owners: &[&Match], reading: &Reading<'_>, base: &KnowledgeBase) -> bool {
    let denies = |&at: &usize| reading.forms[reading.unit_of(at)].denies;
    let shared_max = match it.sense {
        Sense::Has(concept) if is_danger(base, concept) => it.core.len() - 1,
        Sense::Has(_) => 1,
        _ => 0,
    };
    let is_another =
        |owner: &&Match| matches!(owner.sense, Sense::Has(_)) && owner.sense != it.sense;
    owners.len() <= shared_max
        && it.confidence >= SURE_TO_SHARE
        && !it.core.iter().any(denies)
        && owners.iter().all(is_another)
}

/// What is taken first: the match that explains more, more surely, over more of the text. Of equals the earlier one.
fn rank(it: &Match) -> u64 {
    let span = it.core.last().copied().unwrap_or_default() - it.first();
    let weight = u8::try_from(it.weight).unwrap_or(u8::MAX);
    // A whole number of hundredths, so the nearest is exactly it.
    let sure = (it.confidence * 100.0 + 0.5) as u8;
    let span = u16::try_from(span).unwrap_or(u16::MAX);
    let early = u32::MAX - u32::try_from(it.first()).unwrap_or(u32::MAX);
    u64::from(weight) << 56 | u64::from(sure) << 48 | u64::from(span) << 32 | u64::from(early)
}

/// The phrases that stand in the text as written, in its order.
// Apart from what is done with them: each finds its registers.
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
        let behind = || reading.entries[at + 1..].iter().map(|it| &it.word);
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
        // A word without weight is never a finding by itself ("does" is no "DOE").
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

/// "no urine frequency" denies the frequency: the phrase "no urine" is not said.
fn denies_more(reading: &Reading<'_>, at: usize, length: usize) -> bool {
    if length != 2 {
        return false;
    }
    let denies = reading.units.get(reading.unit_from(at));
    denies.is_some_and(|it| it.form == "not" && it.first == at)
        && reading.tells(reading.unit_from(at + length))
}

/// "it burns", "I fit swallow": the word is no noun here. Inside a set expression ("no fit") it is not itself at all.
fn is_verb(reading: &Reading<'_>, at: usize) -> bool {
    // "No fits" are some that are not there; "no fit" is Pidgin for what somebody cannot do.
    let several = || reading.words[at - 1] == "no" && reading.words[at].ends_with('s');
    reading.is_compound(at)
        || reading.traits[at].has(Trait::Noun)
            && at > 0
            && reading.traits[at - 1].has(Trait::BeforeVerb)
            && !several()
}

/// "a faint rash", "a fit young man": the word tells how something else is.
fn is_quality(reading: &Reading<'_>, lexicon: &Lexicon, at: usize) -> bool {
    let traits = reading.traits[at];
    (traits.has(Trait::Adjective) && is_followed(reading, at))
        || (traits.has(Trait::OnlyAfter) && lacks_sign(reading, lexicon, at))
}

/// Whether another telling word follows at once.
fn is_followed(reading: &Reading<'_>, at: usize) -> bool {
    let next = reading.units.get(reading.unit_from(at + 1));
    next.is_some_and(|it| {
        it.role == Role::Content
            && !reading.tokens[it.first].is_sign()
            && !matches!(it.form, "and" | "or" | "not")
    })
}

/// Whether none of the words stands before it that make it a finding.
#[inline(never)]
fn lacks_sign(reading: &Reading<'_>, lexicon: &Lexicon, at: usize) -> bool {
    let only_after = lexicon.only_after.get(reading.words[at]);
    only_after.is_some_and(|before| {
        !(at.saturating_sub(ONLY_AFTER_REACH)..at)
            .any(|n| before.contains(reading.words[n]) && reading.same_sentence(n, at))
    })
}

/// Adds what a phrase as written means, where it means something.
fn as_written(
    reading: &Reading<'_>,
    choosing: &Choosing<'_>,
    (at, meanings): (Range<usize>, &[Meaning]),
    found: &mut Vec<Match>,
) {
    let is_usable = |it: &&Meaning| !it.capitals || is_loud(reading, at.clone());
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

/// Whether a phrase is written in capitals, where they mean something.
// Few phrases ask for them: kept out of the way of the others.
#[cold]
fn is_loud(reading: &Reading<'_>, at: Range<usize>) -> bool {
    let is_loud = |token: &Token| token.capitals || token.is_number();
    reading.tokens[at].iter().all(is_loud) && !reading.all_capitals
}

/// The weight of one telling word. No phrase has less.
const WORD: usize = 2;

/// The weight of a phrase as written.
fn weight(reading: &Reading<'_>, at: Range<usize>) -> usize {
    // One token is of one unit.
    if at.end - at.start == 1 {
        return WORD;
    }
    // A unit that begins before the phrase ("is not" before "not sucking well") counts too.
    let telling = reading.unit_of(at.start)..reading.unit_from(at.end);
    let units = reading.units[telling.clone()].iter();
    let weights = units
        .zip(&reading.forms[telling])
        .map(|(unit, form)| unit_weight(*form, unit.role));
    weights.sum::<usize>().max(WORD)
}

impl Choosing<'_> {
    /// The best meaning that sex, age and language allow: the first, for the lexicon has the best first.
    pub(super) fn choose<'m>(
        &self,
        meanings: impl Iterator<Item = &'m Meaning>,
    ) -> Option<&'m Meaning> {
        let mut meanings = meanings;
        meanings.find(|it| self.possible(it) && self.spoken(it))
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

    /// A doubtful phrase of a language needs another word of that language beside it.
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

/// How surely words mean it that were found in some way.
pub(super) fn confidence(meaning: &Meaning, way: f64, mended: bool) -> f64 {
    let sure = f64::from(meaning.confidence) * way * if mended { MENDED } else { 1.0 };
    // To the nearest hundredth. Sure of 0 to 1, so it is enough to leave off the rest.
    let hundredths = (sure * 100.0 + 0.5) as u8;
    f64::from(hundredths) / 100.0
}

/// The languages whose cue words the text has: two short ones, or one that is long.
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
