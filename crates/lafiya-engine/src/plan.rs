//! What to do: tests that separate the leading candidates, treatment with its source, referral,
//! signs of getting worse, and what the law wants reported. Everything is taken from the knowledge
//! base as written there; nothing without a source gets through.

use lafiya_knowledge::schema::{self, Advice};
use lafiya_knowledge::words::State;
use lafiya_knowledge::{Condition, ConditionIx, Facts, KnowledgeBase, LabIx, SourceIx, When};
use lafiya_model::assessment::{
    ConditionTreatment, Investigation, Notifiable, ReferralPathway, TreatmentGuidance, WatchFor,
};
use lafiya_model::ids::ConceptId;
use lafiya_model::{Age, TriageLevel};

use crate::citations::Citations;
use crate::danger::Alarm;
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

/// A test that leaders ask for, before it is put into words.
struct Test<'a> {
    lab: LabIx,
    /// As the first of the leaders that ask for it writes it.
    text: &'a schema::Investigation,
    source: Option<SourceIx>,
    differentiates: Vec<&'a str>,
}

pub(crate) fn investigations(
    facts: &PatientFacts<'_>,
    leaders: &Leaders<'_>,
    citations: &mut Citations<'_>,
) -> Vec<Investigation> {
    let mut tests: Vec<Test<'_>> = Vec::new();
    for leader in leaders {
        let condition = condition(facts, leader);
        for (text, link) in condition
            .text
            .investigation
            .iter()
            .zip(&condition.investigations)
        {
            let Some(lab) = link.test else { continue };
            let place = tests.iter().position(|test| test.lab == lab);
            let place = place.unwrap_or_else(|| {
                if let Some(source) = link.source {
                    citations.line(source);
                }
                tests.push(Test {
                    lab,
                    text,
                    source: link.source,
                    differentiates: Vec::new(),
                });
                tests.len() - 1
            });
            let apart = link.differentiates.iter();
            let apart = apart.map(|ix| facts.base.condition(*ix).text.name.as_str());
            let all = std::iter::once(condition.text.name.as_str()).chain(apart);
            tests[place].differentiates.extend(all);
        }
    }
    // First what every leader puts first; the order among equals is the order of the leaders.
    tests.sort_by_key(|test| test.text.priority);
    tests.truncate(INVESTIGATIONS_MAX);
    let priorities = 1..;
    let tests = tests.into_iter().zip(priorities);
    tests
        .map(|(test, priority)| test.in_words(priority, facts, citations))
        .collect()
}

impl Test<'_> {
    fn in_words(
        self,
        priority: u32,
        facts: &PatientFacts<'_>,
        citations: &mut Citations<'_>,
    ) -> Investigation {
        let lab = &facts.base.lab(self.lab).text;
        let source = self.source.map(|ix| citations.line(ix).to_owned());
        Investigation {
            priority,
            test_id: ConceptId(self.text.test.clone()),
            test_name: lab.name.clone(),
            alternative_name: lab.synonyms.first().cloned().unwrap_or_default(),
            purpose: self.text.purpose.clone(),
            source: source.unwrap_or_default(),
            interpretation: self.text.interpretation.clone(),
            urgency: self.text.urgency.as_str().to_owned(),
            differentiates: owned(distinct(self.differentiates.into_iter(), usize::MAX)),
            available_at: self.text.level.as_str().to_owned(),
        }
    }
}

pub(crate) fn treatment(
    facts: &PatientFacts<'_>,
    leaders: &Leaders<'_>,
    alarms: &[Alarm<'_>],
    citations: &mut Citations<'_>,
) -> TreatmentGuidance {
    let conditions = || leaders.iter().map(|leader| condition(facts, leader));
    let treatments = || conditions().map(|condition| &condition.text.treatment);
    let urgent_actions = alarms
        .iter()
        .filter(|alarm| alarm.level >= TriageLevel::Urgent)
        .map(|alarm| alarm.action);
    let actions = urgent_actions
        .filter(|action| !action.is_empty())
        .chain(treatments().flat_map(|it| it.immediate_actions.iter().map(String::as_str)));
    let care = treatments().flat_map(|it| it.supportive_care.iter().map(String::as_str));
    let avoid = conditions().flat_map(|condition| to_avoid(facts, condition));
    TreatmentGuidance {
        immediate_actions: owned(distinct(actions, ACTIONS_MAX)),
        supportive_care: owned(distinct(care, ACTIONS_MAX)),
        avoid: distinct(avoid, ACTIONS_MAX),
        condition_specific: conditions()
            .filter_map(|condition| confirmed_treatment(facts, condition, citations))
            .collect(),
    }
}

/// What not to give to this patient.
fn to_avoid(facts: &PatientFacts<'_>, condition: &Condition) -> impl Iterator<Item = String> {
    let written = condition.text.treatment.avoid.iter();
    let applies = |(avoid, when): &(&schema::Avoid, &Option<When>)| {
        when.as_ref().is_none_or(|when| when.holds(facts)) && !avoid.source.is_empty()
    };
    written
        .zip(&condition.avoid_when)
        .filter(applies)
        .map(|(avoid, _)| format!("{}: {}", condition.text.name, avoid.text))
}

/// First and second choice for this patient; the line for pregnancy or children stands beside them.
fn confirmed_treatment(
    facts: &PatientFacts<'_>,
    condition: &Condition,
    citations: &mut Citations<'_>,
) -> Option<ConditionTreatment> {
    let treatment = &condition.text.treatment;
    let base = facts.base;
    let (first, source) = sourced(base, treatment.first_line.as_ref())?;
    let mut first_line = first.to_owned();
    let mut sources = vec![source];
    let mut also = |label: &str, advice: Option<(&str, SourceIx)>| {
        if let Some((text, source)) = advice {
            let stop = if first_line.ends_with('.') { "" } else { "." };
            for part in [stop, " ", label, ": ", text] {
                first_line.push_str(part);
            }
            sources.push(source);
        }
    };
    if facts.is_in(State::Pregnant) {
        also("In pregnancy", sourced(base, treatment.pregnancy.as_ref()));
    }
    if facts.age < Age::from_years(CHILD_BELOW_YEARS) {
        also("Children", sourced(base, treatment.children.as_ref()));
    }
    let alternative = sourced(base, treatment.alternative.as_ref());
    sources.extend(alternative.map(|(_, source)| source));
    let cited: Vec<_> = distinct(sources.into_iter(), usize::MAX)
        .into_iter()
        .map(|source| citations.cite(source))
        .collect();
    Some(ConditionTreatment {
        condition_id: ConceptId(condition.text.id.clone()),
        condition_name: condition.text.name.clone(),
        first_line,
        alternative: alternative.map_or_else(String::new, |(text, _)| text.to_owned()),
        source: cited.join("; "),
    })
}

/// Advice with its source. A source that cannot be cited is no source: the advice is left out.
fn sourced<'a>(base: &KnowledgeBase, advice: Option<&'a Advice>) -> Option<(&'a str, SourceIx)> {
    let advice = advice?;
    Some((&advice.text, base.find_source(&advice.source)?))
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
        source: citations.cite_id(&text.source),
    }
}

pub(crate) fn watch_for(facts: &PatientFacts<'_>, leaders: &Leaders<'_>) -> Vec<WatchFor> {
    let signs = leaders
        .iter()
        .flat_map(|leader| &condition(facts, leader).text.watch_for);
    let words = signs.map(|it| [&it.sign, &it.escalates_to, &it.action]);
    let distinct = distinct(words, WATCH_FOR_MAX).into_iter();
    distinct
        .map(|[sign, escalates_to, action]| WatchFor {
            sign: sign.clone(),
            escalates_to: escalates_to.clone(),
            action: action.clone(),
        })
        .collect()
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
                source: citations.cite_id(&duty.source),
            })
        })
        .collect()
}

/// The first `max` that differ from each other.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>, max: usize) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if kept.len() >= max {
            break;
        }
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}
