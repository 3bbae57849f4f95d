//! Finding the phrases of the lexicon in a text: all that fit, then the best ones that do not overlap.
//!
//! What a match means for the patient (denied, past, somebody else's) is not decided here.

use std::collections::HashMap;
use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Sex;

use super::lexicon::{BAG_WORDS_MAX, Bag, Lexicon, Meaning, Sense};
use super::reading::Reading;
use crate::canon::Role;

/// A phrase found in the text.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The tokens that carry it.
    pub core: Vec<usize>,
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
        match self.sense {
            Sense::Has(concept) | Sense::Lacks(concept) => Some(concept),
            Sense::Nothing => None,
        }
    }
}

/// What choosing a meaning needs.
pub(super) struct Choosing<'a> {
    pub base: &'a KnowledgeBase,
    pub lexicon: &'a Lexicon,
    pub sex: Option<Sex>,
    /// Languages of which the text shows a cue.
    pub languages: Vec<String>,
    /// Tokens of times: passed over inside a phrase ("my period is two weeks late").
    pub times: Vec<bool>,
}

/// Phrases of a language below this need a cue of it.
const SURE_OF_LANGUAGE: f32 = 0.8;
const WRITTEN: f64 = 1.0;
const AS_BAG: f64 = 0.92;
const MENDED: f64 = 0.85;

/// All matches, in the order of the text, no two sharing a token that carries them.
pub(super) fn find(reading: &Reading, choosing: &Choosing<'_>) -> Vec<Match> {
    let mut candidates = written(reading, choosing);
    candidates.extend(bags(reading, choosing));
    candidates.sort_by(|a, b| {
        let weight = |it: &Match| it.weight;
        let span = |it: &Match| it.core.last().copied().unwrap_or_default() - it.first();
        weight(b)
            .cmp(&weight(a))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(span(b).cmp(&span(a)))
            .then(a.core.cmp(&b.core))
    });
    let mut taken = vec![false; reading.len()];
    let mut chosen: Vec<Match> = Vec::new();
    for candidate in candidates {
        if candidate.core.iter().any(|&at| taken[at]) {
            continue;
        }
        for &at in &candidate.core {
            taken[at] = true;
        }
        chosen.push(candidate);
    }
    chosen.sort_by_key(Match::first);
    chosen
}

fn written(reading: &Reading, choosing: &Choosing<'_>) -> Vec<Match> {
    let stems: Vec<&str> = reading
        .apart
        .iter()
        .map(|word| word.stem.as_str())
        .collect();
    let mut found = Vec::new();
    for at in 0..stems.len() {
        for (length, meanings) in choosing.lexicon.written.all_at(&stems, at) {
            found.extend(as_written(reading, choosing, at..at + length, meanings));
        }
        if let Some(meanings) = choosing.lexicon.single.get(&reading.apart[at].singular) {
            // A word without weight is never a finding by itself ("does" is no "DOE").
            if !reading.light[at] && !is_verb(reading, choosing.lexicon, at) {
                found.extend(as_written(reading, choosing, at..at + 1, meanings));
            }
        }
    }
    found
}

/// "it burns", "I fit swallow": the word is no noun here. Inside a set expression ("no fit") it is not itself at all.
fn is_verb(reading: &Reading, lexicon: &Lexicon, at: usize) -> bool {
    let inside = reading
        .units
        .iter()
        .any(|unit| unit.last - unit.first > 1 && (unit.first..unit.last).contains(&at));
    inside
        || lexicon.nouns.contains(&reading.apart[at].singular)
            && at > 0
            && lexicon.before_verbs.contains(&reading.words[at - 1])
}

fn as_written(
    reading: &Reading,
    choosing: &Choosing<'_>,
    at: Range<usize>,
    meanings: &[Meaning],
) -> Option<Match> {
    let loud = reading.tokens[at.clone()]
        .iter()
        .all(|token| token.capitals)
        && !reading.all_capitals;
    let meaning = choosing.choose(meanings.iter().filter(|it| loud || !it.capitals))?;
    let telling = reading.units.iter().filter(|it| at.contains(&it.first));
    let weight = telling
        .map(|it| unit_weight(&it.form, it.role))
        .sum::<usize>()
        .max(2);
    let core: Vec<usize> = at.collect();
    Some(Match {
        confidence: confidence(reading, &core, meaning, WRITTEN),
        core,
        sense: meaning.sense,
        also: meaning.also,
        weight,
        denied_inside: false,
    })
}

/// Windows of telling words with nothing but fillers, modifiers and denials between them.
fn bags(reading: &Reading, choosing: &Choosing<'_>) -> Vec<Match> {
    let mut found = Vec::new();
    for start in 0..reading.units.len() {
        let mut window: Vec<usize> = Vec::new();
        let mut joined = false;
        for at in start..reading.units.len() {
            let unit = &reading.units[at];
            let in_time = choosing.times[unit.first] || reading.tokens[unit.first].is_number();
            if unit.role.is_passed_over() || (!window.is_empty() && in_time) {
                if window.is_empty() {
                    break;
                }
                continue;
            }
            if matches!(unit.form.as_str(), "and" | "or") && !window.is_empty() {
                joined = true;
                continue;
            }
            let usable = choosing.lexicon.bag_words.contains(&unit.form)
                || unit.role == Role::Modifier
                || unit.form == "not";
            if !usable || window.len() > BAG_WORDS_MAX + 1 {
                break;
            }
            window.push(at);
            if window.len() > 1 {
                found.extend(bag_of(reading, choosing, &window, joined));
            }
        }
    }
    found
}

/// The best bag that a window fills: with all its modifiers and denials, or with some left out. The ends must be in it.
fn bag_of(
    reading: &Reading,
    choosing: &Choosing<'_>,
    window: &[usize],
    joined: bool,
) -> Option<Match> {
    let inner = &window[1..window.len() - 1];
    let optional: Vec<usize> = inner
        .iter()
        .copied()
        .filter(|&at| reading.units[at].role == Role::Modifier || reading.units[at].form == "not")
        .collect();
    for dropped in 0..(1_usize << optional.len().min(4)) {
        let left_out = |at: &usize| {
            optional
                .iter()
                .position(|it| it == at)
                .is_some_and(|n| n < 4 && dropped >> n & 1 == 1)
        };
        let kept: Vec<usize> = window.iter().copied().filter(|at| !left_out(at)).collect();
        let mut forms: Vec<String> = kept
            .iter()
            .map(|&at| reading.units[at].form.clone())
            .collect();
        forms.sort();
        forms.dedup();
        if forms.len() != kept.len() {
            continue;
        }
        // "vomiting, no stooling" denies the second finding; "neck is not stiff" denies the phrase.
        let parts_findings = optional.iter().any(|at| {
            let after = reading
                .units
                .get(at + 1)
                .map(|unit| &reading.apart[unit.first].singular);
            left_out(at)
                && reading.units[*at].form == "not"
                && after.is_some_and(|it| choosing.lexicon.single.contains_key(it))
        });
        if parts_findings {
            continue;
        }
        // "no stooling" denies a finding; it is not the phrase "no stool".
        if kept.len() == 2 && reading.units[kept[0]].form == "not" {
            let word = &reading.apart[reading.units[kept[1]].first].singular;
            if choosing.lexicon.single.contains_key(word) {
                continue;
            }
        }
        // "not late" is not "late ... not": a denial that belongs to the phrase does not end it.
        let ends_in_denial = kept
            .last()
            .is_some_and(|&at| reading.units[at].form == "not");
        if ends_in_denial {
            continue;
        }
        let Some(list) = choosing.lexicon.bags.get(&forms) else {
            continue;
        };
        let usable: Vec<&Bag> = list.iter().filter(|bag| bag.joins || !joined).collect();
        let Some(meaning) = choosing.choose(usable.iter().map(|bag| &bag.meaning)) else {
            continue;
        };
        let denied_inside = optional
            .iter()
            .any(|at| left_out(at) && reading.units[*at].form == "not");
        let core: Vec<usize> = kept
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
                .map(|&at| unit_weight(&reading.units[at].form, reading.units[at].role))
                .sum(),
            denied_inside,
        });
    }
    None
}

impl Choosing<'_> {
    /// The best meaning that sex and language allow.
    pub(super) fn choose<'m>(
        &self,
        meanings: impl Iterator<Item = &'m Meaning>,
    ) -> Option<&'m Meaning> {
        meanings
            .filter(|it| self.possible(it) && self.spoken(it))
            .min_by_key(|it| (it.sense == Sense::Nothing, it.language.is_some(), it.kind))
    }

    fn possible(&self, meaning: &Meaning) -> bool {
        let (Sense::Has(concept) | Sense::Lacks(concept)) = meaning.sense else {
            return true;
        };
        let Some(sex) = self.sex else { return true };
        match concept {
            ConceptRef::Finding(ix) => self.base.finding(ix).sex.allows(sex),
            ConceptRef::Risk(ix) => self.base.risk(ix).sex.allows(sex),
            _ => true,
        }
    }

    /// A doubtful phrase of a language needs another word of that language beside it.
    fn spoken(&self, meaning: &Meaning) -> bool {
        let Some(language) = &meaning.language else {
            return true;
        };
        meaning.confidence >= SURE_OF_LANGUAGE || self.languages.contains(language)
    }
}

fn unit_weight(form: &str, role: Role) -> usize {
    match role {
        _ if form == "not" => 1,
        Role::Content | Role::Modifier => 2,
        Role::Person | Role::Filler => 0,
    }
}

fn confidence(reading: &Reading, core: &[usize], meaning: &Meaning, way: f64) -> f64 {
    let mended = core.iter().any(|&at| reading.mended[at]);
    let sure = f64::from(meaning.confidence) * way * if mended { MENDED } else { 1.0 };
    (sure * 100.0).round() / 100.0
}

/// The languages whose cue words the text has: two short ones, or one that is long.
pub(super) fn languages(reading: &Reading, cues: &HashMap<String, Vec<String>>) -> Vec<String> {
    let mut shown: HashMap<&str, usize> = HashMap::new();
    for word in &reading.words {
        for language in cues.get(word).into_iter().flatten() {
            *shown.entry(language).or_default() += if word.len() > 3 { 2 } else { 1 };
        }
    }
    let spoken = shown.into_iter().filter(|(_, count)| *count >= 2);
    spoken.map(|(language, _)| language.to_owned()).collect()
}
