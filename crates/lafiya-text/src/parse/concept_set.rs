//! A set of concepts with a fast membership test, because every finding of a text is checked
//! against it.

use lafiya_knowledge::ConceptRef;

/// A bit set for findings, the most common case, and a short list for the other concepts.
#[derive(Clone, Debug, Default)]
pub(super) struct ConceptSet {
    /// Bit set of the findings, by `FindingIx`.
    findings: Vec<u64>,
    others: Vec<ConceptRef>,
}

impl ConceptSet {
    #[inline]
    pub(super) fn contains(&self, concept: ConceptRef) -> bool {
        match concept {
            ConceptRef::Finding(ix) => {
                let (word, bit) = place(ix.index());
                self.findings
                    .get(word)
                    .is_some_and(|finding| finding & bit != 0)
            }
            _ => self.others.contains(&concept),
        }
    }
}

impl FromIterator<ConceptRef> for ConceptSet {
    fn from_iter<I: IntoIterator<Item = ConceptRef>>(concepts: I) -> Self {
        let mut set = Self::default();
        for concept in concepts {
            let ConceptRef::Finding(ix) = concept else {
                set.others.push(concept);
                continue;
            };
            let (word, bit) = place(ix.index());
            if set.findings.len() <= word {
                set.findings.resize(word + 1, 0);
            }
            set.findings[word] |= bit;
        }
        set
    }
}

/// Returns the index of the word that holds a bit, and the bit.
#[inline]
fn place(number: usize) -> (usize, u64) {
    const BITS: usize = u64::BITS as usize;
    (number / BITS, 1 << (number % BITS))
}

#[cfg(test)]
mod tests {
    use lafiya_knowledge::{FindingIx, RiskIx};

    use super::*;

    #[test]
    fn a_concept_set_contains_exactly_what_was_inserted() {
        let finding = |ix| ConceptRef::Finding(FindingIx(ix));
        let risk = |ix| ConceptRef::Risk(RiskIx(ix));
        let held = [finding(0), finding(63), finding(64), finding(700), risk(7)];
        let set: ConceptSet = held.into_iter().collect();
        let numbers = 0..1_000;
        let all = numbers.flat_map(|ix| [finding(ix), risk(ix)]);
        for concept in all {
            assert_eq!(
                set.contains(concept),
                held.contains(&concept),
                "{concept:?}"
            );
        }
        assert!(!ConceptSet::default().contains(finding(0)));
    }
}
