//! The level that the candidates carry, so made that more danger can never lower it.
//!
//! Dangerous findings are part of the evidence, and evidence may move probability from a dangerous
//! condition to a harmless one; the level must not follow. So the level is the highest over a family
//! of evidence: everything harmless, with none, any one and any two of the dangerous findings. Adding
//! one only adds members to that family, and the highest can only rise. With very many serious
//! findings at once no table is needed: the patient is very ill.

use std::borrow::Cow;

use lafiya_knowledge::FindingIx;
use lafiya_model::TriageLevel;

use crate::danger;
use crate::differential::{Differential, add, normalised};
use crate::facts::{PatientFacts, Told};
use crate::parameters::Parameters;
use crate::triage::Levels;
use crate::weights;

/// From so many dangerous findings on, the level is emergency. It also bounds the work.
const MANY: usize = 10;

pub(crate) fn level(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    levels: &Levels,
    parameters: &Parameters,
) -> TriageLevel {
    let all = danger::dangerous_findings(facts);
    let is_dangerous = |told: &Told| {
        told.present
            && told
                .concept
                .finding()
                .is_some_and(|ix| all.binary_search(&ix).is_ok())
    };
    let (dangerous, harmless): (Vec<Told>, Vec<Told>) =
        facts.told.iter().copied().partition(is_dangerous);
    if dangerous.is_empty() {
        return levels
            .shares(differential.hypotheses())
            .level(differential.unexplained(), parameters);
    }
    if dangerous.len() >= MANY {
        return TriageLevel::Emergency;
    }
    let family = Family::new(facts, differential, parameters, &dangerous, &harmless);
    let mut highest = TriageLevel::SelfCare;
    let mut consider = |kept: &[Told]| {
        if highest < TriageLevel::Emergency {
            let (hypotheses, unexplained) = normalised(&family.scores_with(kept));
            let level = levels.shares(&hypotheses).level(unexplained, parameters);
            highest = highest.max(level);
        }
    };
    consider(&[]);
    for (place, &first) in dangerous.iter().enumerate() {
        consider(&[first]);
        for &second in &dangerous[place + 1..] {
            consider(&[first, second]);
        }
    }
    highest
}

/// The harmless evidence, ready to be joined by some of the dangerous findings. Most of it weighs the
/// same whichever of them are there and is added up once.
struct Family<'a, 'b> {
    facts: &'b PatientFacts<'a>,
    differential: &'b Differential,
    parameters: &'b Parameters,
    harmless: &'b [Told],
    /// The sum of the prior, the course and all that no dangerous finding touches.
    settled: Vec<f64>,
    /// What counts differently, or not at all, in the company of a dangerous finding.
    touched: Vec<Told>,
}

impl<'a, 'b> Family<'a, 'b> {
    fn new(
        facts: &'b PatientFacts<'a>,
        differential: &'b Differential,
        parameters: &'b Parameters,
        dangerous: &[Told],
        harmless: &'b [Told],
    ) -> Self {
        let is_touched = |told: &Told| dangerous.iter().any(|danger| touches(facts, danger, told));
        let (touched, untouched): (Vec<Told>, Vec<Told>) =
            harmless.iter().copied().partition(is_touched);
        let mut family = Self {
            facts,
            differential,
            parameters,
            harmless,
            settled: differential.prior.clone(),
            touched,
        };
        if let Some(course) = &differential.course {
            add(&mut family.settled, course);
        }
        let counted = facts.counted_among(harmless);
        for told in untouched.iter().filter(|told| counted.contains(told)) {
            let weights = family.weights(told, &counted);
            add(&mut family.settled, &weights);
        }
        family
    }

    /// The scores when the harmless evidence is joined by `kept`.
    fn scores_with(&self, kept: &[Told]) -> Vec<f64> {
        let mut company = self.harmless.to_vec();
        company.extend(kept);
        company.sort_unstable_by_key(|told| told.concept);
        let counted = self.facts.counted_among(&company);
        let mut scores = self.settled.clone();
        let open = self.touched.iter().chain(kept);
        for told in open.filter(|told| counted.contains(told)) {
            add(&mut scores, &self.weights(told, &counted));
        }
        scores
    }

    /// What a piece weighs. That of an absent finding leans on what else is there, so it is taken
    /// anew; all others are known.
    fn weights(&self, told: &Told, company: &[Told]) -> Cow<'b, [f64]> {
        let leans = !told.present && told.concept.finding().is_some();
        let known = || {
            let mut known = self.differential.weights.iter();
            known.find(|(known, _)| known == told)
        };
        match (leans, known()) {
            (false, Some((_, weights))) => Cow::Borrowed(weights),
            _ => Cow::Owned(weights::of(told, self.facts, self.parameters, company)),
        }
    }
}

/// Whether the presence of a dangerous finding changes what another piece of evidence counts.
fn touches(facts: &PatientFacts<'_>, danger: &Told, told: &Told) -> bool {
    let (Some(danger), Some(finding)) = (danger.concept.finding(), told.concept.finding()) else {
        return false;
    };
    let (above_danger, finding) = (
        &facts.base.finding(danger).ancestors,
        facts.base.finding(finding),
    );
    let gives = |broader: &FindingIx| *broader == danger || above_danger.contains(broader);
    finding.descendants.contains(&danger) || (!told.present && finding.ancestors.iter().any(gives))
}
