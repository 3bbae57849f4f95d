//! The next best question: the one whose answer is expected to tell most about the leading
//! candidates, and about dangerous ones that are not yet excluded. Broad before narrow, never twice,
//! and only what can be asked of this patient. Findings and risk factors compete on equal terms.

use lafiya_knowledge::{ConceptRef, ConditionIx, FindingIx, RiskIx, entropy};
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
#[derive(Clone, Debug)]
pub struct NextStep {
    /// Enough is known, or no more can be.
    pub should_stop: bool,
    /// Why to stop or go on, in a sentence.
    pub reason: String,
    /// The best question there is.
    pub question: Option<Question>,
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
        let known = candidates.iter().map(|(_, weight)| weight).sum::<f64>();
        Self {
            candidates,
            total: known + differential.unexplained(),
        }
    }
}

/// What an answer is expected to tell, as the candidates that know better than the background are
/// gone through: the information it shares with the candidates.
#[derive(Clone, Copy, Default)]
struct Telling {
    /// How much oftener than at background a yes is expected.
    expected: f64,
    /// How much more uncertain the answer is, given the candidate.
    conditional: f64,
}

impl Telling {
    fn add(&mut self, weight: f64, probability: (f64, f64), entropy: (f64, f64)) {
        self.expected += weight * (probability.0 - probability.1);
        self.conditional += weight * (entropy.0 - entropy.1);
    }

    fn information(&self, total: f64, background: f64, background_entropy: f64) -> f64 {
        let expected = background + self.expected / total;
        f64::from(entropy(expected as f32)) - background_entropy - self.conditional / total
    }
}

fn best_concept(facts: &PatientFacts<'_>, differential: &Differential) -> Option<ConceptRef> {
    let stakes = Stakes::of(facts, differential);
    if stakes.total <= 0.0 {
        return None;
    }
    let findings = finding_information(facts, &stakes);
    let risks = risk_information(facts, &stakes);
    let mut best: Option<(f64, ConceptRef)> = None;
    for (information, concept) in findings.into_iter().chain(risks) {
        if information > INFORMATION_MIN && best.is_none_or(|(most, _)| information > most) {
            best = Some((information, concept));
        }
    }
    best.map(|(_, concept)| concept)
}

/// A finding that no candidate knows of stands at background in all of them and tells nothing, so
/// only the findings of the candidates are gone through.
fn finding_information(facts: &PatientFacts<'_>, stakes: &Stakes) -> Vec<(f64, ConceptRef)> {
    let (base, table) = (facts.base, facts.base.likelihood());
    let mut telling = vec![Telling::default(); base.findings().len()];
    for &(candidate, weight) in &stakes.candidates {
        for shown in table.shown(candidate) {
            let ix = shown.finding;
            let usual = (shown.probability, shown.entropy);
            let (probability, uncertainty) = if facts.groups.is_empty() {
                usual
            } else {
                match table.probability(candidate, ix, &facts.groups) {
                    same if same == shown.probability => usual,
                    special => (special, entropy(special)),
                }
            };
            telling[ix.index()].add(
                weight,
                (
                    f64::from(probability),
                    f64::from(base.finding(ix).background),
                ),
                (
                    f64::from(uncertainty),
                    f64::from(table.background_entropy(ix)),
                ),
            );
        }
    }
    base.finding_indices()
        .zip(telling)
        .filter(|(ix, telling)| telling.expected != 0.0 && can_be_asked(facts, *ix))
        .map(|(ix, telling)| {
            let information = telling.information(
                stakes.total,
                f64::from(base.finding(ix).background),
                f64::from(table.background_entropy(ix)),
            );
            (information, ConceptRef::Finding(ix))
        })
        .collect()
}

fn risk_information(facts: &PatientFacts<'_>, stakes: &Stakes) -> Vec<(f64, ConceptRef)> {
    let base = facts.base;
    let mut weights = vec![0.0; base.conditions().len()];
    for &(candidate, weight) in &stakes.candidates {
        weights[candidate.index()] = weight;
    }
    base.risk_indices()
        .filter(|ix| risk_can_be_asked(facts, *ix))
        .map(|ix| {
            let risk = base.risk(ix);
            let background = f64::from(risk.background);
            let background_entropy = f64::from(entropy(risk.background));
            let mut telling = Telling::default();
            for &(condition, ln_odds) in &risk.effects {
                let weight = weights[condition.index()];
                if weight > 0.0 {
                    let odds = f64::from(ln_odds).exp();
                    let share = background * odds / (1.0 + background * (odds - 1.0));
                    telling.add(
                        weight,
                        (share, background),
                        (f64::from(entropy(share as f32)), background_entropy),
                    );
                }
            }
            let information = telling.information(stakes.total, background, background_entropy);
            (information, ConceptRef::Risk(ix))
        })
        .collect()
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
