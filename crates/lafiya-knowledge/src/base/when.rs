//! The `when` language, compiled to indices: what a danger rule requires of a patient.
//!
//! There is no negation, so more evidence can never switch a rule off.

use lafiya_model::{Age, Sex};

use super::directory::Directory;
use super::index::ConceptRef;
use crate::schema::{self, Limits};
use crate::words::{AgeSpan, SexLimit, State};

/// The known facts about a patient, as rules use them. Presence includes what follows from other
/// evidence.
pub trait Facts {
    /// Returns the age.
    fn age(&self) -> Age;
    /// Returns the sex.
    fn sex(&self) -> Sex;
    /// Whether the woman is known to be in a state.
    fn is_in(&self, state: State) -> bool;
    /// Whether the concept is known to be present.
    fn is_present(&self, concept: ConceptRef) -> bool;
    /// Whether it is present and called severe.
    fn is_severe(&self, concept: ConceptRef) -> bool;
    /// Returns the measured value, in the concept's own unit.
    fn value(&self, concept: ConceptRef) -> Option<f64>;
    /// Returns the number of days for which it has been present.
    fn days(&self, concept: ConceptRef) -> Option<u32>;
    /// Whether that number cannot be right, so that nothing reassuring follows from it.
    fn are_days_doubtful(&self, _concept: ConceptRef) -> bool {
        false
    }
    /// Whether it was stated as present, rather than following from something else.
    fn is_told(&self, concept: ConceptRef) -> bool;
}

/// A compiled `when`: all parts must hold; without any part it never holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    All(Vec<ConceptRef>),
    AtLeast(usize, Vec<ConceptRef>),
    AnyOf(Vec<When>),
    Severe(Vec<ConceptRef>),
    Age(AgeSpan),
    Sex(SexLimit),
    State(State),
    Value(ConceptRef, Limits),
    Days {
        concept: ConceptRef,
        at_least: Option<u32>,
        at_most: Option<u32>,
    },
    Fresh {
        concept: ConceptRef,
        within_days: u32,
    },
    /// Refers to something that does not exist. It never fires, rather than always.
    Never,
}

impl When {
    /// Whether it holds for a patient.
    pub fn holds(&self, facts: &impl Facts) -> bool {
        // `all` is true of an empty list; a rule without a condition must not fire for everybody.
        !self.parts.is_empty() && self.parts.iter().all(|part| part.holds(facts))
    }

    /// Returns the concepts if the presence of any one of them is all it requires; `None` if it
    /// requires anything else.
    pub(super) fn any_one_of(&self) -> Option<&[ConceptRef]> {
        match &self.parts[..] {
            [Part::AtLeast(1, concepts)] => Some(concepts),
            _ => None,
        }
    }

    /// Returns the evidence that makes it true, in the order of the rule without duplicates; `None`
    /// if it does not hold.
    pub fn evidence(&self, facts: &impl Facts) -> Option<Vec<ConceptRef>> {
        if !self.holds(facts) {
            return None;
        }
        let mut found = Vec::new();
        for part in &self.parts {
            part.collect_evidence(facts, &mut found);
        }
        Some(without_repeats(found))
    }

    /// Returns concepts of which at least one is known (present or measured) whenever it holds;
    /// `None` if it can hold with nothing known. All parts must hold, so the part whose concepts
    /// are mentioned least in the whole list represents the others.
    pub(super) fn needed(
        &self,
        mentions: &impl Fn(ConceptRef) -> usize,
    ) -> Option<Vec<ConceptRef>> {
        if self.parts.is_empty() {
            return Some(Vec::new());
        }
        let parts = self.parts.iter();
        parts
            .filter_map(|part| part.needed(mentions))
            .min_by_key(|needed| {
                needed
                    .iter()
                    .map(|&concept| mentions(concept))
                    .sum::<usize>()
            })
    }

    /// Returns every concept that it mentions, without duplicates.
    pub fn concepts(&self) -> Vec<ConceptRef> {
        let mut found = Vec::new();
        self.collect_concepts(&mut found);
        without_repeats(found)
    }

    pub(crate) fn compile(written: &schema::When, directory: &Directory) -> Self {
        let one = |id: &String| directory.exact(id);
        let every = |ids: &[String], part: fn(Vec<ConceptRef>) -> Part| {
            ids.iter()
                .map(one)
                .collect::<Option<Vec<_>>>()
                .map_or(Part::Never, part)
        };
        // Of alternatives, those that do not exist are left out; the others still count.
        let known = |ids: &[String]| ids.iter().filter_map(one).collect::<Vec<_>>();
        let mut parts = Vec::new();
        if !written.all.is_empty() {
            parts.push(every(&written.all, Part::All));
        }
        if !written.any.is_empty() {
            parts.push(Part::AtLeast(1, known(&written.any)));
        }
        if let Some(at_least) = &written.at_least {
            parts.push(Part::AtLeast(
                // "At least 0" would always hold.
                at_least.count.max(1).into(),
                known(&at_least.of),
            ));
        }
        if !written.any_of.is_empty() {
            parts.push(Part::AnyOf(
                written
                    .any_of
                    .iter()
                    .map(|alternative| Self::compile(alternative, directory))
                    .collect(),
            ));
        }
        if !written.severe.is_empty() {
            parts.push(every(&written.severe, Part::Severe));
        }
        parts.extend(written.age.map(|age| Part::Age(age.span())));
        parts.extend(written.sex.map(Part::Sex));
        parts.extend(written.state.map(Part::State));
        parts.extend(written.values.iter().map(|limit| {
            one(&limit.id).map_or(Part::Never, |concept| Part::Value(concept, limit.limits()))
        }));
        parts.extend(written.days.iter().map(|days| {
            one(&days.id).map_or(Part::Never, |concept| Part::Days {
                concept,
                at_least: days.at_least,
                at_most: days.at_most,
            })
        }));
        parts.extend(written.fresh.iter().map(|fresh| {
            one(&fresh.id).map_or(Part::Never, |concept| Part::Fresh {
                concept,
                within_days: fresh.within_days,
            })
        }));
        Self { parts }
    }

    fn collect_concepts(&self, found: &mut Vec<ConceptRef>) {
        for part in &self.parts {
            match part {
                Part::All(list) | Part::AtLeast(_, list) | Part::Severe(list) => found.extend(list),
                Part::AnyOf(list) => list.iter().for_each(|when| when.collect_concepts(found)),
                Part::Value(concept, _)
                | Part::Days { concept, .. }
                | Part::Fresh { concept, .. } => found.push(*concept),
                Part::Age(_) | Part::Sex(_) | Part::State(_) | Part::Never => {}
            }
        }
    }
}

impl Part {
    /// Like [`When::needed`], for one part.
    fn needed(&self, mentions: &impl Fn(ConceptRef) -> usize) -> Option<Vec<ConceptRef>> {
        match self {
            Self::All(list) | Self::Severe(list) if list.is_empty() => None,
            Self::All(list) | Self::Severe(list) => {
                Some(least_mentioned(list, list.len(), mentions))
            }
            Self::AtLeast(count, list) => Some(least_mentioned(list, *count, mentions)),
            Self::AnyOf(list) => {
                let each: Option<Vec<_>> = list.iter().map(|when| when.needed(mentions)).collect();
                each.map(|each| without_repeats(each.concat()))
            }
            Self::Value(concept, _) | Self::Days { concept, .. } | Self::Fresh { concept, .. } => {
                Some(vec![*concept])
            }
            Self::Never => Some(Vec::new()),
            Self::Age(_) | Self::Sex(_) | Self::State(_) => None,
        }
    }

    fn holds(&self, facts: &impl Facts) -> bool {
        match self {
            Self::All(list) => list.iter().all(|&concept| facts.is_present(concept)),
            Self::AtLeast(count, list) => {
                list.iter()
                    .filter(|&&concept| facts.is_present(concept))
                    // Stops at the number that is needed; lists can be long.
                    .take(*count)
                    .count()
                    == *count
            }
            Self::AnyOf(list) => list.iter().any(|when| when.holds(facts)),
            Self::Severe(list) => list.iter().all(|&concept| facts.is_severe(concept)),
            Self::Age(span) => span.contains(facts.age()),
            Self::Sex(limit) => limit.allows(facts.sex()),
            Self::State(state) => facts.is_in(*state),
            Self::Value(concept, limits) => facts
                .value(*concept)
                .is_some_and(|value| limits.hold(value)),
            Self::Days {
                concept,
                at_least,
                at_most,
            } => {
                facts.is_present(*concept)
                    && facts.days(*concept).is_some_and(|days| {
                        at_least.is_none_or(|limit| days >= limit)
                            && at_most.is_none_or(|limit| days <= limit)
                    })
            }
            Self::Fresh {
                concept,
                within_days,
            } => {
                facts.is_told(*concept)
                    && (facts.are_days_doubtful(*concept)
                        // Without a duration it may be fresh, and the rule is about danger.
                        || facts.days(*concept).is_none_or(|days| days <= *within_days))
            }
            Self::Never => false,
        }
    }

    fn collect_evidence(&self, facts: &impl Facts, found: &mut Vec<ConceptRef>) {
        match self {
            Self::All(list) | Self::Severe(list) => found.extend(list),
            Self::AtLeast(_, list) => {
                found.extend(list.iter().filter(|&&concept| facts.is_present(concept)));
            }
            Self::AnyOf(list) => {
                found.extend(
                    list.iter()
                        .filter_map(|when| when.evidence(facts))
                        .flatten(),
                );
            }
            Self::Value(concept, _) | Self::Days { concept, .. } | Self::Fresh { concept, .. } => {
                found.push(*concept);
            }
            Self::Age(_) | Self::Sex(_) | Self::State(_) | Self::Never => {}
        }
    }
}

/// Returns the least-mentioned concepts of a list. If at least `count` of a list are known, at
/// least one remains after any `count - 1` are removed, so the most-mentioned ones are removed.
fn least_mentioned(
    list: &[ConceptRef],
    count: usize,
    mentions: &impl Fn(ConceptRef) -> usize,
) -> Vec<ConceptRef> {
    let mut remaining = list.to_vec();
    remaining.sort_by_key(|&concept| mentions(concept));
    remaining.truncate((list.len() + 1).saturating_sub(count));
    without_repeats(remaining)
}

/// Lists are short: searching the kept items is faster than a hash set.
fn without_repeats(mut list: Vec<ConceptRef>) -> Vec<ConceptRef> {
    let mut kept = 0;
    for place in 0..list.len() {
        if !list[..kept].contains(&list[place]) {
            list[kept] = list[place];
            kept += 1;
        }
    }
    list.truncate(kept);
    list
}
