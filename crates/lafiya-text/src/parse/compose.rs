//! Sharing words: one complaint among several parts, one part among several complaints, and what "it" is.
//!
//! "Pain in both legs, waist and chest" is three findings; "eye dey pain me and e red" is two; "purging ... no blood" is
//! blood in the stool. Only words that no other phrase has taken are shared.

use lafiya_knowledge::KnowledgeBase;

use super::lexicon::Sense;
use super::matches::{Choosing, Match};
use super::reading::Reading;
use crate::canon::{Canon, Role, Unit};
use crate::hash::FastSet;
use crate::words::BodyWords;

/// The parts of the body, ready to use.
#[derive(Clone, Debug)]
pub(super) struct Composer {
    parts: FastSet<String>,
    complaints: FastSet<String>,
    topics: Vec<Topic>,
}

/// What findings leave in mind, and which words speak of it.
#[derive(Clone, Debug)]
struct Topic {
    findings: Vec<String>,
    part: String,
    complaints: Vec<String>,
}

const CONFIDENCE: f64 = 0.8;
/// Other words between a part and the complaint that may still be of it.
const STRANGERS_MAX: usize = 3;

impl Composer {
    pub(super) fn new(words: &BodyWords, canon: &Canon) -> Self {
        let forms = |list: &[String]| list.iter().map(|word| canon.form(word)).collect();

        Self {
            parts: forms(&words.parts),
            complaints: forms(&words.complaints),
            topics: words
                .topic
                .iter()
                .map(|it| Topic {
                    findings: it.findings.clone(),
                    part: canon.form(&it.part),
                    complaints: it.complaints.iter().map(|word| canon.form(word)).collect(),
                })
                .collect(),
        }
    }

    /// Adds what the words left over make with words already used.
    pub(super) fn apply(
        &self,
        reading: &Reading,
        base: &KnowledgeBase,
        choosing: &Choosing<'_>,
        matches: &mut Vec<Match>,
    ) {
        let mut free: Vec<bool> = vec![true; reading.len()];
        for it in matches.iter() {
            for &at in &it.core {
                free[at] = false;
            }
        }
        let mut mind = Mind::default();
        let mut topics: Vec<Option<usize>> = vec![None; reading.len()];
        for it in matches.iter() {
            self.note_topic(base, it, &mut topics);
        }
        for n in 0..reading.units.len() {
            let unit = &reading.units[n];
            let is_free = (unit.first..unit.last).all(|at| free[at]);
            let sharing = self.parts.contains(&unit.form) || self.complaints.contains(&unit.form);
            if !sharing {
                // Neither a part nor a complaint: nothing to share, at most a topic to bear in mind.
                mind.topic = topics[unit.first]
                    .map(|topic| (topic, unit.first))
                    .or(mind.topic);
                continue;
            }
            let lone = self.lone_complaint(reading, matches, n, &mind);
            let shared = if is_free || lone.is_some() {
                self.share(reading, choosing, n, &mind)
            } else {
                None
            };
            if let Some(it) = shared {
                if let Some(lone) = lone {
                    matches.remove(lone);
                }
                for &at in &it.core {
                    free[at] = false;
                }
                self.note_topic(base, &it, &mut topics);
                matches.push(it);
            }
            self.share_backwards(reading, choosing, n, &mut free, matches);
            self.remember(reading, n, topics[reading.units[n].first], &mut mind);
        }
        matches.sort_by_key(Match::first);
    }

    /// "Painful, swollen right eye", "pain and swelling of the knee": the complaints before the part, joined in one list;
    /// and the clinic's "pain, hip": a complaint and its part, each alone in its clause.
    fn share_backwards(
        &self,
        reading: &Reading,
        choosing: &Choosing<'_>,
        n: usize,
        free: &mut [bool],
        matches: &mut Vec<Match>,
    ) {
        let part = &reading.units[n];
        if !self.parts.contains(&part.form) {
            return;
        }
        let inverted = self.is_inverted(reading, n);
        let mut met = inverted;
        for unit in reading.units[..n].iter().rev() {
            if !reading.same_sentence(unit.first, part.first) {
                break;
            }
            let joins = is_joiner(&unit.form);
            if self.complaints.contains(&unit.form) {
                met = true;
                if free[unit.first] {
                    let forms = [unit.form.clone(), part.form.clone()];
                    if let Some(sense) = has(choosing, &forms) {
                        let mut core: Vec<usize> = (unit.first..unit.last).collect();
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

    /// "Pain, hip", "distension, abd": nothing but the complaint in the one clause and the part in the next.
    fn is_inverted(&self, reading: &Reading, n: usize) -> bool {
        let alone = |clause: std::ops::Range<usize>, wanted: &FastSet<String>| {
            let mut telling = reading.units.iter().filter(|it| {
                clause.contains(&it.first)
                    && it.role == Role::Content
                    && !reading.tokens[it.first].is_sign()
            });
            telling.next().is_some_and(|it| wanted.contains(&it.form)) && telling.next().is_none()
        };
        let own = reading.clause_of(reading.units[n].first);
        own.start > 0
            && reading.words[own.start - 1] == ","
            && alone(own.clone(), &self.parts)
            && alone(reading.clause_of(own.start - 1), &self.complaints)
    }

    /// A complaint that was taken for a finding by itself though a part was just named: "eyes red and itchy, no discharge".
    fn lone_complaint(
        &self,
        reading: &Reading,
        matches: &[Match],
        n: usize,
        mind: &Mind,
    ) -> Option<usize> {
        let unit = &reading.units[n];
        let (_, part) = mind.part.as_ref()?;
        if !self.complaints.contains(&unit.form) || !reading.same_sentence(*part, unit.first) {
            return None;
        }
        let named = matches.iter().position(|it| it.core == [unit.first])?;
        let close = between(reading, *part, unit.first).iter().all(|it| {
            it.role != Role::Content
                || is_joiner(&it.form)
                || it.form == "not"
                || self.complaints.contains(&it.form)
        });
        (*part < unit.first && close).then_some(named)
    }

    fn remember(&self, reading: &Reading, n: usize, topic: Option<usize>, mind: &mut Mind) {
        let unit = &reading.units[n];
        if self.parts.contains(&unit.form) {
            mind.part = Some((unit.form.clone(), unit.first));
            mind.topic = None;
        } else if self.complaints.contains(&unit.form) {
            mind.complaint = Some((unit.form.clone(), unit.first));
        }
        if let Some(topic) = topic {
            mind.topic = Some((topic, unit.first));
        }
    }

    /// Marks the tokens of a finding that leaves a topic in mind.
    fn note_topic(&self, base: &KnowledgeBase, found: &Match, topics: &mut [Option<usize>]) {
        let topic = found.concept().and_then(|concept| {
            let id = base.id_of(concept);
            self.topics
                .iter()
                .position(|it| it.findings.iter().any(|finding| finding == id))
        });
        for &at in &found.core {
            topics[at] = topic;
        }
    }

    /// A free word and the last complaint, part or topic make a phrase of the lexicon.
    fn share(
        &self,
        reading: &Reading,
        choosing: &Choosing<'_>,
        n: usize,
        mind: &Mind,
    ) -> Option<Match> {
        let unit = &reading.units[n];
        let near = |at: usize| reading.sentence[at] + 1 >= reading.sentence[unit.first];
        let other = if self.parts.contains(&unit.form) {
            let behind = mind
                .complaint
                .as_ref()
                .filter(|(_, at)| self.in_one_list(reading, *at, unit.first));
            behind
                .map(|(form, _)| form.clone())
                .or_else(|| self.complaint_ahead(reading, n))?
        } else {
            let topic = mind.topic.filter(|(topic, at)| {
                near(*at) && self.topics[*topic].complaints.contains(&unit.form)
            });
            let part = mind
                .part
                .as_ref()
                .filter(|(_, at)| near(*at) && self.is_of_it(reading, *at, unit.first));
            topic
                .map(|(topic, _)| self.topics[topic].part.clone())
                .or_else(|| part.map(|(form, _)| form.clone()))?
        };

        // Two words that belong together ("water dey comot") before one that stands alone.
        for taken in [2, 1] {
            let units = reading
                .units
                .iter()
                .skip(n)
                .filter(|it| !it.role.is_passed_over())
                .take(taken);
            let units: Vec<_> = units
                .filter(|it| reading.clause[it.first] == reading.clause[unit.first])
                .collect();
            if units.len() < taken {
                continue;
            }
            let mut forms: Vec<String> = units
                .iter()
                .map(|it| it.form.clone())
                .chain([other.clone()])
                .collect();
            forms.sort();
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
                let core = units.iter().flat_map(|it| it.first..it.last).collect();
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

    /// "pain in legs, waist and chest": a part was named between, and nothing but parts, joiners and light words.
    fn in_one_list(&self, reading: &Reading, from: usize, to: usize) -> bool {
        let between = between(reading, from, to);
        reading.same_sentence(from, to)
            && between.iter().any(|it| self.parts.contains(&it.form))
            && between.iter().all(|it| {
                it.role != Role::Content || self.parts.contains(&it.form) || is_joiner(&it.form)
            })
    }

    /// "eyes and feet are swollen": a joiner, another part, then the complaint.
    fn complaint_ahead(&self, reading: &Reading, n: usize) -> Option<String> {
        let telling = reading.units[n + 1..]
            .iter()
            .filter(|it| it.role == Role::Content);
        let ahead: Vec<&str> = telling.take(3).map(|it| it.form.as_str()).collect();
        let [joiner, part, complaint] = ahead.as_slice() else {
            return None;
        };
        let fits =
            is_joiner(joiner) && self.parts.contains(*part) && self.complaints.contains(*complaint);
        fits.then(|| (*complaint).to_owned())
    }

    /// "Eye dey pain me and e red": few other words between.
    fn is_of_it(&self, reading: &Reading, from: usize, to: usize) -> bool {
        between(reading, from, to)
            .iter()
            .filter(|it| it.role == Role::Content)
            .filter(|it| !is_joiner(&it.form) && !self.complaints.contains(&it.form))
            .count()
            <= STRANGERS_MAX
    }
}

/// What a bag of forms means, where the patient then has it.
fn has(choosing: &Choosing<'_>, forms: &[String]) -> Option<Sense> {
    let key = choosing.lexicon.key(forms)?;
    let list = choosing.lexicon.bags.get(&key)?;
    let meaning = choosing.choose(list.iter().map(|bag| &bag.meaning))?;
    matches!(meaning.sense, Sense::Has(_)).then_some(meaning.sense)
}

/// The units that begin after one token and before another.
fn between(reading: &Reading, from: usize, to: usize) -> &[Unit] {
    let start = reading.units.partition_point(|it| it.first <= from);
    let end = reading.units.partition_point(|it| it.first < to);
    &reading.units[start.min(end)..end]
}

fn is_joiner(form: &str) -> bool {
    matches!(form, "and" | "or" | "," | "&")
}

/// What was named last, with the token where.
#[derive(Clone, Debug, Default)]
struct Mind {
    part: Option<(String, usize)>,
    complaint: Option<(String, usize)>,
    topic: Option<(usize, usize)>,
}
