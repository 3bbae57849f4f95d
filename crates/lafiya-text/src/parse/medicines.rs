//! Medicines: who takes insulin has diabetes. What a name implies is data.

use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::Choice;

use super::matches::Tokens;
use super::phrases::PhraseSet;
use super::reading::Reading;
use super::spotted::Spotted;
use super::traits::Trait;
use crate::words::Medicines;

/// The medicines of the word list, with the risk factors of a base.
#[derive(Clone, Debug)]
pub(super) struct MedicineReader {
    names: PhraseSet<usize>,
    stopping: PhraseSet<()>,
    taken: PhraseSet<()>,
    implied: Vec<(Vec<ConceptRef>, Vec<ConceptRef>)>,
}

impl MedicineReader {
    pub(super) fn new(base: &KnowledgeBase, medicines: &Medicines) -> Self {
        let mut names = PhraseSet::default();
        let mut implied = Vec::new();
        let ids = |ids: &[String]| {
            ids.iter()
                .filter_map(|id| base.resolve(id))
                .collect::<Vec<_>>()
        };
        for medicine in &medicines.medicine {
            for name in &medicine.names {
                names.add(&name.split(' ').collect::<Vec<_>>(), implied.len());
            }
            implied.push((ids(&medicine.implies), ids(&medicine.stopped)));
        }
        Self {
            names,
            stopping: PhraseSet::of(&medicines.stopping.words),
            taken: PhraseSet::of(&medicines.reasons.words),
            implied,
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
        spotted: &mut Vec<Spotted>,
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
            // The disease says more than the tablet; a medicine that implies none keeps its own name.
            if !implied.is_empty() {
                spotted.retain(|it| {
                    !(is_medication(base, it.concept)
                        && !implied.contains(&it.concept)
                        && it.core.iter().any(|at| core.contains(at)))
                });
            }
            let stopped = (at + length..reading.sentence_of(at).end)
                .any(|n| self.stopping.length_at(&reading.keys, n) > 0);
            let all = implied
                .iter()
                .chain(when_stopped.iter().filter(|_| stopped));
            for &concept in all {
                if !spotted.iter().any(|it| it.concept == concept) {
                    spotted.push(Spotted::new(concept, core.clone(), Choice::Present, 0.9));
                }
            }
            at = next(at + length);
        }
    }
}

impl MedicineReader {
    /// "On paracetamol for his fever": what stands behind the "for" is why it is taken.
    pub(super) fn reasons(&self, reading: &Reading<'_>, spotted: &mut [Spotted]) {
        let next = |from: usize| reading.next_of(from, [Trait::Purpose]);
        let fors = std::iter::successors(Some(next(1)), |at| Some(next(at + 1)));
        for at in fors.take_while(|at| *at < reading.len()) {
            let behind_medicine = self.taken.length_at(&reading.keys, at - 1) > 0
                || self.names.longest_at(&reading.keys, at - 1).is_some();
            if !behind_medicine {
                continue;
            }
            let clause = reading.clause_of(at);
            let behind = spotted
                .iter_mut()
                .filter(|it| (at..clause.end).contains(&it.first()));
            behind.for_each(|it| it.reason = true);
        }
    }
}

fn is_medication(base: &KnowledgeBase, concept: ConceptRef) -> bool {
    concept
        .risk()
        .is_some_and(|ix| base.risk(ix).text.kind == "medication")
}
