//! An index over rules that finds the ones worth evaluating: most rules require something that was
//! not mentioned.

use std::collections::HashMap;

use lafiya_model::{Timeframe, TriageLevel};

use super::concepts::Condition;
use super::index::{ConceptRef, ConditionIx};
use super::when::When;

/// An index over a list of `when`s by required concept. A `when` that needs evidence is evaluated
/// only if some of its required concepts are known. It is indexed by the concepts that the list
/// mentions least: fever, for example, is in many rules and would select them all.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// Sorted, so that all entries of one concept are adjacent.
    by_concept: Vec<(ConceptRef, u16)>,
    /// Positions of those that need no evidence, such as an age alone.
    always: Vec<u16>,
    /// The length of the list.
    places: usize,
}

impl Watch {
    /// Returns the positions that could hold for a patient with these known concepts (present or
    /// measured), in order without duplicates. No others hold.
    pub(super) fn awake(&self, known: &[ConceptRef]) -> impl Iterator<Item = usize> + use<> {
        // A bitset, so that the positions are returned in order.
        let mut awake = vec![0_u64; self.places.div_ceil(64)];
        let mut wake = |place: u16| awake[usize::from(place / 64)] |= 1 << (place % 64);
        self.always.iter().copied().for_each(&mut wake);
        for concept in known {
            let from = self
                .by_concept
                .partition_point(|(listed, _)| listed < concept);
            let waiting = self.by_concept[from..].iter();
            for (_, place) in waiting.take_while(|(listed, _)| listed == concept) {
                wake(*place);
            }
        }
        let words = awake.into_iter().enumerate();
        words.flat_map(|(place, word)| bits(word).map(move |bit| place * 64 + bit))
    }

    pub(super) fn over<'a>(whens: impl Iterator<Item = &'a When> + Clone) -> Self {
        let mut mentions: HashMap<ConceptRef, usize> = HashMap::new();
        for concept in whens.clone().flat_map(When::concepts) {
            *mentions.entry(concept).or_default() += 1;
        }
        let mentions = |concept: ConceptRef| mentions.get(&concept).copied().unwrap_or(0);
        let mut watch = Self::default();
        for (place, when) in whens.enumerate() {
            watch.places = place + 1;
            // There are a few hundred rules; the smaller index keeps the list short in memory.
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            match when.needed(&mentions) {
                Some(concepts) => {
                    let waits = concepts.into_iter().map(|concept| (concept, place));
                    watch.by_concept.extend(waits);
                }
                None => watch.always.push(place),
            }
        }
        watch.by_concept.sort_unstable();
        watch
    }
}

/// Returns the positions of the set bits, in order.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        // Clears the lowest bit that is set.
        word &= word.wrapping_sub(1);
        bit
    })
}

/// The higher levels of all conditions. Nearly all require any one of a list of concepts; those are
/// indexed directly by concept. The others are indexed by a `Watch`.
#[derive(Clone, Debug, Default)]
pub(super) struct HigherLevels {
    /// Sorted, so that everything that one concept raises is adjacent.
    by_any: Vec<(ConceptRef, Raised)>,
    /// The condition of each of the others, and the position in its own list.
    places: Vec<(ConditionIx, usize)>,
    watch: Watch,
}

/// A condition and the level that it is raised to.
pub(super) type Raised = (ConditionIx, (TriageLevel, Timeframe));

impl HigherLevels {
    pub(super) fn of(conditions: &[Condition]) -> Self {
        let mut by_any = Vec::new();
        let mut places = Vec::new();
        for (at, condition) in conditions.iter().enumerate() {
            let ix = ConditionIx::at(at);
            for (place, higher) in condition.higher.iter().enumerate() {
                match higher.when.any_one_of() {
                    Some(concepts) => {
                        let raised = (ix, (higher.level, higher.timeframe));
                        by_any.extend(concepts.iter().map(|&concept| (concept, raised)));
                    }
                    None => places.push((ix, place)),
                }
            }
        }
        by_any.sort_unstable();
        let whens = places
            .iter()
            .map(|&(ix, place)| &conditions[ix.index()].higher[place].when);
        Self {
            watch: Watch::over(whens),
            by_any,
            places,
        }
    }

    /// Returns what the presence of a concept raises by itself.
    #[inline]
    pub(super) fn raised_by(&self, concept: ConceptRef) -> impl Iterator<Item = Raised> {
        let from = self.by_any.partition_point(|(listed, _)| *listed < concept);
        let rest = &self.by_any[from..];
        let of_this = &rest[..rest.partition_point(|(listed, _)| *listed == concept)];
        of_this.iter().map(|(_, raised)| *raised)
    }

    /// Returns the others that could hold for a patient with these known concepts.
    pub(super) fn awake(&self, known: &[ConceptRef]) -> impl Iterator<Item = (ConditionIx, usize)> {
        self.watch.awake(known).map(|at| self.places[at])
    }
}

#[cfg(test)]
mod tests {
    use crate::toy;

    #[test]
    fn every_matching_rule_is_found_by_its_concepts() {
        let base = toy::base();
        for rule in base.rules() {
            let mut awake = base.rules_awake(&rule.when.concepts());
            assert!(
                awake.any(|candidate| candidate.text.id == rule.text.id),
                "{} sleeps",
                rule.text.id
            );
        }
        assert!(
            base.rules_awake(&[]).next().is_none(),
            "all ask for evidence"
        );
    }
}
