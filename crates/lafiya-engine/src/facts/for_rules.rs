//! What the conditions of rules, scores and the plan may ask about a patient.

use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, Facts};
use lafiya_model::{Age, Sex};

use super::{PatientFacts, Status};

impl Facts for PatientFacts<'_> {
    fn age(&self) -> Age {
        self.age
    }
    fn sex(&self) -> Sex {
        self.sex
    }
    fn is_in(&self, state: State) -> bool {
        self.state_status(state) == Status::Present
    }
    fn is_present(&self, concept: ConceptRef) -> bool {
        match concept {
            ConceptRef::Finding(ix) => self.finding(ix) == Status::Present,
            ConceptRef::Risk(ix) => self.risk(ix) == Status::Present,
            ConceptRef::Lab(ix) => self.labs[ix.index()] == Status::Present,
            ConceptRef::Measure(_) | ConceptRef::Condition(_) => false,
        }
    }
    fn is_severe(&self, concept: ConceptRef) -> bool {
        concept
            .finding()
            .is_some_and(|ix| self.severe.contains(&ix))
    }
    fn value(&self, concept: ConceptRef) -> Option<f64> {
        let place = self
            .values
            .binary_search_by_key(&concept, |value| value.0)
            .ok()?;
        Some(self.values[place].1)
    }
    fn days(&self, concept: ConceptRef) -> Option<u32> {
        let finding = concept.finding()?;
        let place = self
            .days
            .binary_search_by_key(&finding, |days| days.0)
            .ok()?;
        Some(self.days[place].1)
    }
    fn are_days_doubtful(&self, concept: ConceptRef) -> bool {
        let finding = concept.finding();
        finding.is_some_and(|finding| self.doubtful_days.contains(&finding))
    }
    fn is_told(&self, concept: ConceptRef) -> bool {
        let place = self
            .evidence_items
            .binary_search_by_key(&concept, |item| item.concept);
        place.is_ok_and(|place| self.evidence_items[place].present)
    }
}
