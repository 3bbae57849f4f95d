//! The next best question: the one whose answer is expected to tell most about the leading
//! candidates, and about dangerous ones that are not yet excluded. Broad before narrow, never twice,
//! and only what can be asked of this patient.

use lafiya_knowledge::{ConditionIx, FindingIx};
use lafiya_model::Age;
use lafiya_model::assessment::Question;
use lafiya_model::ids::ConceptId;

use crate::differential::Differential;
use crate::facts::{PatientFacts, Status};
use crate::parameters::Parameters;
use crate::weights;

/// Candidates that questions are weighed for.
const CANDIDATES_MAX: usize = 50;
/// How much a condition that must not be missed counts beyond its probability.
const MUST_NOT_MISS_TIMES: f64 = 4.0;
/// Below this expected information a question is not worth asking.
const INFORMATION_MIN: f64 = 0.003;
/// Below this age the one who brings the child is asked.
const SPEAKS_FROM_YEARS: u32 = 12;

/// Whether the interview may stop, why, and what to ask if not.
pub(crate) struct NextStep {
    pub(crate) should_stop: bool,
    pub(crate) reason: String,
    pub(crate) question: Option<Question>,
}

pub(crate) fn next(
    facts: &PatientFacts<'_>,
    differential: &Differential,
    parameters: &Parameters,
    asked: usize,
) -> NextStep {
    let best = best_finding(facts, differential);
    let question = best.map(|ix| question(facts, ix));
    let stop = |reason: String| NextStep {
        should_stop: true,
        reason,
        question: question.clone(),
    };
    if asked >= parameters.questions_max {
        return stop(format!(
            "{} questions were asked, which is the limit.",
            parameters.questions_max
        ));
    }
    if question.is_none() {
        return stop("No further question would tell the candidates apart.".to_owned());
    }
    if let Some(&open) = open_dangers(facts, differential).first() {
        let name = &facts.base.condition(open).text.name;
        return NextStep {
            should_stop: false,
            reason: format!("{name} is dangerous and not yet excluded."),
            question,
        };
    }
    let leader = differential
        .ranking()
        .first()
        .map_or(0.0, |ix| differential.probability(*ix));
    if leader >= parameters.sure_share {
        return stop(format!(
            "The leading condition holds {:.0} % of the probability.",
            leader * 100.0
        ));
    }
    NextStep {
        should_stop: false,
        reason: "The leading conditions are not yet told apart.".to_owned(),
        question,
    }
}

/// Conditions that must not be missed and stand above their own threshold, without being the
/// settled answer, likeliest first.
fn open_dangers(facts: &PatientFacts<'_>, differential: &Differential) -> Vec<ConditionIx> {
    let is_open = |ix: &ConditionIx| {
        let probability = differential.probability(*ix);
        let text = &facts.base.condition(*ix).text;
        text.must_not_miss
            .as_ref()
            .is_some_and(|rule| probability * 100.0 > f64::from(rule.above_of_100))
            && probability < 0.8
    };
    differential
        .ranking()
        .iter()
        .take(CANDIDATES_MAX)
        .copied()
        .filter(is_open)
        .collect()
}

fn best_finding(facts: &PatientFacts<'_>, differential: &Differential) -> Option<FindingIx> {
    let base = facts.base;
    let candidates: Vec<ConditionIx> = differential
        .ranking()
        .iter()
        .take(CANDIDATES_MAX)
        .copied()
        .collect();
    let importance: Vec<f64> = candidates
        .iter()
        .map(|&ix| {
            let probability = differential.probability(ix);
            if base.condition(ix).text.must_not_miss.is_some() {
                probability * MUST_NOT_MISS_TIMES
            } else {
                probability
            }
        })
        .collect();
    let total: f64 = importance.iter().sum::<f64>() + differential.unexplained();
    if total <= 0.0 {
        return None;
    }
    let mut column = Vec::new();
    let mut best: Option<(f64, FindingIx)> = None;
    for ix in base.finding_indices().filter(|ix| can_be_asked(facts, *ix)) {
        base.likelihood().column_for(ix, &facts.groups, &mut column);
        let background = f64::from(base.finding(ix).background);
        let mut expected = background * differential.unexplained();
        let mut conditional = entropy(background) * differential.unexplained();
        for (candidate, weight) in candidates.iter().zip(&importance) {
            let probability = f64::from(column[candidate.index()]);
            expected += probability * weight;
            conditional += entropy(probability) * weight;
        }
        let information = entropy(expected / total) - conditional / total;
        if information > INFORMATION_MIN && best.is_none_or(|(most, _)| information > most) {
            best = Some((information, ix));
        }
    }
    best.map(|(_, ix)| ix)
}

fn can_be_asked(facts: &PatientFacts<'_>, ix: FindingIx) -> bool {
    let finding = facts.base.finding(ix);
    let unasked = !weights::is_answered(facts.finding(ix));
    // Broad before narrow: a narrow question makes sense once the broad one is answered with yes.
    let broad_first = finding.parent.is_none_or(|parent| {
        facts.finding(parent) == Status::Present || !is_known_anywhere(facts, parent)
    });
    unasked
        && broad_first
        && !finding.text.question.is_empty()
        && finding.sex.allows(facts.sex)
        && finding.ages.contains(facts.age)
}

/// A parent that no condition lists is a heading, not a question.
fn is_known_anywhere(facts: &PatientFacts<'_>, ix: FindingIx) -> bool {
    !facts.base.finding(ix).conditions.is_empty()
}

fn entropy(probability: f64) -> f64 {
    let p = probability.clamp(1e-9, 1.0 - 1e-9);
    -(p * p.ln() + (1.0 - p) * (1.0 - p).ln())
}

fn question(facts: &PatientFacts<'_>, ix: FindingIx) -> Question {
    let text = &facts.base.finding(ix).text;
    let is_child = facts.age < Age::from_years(SPEAKS_FROM_YEARS);
    let words = if is_child && !text.caregiver_question.is_empty() {
        &text.caregiver_question
    } else {
        &text.question
    };
    Question {
        id: ConceptId(text.id.clone()),
        text: words.clone(),
        explanation: text.explanation.clone(),
    }
}
