//! Medicines: a patient who takes insulin has diabetes. What a name implies is data.

use std::ops::RangeInclusive;

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;

use super::draft_mention::DraftMention;
use super::known;
use super::matches::Tokens;
use super::numbers;
use super::reading::Reading;
use super::traits::Trait;
use crate::phrases::PhraseSet;
use crate::words::{self, Medicines};

/// The medicines of the word list, with the risk factors of a knowledge base.
#[derive(Clone, Debug)]
pub(super) struct MedicineReader {
    names: PhraseSet<usize>,
    stopping: PhraseSet<()>,
    taken: PhraseSet<()>,
    implied: Vec<(Vec<ConceptRef>, Vec<ConceptRef>)>,
    overdose: Option<Overdose>,
}

/// The numbers that count as an overdose.
#[derive(Clone, Debug)]
struct Overdose {
    finding: ConceptRef,
    counts: RangeInclusive<f64>,
    swallowing: PhraseSet<()>,
    counted: PhraseSet<()>,
}

/// Maximum words between swallowing and the number, and between the number and what was swallowed.
const APART_MAX: usize = 3;

impl MedicineReader {
    pub(super) fn new(base: &KnowledgeBase, medicines: &Medicines) -> Self {
        let mut names = PhraseSet::default();
        let mut implied = Vec::new();
        for medicine in &medicines.medicine {
            for name in &medicine.names {
                names.add_phrase(name, implied.len());
            }
            implied.push((
                known(base, &medicine.implies),
                known(base, &medicine.stopped),
            ));
        }
        Self {
            names,
            stopping: PhraseSet::of(&medicines.stopping.words),
            taken: PhraseSet::of(&medicines.reasons.words),
            implied,
            overdose: Overdose::new(base, &medicines.overdose),
        }
    }

    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.names.vocabulary()
    }

    /// Whether a word begins the name of a medicine.
    pub(super) fn begins(&self, key: u64) -> bool {
        self.names.begun(key).is_some()
    }

    pub(super) fn apply(
        &self,
        reading: &Reading<'_>,
        base: &KnowledgeBase,
        drafts: &mut Vec<DraftMention>,
    ) {
        let next = |from: usize| reading.next_of(from, [Trait::Medicine]);
        let mut at = next(0);
        while at < reading.len() {
            let Some((length, [medicine, ..])) = self.names.longest_at(&reading.keys, at) else {
                at = next(at + 1);
                continue;
            };
            let core: Tokens = (at..at + length).collect();
            let (implied, when_stopped) = &self.implied[*medicine];
            // The disease is more informative than the medicine. A medicine that implies none keeps
            // its own name.
            if !implied.is_empty() {
                drafts.retain(|mention| {
                    !(is_medication(base, mention.concept)
                        && !implied.contains(&mention.concept)
                        && mention.core.iter().any(|at| core.contains(at)))
                });
            }
            let rest = at + length..reading.sentence_of(at).end;
            let stopped = self.stopping.begins_in(&reading.keys, rest);
            let all = implied
                .iter()
                .chain(when_stopped.iter().filter(|_| stopped));
            for &concept in all {
                if !drafts.iter().any(|mention| mention.concept == concept) {
                    drafts.push(DraftMention::new(
                        concept,
                        core.clone(),
                        Choice::Present,
                        0.9,
                    ));
                }
            }
            at = next(at + length);
        }
    }
}

impl Overdose {
    fn new(base: &KnowledgeBase, words: &words::Overdose) -> Option<Self> {
        Some(Self {
            finding: base.resolve(&words.finding)?,
            counts: words.least..=words.most,
            swallowing: PhraseSet::of(&words.swallowing),
            counted: PhraseSet::of(&words.counted),
        })
    }

    /// Returns the words of an overdose that is stated as a number.
    fn find(&self, reading: &Reading<'_>) -> Option<Tokens> {
        let next = |from: usize| reading.next_of(from, [Trait::Number]);
        let numbers = std::iter::successors(Some(next(0)), |at| Some(next(at + 1)));
        let mut numbers = numbers.take_while(|at| *at < reading.len());
        numbers.find_map(|at| {
            let (_, length) = numbers::count_at(&reading.entries, at)
                .filter(|(count, _)| self.counts.contains(count))?;
            let sentence = reading.sentence_of(at);
            let from = at.saturating_sub(APART_MAX).max(sentence.start);
            let first = (from..at).find(|&n| self.swallowing.length_at(&reading.keys, n) > 0)?;
            let mut behind = at + length..(at + length + APART_MAX).min(sentence.end);
            let last = behind.find(|&n| self.counted.length_at(&reading.keys, n) > 0)?;
            // "Over three days" is a course; "three days ago" is a time.
            let unit = reading.next_of(last, [Trait::Unit]);
            let is_course = unit < sentence.end
                && reading.traits[unit - 1].has(Trait::Number)
                && reading
                    .words
                    .get(unit + 1)
                    .is_none_or(|word| *word != "ago");
            (!is_course).then(|| (first..last + 1).collect())
        })
    }
}

impl MedicineReader {
    /// Adds an overdose that is stated as a number.
    pub(super) fn overdose(&self, reading: &Reading<'_>, drafts: &mut Vec<DraftMention>) {
        let Some(overdose) = &self.overdose else {
            return;
        };
        if let Some(core) = overdose.find(reading) {
            drafts.push(DraftMention::new(
                overdose.finding,
                core,
                Choice::Present,
                0.9,
            ));
        }
    }

    /// Handles reasons: in "on paracetamol for his fever", what follows "for" is the reason for the
    /// medicine.
    pub(super) fn reasons(&self, reading: &Reading<'_>, drafts: &mut [DraftMention]) {
        let next = |from: usize| reading.next_of(from, [Trait::Purpose]);
        let fors = std::iter::successors(Some(next(1)), |at| Some(next(at + 1)));
        for at in fors.take_while(|at| *at < reading.len()) {
            let is_named = reading.traits[at - 1].has(Trait::Medicine)
                && self.names.longest_at(&reading.keys, at - 1).is_some();
            let behind_medicine = is_named || self.taken.length_at(&reading.keys, at - 1) > 0;
            if !behind_medicine {
                continue;
            }
            let clause = reading.clause_of(at);
            let behind = drafts
                .iter_mut()
                .filter(|mention| (at..clause.end).contains(&mention.first()));
            behind.for_each(|mention| mention.reason = true);
        }
    }
}

fn is_medication(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    concept
        .risk()
        .is_some_and(|ix| base.risk(ix).text.kind == "medication")
}
