//! Chooses the next question: the one with the highest expected information about the leading
//! candidates and the dangerous ones that are not yet excluded. Broad questions come before narrow
//! ones, no question is repeated, and every question must apply to this patient. Findings and risk
//! factors compete on equal terms.

use lafiya_knowledge::{Answer, ConceptRef, ConditionIx, FindingIx, RiskIx, entropy};
use lafiya_model::Age;
use lafiya_model::assessment::Question;
use lafiya_model::ids::ConceptId;

use crate::differential::Differential;
use crate::facts::{PatientFacts, Status};
use crate::parameters::Parameters;

/// The maximum number of candidates that questions are chosen for.
const CANDIDATES_MAX: usize = 50;
/// The last candidates are dropped if their weights together are at most this share of the total;
/// they then count as "something else".
const NEGLIGIBLE_TOGETHER: f64 = 0.01;
/// The factor on the weight of a condition that must not be missed.
const MUST_NOT_MISS_TIMES: f64 = 4.0;
/// Up to this many findings or risk factors are processed in an array on the stack, which fits into
/// the processor's cache; more go on the heap.
const CONCEPTS_ON_STACK: usize = 1536;
/// A question with less expected information than this is not asked.
const INFORMATION_MIN: f64 = 0.003;
/// Below this age the caregiver is asked.
const SPEAKS_FROM_YEARS: u32 = 12;

/// Whether the interview may stop, why, and what to ask if not.
#[derive(Clone, Debug)]
pub struct NextStep<'a> {
    /// Whether the interview may stop.
    pub should_stop: bool,
    /// The reason to stop or to continue, in a sentence.
    pub reason: String,
    /// The best available question.
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

/// Returns whether the interview may stop, and the reason.
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

/// Returns the most likely condition that must not be missed, is above its own threshold, and is
/// not yet nearly certain.
fn open_danger(facts: &PatientFacts<'_>, differential: &Differential<'_>) -> Option<ConditionIx> {
    let is_open = |ix: &ConditionIx| {
        let probability = differential.probability(*ix);
        let above = facts.base.condition(*ix).must_not_miss_above;
        above.is_some_and(|above| probability * 100.0 > f64::from(above)) && probability < 0.8
    };
    let candidates = differential.leading().iter().take(CANDIDATES_MAX);
    candidates.copied().find(is_open)
}

/// The leading candidates, weighted by how much it matters to distinguish each of them.
struct WeightedCandidates {
    candidates: Vec<(ConditionIx, f64)>,
    /// The total weight of the candidates and of "something else".
    total: f64,
    /// The reciprocal of `total`: multiplication is faster than division.
    inverse_total: f64,
}

impl WeightedCandidates {
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
            inverse_total: total.recip(),
        }
    }
}

/// The expected information of an answer: its mutual information with the candidates. Most
/// candidates answer at the background rate, so only the exceptions are looped over. It holds four
/// sums over the exceptions, weighted by candidate and stored side by side so that the processor
/// adds them at once: the excess probability of "yes", the excess entropy, and the squares of both.
/// The squares of the first give the variance between candidates; the squares of the entropy are
/// only padding.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct AnswerMoments([f32; 4]);

impl AnswerMoments {
    fn add(&mut self, weight: f32, above: Answer) {
        let Answer { yes, entropy } = above;
        let (oftener, less_sure) = (weight * yes, weight * entropy);
        let figures = [oftener, less_sure, oftener * yes, less_sure * entropy];
        for (sum, figure) in self.0.iter_mut().zip(figures) {
            *sum += figure;
        }
    }

    /// Whether any candidate differs from the background.
    fn is_known(&self) -> bool {
        let [_, _, squares, _] = self.0;
        squares > 0.0
    }

    /// Returns the expected information, given that all other candidates are at the background, or
    /// `None` if it is not above `best`. Most answers are not, and an upper bound shows that
    /// without computing a logarithm.
    fn information_above(
        &self,
        best: f64,
        candidates: &WeightedCandidates,
        background: Answer,
    ) -> Option<f64> {
        let mean = |sum: f32| f64::from(sum) * candidates.inverse_total;
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

/// Whether an answer can have more information than a limit, given the expected probability of
/// "yes" and its variance. The information is a mean of Kullback-Leibler divergences, each of which
/// is at most the corresponding chi-squared divergence. So it is at most the variance divided by
/// `expected * (1 - expected)`.
fn may_tell(limit: f64, expected: f64, variance: f64) -> bool {
    /// Far more than the rounding error.
    const ROUNDING: f64 = 1e-5;
    variance > (limit - ROUNDING) * expected * (1.0 - expected)
}

/// The concept with the most information so far.
struct Best {
    information: f64,
    concept: Option<ConceptRef>,
}

impl Best {
    /// Replaces the best concept.
    fn take(&mut self, information: f64, concept: ConceptRef) {
        *self = Self {
            information,
            concept: Some(concept),
        };
    }
}

fn best_concept(facts: &PatientFacts<'_>, differential: &Differential<'_>) -> Option<ConceptRef> {
    let candidates = WeightedCandidates::of(facts, differential);
    if candidates.total <= 0.0 {
        return None;
    }
    let mut best = Best {
        information: INFORMATION_MIN,
        concept: None,
    };
    let (findings, risks) = (facts.base.findings().len(), facts.base.risks().len());
    let mut on_stack = [AnswerMoments::default(); CONCEPTS_ON_STACK];
    let mut on_heap = Vec::new();
    let room = match on_stack.get_mut(..findings.max(risks)) {
        Some(room) => room,
        None => {
            on_heap.resize(findings.max(risks), AnswerMoments::default());
            &mut on_heap
        }
    };
    offer_findings(facts, &candidates, &mut room[..findings], &mut best);
    room[..risks].fill(AnswerMoments::default());
    offer_risks(facts, &candidates, &mut room[..risks], &mut best);
    best.concept
}

/// Offers every finding to `best`. A finding at the background rate in all candidates carries no
/// information and is skipped.
fn offer_findings(
    facts: &PatientFacts<'_>,
    candidates: &WeightedCandidates,
    moments: &mut [AnswerMoments],
    best: &mut Best,
) {
    let table = facts.base.likelihood();
    for &(candidate, weight) in &candidates.candidates {
        for shown in table.shown(candidate, facts.group) {
            moments[shown.finding.index()].add(weight as f32, shown.above);
        }
    }
    for (place, (moments, background)) in moments.iter().zip(table.background()).enumerate() {
        if moments.is_known() {
            let ix = FindingIx::at(place);
            let information = moments.information_above(best.information, candidates, *background);
            // This check is slower, so it runs only for a finding that would win.
            if let Some(information) = information.filter(|_| can_be_asked(facts, ix)) {
                best.take(information, ConceptRef::Finding(ix));
            }
        }
    }
}

fn offer_risks(
    facts: &PatientFacts<'_>,
    candidates: &WeightedCandidates,
    moments: &mut [AnswerMoments],
    best: &mut Best,
) {
    let base = facts.base;
    for &(candidate, weight) in &candidates.candidates {
        for link in &base.condition(candidate).risks {
            moments[link.risk.index()].add(weight as f32, link.above);
        }
    }
    for (ix, moments) in base.risk_indices().zip(moments) {
        if moments.is_known() {
            let background = base.risk(ix).background;
            let information = moments.information_above(best.information, candidates, background);
            if let Some(information) = information.filter(|_| risk_can_be_asked(facts, ix)) {
                best.take(information, ConceptRef::Risk(ix));
            }
        }
    }
}

/// Whether a risk factor can be asked about. Age and other demographic factors are known, and a
/// stated or implied factor is not asked again.
fn risk_can_be_asked(facts: &PatientFacts<'_>, ix: RiskIx) -> bool {
    let risk = facts.base.risk(ix);
    let unasked = facts.risk(ix) == Status::Unasked;
    let askable = risk.implied_by_age.is_none()
        && risk.text.kind != "demographic"
        && !risk.text.question.is_empty();
    // A narrow question about a state, such as the trimester, waits until the state itself is
    // known.
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
    // A narrow question makes sense only after the broad one was answered with yes.
    let broad_first = finding.parent.is_none_or(|parent| {
        facts.finding(parent) == Status::Present || !is_known_anywhere(facts, parent)
    });
    unasked
        && broad_first
        && !finding.text.question.is_empty()
        && finding.sex.allows(facts.sex)
        && finding.ages.contains(facts.age)
}

/// Whether any condition lists a finding. A parent that no condition lists is only a heading, not a
/// question.
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
    fn the_bound_never_skips_an_informative_question() {
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
