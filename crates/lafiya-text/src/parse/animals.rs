//! Symptoms of animals: "the goat has diarrhoea", "our dog was vomiting before it bit me". An
//! animal's illness is not the patient's; its bite is.

use std::ops::Range;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};

use super::dictionary::Joint;
use super::draft_mention::DraftMention;
use super::marks::Mark;
use super::persons::{NamedPersons, Person};
use super::reading::Reading;
use crate::hash::{FastMap, FastSet, set_of};
use crate::words::PersonWords;

/// The words for animals.
#[derive(Clone, Debug)]
pub(super) struct Animals {
    /// Words after an animal that say something about it, besides statement verbs.
    stricken: FastSet<String>,
    biting: FastSet<String>,
    /// The wound caused by the bite of each animal.
    bites: FastMap<String, ConceptRef>,
}

/// Maximum tokens from a bite to the person bitten.
const BITTEN_REACH: usize = 4;

impl Animals {
    pub(super) fn new(words: &PersonWords, base: &KnowledgeBase) -> Self {
        let mut bites = FastMap::default();
        for (id, animals) in &words.bites {
            if let Some(wound) = base.resolve(id) {
                bites.extend(animals.iter().map(|animal| (animal.clone(), wound)));
            }
        }
        Self {
            stricken: set_of(&words.stricken),
            biting: set_of(&words.biting),
            bites,
        }
    }

    /// Whether a sentence is about the animal named at a token: "the dog was ill", but not "dog
    /// bite".
    pub(super) fn is_spoken_of(&self, reading: &Reading<'_>, at: usize) -> bool {
        let next = at + 1;
        reading.marks.has(next, Mark::StatementVerb) || reading.is_one_of(next, &self.stricken)
    }

    /// Returns the end of a stretch about an animal: the end of its clause, or earlier at "but" or
    /// at a statement that starts with "and" ("the goat died and fever started"). A stretch about a
    /// person is left unchanged.
    pub(super) fn end_of(
        &self,
        reading: &Reading<'_>,
        person: Person,
        stretch: Range<usize>,
    ) -> usize {
        if person != Person::Animal {
            return stretch.end;
        }
        let begins_statement = |at: usize| {
            let is_and = reading.forms[reading.unit_of(at)].joint == Some(Joint::And);
            let rest = (at + 2).min(stretch.end)..stretch.end;
            is_and && reading.marks.first(rest, Mark::StatementVerb).is_some()
        };
        let mut behind = stretch.start + 1..stretch.end;
        let end = behind.find(|&at| reading.marks.has(at, Mark::Barrier) || begins_statement(at));
        end.unwrap_or(stretch.end)
    }

    /// Adds the wound of a bite that is mentioned apart from its animal: "our dog was vomiting
    /// before it bit me".
    pub(super) fn add_bites(
        &self,
        reading: &Reading<'_>,
        names: &NamedPersons,
        drafts: &mut Vec<DraftMention>,
    ) {
        for (at, named) in names.iter() {
            if named.person != Person::Animal || !self.is_spoken_of(reading, at) {
                continue;
            }
            let Some(&wound) = self.bites.get(reading.words[at]) else {
                continue;
            };
            let sentence = reading.sentence_of(at);
            let bite = (at + 1..sentence.end).find(|&n| reading.is_one_of(n, &self.biting));
            let is_known = drafts.iter().any(|mention| mention.concept == wound);
            // "Has not bitten anybody", "bit me last year": no bite, or a past one.
            let turns = [Mark::Trigger, Mark::Past];
            let is_turned = || { sentence }.any(|at| reading.marks.has_one_of(at, turns));
            if let Some(bite) = bite
                && !is_known
                && is_of_patient(reading, names, bite)
                && !is_turned()
            {
                drafts.push(DraftMention::derived(wound, [bite].into_iter().collect()));
            }
        }
    }
}

/// Whether the first person named after a bite can be the patient.
fn is_of_patient(reading: &Reading<'_>, names: &NamedPersons, bite: usize) -> bool {
    let end = reading.sentence_of(bite).end.min(bite + 1 + BITTEN_REACH);
    let mut behind = bite + 1..end;
    // "Bit my brother": "my" mentions the speaker only in passing.
    let bitten = behind.find_map(|at| names.at(at).filter(|person| !person.in_passing));
    bitten.is_some_and(|bitten| {
        matches!(bitten.person, Person::First | Person::Third | Person::Child)
    })
}
