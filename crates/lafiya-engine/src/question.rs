//! The next best question: the one whose answer is expected to tell most about the leading
//! candidates, and about dangerous ones that are not yet excluded. Broad before narrow, never twice,
//! and only what can be asked of this patient. Findings and risk factors compete on equal terms.

use lafiya_knowledge::{ConceptRef, ConditionIx, FindingIx, RiskIx};
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
    let question = best_concept(facts, differential).map(|concept| question(facts, concept));
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

/// The leading candidates and how much telling each of them apart matters.
struct Stakes {
    candidates: Vec<(ConditionIx, f64)>,
    unexplained: f64,
    total: f64,
}

impl Stakes {
    fn of(facts: &PatientFacts<'_>, differential: &Differential) -> Self {
        let candidates: Vec<(ConditionIx, f64)> = differential
            .ranking()
            .iter()
            .take(CANDIDATES_MAX)
            .map(|&ix| {
                let probability = differential.probability(ix);
                let matters = facts.base.condition(ix).text.must_not_miss.is_some();
                (
                    ix,
                    if matters {
                        probability * MUST_NOT_MISS_TIMES
                    } else {
                        probability
                    },
                )
            })
            .collect();
        let unexplained = differential.unexplained();
        let total = candidates.iter().map(|(_, weight)| weight).sum::<f64>() + unexplained;
        Self {
            candidates,
            unexplained,
            total,
        }
    }

    /// What the answer is expected to tell: the information it shares with the candidates.
    fn information(&self, background: f64, probability: impl Fn(ConditionIx) -> f64) -> f64 {
        let mut expected = background * self.unexplained;
        let mut conditional = entropy(background) * self.unexplained;
        for &(candidate, weight) in &self.candidates {
            let probability = probability(candidate);
            expected += probability * weight;
            conditional += entropy(probability) * weight;
        }
        entropy(expected / self.total) - conditional / self.total
    }
}

fn best_concept(facts: &PatientFacts<'_>, differential: &Differential) -> Option<ConceptRef> {
    let base = facts.base;
    let stakes = Stakes::of(facts, differential);
    if stakes.total <= 0.0 {
        return None;
    }
    let mut best: Option<(f64, ConceptRef)> = None;
    let mut consider = |information: f64, concept: ConceptRef| {
        if information > INFORMATION_MIN && best.is_none_or(|(most, _)| information > most) {
            best = Some((information, concept));
        }
    };
    let mut column = Vec::new();
    for ix in base.finding_indices().filter(|ix| can_be_asked(facts, *ix)) {
        base.likelihood().column_for(ix, &facts.groups, &mut column);
        let background = f64::from(base.finding(ix).background);
        let information =
            stakes.information(background, |candidate| f64::from(column[candidate.index()]));
        consider(information, ConceptRef::Finding(ix));
    }
    for ix in base
        .risk_indices()
        .filter(|ix| risk_can_be_asked(facts, *ix))
    {
        let risk = base.risk(ix);
        let background = f64::from(risk.background);
        let share = |candidate: ConditionIx| {
            let odds = risk
                .effects
                .iter()
                .find(|(condition, _)| *condition == candidate)
                .map_or(1.0, |(_, ln_odds)| f64::from(*ln_odds).exp());
            background * odds / (1.0 + background * (odds - 1.0))
        };
        consider(stakes.information(background, share), ConceptRef::Risk(ix));
    }
    best.map(|(_, concept)| concept)
}

/// Age and the like are known; what is told or implied is not asked again.
fn risk_can_be_asked(facts: &PatientFacts<'_>, ix: RiskIx) -> bool {
    let risk = facts.base.risk(ix);
    let unasked = !weights::is_answered(facts.risk(ix));
    let askable = risk.implied_by_age.is_none()
        && risk.text.kind != "demographic"
        && !risk.text.question.is_empty();
    // A narrow question about a state (which third of pregnancy) waits until the state is known.
    let broad_first = risk
        .implies
        .iter()
        .all(|broader| facts.risk(*broader) == Status::Present);
    unasked
        && askable
        && broad_first
        && !risk.effects.is_empty()
        && risk.sex.allows(facts.sex)
        && risk.ages.contains(facts.age)
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

fn question(facts: &PatientFacts<'_>, concept: ConceptRef) -> Question {
    let (asked, asked_of_caregiver, explanation) = match concept {
        ConceptRef::Risk(ix) => {
            let text = &facts.base.risk(ix).text;
            (&text.question, &text.caregiver_question, &text.explanation)
        }
        ConceptRef::Finding(ix) => {
            let text = &facts.base.finding(ix).text;
            (&text.question, &text.caregiver_question, &text.explanation)
        }
        _ => unreachable!("only findings and risk factors are asked for"),
    };
    let is_child = facts.age < Age::from_years(SPEAKS_FROM_YEARS);
    let words = if is_child && !asked_of_caregiver.is_empty() {
        asked_of_caregiver
    } else {
        asked
    };
    Question {
        id: ConceptId(facts.base.id_of(concept).to_owned()),
        text: words.clone(),
        explanation: explanation.clone(),
    }
}
