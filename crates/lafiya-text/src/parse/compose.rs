//! Sharing words: one complaint among several parts, one part among several complaints, and what "it" is.
//!
//! "Pain in both legs, waist and chest" is three findings; "eye dey pain me and e red" is two; "purging ... no blood" is
//! blood in the stool. Only words that no other phrase has taken are shared.

use std::collections::{BTreeMap, HashSet};

use lafiya_knowledge::KnowledgeBase;

use super::lexicon::Sense;
use super::matches::{Choosing, Match};
use super::reading::Reading;
use crate::canon::{Canon, Role};
use crate::words::BodyWords;

/// The parts of the body, ready to use.
#[derive(Clone, Debug)]
pub(super) struct Composer {
    parts: HashSet<String>,
    complaints: HashSet<String>,
    topics: BTreeMap<String, String>,
}

const CONFIDENCE: f64 = 0.8;

impl Composer {
    pub(super) fn new(words: &BodyWords, canon: &Canon) -> Self {
        let forms = |list: &[String]| list.iter().map(|word| canon.form(word)).collect();
        let topics = words
            .topics
            .iter()
            .map(|(id, part)| (id.clone(), canon.form(part)));
        Self {
            parts: forms(&words.parts),
            complaints: forms(&words.complaints),
            topics: topics.collect(),
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
        let mut part: Option<(String, usize)> = None;
        let mut complaint: Option<(String, usize)> = None;
        for n in 0..reading.units.len() {
            let unit = &reading.units[n];
            let is_free = (unit.first..unit.last).all(|at| free[at]);
            if is_free && (self.parts.contains(&unit.form) || self.complaints.contains(&unit.form))
            {
                let added = self.share(reading, choosing, n, part.as_ref(), complaint.as_ref());
                if let Some(it) = added {
                    for &at in &it.core {
                        free[at] = false;
                    }
                    matches.push(it);
                }
            }
            let named = &reading.units[n].form;
            if self.parts.contains(named) {
                part = Some((named.clone(), reading.units[n].first));
            } else if self.complaints.contains(named) {
                complaint = Some((named.clone(), reading.units[n].first));
            }
            if let Some(topic) = self.topic_of(base, matches, reading.units[n].first) {
                part = Some((topic, reading.units[n].first));
            }
        }
        matches.sort_by_key(Match::first);
    }

    /// A free word and the last complaint or part make a phrase of the lexicon.
    fn share(
        &self,
        reading: &Reading,
        choosing: &Choosing<'_>,
        n: usize,
        part: Option<&(String, usize)>,
        complaint: Option<&(String, usize)>,
    ) -> Option<Match> {
        let unit = &reading.units[n];
        let is_part = self.parts.contains(&unit.form);
        let (other, at) = if is_part { complaint? } else { part? };
        let listed = if is_part {
            self.in_one_list(reading, *at, unit.first)
        } else {
            self.near(reading, *at, unit.first)
        };
        if !listed {
            return None;
        }
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
            let Some(list) = choosing.lexicon.bags.get(&forms) else {
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
                    denied_inside: false,
                });
            }
        }
        None
    }

    /// "... legs, waist and chest": nothing but parts, joiners and light words between.
    fn in_one_list(&self, reading: &Reading, from: usize, to: usize) -> bool {
        reading.same_sentence(from, to)
            && reading
                .units
                .iter()
                .filter(|it| it.first > from && it.first < to)
                .all(|it| {
                    it.role != Role::Content
                        || self.parts.contains(&it.form)
                        || matches!(it.form.as_str(), "and" | "or" | "," | "&")
                })
    }

    /// The part was named in this sentence or the one before.
    fn near(&self, reading: &Reading, from: usize, to: usize) -> bool {
        reading.sentence[from] + 1 >= reading.sentence[to]
    }

    fn topic_of(&self, base: &KnowledgeBase, matches: &[Match], at: usize) -> Option<String> {
        let it = matches.iter().find(|it| it.core.contains(&at))?;
        self.topics.get(base.id_of(it.concept()?)).cloned()
    }
}
