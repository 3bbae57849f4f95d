//! Simulated patients, drawn from the knowledge base. They start with a few complaints and answer
//! the engine's questions, sometimes vaguely and sometimes wrongly. They show the effect of a
//! change of the content or the model. They cannot show whether the content is true, since they are
//! generated from it.

mod patient;

use lafiya_engine::{Parameters, assess, review};
use lafiya_knowledge::base::FindingLink;
use lafiya_knowledge::words::FindingKind;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Assessment, Choice, DeidentifiedCase, TriageLevel};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::case_mix::told;
use crate::run::Outcome;
use patient::{Patient, weighted};

/// The percentage of answers that are "I do not know".
const VAGUE_OF_100: f64 = 8.0;
/// The percentage of wrong answers.
const WRONG_OF_100: f64 = 3.0;
/// The percentage of patients who state a duration.
const SAYS_SINCE_WHEN_OF_100: f64 = 70.0;
/// The percentage of relevant risk factors that are stated without being asked.
const RISK_TOLD_OF_100: f64 = 40.0;
/// A risk factor with a smaller effect on the log-odds is not stated without being asked.
const TELLING_LN_ODDS: f32 = 0.7;
/// The factor by which a cardinal finding is more likely to be a first complaint.
const CARDINAL_TIMES: f64 = 3.0;

/// The distribution of the patients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// As in a clinic: common conditions are common.
    Mix,
    /// Every condition equally often.
    Even,
}

/// The settings of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    /// The number of patients.
    pub patients: usize,
    /// Their distribution.
    pub draw: Draw,
    /// The maximum number of questions.
    pub questions_max: usize,
    /// The same seed draws the same patients.
    pub seed: u64,
}

/// Draws patients, interviews them and returns the outcomes in order. The category of the condition
/// is used as the set. `done` is called for every patient, from any thread.
pub fn simulate(
    base: &KnowledgeBase,
    simulation: &Simulation,
    parameters: &Parameters,
    done: &(dyn Fn() + Sync),
) -> Vec<Outcome> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = simulation.patients.div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let numbers = worker * share..((worker + 1) * share).min(simulation.patients);
                scope.spawn(move || {
                    numbers
                        .filter_map(|number| {
                            let outcome = one(base, simulation, parameters, number);
                            done();
                            outcome
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    })
}

/// Returns the first complaints of simulated patients, without an interview: the same cases for two
/// versions of a knowledge base.
pub(crate) fn openings(base: &KnowledgeBase, simulation: &Simulation) -> Vec<DeidentifiedCase> {
    (0..simulation.patients)
        .filter_map(|number| {
            let mut random = random(simulation, number);
            let patient = Patient::draw(base, simulation.draw, number, &mut random)?;
            opening(base, &patient, &mut random)
        })
        .collect()
}

/// Returns a random source for one patient. It is seeded by the patient's number, so that the
/// result does not depend on the thread.
fn random(simulation: &Simulation, number: usize) -> StdRng {
    StdRng::seed_from_u64(
        simulation
            .seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(number as u64),
    )
}

fn one(
    base: &KnowledgeBase,
    simulation: &Simulation,
    parameters: &Parameters,
    number: usize,
) -> Option<Outcome> {
    let mut random = random(simulation, number);
    let patient = Patient::draw(base, simulation.draw, number, &mut random)?;
    let mut case = opening(base, &patient, &mut random)?;
    let mut asked = 0;
    let mut assessment = review(assess(base, &case, parameters), asked);
    while !assessment.should_stop && asked < simulation.questions_max {
        let Some(question) = &assessment.next_question else {
            break;
        };
        let Some(concept) = base.resolve(question.id.as_str()) else {
            break;
        };
        let choice = answer(patient.has(concept), &mut random);
        case.evidence.push(told(question.id.as_str(), choice));
        asked += 1;
        assessment = review(assess(base, &case, parameters), asked);
    }
    Some(outcome(base, &patient, &case, &assessment, asked, number))
}

fn answer(truth: bool, random: &mut StdRng) -> Choice {
    if random.random_bool(VAGUE_OF_100 / 100.0) {
        return Choice::Unknown;
    }
    let says = truth != random.random_bool(WRONG_OF_100 / 100.0);
    if says {
        Choice::Present
    } else {
        Choice::Absent
    }
}

/// Returns what the patient says first: two to four complaints, sometimes a duration, and some of
/// the known risk factors. `None` if there is nothing to complain of.
fn opening(
    base: &KnowledgeBase,
    patient: &Patient,
    random: &mut StdRng,
) -> Option<DeidentifiedCase> {
    let condition = base.condition(patient.condition);
    let complaints = |kinds: &[FindingKind]| -> Vec<&FindingLink> {
        condition
            .findings
            .iter()
            .filter(|link| {
                patient.has_finding(link.finding)
                    && kinds.contains(&base.finding(link.finding).text.kind)
            })
            .collect()
    };
    let mut left = complaints(&[FindingKind::Symptom]);
    if left.is_empty() {
        left = complaints(&[FindingKind::Sign, FindingKind::Vital]);
    }
    let days = condition.text.course.usual_days;
    let since = random
        .random_bool(SAYS_SINCE_WHEN_OF_100 / 100.0)
        .then(|| random.random_range(days[0]..=days[1].max(days[0])).round() as u32);
    let mut case = patient.case.clone();
    let wanted = random.random_range(2..=4);
    let before = case.evidence.len();
    while case.evidence.len() - before < wanted {
        let weights: Vec<f64> = left
            .iter()
            .map(|link| {
                f64::from(link.probability) * if link.cardinal { CARDINAL_TIMES } else { 1.0 }
            })
            .collect();
        let Some(place) = weighted(&weights, random) else {
            break;
        };
        let link = left.swap_remove(place);
        let mut item = told(&base.finding(link.finding).text.id, Choice::Present);
        item.duration_days = since;
        case.evidence.push(item);
    }
    if case.evidence.len() == before {
        return None;
    }
    for link in condition
        .risks
        .iter()
        .filter(|link| link.ln_odds > TELLING_LN_ODDS)
    {
        let risk = base.risk(link.risk);
        let tells = risk.implied_by_age.is_none() && patient.has(ConceptRef::Risk(link.risk));
        if tells && random.random_bool(RISK_TOLD_OF_100 / 100.0) {
            case.evidence.push(told(&risk.text.id, Choice::Present));
        }
    }
    Some(case)
}

fn outcome(
    base: &KnowledgeBase,
    patient: &Patient,
    case: &DeidentifiedCase,
    assessment: &Assessment,
    asked: usize,
    number: usize,
) -> Outcome {
    let text = &base.condition(patient.condition).text;
    let place = assessment
        .conditions
        .iter()
        .position(|condition| condition.id.as_str() == text.id);
    let probability = |place: usize| {
        assessment
            .conditions
            .get(place)
            .map_or(0.0, |it| it.probability)
    };
    let wanted = text.triage.default;
    // Danger signs may rightly raise the level of an urgent patient; a harmless illness is not an
    // emergency.
    let most = if wanted >= TriageLevel::Urgent {
        TriageLevel::Emergency
    } else {
        TriageLevel::Urgent
    };
    Outcome {
        id: format!("simulated-{number}"),
        set: text.category.clone(),
        diagnosis: text.name.clone(),
        covered: true,
        rank: place.map(|place| place + 1),
        probability_of_right: place.map_or(0.0, probability),
        probability_of_first: probability(0),
        top: assessment
            .conditions
            .iter()
            .take(5)
            .map(|condition| format!("{} {:.2}", condition.name, condition.probability))
            .collect(),
        level: Some(assessment.triage.level),
        because: assessment
            .triage
            .root_cause
            .as_deref()
            .unwrap_or_default()
            .to_owned(),
        wanted_level: Some((wanted, most, wanted)),
        asked,
        evidence: case.evidence.len(),
        not_understood: Vec::new(),
        understood: case
            .evidence
            .iter()
            .map(|item| {
                let no = match item.choice {
                    Choice::Present => "",
                    Choice::Absent => "no ",
                    Choice::Unknown => "? ",
                };
                format!("{no}{}", item.id.as_str())
            })
            .collect(),
    }
}
