//! Resolves ids to indices: first exact ids, then bare slugs, then retired ids.

use std::collections::HashMap;

use lafiya_model::ConceptKind;

use super::index::{
    BeltIx, ConceptRef, ConditionIx, FindingIx, LabIx, MeasureIx, MedicineIx, RiskIx, SourceIx,
};
use crate::schema::Content;

/// Every id of the content and the concept it refers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directory {
    concepts: HashMap<String, ConceptRef>,
    aliases: HashMap<String, String>,
    sources: HashMap<String, SourceIx>,
    belts: HashMap<String, BeltIx>,
    medicines: HashMap<String, MedicineIx>,
}

const KINDS: [ConceptKind; 4] = [
    ConceptKind::Symptom,
    ConceptKind::RiskFactor,
    ConceptKind::LabTest,
    ConceptKind::Condition,
];

impl Directory {
    pub(crate) fn of(content: &Content) -> Self {
        let mut directory = Self::default();
        directory.enter(content.findings.iter().map(|finding| &finding.id), |n| {
            ConceptRef::Finding(FindingIx::at(n))
        });
        directory.enter(content.measures.iter().map(|measure| &measure.id), |n| {
            ConceptRef::Measure(MeasureIx::at(n))
        });
        directory.enter(content.risk_factors.iter().map(|factor| &factor.id), |n| {
            ConceptRef::Risk(RiskIx::at(n))
        });
        directory.enter(content.lab_tests.iter().map(|test| &test.id), |n| {
            ConceptRef::Lab(LabIx::at(n))
        });
        directory.enter(
            content.conditions.iter().map(|condition| &condition.id),
            |n| ConceptRef::Condition(ConditionIx::at(n)),
        );
        directory.aliases = content
            .aliases
            .iter()
            .map(|alias| (alias.retired.clone(), alias.now.clone()))
            .collect();
        directory.sources = content
            .sources
            .iter()
            .enumerate()
            .map(|(n, source)| (source.id.clone(), SourceIx::at(n)))
            .collect();
        directory.belts = content
            .belts
            .iter()
            .enumerate()
            .map(|(n, belt)| (belt.id.clone(), BeltIx::at(n)))
            .collect();
        directory.medicines = content
            .medicines
            .iter()
            .enumerate()
            .map(|(n, medicine)| (medicine.id.clone(), MedicineIx::at(n)))
            .collect();
        directory
    }

    fn enter<'a>(
        &mut self,
        ids: impl Iterator<Item = &'a String>,
        refer: impl Fn(usize) -> ConceptRef,
    ) {
        for (n, id) in ids.enumerate() {
            // An id that is used twice keeps its first meaning; `checks` reports it.
            self.concepts.entry(id.clone()).or_insert_with(|| refer(n));
        }
    }

    /// Returns the concept with exactly this id.
    pub(crate) fn exact(&self, id: &str) -> Option<ConceptRef> {
        self.concepts.get(id).copied()
    }

    /// Returns the concept for an exact id, a bare slug or a retired id.
    pub(crate) fn resolve(&self, text: &str) -> Option<ConceptRef> {
        self.exact(text)
            .or_else(|| {
                KINDS
                    .iter()
                    .find_map(|kind| self.exact(&format!("{}{text}", kind.prefix())))
            })
            .or_else(|| self.exact(self.aliases.get(text)?))
            .or_else(|| {
                KINDS.iter().find_map(|kind| {
                    self.exact(self.aliases.get(&format!("{}{text}", kind.prefix()))?)
                })
            })
    }

    pub(crate) fn source(&self, id: &str) -> Option<SourceIx> {
        self.sources.get(id).copied()
    }

    pub(crate) fn belt(&self, id: &str) -> Option<BeltIx> {
        self.belts.get(id).copied()
    }

    /// Returns the medicine with an id such as `m_amoxicillin`.
    pub(crate) fn medicine(&self, id: &str) -> Option<MedicineIx> {
        self.medicines.get(id).copied()
    }
}
