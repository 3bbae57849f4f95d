//! What to do: tests that separate the leading candidates, treatment with its source, referral,
//! signs of getting worse, and what the law wants reported. Everything is taken from the knowledge
//! base as written there; nothing without a source gets through.

use lafiya_knowledge::schema::Advice;
use lafiya_knowledge::words::State;
use lafiya_knowledge::{Condition, ConditionIx, Facts};
use lafiya_model::assessment::{
    ConditionTreatment, Investigation, Notifiable, ReferralPathway, TreatmentGuidance, WatchFor,
};
use lafiya_model::ids::ConceptId;
use lafiya_model::{Age, TriageLevel};

use crate::danger::Alarm;
use crate::explain::Citations;
use crate::facts::PatientFacts;

const INVESTIGATIONS_MAX: usize = 8;
const ACTIONS_MAX: usize = 10;
const WATCH_FOR_MAX: usize = 6;
/// Below this probability a condition is not reported as suspected.
const SUSPECTED_FROM: f64 = 0.10;
/// A child's dose line is shown below this age.
const CHILD_BELOW_YEARS: u32 = 12;

/// The candidates that a plan is made for, with their probabilities.
pub(crate) type Leaders<'a> = [(ConditionIx, f64)];

fn condition<'a>(facts: &PatientFacts<'a>, leader: &(ConditionIx, f64)) -> &'a Condition {
    facts.base.condition(leader.0)
}

pub(crate) fn investigations(
    facts: &PatientFacts<'_>,
    leaders: &Leaders<'_>,
    citations: &mut Citations<'_>,
) -> Vec<Investigation> {
    let mut tests: Vec<(u8, Investigation)> = Vec::new();
    for leader in leaders {
        let condition = condition(facts, leader);
        for (text, link) in condition
            .text
            .investigation
            .iter()
            .zip(&condition.investigations)
        {
            let already = tests
                .iter_mut()
                .find(|(_, test)| test.test_id.as_str() == text.test);
            let Some(lab) = link.test.map(|ix| facts.base.lab(ix)) else {
                continue;
            };
            let apart = link
                .differentiates
                .iter()
                .map(|ix| facts.base.condition(*ix).text.name.clone());
            if let Some((_, test)) = already {
                test.differentiates
                    .extend(std::iter::once(condition.text.name.clone()).chain(apart));
                continue;
            }
            let test = Investigation {
                priority: 0,
                test_id: ConceptId(text.test.clone()),
                test_name: lab.text.name.clone(),
                alternative_name: lab.text.synonyms.first().cloned().unwrap_or_default(),
                purpose: text.purpose.clone(),
                source: citations.cite(&text.source),
                interpretation: text.interpretation.clone(),
                urgency: text.urgency.as_str().to_owned(),
                differentiates: std::iter::once(condition.text.name.clone())
                    .chain(apart)
                    .collect(),
                available_at: text.level.as_str().to_owned(),
            };
            tests.push((text.priority, test));
        }
    }
    // First what every leader puts first; the order among equals is the order of the leaders.
    tests.sort_by_key(|(priority, _)| *priority);
    let mut tests: Vec<Investigation> = tests
        .into_iter()
        .map(|(_, test)| test)
        .take(INVESTIGATIONS_MAX)
        .collect();
    for (place, test) in tests.iter_mut().enumerate() {
        test.priority = place as u32 + 1;
        dedup(&mut test.differentiates);
    }
    tests
}

pub(crate) fn treatment(
    facts: &PatientFacts<'_>,
    leaders: &Leaders<'_>,
    alarms: &[Alarm],
    citations: &mut Citations<'_>,
) -> TreatmentGuidance {
    let mut guidance = TreatmentGuidance::default();
    let urgent_actions = alarms
        .iter()
        .filter(|alarm| alarm.level >= TriageLevel::Urgent)
        .map(|alarm| alarm.action.clone());
    guidance
        .immediate_actions
        .extend(urgent_actions.filter(|action| !action.is_empty()));
    for leader in leaders {
        let condition = condition(facts, leader);
        let treatment = &condition.text.treatment;
        guidance
            .immediate_actions
            .extend(treatment.immediate_actions.iter().cloned());
        guidance
            .supportive_care
            .extend(treatment.supportive_care.iter().cloned());
        for (avoid, when) in treatment.avoid.iter().zip(&condition.avoid_when) {
            if when.as_ref().is_none_or(|when| when.holds(facts)) && !avoid.source.is_empty() {
                guidance
                    .avoid
                    .push(format!("{}: {}", condition.text.name, avoid.text));
            }
        }
        guidance
            .condition_specific
            .extend(confirmed_treatment(facts, condition, citations));
    }
    for list in [
        &mut guidance.immediate_actions,
        &mut guidance.supportive_care,
        &mut guidance.avoid,
    ] {
        dedup(list);
        list.truncate(ACTIONS_MAX);
    }
    guidance
}

/// First and second choice for this patient; the line for pregnancy or children stands beside them.
fn confirmed_treatment(
    facts: &PatientFacts<'_>,
    condition: &Condition,
    citations: &mut Citations<'_>,
) -> Option<ConditionTreatment> {
    let treatment = &condition.text.treatment;
    // A source that cannot be cited is no source: the advice is left out.
    let base = facts.base;
    let sourced = |advice: &Option<Advice>| {
        advice
            .clone()
            .filter(|advice| base.find_source(&advice.source).is_some())
    };
    let first = sourced(&treatment.first_line)?;
    let mut first_line = first.text.clone();
    let mut sources = vec![first.source];
    let mut also = |label: &str, advice: Option<Advice>| {
        if let Some(advice) = advice {
            let stop = if first_line.ends_with('.') { "" } else { "." };
            first_line.push_str(&format!("{stop} {label}: {}", advice.text));
            sources.push(advice.source);
        }
    };
    if facts.is_in(State::Pregnant) {
        also("In pregnancy", sourced(&treatment.pregnancy));
    }
    if facts.age < Age::from_years(CHILD_BELOW_YEARS) {
        also("Children", sourced(&treatment.children));
    }
    let alternative = sourced(&treatment.alternative);
    sources.extend(alternative.iter().map(|advice| advice.source.clone()));
    dedup(&mut sources);
    let cited: Vec<String> = sources
        .iter()
        .map(|source| citations.cite(source))
        .collect();
    Some(ConditionTreatment {
        condition_id: ConceptId(condition.text.id.clone()),
        condition_name: condition.text.name.clone(),
        first_line,
        alternative: alternative.map(|advice| advice.text).unwrap_or_default(),
        source: cited.join("; "),
    })
}

pub(crate) fn referral(
    facts: &PatientFacts<'_>,
    leaders: &Leaders<'_>,
    level: TriageLevel,
    citations: &mut Citations<'_>,
) -> ReferralPathway {
    // The pathway of the leader that is as urgent as the patient, else of the leader.
    let as_urgent = leaders
        .iter()
        .map(|leader| condition(facts, leader))
        .find(|it| it.text.triage.default >= level);
    let condition = as_urgent.or_else(|| leaders.first().map(|leader| condition(facts, leader)));
    let Some(text) = condition.and_then(|condition| condition.text.referral.as_ref()) else {
        return ReferralPathway::default();
    };
    ReferralPathway {
        current_level: text.current_level.clone(),
        refer_to: text.refer_to.clone(),
        criteria: text.criteria.clone(),
        pre_referral_actions: text.pre_referral_actions.clone(),
        source: citations.cite(&text.source),
    }
}

pub(crate) fn watch_for(facts: &PatientFacts<'_>, leaders: &Leaders<'_>) -> Vec<WatchFor> {
    let signs = leaders
        .iter()
        .flat_map(|leader| &condition(facts, leader).text.watch_for);
    let mut all: Vec<WatchFor> = signs
        .map(|text| WatchFor {
            sign: text.sign.clone(),
            escalates_to: text.escalates_to.clone(),
            action: text.action.clone(),
        })
        .collect();
    dedup(&mut all);
    all.truncate(WATCH_FOR_MAX);
    all
}

pub(crate) fn notifiable(
    facts: &PatientFacts<'_>,
    leaders: &Leaders<'_>,
    citations: &mut Citations<'_>,
) -> Vec<Notifiable> {
    let suspected = leaders
        .iter()
        .filter(|(_, probability)| *probability >= SUSPECTED_FROM);
    suspected
        .filter_map(|leader| {
            let text = &condition(facts, leader).text;
            let duty = text.notifiable.as_ref()?;
            Some(Notifiable {
                condition_id: ConceptId(text.id.clone()),
                condition_name: text.name.clone(),
                scheme: duty.scheme.clone(),
                how_fast: duty.how_fast.as_str().to_owned(),
                to: duty.to.clone(),
                source: citations.cite(&duty.source),
            })
        })
        .collect()
}

fn dedup<T: PartialEq>(list: &mut Vec<T>) {
    let mut place = 0;
    while place < list.len() {
        if list[..place].contains(&list[place]) {
            list.remove(place);
        } else {
            place += 1;
        }
    }
}
