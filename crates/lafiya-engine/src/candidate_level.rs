//! The triage level of the candidates, computed so that further evidence of illness can never lower
//! it.
//!
//! Dangerous findings, positive tests and findings of illness are part of the evidence, and
//! evidence may shift probability from an urgent condition to one that can wait: a positive test
//! for a lasting illness explains a fever, and that illness can wait. The level must not follow
//! that shift. So the level is the maximum over a family of evidence sets: all other evidence
//! together with none, any one and any two of these pieces. Another one only adds sets to the
//! family, so the maximum can only rise. From [`MANY`] dangerous findings on, the level is
//! emergency without any computation.
//!
//! The effect of each single piece on the scores is computed once. The effects of two independent
//! pieces are multiplied; only pairs that interact are computed again.

use std::borrow::Cow;

use lafiya_knowledge::{ConceptRef, FindingIx, KnowledgeBase};
use lafiya_model::TriageLevel;

use crate::danger;
use crate::differential::Differential;
use crate::facts::{EvidenceItem, PatientFacts, is_any_among};
use crate::hypotheses_by_level::{HypothesesByLevel, multiplied};
use crate::parameters::Parameters;
use crate::triage::Levels;
use crate::weighing;
use crate::weights::{Scores, Weights};

/// With this many dangerous findings, the level is emergency. This also bounds the work.
const MANY: usize = 10;

pub(crate) fn level(
    facts: &PatientFacts<'_>,
    differential: &Differential<'_>,
    levels: &Levels,
    parameters: &Parameters,
) -> TriageLevel {
    let dangerous = danger::dangerous_findings(facts);
    let is_dangerous = |item: &EvidenceItem| {
        let finding = item.concept.finding();
        item.present && finding.is_some_and(|ix| dangerous.binary_search(&ix).is_ok())
    };
    let items = facts.evidence_items.iter();
    if items.filter(|item| is_dangerous(item)).count() >= MANY {
        return TriageLevel::Emergency;
    }
    // Only evidence that adds danger or illness is varied. What may speak for self-care stays in
    // every set, because it may lower the level.
    let (adding, harmless): (Vec<EvidenceItem>, Vec<EvidenceItem>) = facts
        .evidence_items
        .iter()
        .copied()
        .partition(|item| is_dangerous(item) || only_adds(item, facts.base));
    if adding.is_empty() {
        return levels
            .shares(differential.hypotheses())
            .level(differential.unexplained(), parameters);
    }
    let family = Family::new(facts, differential, parameters, harmless);
    highest(&family, &adding, levels)
}

/// Whether a piece of evidence speaks of illness and for nothing that can be cared for at home: a
/// positive test, or a finding that no condition with the level self-care shows more often than
/// people without it.
pub(crate) fn only_adds(item: &EvidenceItem, base: &KnowledgeBase) -> bool {
    item.present
        && match item.concept {
            ConceptRef::Lab(_) => true,
            ConceptRef::Finding(ix) => !speaks_for_self_care(base, ix),
            _ => false,
        }
}

fn speaks_for_self_care(base: &KnowledgeBase, ix: FindingIx) -> bool {
    let showing = base.likelihood().showing(ix, None);
    let background = base.likelihood().background()[ix.index()].yes;
    let mut shown = showing.conditions().iter().zip(showing.probabilities());
    shown.any(|(condition, probability)| {
        let (level, _) = base.usual_levels()[condition.index()];
        level == TriageLevel::SelfCare && *probability > background
    })
}

/// Returns the highest level over all members of the family. Stops early at emergency, the highest
/// level there is.
fn highest(family: &Family<'_, '_>, dangerous: &[EvidenceItem], levels: &Levels) -> TriageLevel {
    let parameters = family.parameters;
    // The set without any dangerous finding. Without it, the first dangerous finding could lower
    // the level that the rest gives.
    let hypotheses = HypothesesByLevel::of(&family.scores(), levels);
    let mut highest = hypotheses.level_of(hypotheses.masses(), parameters);
    let mut joined: Vec<(EvidenceItem, Vec<f64>)> = Vec::with_capacity(dangerous.len());
    for &danger in dangerous {
        if highest == TriageLevel::Emergency {
            break;
        }
        let alone = hypotheses.factors(&family.change(&[danger]));
        let masses = multiplied(hypotheses.masses(), &alone);
        highest = highest.max(hypotheses.level_of(&masses, parameters));
        // Only pairs with earlier findings, so that each pair is computed once.
        for (other, factors) in &joined {
            let masses = if family.are_independent(&danger, other) {
                multiplied(&masses, factors)
            } else {
                // One finding changes the weight of the other, or both change that of a third, so
                // the product of their single effects would count that change wrongly.
                let both = family.change(&[danger, *other]);
                multiplied(hypotheses.masses(), &hypotheses.factors(&both))
            };
            highest = highest.max(hypotheses.level_of(&masses, parameters));
        }
        joined.push((danger, alone));
    }
    highest
}

/// The harmless evidence, to which dangerous findings are added.
struct Family<'a, 'b> {
    facts: &'b PatientFacts<'a>,
    differential: &'b Differential<'a>,
    parameters: &'b Parameters,
    harmless: Vec<EvidenceItem>,
    /// The harmless evidence that counts while no dangerous finding is present.
    counted: Vec<EvidenceItem>,
}

impl<'a, 'b> Family<'a, 'b> {
    fn new(
        facts: &'b PatientFacts<'a>,
        differential: &'b Differential<'a>,
        parameters: &'b Parameters,
        harmless: Vec<EvidenceItem>,
    ) -> Self {
        let counted = facts.counted_among(&harmless);
        Self {
            facts,
            differential,
            parameters,
            harmless,
            counted,
        }
    }

    /// Returns the scores from the harmless evidence alone.
    fn scores(&self) -> Vec<f64> {
        let mut scores = Scores::starting_at(self.differential.prior.clone());
        if let Some(course) = &self.differential.course {
            scores.add_each(course);
        }
        for item in &self.counted {
            scores.add(&self.weights(item, &self.counted));
        }
        scores.settled()
    }

    /// Returns the change of the scores when `kept` is added to the harmless evidence: the weights
    /// of `kept`, plus the changes in other evidence that then counts differently or not at all.
    fn change(&self, kept: &[EvidenceItem]) -> Vec<f64> {
        let mut change = Scores::starting_at(vec![0.0; self.differential.prior.len()]);
        if let [danger] = kept
            && self.stands_alone(danger)
        {
            change.add(&self.weights(danger, &self.counted));
            return change.settled();
        }
        let mut company = self.harmless.clone();
        company.extend(kept);
        company.sort_unstable_by_key(|item| item.concept);
        let counted = self.facts.counted_among(&company);
        for item in kept.iter().filter(|item| counted.contains(item)) {
            change.add(&self.weights(item, &counted));
        }
        for item in self.harmless.iter().filter(|item| self.touch(kept, item)) {
            if self.counted.contains(item) {
                // Its weight before the addition is already in the scores of the harmless evidence.
                change.subtract(&self.weights(item, &self.counted));
            }
            if counted.contains(item) {
                change.add(&self.weights(item, &counted));
            }
        }
        change.settled()
    }

    /// Whether a dangerous finding is independent of all harmless evidence: it counts, and changes
    /// no other weight.
    fn stands_alone(&self, danger: &EvidenceItem) -> bool {
        // A broader finding does not count beside a narrower one, so it is not independent of the
        // harmless evidence.
        let narrower = danger.concept.finding();
        let narrower = narrower.map_or(&[][..], |ix| &self.facts.base.finding(ix).descendants);
        let mut harmless = self.harmless.iter();
        !is_any_among(&self.harmless, narrower, true)
            && !harmless.any(|item| self.touches(danger, item))
    }

    /// Whether two dangerous findings change the scores independently: neither affects the other,
    /// and no harmless evidence is affected by both.
    fn are_independent(&self, first: &EvidenceItem, second: &EvidenceItem) -> bool {
        let by_both = |item: &EvidenceItem| self.touches(first, item) && self.touches(second, item);
        !self.touches(first, second)
            && !self.touches(second, first)
            && !self.harmless.iter().any(by_both)
    }

    fn touch(&self, kept: &[EvidenceItem], item: &EvidenceItem) -> bool {
        kept.iter().any(|danger| self.touches(danger, item))
    }

    /// Whether the presence of a dangerous finding changes the weight of another piece of evidence.
    fn touches(&self, danger: &EvidenceItem, item: &EvidenceItem) -> bool {
        let (Some(danger), Some(finding)) = (danger.concept.finding(), item.concept.finding())
        else {
            return false;
        };
        let finding = self.facts.base.finding(finding);
        let gives = |broader: &FindingIx| {
            *broader == danger || self.facts.base.finding(danger).ancestors.contains(broader)
        };
        finding.descendants.contains(&danger)
            || (!item.present && finding.ancestors.iter().any(gives))
    }

    /// Returns the weights of a piece of evidence. The weight of an absent finding depends on
    /// whether a broader one is present, so it is computed again; all others are already known.
    fn weights(&self, item: &EvidenceItem, company: &[EvidenceItem]) -> Cow<'b, Weights<'a>> {
        let broader = item.concept.finding();
        let broader = broader.map_or(&[][..], |ix| &self.facts.base.finding(ix).ancestors);
        // The stored weight was computed beside all evidence; `company` may lack the broader
        // finding.
        let leans = !item.present && !broader.is_empty();
        let all = &self.differential.weights;
        // Sorted by concept without duplicates, like the facts.
        let known = all.binary_search_by_key(&item.concept, |(known, _)| known.concept);
        match (leans, known) {
            (false, Ok(place)) => Cow::Borrowed(&all[place].1),
            _ => Cow::Owned(weighing::of(item, self.facts, self.parameters, company)),
        }
    }
}
