//! Shares words between phrases: one complaint for several body parts, one body part for several
//! complaints, and references with "it".
//!
//! "Pain in both legs, waist and chest" is three findings; "eye dey pain me and e red" is two;
//! "purging ... no blood" is about blood in the stool. Only words that no other phrase uses are
//! shared.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use smallvec::SmallVec;

use super::dictionary::FormFacts;
use super::excepted::Exceptions;
use super::lexicon::Sense;
use super::matches::{Choosing, Match, tokens};
use super::reading::Reading;
use super::traits::first_with;
use crate::canon::{Canon, Role, Unit};
use crate::hash::{FastMap, FastSet};
use crate::words::BodyWords;

/// The body parts and complaints, indexed.
#[derive(Clone, Debug)]
pub(super) struct Composer {
    parts: FastSet<String>,
    complaints: FastSet<String>,
    topics: Vec<Topic>,
    /// The topic set by each finding, by its index in the knowledge base.
    topic_of_finding: Vec<Option<u8>>,
    /// The topic set by other concepts.
    topic_of: FastMap<ConceptRef, u8>,
    exceptions: Exceptions,
}

/// A topic that findings set, and the words that refer to it.
#[derive(Clone, Debug)]
struct Topic {
    part: String,
    complaints: Vec<String>,
}

const CONFIDENCE: f64 = 0.8;
/// Maximum other words between a body part and its complaint.
const UNKNOWN_WORDS_MAX: usize = 3;

impl Composer {
    pub(super) fn new(words: &BodyWords, canon: &Canon, base: &KnowledgeBase) -> Self {
        let forms = |list: &[String]| list.iter().map(|word| canon.form(word)).collect();
        let mut topic_of = FastMap::default();
        for (n, topic) in (0..).zip(&words.topic) {
            for concept in topic.findings.iter().filter_map(|id| base.resolve(id)) {
                // A finding that two topics list belongs to the first.
                topic_of.entry(concept).or_insert(n);
            }
        }
        // Nearly all look-ups are for findings, so these use a plain vector.
        let mut topic_of_finding = Vec::new();
        for (concept, topic) in &topic_of {
            if let Some(finding) = concept.finding() {
                let needed = topic_of_finding.len().max(finding.index() + 1);
                topic_of_finding.resize(needed, None);
                topic_of_finding[finding.index()] = Some(*topic);
            }
        }
        Self {
            topic_of_finding,
            topic_of,
            exceptions: Exceptions::new(words),
            parts: forms(&words.parts),
            complaints: forms(&words.complaints),
            topics: words
                .topic
                .iter()
                .map(|topic| Topic {
                    part: canon.form(&topic.part),
                    complaints: topic
                        .complaints
                        .iter()
                        .map(|word| canon.form(word))
                        .collect(),
                })
                .collect(),
        }
    }

    /// Whether a canonical form is a body part.
    pub(super) fn is_part(&self, form: &str) -> bool {
        self.parts.contains(form)
    }

    /// Whether a canonical form is a complaint that a body part can have.
    pub(super) fn is_complaint(&self, form: &str) -> bool {
        self.complaints.contains(form)
    }

    /// Adds the findings that unused words form together with words already used.
    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        choosing: &Choosing<'_>,
        matches: &mut Vec<Match>,
    ) {
        let mut free: Vec<bool> = vec![true; reading.len()];
        let mut last_named = LastNamed::default();
        let mut units = BodilyUnits::of(reading);
        for matched in matches.iter() {
            for &at in &matched.core {
                free[at] = false;
            }
            if let Some(topic) = self.topic(matched) {
                units.note(reading, matched, Some(topic));
            }
        }
        // The first `in_order` matches are in text order; new ones are appended.
        let mut in_order = matches.len();
        let mut after = 0;
        while let Some(n) = units.next(after) {
            after = n + 1;
            let (unit, form) = (&reading.units[n], &reading.forms[n]);
            if !form.is_bodily() {
                // Neither a body part nor a complaint: nothing to share, at most a topic to
                // remember.
                if let Some(topic) = units.topics[n] {
                    last_named.topic = Some((topic, unit.first));
                }
                continue;
            }
            let is_free = (unit.first..unit.last).all(|at| free[at]);
            // A word that no match covers is not a finding by itself.
            let lone = if is_free {
                None
            } else {
                let of_part = Self::follows_part(reading, n, &last_named);
                of_part
                    .then(|| one_word_at(matches, in_order, unit.first))
                    .flatten()
            };
            let shared = if is_free || lone.is_some() {
                self.share(reading, choosing, n, &last_named)
            } else {
                None
            };
            if let Some(shared) = shared {
                if let Some(lone) = lone {
                    matches.remove(lone);
                    // One match of the ordered part is gone.
                    in_order -= usize::from(lone < in_order);
                }
                for &at in &shared.core {
                    free[at] = false;
                }
                units.note(reading, &shared, self.topic(&shared));
                matches.push(shared);
            }
            // After the word itself was used: a body part may serve for what stands before it and
            // behind it.
            self.share_backwards(reading, choosing, n, &mut free, matches);
            Self::remember(reading, n, units.topics[n], &mut last_named);
        }
        if matches.len() > in_order {
            matches.sort_by_key(Match::first);
        }
    }

    /// Shares complaints with the body part that follows: "painful, swollen right eye", "pain and
    /// swelling of the knee", and the clinical "pain, hip", where the complaint and its body part
    /// are each alone in a clause.
    fn share_backwards(
        &self,
        reading: &Reading<'_>,
        choosing: &Choosing<'_>,
        n: usize,
        free: &mut [bool],
        matches: &mut Vec<Match>,
    ) {
        let part = &reading.units[n];
        if !reading.forms[n].part {
            return;
        }
        let inverted = Self::is_inverted(reading, n);
        let mut met = inverted;
        let before = reading.units[..n].iter().zip(&reading.forms[..n]);
        for (unit, form) in before.rev() {
            if !reading.same_sentence(unit.first, part.first) {
                break;
            }
            let joins = is_joiner(unit.form);
            if form.complaint {
                met = true;
                if free[unit.first]
                    && let Some(sense) = has(choosing, &[unit.form, part.form])
                {
                    let mut core = tokens(unit.first..unit.last);
                    if inverted && free[part.first] {
                        core.extend(part.first..part.last);
                    }
                    for &at in &core {
                        free[at] = false;
                    }
                    matches.push(Match {
                        core,
                        sense,
                        confidence: CONFIDENCE,
                        also: None,
                        weight: 2,
                        denied_inside: false,
                    });
                }
                if inverted {
                    break;
                }
            } else {
                let content = unit.role == Role::Content;
                let ends = if met {
                    content && !joins
                } else {
                    content || joins
                };
                if ends {
                    break;
                }
            }
        }
    }

    /// Matches "Pain, hip" and "distension, abd": only the complaint in one clause and only the
    /// body part in the next.
    fn is_inverted(reading: &Reading<'_>, n: usize) -> bool {
        let alone = |clause: Range<usize>, wanted: fn(&FormFacts) -> bool| {
            let mut telling = units_in(reading, clause).filter(|&n| {
                let unit = &reading.units[n];
                unit.role == Role::Content && !reading.tokens[unit.first].is_sign()
            });
            telling.next().is_some_and(|n| wanted(&reading.forms[n])) && telling.next().is_none()
        };
        let own = reading.clause_of(reading.units[n].first);
        own.start > 0
            && reading.words[own.start - 1] == ","
            && alone(own.clone(), |form| form.part)
            && alone(reading.clause_of(own.start - 1), |form| form.complaint)
    }

    /// Whether a complaint directly follows a body part, which may itself have been recognised as a
    /// finding: "eyes red and itchy, no discharge".
    fn follows_part(reading: &Reading<'_>, n: usize, last_named: &LastNamed<'_>) -> bool {
        let unit = &reading.units[n];
        let Some((_, part)) = last_named.part else {
            return false;
        };
        if !reading.forms[n].complaint || !reading.same_sentence(part, unit.first) {
            return false;
        }
        let mut between = between(reading, part, unit.first);
        let close = between.all(|n| {
            let unit = &reading.units[n];
            unit.role != Role::Content
                || is_joiner(unit.form)
                || unit.form == "not"
                || reading.forms[n].complaint
        });
        part < unit.first && close
    }

    fn remember<'r>(
        reading: &Reading<'r>,
        n: usize,
        topic: Option<u8>,
        last_named: &mut LastNamed<'r>,
    ) {
        let unit = &reading.units[n];
        if reading.forms[n].part {
            last_named.part = Some((unit.form, unit.first));
            // A new body part: "it" no longer refers to what was spoken of before.
            last_named.topic = None;
        } else if reading.forms[n].complaint {
            last_named.complaint = Some((unit.form, unit.first));
        }
        if let Some(topic) = topic {
            last_named.topic = Some((topic, unit.first));
        }
    }

    /// Returns the topic that a finding sets.
    fn topic(&self, found: &Match) -> Option<u8> {
        match found.concept()? {
            ConceptRef::Finding(ix) => *self.topic_of_finding.get(ix.index())?,
            concept => self.topic_of.get(&concept).copied(),
        }
    }

    /// Forms a phrase of the lexicon from a free word and the last complaint, body part or topic.
    fn share(
        &self,
        reading: &Reading<'_>,
        choosing: &Choosing<'_>,
        n: usize,
        last_named: &LastNamed<'_>,
    ) -> Option<Match> {
        let unit = &reading.units[n];
        let near = |at: usize| reading.sentence(at) + 1 >= reading.sentence(unit.first);
        let other: &str = if reading.forms[n].part {
            let behind = last_named.complaint.filter(|(_, at)| {
                Self::in_one_list(reading, *at, unit.first)
                    || self.exceptions.leave_out(reading, *at, unit.first)
            });
            behind
                .map(|(form, _)| form)
                .or_else(|| Self::complaint_ahead(reading, n))?
        } else {
            let topic = last_named
                .topic
                .map(|(topic, at)| (&self.topics[topic as usize], at));
            let topic = topic.filter(|(topic, at)| {
                near(*at)
                    && topic
                        .complaints
                        .iter()
                        .any(|complaint| complaint == unit.form)
            });
            let part = last_named
                .part
                .filter(|(_, at)| near(*at) && Self::is_of_it(reading, *at, unit.first));
            topic
                .map(|(topic, _)| topic.part.as_str())
                .or_else(|| part.map(|(form, _)| form))?
        };

        // Tries a two-word phrase ("water dey comot") before a single word.
        for taken in [2, 1] {
            let units = reading
                .units
                .iter()
                .skip(n)
                .filter(|unit| !unit.role.is_passed_over())
                .take(taken);
            let units: SmallVec<[&Unit<'_>; 2]> = units
                .filter(|other| reading.clause(other.first) == reading.clause(unit.first))
                .collect();
            if units.len() < taken {
                continue;
            }
            let mut forms: SmallVec<[&str; 3]> =
                units.iter().map(|unit| unit.form).chain([other]).collect();
            forms.sort_unstable();
            forms.dedup();
            let list = choosing
                .lexicon
                .key(&forms)
                .and_then(|key| choosing.lexicon.bags.get(&key));
            let Some(list) = list else {
                continue;
            };
            let Some(meaning) = choosing.choose(list.iter().map(|bag| &bag.meaning)) else {
                continue;
            };
            if matches!(meaning.sense, Sense::Has(_)) {
                let core = units
                    .iter()
                    .flat_map(|unit| unit.first..unit.last)
                    .collect();
                return Some(Match {
                    core,
                    sense: meaning.sense,
                    confidence: CONFIDENCE,
                    also: None,
                    weight: 2,
                    denied_inside: false,
                });
            }
        }
        None
    }

    /// Matches "pain in legs, waist and chest": a body part in between, and otherwise only body
    /// parts, joiners and light words.
    fn in_one_list(reading: &Reading<'_>, from: usize, to: usize) -> bool {
        let is_part = |n: usize| reading.forms[n].part;
        reading.same_sentence(from, to)
            && between(reading, from, to).any(is_part)
            && between(reading, from, to).all(|n| {
                let unit = &reading.units[n];
                unit.role != Role::Content || is_part(n) || is_joiner(unit.form)
            })
    }

    /// Matches "eyes and feet are swollen": a joiner, another body part, then the complaint.
    fn complaint_ahead<'r>(reading: &Reading<'r>, n: usize) -> Option<&'r str> {
        let mut telling =
            (n + 1..reading.units.len()).filter(|&n| reading.units[n].role == Role::Content);
        let (joiner, part, complaint) = (telling.next()?, telling.next()?, telling.next()?);
        let fits = is_joiner(reading.units[joiner].form)
            && reading.forms[part].part
            && reading.forms[complaint].complaint;
        fits.then(|| reading.units[complaint].form)
    }

    /// Matches "Eye dey pain me and e red": few other words in between.
    fn is_of_it(reading: &Reading<'_>, from: usize, to: usize) -> bool {
        between(reading, from, to)
            .filter(|&n| reading.units[n].role == Role::Content)
            .filter(|&n| !is_joiner(reading.units[n].form) && !reading.forms[n].complaint)
            .count()
            <= UNKNOWN_WORDS_MAX
    }
}

/// Returns the sense of a bag of forms if it means that the patient has the finding.
fn has(choosing: &Choosing<'_>, forms: &[&str]) -> Option<Sense> {
    let key = choosing.lexicon.key(forms)?;
    let list = choosing.lexicon.bags.get(&key)?;
    let meaning = choosing.choose(list.iter().map(|bag| &bag.meaning))?;
    matches!(meaning.sense, Sense::Has(_)).then_some(meaning.sense)
}

/// The units that are a body part or a complaint, or that set a topic. There are few.
struct BodilyUnits {
    /// Whether each unit is one of these.
    units: Vec<bool>,
    /// For each unit, the topic of the finding that its first token covers.
    topics: Vec<Option<u8>>,
}

impl BodilyUnits {
    fn of(reading: &Reading<'_>) -> Self {
        Self {
            units: reading.forms.iter().map(FormFacts::is_bodily).collect(),
            topics: vec![None; reading.units.len()],
        }
    }

    /// Records the topic of a finding. `None` clears a topic that another finding set.
    fn note(&mut self, reading: &Reading<'_>, found: &Match, topic: Option<u8>) {
        for &at in &found.core {
            let n = reading.unit_of(at);
            if reading.units[n].first == at {
                self.topics[n] = topic;
                self.units[n] = topic.is_some() || reading.forms[n].is_bodily();
            }
        }
    }

    /// Returns the next such unit from an index on.
    fn next(&self, from: usize) -> Option<usize> {
        let rest = self.units.get(from..)?;
        first_with(rest, |flags| u32::from(*flags), 1).map(|n| from + n)
    }
}

/// Returns the number of the match that consists only of the word at a token. The first `in_order`
/// matches are in text order.
fn one_word_at(matches: &[Match], in_order: usize, at: usize) -> Option<usize> {
    let is_it = |candidate: &Match| *candidate.core == [at];
    let (known, added) = matches.split_at(in_order);
    let from = known.partition_point(|known| known.first() < at);
    let mut here = known[from..].iter().take_while(|known| known.first() == at);
    let place = here.position(is_it).map(|n| from + n);
    place.or_else(|| Some(in_order + added.iter().position(is_it)?))
}

/// Returns the units that begin after one token and before another.
fn between(reading: &Reading<'_>, after: usize, to: usize) -> Range<usize> {
    units_in(reading, after + 1..to)
}

/// Returns the units that begin in a token range.
fn units_in(reading: &Reading<'_>, tokens: Range<usize>) -> Range<usize> {
    let start = reading.unit_from(tokens.start);
    let end = reading.unit_from(tokens.end);
    start.min(end)..end
}

fn is_joiner(form: &str) -> bool {
    matches!(form, "and" | "or" | "," | "&")
}

/// The complaint, body part and topic mentioned last, each with its token.
#[derive(Clone, Debug, Default)]
struct LastNamed<'r> {
    part: Option<(&'r str, usize)>,
    complaint: Option<(&'r str, usize)>,
    topic: Option<(u8, usize)>,
}
