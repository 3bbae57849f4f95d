//! The next best question: the one whose answer is expected to tell most about the leading
//! candidates, and about dangerous ones that are not yet excluded. Broad before narrow, never twice,
//! and only what can be asked of this patient. Findings and risk factors compete on equal terms.

use lafiya_knowledge::{Answer, ConceptRef, ConditionIx, FindingIx, RiskIx, entropy};
use lafiya_model::Age;
use lafiya_model::assessment::Question;
use lafiya_model::ids::ConceptId;

use crate::differential::Differential;
use crate::facts::{PatientFacts, Status};
use crate::parameters::Parameters;

/// Candidates that questions are weighed for.
const CANDIDATES_MAX: usize = 50;
/// The last of them that matter no more than this together count as "something else".
const NEGLIGIBLE_TOGETHER: f64 = 0.01;
/// How much a condition that must not be missed counts beyond its probability.
const MUST_NOT_MISS_TIMES: f64 = 4.0;
/// So many findings or risk factors are reckoned with on the stack, which lies in the processor's cache; more on the heap.
const CONCEPTS_ON_STACK: usize = 1536;
/// Below this expected information a question is not worth asking.
const INFORMATION_MIN: f64 = 0.003;
/// Below this age the one who brings the child is asked.
const SPEAKS_FROM_YEARS: u32 = 12;

/// Whether the interview may stop, why, and what to ask if not.
#[derive(Clone, Debug)]
pub struct NextStep<'a> {
    /// Enough is known, or no more can be.
    pub should_stop: bool,
    /// Why to stop or go on, in a sentence.
    pub reason: String,
    /// The best question there is.
    pub question: Option<Question<'a>>,
}

pub(crate) fn next<'a>(
    facts: &PatientFacts<'a>,
    differential: &Differential<'_>,
    parameters: &Parameters,
    asked: usize,
) -> NextStep<'a> {
    let question = best_concept(facts, differential).map(|concept| question(facts, concept));
    let (should_stop, reason) =
        whether_to_stop(facts, differential, parameters, asked, question.is_some());
    NextStep {
        should_stop,
        reason,
        question,
    }
}

/// Whether the interview may stop, and why it may or goes on.
fn whether_to_stop(
    facts: &PatientFacts<'_>,
    differential: &Differential<'_>,
    parameters: &Parameters,
    asked: usize,
    has_question: bool,
) -> (bool, String) {
    if asked >= parameters.questions_max {
        let reason = format!(
            "{} questions were asked, which is the limit.",
            parameters.questions_max
        );
        return (true, reason);
    }
    if !has_question {
        let reason = "No further question would tell the candidates apart.".to_owned();
        return (true, reason);
    }
    if let Some(open) = open_danger(facts, differential) {
        let name = &facts.base.condition(open).text.name;
        return (false, format!("{name} is dangerous and not yet excluded."));
    }
    let leader = differential.leader();
    let leader = leader.map_or(0.0, |ix| differential.probability(ix));
    if leader >= parameters.sure_share {
        let reason = format!(
            "The leading condition holds {:.0} % of the probability.",
            leader * 100.0
        );
        return (true, reason);
    }
    let reason = "The leading conditions are not yet told apart.".to_owned();
    (false, reason)
}

/// The likeliest of the conditions that must not be missed and stand above their own threshold,
/// without being the settled answer.
fn open_danger(facts: &PatientFacts<'_>, differential: &Differential<'_>) -> Option<ConditionIx> {
    let is_open = |ix: &ConditionIx| {
        let probability = differential.probability(*ix);
        let above = facts.base.condition(*ix).must_not_miss_above;
        above.is_some_and(|above| probability * 100.0 > f64::from(above)) && probability < 0.8
    };
    let candidates = differential.leading().iter().take(CANDIDATES_MAX);
    candidates.copied().find(is_open)
}

/// The leading candidates and how much telling each of them apart matters.
struct Stakes {
    candidates: Vec<(ConditionIx, f64)>,
    /// Of the candidates and of "something else" together.
    total: f64,
    /// One in so many: multiplying is quicker than dividing.
    one_of_total: f64,
}

impl Stakes {
    fn of(facts: &PatientFacts<'_>, differential: &Differential<'_>) -> Self {
        let mut candidates: Vec<(ConditionIx, f64)> = differential
            .leading()
            .iter()
            .take(CANDIDATES_MAX)
            .map(|&ix| {
                let probability = differential.probability(ix);
                let matters = facts.base.condition(ix).must_not_miss_above.is_some();
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
        let total = known + differential.unexplained();
        let mut together = 0.0;
        while let Some((_, weight)) = candidates.last()
            && together + weight <= total * NEGLIGIBLE_TOGETHER
        {
            together += weight;
            candidates.pop();
        }
        Self {
            candidates,
            total,
            one_of_total: total.recip(),
        }
    }
}

/// What an answer is expected to tell: the information it shares with the candidates. Most of these
/// stand where everybody else does; the others are gone through one by one. Four sums over these, each
/// by how much a candidate matters, side by side so that a processor adds them at once: how much oftener
/// than usual a yes is expected, how much more uncertain the answer is, and the squares of both. The
/// squares tell how far the candidates lie apart; those of the uncertainty only fill their place.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct Telling([f32; 4]);

impl Telling {
    fn add(&mut self, weight: f32, above: Answer) {
        let Answer { yes, entropy } = above;
        let (oftener, less_sure) = (weight * yes, weight * entropy);
        let figures = [oftener, less_sure, oftener * yes, less_sure * entropy];
        for (sum, figure) in self.0.iter_mut().zip(figures) {
            *sum += figure;
        }
    }

    /// Whether any candidate knows better than the background.
    fn is_known(&self) -> bool {
        let [_, _, squares, _] = self.0;
        squares > 0.0
    }

    /// What the answer tells where everybody else stands at the background; `None` where it is not
    /// more than `best`. Most answers are not, and a bound shows it without a logarithm.
    fn information_above(&self, best: f64, stakes: &Stakes, background: Answer) -> Option<f64> {
        let mean = |sum: f32| f64::from(sum) * stakes.one_of_total;
        let [oftener, less_sure, squares, _] = self.0.map(mean);
        let expected = f64::from(background.yes) + oftener;
        if !may_tell(best, expected, squares - oftener * oftener) {
            return None;
        }
        let conditional = f64::from(background.entropy) + less_sure;
        let information = f64::from(entropy(expected as f32)) - conditional;
        (information > best).then_some(information)
    }
}

/// Whether an answer may tell more than a limit, by how often a yes is expected and the variance
/// of that. The information is a mean of divergences of Kullback and Leibler, and none of these
/// is above its chi-squared one; so together they are not above the variance of how often, divided by
/// that of the answer.
fn may_tell(limit: f64, expected: f64, variance: f64) -> bool {
    /// Far more than is lost in rounding.
    const ROUNDING: f64 = 1e-5;
    variance > (limit - ROUNDING) * expected * (1.0 - expected)
}

/// The most telling concept so far.
struct Best {
    information: f64,
    concept: Option<ConceptRef>,
}

impl Best {
    /// Takes a concept that tells more than the best so far.
    fn take(&mut self, information: f64, concept: ConceptRef) {
        *self = Self {
            information,
            concept: Some(concept),
        };
    }
}

fn best_concept(facts: &PatientFacts<'_>, differential: &Differential<'_>) -> Option<ConceptRef> {
    let stakes = Stakes::of(facts, differential);
    if stakes.total <= 0.0 {
        return None;
    }
    let mut best = Best {
        information: INFORMATION_MIN,
        concept: None,
    };
    let (findings, risks) = (facts.base.findings().len(), facts.base.risks().len());
    let mut on_stack = [Telling::default(); CONCEPTS_ON_STACK];
    let mut on_heap = Vec::new();
    let room = match on_stack.get_mut(..findings.max(risks)) {
        Some(room) => room,
        None => {
            on_heap.resize(findings.max(risks), Telling::default());
            &mut on_heap
        }
    };
    offer_findings(facts, &stakes, &mut room[..findings], &mut best);
    room[..risks].fill(Telling::default());
    offer_risks(facts, &stakes, &mut room[..risks], &mut best);
    best.concept
}

/// A finding that no candidate knows of stands at background in all of them and tells nothing.
fn offer_findings(
    facts: &PatientFacts<'_>,
    stakes: &Stakes,
    telling: &mut [Telling],
    best: &mut Best,
) {
    let table = facts.base.likelihood();
    for &(candidate, weight) in &stakes.candidates {
        for shown in table.shown(candidate, facts.group) {
            telling[shown.finding.index()].add(weight as f32, shown.above);
        }
    }
    for (place, (telling, background)) in telling.iter().zip(table.background()).enumerate() {
        if telling.is_known() {
            let ix = FindingIx::at(place);
            let information = telling.information_above(best.information, stakes, *background);
            // Whether it can be asked is looked up only for what would win.
            if let Some(information) = information.filter(|_| can_be_asked(facts, ix)) {
                best.take(information, ConceptRef::Finding(ix));
            }
        }
    }
}

fn offer_risks(
    facts: &PatientFacts<'_>,
    stakes: &Stakes,
    telling: &mut [Telling],
    best: &mut Best,
) {
    let base = facts.base;
    for &(candidate, weight) in &stakes.candidates {
        for link in &base.condition(candidate).risks {
            telling[link.risk.index()].add(weight as f32, link.above);
        }
    }
    for (ix, telling) in base.risk_indices().zip(telling) {
        if telling.is_known() {
            let background = base.risk(ix).background;
            let information = telling.information_above(best.information, stakes, background);
            if let Some(information) = information.filter(|_| risk_can_be_asked(facts, ix)) {
                best.take(information, ConceptRef::Risk(ix));
            }
        }
    }
}

/// Age and the like are known; what is told or implied is not asked again.
fn risk_can_be_asked(facts: &PatientFacts<'_>, ix: RiskIx) -> bool {
    let risk = facts.base.risk(ix);
    let unasked = facts.risk(ix) == Status::Unasked;
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
    let unasked = facts.finding(ix) == Status::Unasked;
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

fn question<'a>(facts: &PatientFacts<'a>, concept: ConceptRef) -> Question<'a> {
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
        text: words.into(),
        explanation: explanation.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_telling_answer_is_passed_over() {
        let steps = || {
            (1_u16..1000)
                .step_by(7)
                .map(|step| f32::from(step) / 1000.0)
        };
        for (one, other) in steps().flat_map(|one| steps().map(move |other| (one, other))) {
            for share in [0.001, 0.1, 0.5, 0.9] {
                let mean = |of_one: f64, of_other: f64| share * of_one + (1.0 - share) * of_other;
                let (p, q) = (f64::from(one), f64::from(other));
                let expected = mean(p, q);
                let conditional = mean(entropy(one).into(), entropy(other).into());
                let information = f64::from(entropy(expected as f32)) - conditional;
                let variance = mean(p * p, q * q) - expected * expected;
                let passed_over = !may_tell(information, expected, variance);
                assert!(!passed_over, "{one} and {other}, {share}");
            }
        }
        assert!(!may_tell(0.003, 0.1, 0.0001), "and what tells little is");
    }
}
