//! A patient built from ids and texts, for the examples of rules and scores, and for tests.

use std::collections::{BTreeMap, BTreeSet};

use lafiya_model::{Age, Sex};

use super::KnowledgeBase;
use super::index::{ConceptRef, RiskIx};
use super::measure::Person;
use super::when::Facts;
use crate::schema::{Example, ScoreExample};
use crate::words::State;

/// Facts stored in plain sets, with all their consequences.
#[derive(Clone, Debug)]
pub struct PlainFacts {
    person: Person,
    present: BTreeSet<ConceptRef>,
    told: BTreeSet<ConceptRef>,
    severe: BTreeSet<ConceptRef>,
    values: BTreeMap<ConceptRef, f64>,
    days: BTreeMap<ConceptRef, u32>,
}

impl PlainFacts {
    /// Creates a patient with no known facts besides age, sex and state.
    pub fn new(base: &KnowledgeBase, person: Person) -> Self {
        let none = BTreeSet::new();
        let mut facts = Self {
            person,
            present: none.clone(),
            told: none.clone(),
            severe: none,
            values: BTreeMap::new(),
            days: BTreeMap::new(),
        };
        for (n, risk) in base.risks().iter().enumerate() {
            if risk
                .implied_by_age
                .is_some_and(|ages| ages.contains(person.age))
                && risk.sex.allows(person.sex)
            {
                facts.add(base, ConceptRef::Risk(RiskIx::at(n)));
            }
        }
        facts
    }

    /// Adds a present concept and its consequences.
    pub fn add(&mut self, base: &KnowledgeBase, concept: ConceptRef) {
        if let ConceptRef::Risk(ix) = concept {
            self.person.state = self.person.state.or(base.risk(ix).state);
        }
        self.present.insert(concept);
        self.told.insert(concept);
        for follows in base.implied_by(concept) {
            self.present.insert(follows);
        }
    }

    /// Adds a present concept that is called severe. Its broader findings are as severe.
    pub fn add_severe(&mut self, base: &KnowledgeBase, concept: ConceptRef) {
        self.add(base, concept);
        self.severe.insert(concept);
        self.severe.extend(base.implied_by(concept));
    }

    /// Adds a measured value and everything derived from it.
    pub fn measure(&mut self, base: &KnowledgeBase, concept: ConceptRef, value: f64) {
        self.values.insert(concept, value);
        for derived in base.derive(concept, value, &self.person.clone()).present {
            self.add(base, derived);
        }
    }

    /// Sets the number of days for which a concept has been present.
    pub fn set_days(&mut self, concept: ConceptRef, days: u32) {
        self.days.insert(concept, days);
    }

    /// Returns the patient of a rule's example. Ids and values that cannot be parsed are left out.
    pub fn of_example(base: &KnowledgeBase, example: &Example) -> Self {
        let person = Person {
            age: example.age.unwrap_or(GROWN_UP),
            sex: example.sex,
            state: example.state,
        };
        let mut facts = Self::new(base, person);
        facts.add_all(base, &example.present);
        for concept in example.severe.iter().filter_map(|id| base.resolve(id)) {
            facts.add_severe(base, concept);
        }
        for (id, days) in &example.days {
            if let Some(concept) = base.resolve(id) {
                facts.add(base, concept);
                facts.set_days(concept, *days);
            }
        }
        facts.measure_all(base, &example.values);
        facts
    }

    /// Returns the patient of a score's example.
    pub fn of_score_example(base: &KnowledgeBase, example: &ScoreExample) -> Self {
        let person = Person {
            age: example.age.unwrap_or(GROWN_UP),
            sex: example.sex,
            state: example.state,
        };
        let mut facts = Self::new(base, person);
        facts.add_all(base, &example.present);
        facts.measure_all(base, &example.values);
        facts
    }

    fn add_all(&mut self, base: &KnowledgeBase, ids: &[String]) {
        for concept in ids.iter().filter_map(|id| base.resolve(id)) {
            self.add(base, concept);
        }
    }

    fn measure_all(&mut self, base: &KnowledgeBase, values: &BTreeMap<String, String>) {
        for (id, text) in values {
            let read = base
                .resolve(id)
                .and_then(|concept| base.read_value(concept, text).ok());
            for (concept, value) in read.into_iter().flatten() {
                self.measure(base, concept, value);
            }
        }
    }
}

/// The age in an example that does not state one.
const GROWN_UP: Age = Age::from_years(30);

impl Facts for PlainFacts {
    fn age(&self) -> Age {
        self.person.age
    }

    fn sex(&self) -> Sex {
        self.person.sex
    }

    fn is_in(&self, state: State) -> bool {
        self.person.state == Some(state)
    }

    fn is_present(&self, concept: ConceptRef) -> bool {
        self.present.contains(&concept)
    }

    fn is_severe(&self, concept: ConceptRef) -> bool {
        self.severe.contains(&concept)
    }

    fn value(&self, concept: ConceptRef) -> Option<f64> {
        self.values.get(&concept).copied()
    }

    fn days(&self, concept: ConceptRef) -> Option<u32> {
        self.days.get(&concept).copied()
    }

    fn is_told(&self, concept: ConceptRef) -> bool {
        self.told.contains(&concept)
    }
}
