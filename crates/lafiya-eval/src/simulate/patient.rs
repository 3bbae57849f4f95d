//! One simulated patient: a condition, an age, a place, and the truth about every finding and risk
//! factor, drawn from the figures of the knowledge base. The truth is drawn once; what the patient
//! says is drawn later.

use lafiya_engine::case_mix;
use lafiya_knowledge::words::State;
use lafiya_knowledge::{ConceptRef, ConditionIx, FindingIx, Group, KnowledgeBase};
use lafiya_model::{Age, AgeBand, Choice, DeidentifiedCase, Sex};
use rand::RngExt;
use rand::rngs::StdRng;

use super::Draw;
use crate::case_mix::{says_state, told};

/// The percentage of visitors to a first-contact clinic in each band, in the order of
/// `AgeBand::ALL`. A working estimate of outpatient registers, used only for drawing.
const VISITORS: [f64; 7] = [2.0, 8.0, 20.0, 15.0, 38.0, 10.0, 7.0];
/// The number of places and months tried for a wanted condition; one is chosen in proportion to how
/// common the condition is there.
const PLACES_TRIED: usize = 12;
/// The number of draws of age, sex and place before a condition is skipped as too rare.
const TRIES_MAX: usize = 40;

/// The truth about a patient.
pub(super) struct Patient {
    pub(super) condition: ConditionIx,
    /// Age, sex, place, month, and the stated state of a woman; no complaints yet.
    pub(super) case: DeidentifiedCase,
    findings: Vec<bool>,
    risks: Vec<bool>,
}

impl Patient {
    /// Draws a patient as in a clinic, or with the condition whose turn it is.
    pub(super) fn draw(
        base: &KnowledgeBase,
        draw: Draw,
        number: usize,
        random: &mut StdRng,
    ) -> Option<Self> {
        let (condition, case) = match draw {
            Draw::Mix => as_they_come(base, random)?,
            Draw::Even => {
                let ix = base
                    .condition_indices()
                    .nth(number % base.conditions().len())?;
                (ix, somebody_with(base, ix, random)?)
            }
        };
        let group = group_of(base, &case);
        let mut patient = Self {
            condition,
            findings: vec![false; base.findings().len()],
            risks: vec![false; base.risks().len()],
            case,
        };
        patient.draw_findings(base, group, random);
        patient.draw_risks(base, random);
        Some(patient)
    }

    /// Returns the truth about a concept.
    pub(super) fn has(&self, concept: ConceptRef) -> bool {
        match concept {
            ConceptRef::Finding(ix) => self.findings[ix.index()],
            ConceptRef::Risk(ix) => self.risks[ix.index()],
            _ => false,
        }
    }

    pub(super) fn has_finding(&self, ix: FindingIx) -> bool {
        self.findings[ix.index()]
    }

    /// Draws broad findings first, so that a narrow one is drawn given the broad one.
    fn draw_findings(&mut self, base: &KnowledgeBase, group: Option<Group>, random: &mut StdRng) {
        let mut order: Vec<FindingIx> = base.finding_indices().collect();
        order.sort_by_key(|ix| (base.finding(*ix).ancestors.len(), *ix));
        let condition = base.condition(self.condition);
        for ix in order {
            let finding = base.finding(ix);
            let possible = finding.sex.allows(self.case.sex)
                && finding.ages.contains(self.case.age)
                && !condition.excluded_by.contains(&ConceptRef::Finding(ix));
            let mut probability =
                f64::from(base.likelihood().probability(self.condition, ix, group));
            if let Some(parent) = finding.parent {
                let of_parent =
                    f64::from(base.likelihood().probability(self.condition, parent, group));
                probability = if self.findings[parent.index()] {
                    probability / of_parent.max(0.001)
                } else {
                    0.0
                };
            }
            if possible && random.random_bool(probability.clamp(0.0, 1.0)) {
                self.findings[ix.index()] = true;
                for broader in &finding.ancestors {
                    self.findings[broader.index()] = true;
                }
            }
        }
    }

    fn draw_risks(&mut self, base: &KnowledgeBase, random: &mut StdRng) {
        let condition = base.condition(self.condition);
        for ix in base.risk_indices() {
            let risk = base.risk(ix);
            let possible = risk.sex.allows(self.case.sex)
                && risk.ages.contains(self.case.age)
                && risk.state.is_none()
                && !condition.excluded_by.contains(&ConceptRef::Risk(ix));
            let odds = condition
                .risks
                .iter()
                .find(|link| link.risk == ix)
                .map_or(1.0, |link| f64::from(link.ln_odds).exp());
            let background = f64::from(risk.background.yes);
            let probability = background * odds / (1.0 + background * (odds - 1.0));
            if possible && random.random_bool(probability.clamp(0.0, 1.0)) {
                self.risks[ix.index()] = true;
                for broader in &risk.implies {
                    self.risks[broader.index()] = true;
                }
            }
        }
    }
}

fn as_they_come(
    base: &KnowledgeBase,
    random: &mut StdRng,
) -> Option<(ConditionIx, DeidentifiedCase)> {
    for _ in 0..TRIES_MAX {
        let band = AgeBand::ALL[weighted(&VISITORS, random)?];
        let case = somebody(base, band, random);
        let shares = case_mix(base, &case);
        if let Some(place) = weighted(&shares, random) {
            return Some((base.condition_indices().nth(place)?, case));
        }
    }
    None
}

/// Draws a patient who can have a condition, where and when it is common.
fn somebody_with(
    base: &KnowledgeBase,
    ix: ConditionIx,
    random: &mut StdRng,
) -> Option<DeidentifiedCase> {
    let condition = base.condition(ix);
    let by_band: Vec<f64> = AgeBand::ALL
        .iter()
        .zip(VISITORS)
        .map(|(band, visitors)| f64::from(condition.per_1000(*band)) * visitors)
        .collect();
    for _ in 0..TRIES_MAX {
        let band = AgeBand::ALL[weighted(&by_band, random)?];
        let mut tried: Vec<DeidentifiedCase> = (0..PLACES_TRIED)
            .map(|_| {
                let mut case = somebody(base, band, random);
                if let Some(state) = condition.state {
                    case.evidence = says_state(base, state).into_iter().collect();
                }
                case
            })
            .collect();
        let shares: Vec<f64> = tried
            .iter()
            .map(|case| case_mix(base, case)[ix.index()])
            .collect();
        if let Some(place) = weighted(&shares, random) {
            return Some(tried.swap_remove(place));
        }
    }
    None
}

fn somebody(base: &KnowledgeBase, band: AgeBand, random: &mut StdRng) -> DeidentifiedCase {
    let sex = if random.random_bool(0.5) {
        Sex::Female
    } else {
        Sex::Male
    };
    let states = [State::Pregnant, State::Postpartum];
    let state = states.into_iter().find(|state| {
        sex == Sex::Female && random.random_bool(f64::from(base.state_share(*state, band)))
    });
    let place = random.random_range(0..base.places().len().max(1));
    DeidentifiedCase {
        age: age_in(band, random),
        sex,
        region: base.places().get(place).map(|place| place.slug.clone()),
        month: Some(random.random_range(1..=12)),
        evidence: state
            .and_then(|state| says_state(base, state))
            .map(|said| told(said.id.as_str(), Choice::Present))
            .into_iter()
            .collect(),
    }
}

fn age_in(band: AgeBand, random: &mut StdRng) -> Age {
    match band {
        AgeBand::Neonate => Age::from_days(random.random_range(0..=28)),
        AgeBand::Infant => Age::from_days(random.random_range(29..=360)),
        AgeBand::From1To4 => Age::from_years(random.random_range(1..=4)),
        AgeBand::From5To14 => Age::from_years(random.random_range(5..=14)),
        AgeBand::From15To49 => Age::from_years(random.random_range(15..=49)),
        AgeBand::From50To64 => Age::from_years(random.random_range(50..=64)),
        AgeBand::From65 => Age::from_years(random.random_range(65..=88)),
    }
}

fn group_of(base: &KnowledgeBase, case: &DeidentifiedCase) -> Option<Group> {
    let says_pregnant = case.evidence.iter().any(|item| {
        let risk = base.resolve(item.id.as_str()).and_then(ConceptRef::risk);
        risk.is_some_and(|ix| base.risk(ix).state == Some(State::Pregnant))
    });
    Group::of(case.age, says_pregnant)
}

/// Draws a position in the list in proportion to its weight; `None` if all weights are 0.
pub(super) fn weighted(weights: &[f64], random: &mut StdRng) -> Option<usize> {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let mut left = random.random_range(0.0..total);
    for (place, weight) in weights.iter().enumerate() {
        if left < *weight {
            return Some(place);
        }
        left -= weight;
    }
    weights.iter().rposition(|weight| *weight > 0.0)
}
