//! The final checks and the only place that can make an [`Assessment`]. Danger signs set a minimum
//! level here, whatever was computed before, and the invariants are asserted before an answer is
//! returned.

use lafiya_knowledge::{ConceptRef, Condition, ConditionIx, KnowledgeBase};
use lafiya_model::assessment::{
    AssessedCondition, Reasoning, RedFlag, Specialist, Triage, Warning,
};
use lafiya_model::{
    Assessment, ConceptId, ConceptKind, Opinion, Outline, Seriousness, Text, TriageLevel,
};

use crate::citations::Citations;
use crate::danger::{self, Alarm};
use crate::differential::Differential;
use crate::dosing::Dosing;
use crate::explain::{self, WeighedEvidence, rounded};
use crate::facts::PatientFacts;
use crate::opinion::{self, Considered, Refusal};
use crate::parameters::Parameters;
use crate::question::NextStep;
use crate::triage::{self, Levels, Verdict};
use crate::warnings::warnings;
use crate::{plan, question};

/// The maximum number of candidates shown.
const CONDITIONS_MAX: usize = 10;
/// Candidates below this probability are not shown, except the first three.
const PROBABILITY_SHOWN_MIN: f64 = 0.005;
/// The maximum number of candidates that get tests, treatment and referral.
const LEADERS_MAX: usize = 4;
const LEADER_PROBABILITY_MIN: f64 = 0.08;
/// Capacity for the usual number of reasoning steps.
const STEPS_USUALLY: usize = 12;
/// The override reason when only a second opinion requires the higher level.
const RAISED: &str = "A second opinion holds the case for more urgent than the engine does; the higher level stands.";

/// The engine's result before the checks. It reaches a client only through `review`.
pub struct Draft<'a> {
    facts: PatientFacts<'a>,
    differential: Differential<'a>,
    parameters: Parameters,
    warnings: Vec<Warning<'a>>,
    considered: Option<Considered<'a>>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        facts: PatientFacts<'a>,
        differential: Differential<'a>,
        parameters: Parameters,
    ) -> Self {
        Self {
            facts,
            differential,
            parameters,
            warnings: Vec::new(),
            considered: None,
        }
    }

    /// Adds warnings about the input from before it reached the engine. They count for the
    /// escalation tier like any other warning.
    pub fn note(&mut self, warnings: Vec<Warning<'a>>) {
        self.warnings.extend(warnings);
    }

    /// Applies a second opinion within its bounds. Returns the claims that were refused.
    pub fn consider(&mut self, opinion: Opinion) -> Vec<Refusal> {
        let own = self.level();
        let (considered, refusals) =
            opinion::consider(&self.facts, &self.differential, own, opinion);
        self.considered = Some(considered);
        refusals
    }

    /// The differential changed by an opinion, for tests of its bounds.
    #[cfg(test)]
    pub(crate) fn considered_differential(&self) -> Option<&Differential<'a>> {
        self.considered.as_ref().map(|opinion| &opinion.moved)
    }

    /// Returns the outline that is sent for a second opinion: concepts and candidates, without
    /// personal data.
    pub fn outline(&self, candidates_max: usize) -> Outline {
        let concepts = |present: bool| {
            let evidence_items = self
                .facts
                .evidence_items
                .iter()
                .filter(|item| item.present == present);
            let concepts: Vec<ConceptRef> = evidence_items.map(|item| item.concept).collect();
            explain::ids(self.facts.base, &concepts)
        };
        let ranking = self.differential.ranking().iter().take(candidates_max);
        let id = |ix: &ConditionIx| ConceptId(self.facts.base.condition(*ix).text.id.clone());
        let alarms = danger::alarms(&self.facts);
        Outline {
            present: concepts(true),
            absent: concepts(false),
            candidates: ranking.map(id).collect(),
            dangers: alarms
                .iter()
                .map(|alarm| alarm.flag.id.to_string())
                .collect(),
        }
    }

    /// Returns only the level, without the texts of a full answer. Used to evaluate the model.
    pub fn level(&self) -> TriageLevel {
        let alarms = danger::alarms(&self.facts);
        let levels = Levels::of(&self.facts);
        let verdict = triage::decide(
            &self.facts,
            &self.differential,
            &alarms,
            &levels,
            &self.parameters,
        );
        verdict.level
    }

    /// Returns whether an interview may stop, and the next question if not.
    pub fn next_step(&self, questions_asked: usize) -> NextStep<'a> {
        question::next(
            &self.facts,
            &self.differential,
            &self.parameters,
            questions_asked,
        )
    }

    /// Returns the differential, for evaluating the model.
    pub fn differential(&self) -> &Differential<'a> {
        &self.differential
    }
}

pub(crate) fn review<'a>(draft: Draft<'a>, questions_asked: usize) -> Assessment<'a> {
    let Draft {
        facts,
        differential: own,
        parameters,
        warnings: noted,
        considered,
    } = draft;
    // The engine's own differential (`own`) decides about danger, the interview and the plan. A
    // second opinion only changes the ranking and adds to the answer.
    let differential = considered.as_ref().map_or(&own, |opinion| &opinion.moved);
    let alarms = danger::alarms(&facts);
    let levels = Levels::of(&facts);
    let own_verdict = triage::decide(&facts, &own, &alarms, &levels, &parameters);
    let own_level = own_verdict.level;
    let verdict = match &considered {
        Some(opinion) => opinion.raised(own_verdict, &alarms, &levels, &parameters),
        None => own_verdict,
    };
    let mut citations = Citations::new(facts.base);

    // From the engine's own ranking, so that a second opinion removes no condition from the plan.
    let leaders = leaders(&own, &shown_conditions(&own));
    let shown = shown_with(differential, &leaders);
    let pieces = WeighedEvidence::of(&facts, differential);
    let conditions: Vec<AssessedCondition<'a>> = shown
        .iter()
        .map(|ix| explain::condition(&facts, differential, &pieces, *ix, &mut citations))
        .collect();
    let further = further_leaders(differential, &leaders);
    let all_leaders = [&leaders[..], &further].concat();
    let confidence = confidence(&facts, &own, differential, &conditions);
    let listed = shown.iter().map(|ix| (*ix, own.probability(*ix)));
    let dosing = Dosing::new(&facts, listed.collect());
    let triage = triage_words(&dosing, differential, &alarms, &levels, &verdict);
    let mut warnings = warnings(&facts, &alarms, &verdict, confidence, &conditions);
    warnings.extend(
        considered
            .as_ref()
            .and_then(|considered| considered.warning(&verdict)),
    );
    warnings.extend(noted);
    // The interview follows the engine's own differential, so that an opinion cannot end it early.
    let step = question::next(&facts, &own, &parameters, questions_asked);
    let has_emergency_evidence = alarms
        .iter()
        .any(|alarm| alarm.flag.seriousness >= Seriousness::Emergency);
    let emergency_by_danger = verdict.floor == Some(TriageLevel::Emergency);
    let mut investigations =
        plan::investigations(&facts, &leaders, verdict.timeframe, &dosing, &mut citations);
    if !further.is_empty() {
        let more =
            plan::investigations(&facts, &further, verdict.timeframe, &dosing, &mut citations);
        investigations = opinion::with_further(investigations, more);
    }
    // Uses the engine's own level, since a second opinion removes nothing from a plan.
    let mut treatment = plan::treatment(&dosing, &all_leaders, &alarms, own_level, &mut citations);
    let referral = plan::referral(&dosing, &all_leaders, verdict.level, &mut citations);
    let notifiable = plan::notifiable(&facts, &all_leaders, &mut citations);
    let mut reasoning = reasoning(
        &facts,
        &conditions,
        &alarms,
        &verdict,
        differential,
        &levels,
    );
    if let Some(opinion) = &considered {
        reasoning.steps.extend(opinion.steps(&mut citations));
    }

    // Computed again, independently of the verdict that it checks.
    let watch_for = plan::watch_for(&dosing, &all_leaders);
    treatment.medicines = dosing.into_advice(&mut citations);
    let floor = alarms.iter().map(|alarm| alarm.level).max();
    let assessment = Assessment {
        unexplained: rounded(differential.unexplained()),
        triage,
        should_stop: step.should_stop,
        stop_reason: step.reason,
        next_question: step.question,
        chunks_retrieved: conditions.len() + alarms.len(),
        red_flags: alarms.into_iter().map(|alarm| alarm.flag).collect(),
        watch_for,
        has_emergency_evidence,
        escalation_tier: if emergency_by_danger {
            1
        } else if warnings.is_empty() {
            3
        } else {
            2
        },
        warnings,
        investigations,
        treatment,
        referral,
        notifiable,
        confidence,
        conditions,
        weighed: pieces.weighed(),
        sources: citations.into_lines(),
        reasoning,
    };
    assert_invariants(&assessment, floor, own_level);
    assessment
}

/// Asserts what must hold for every answer. A violation is a defect of the engine and becomes a 500
/// response rather than a wrong answer.
fn assert_invariants(
    assessment: &Assessment<'_>,
    floor: Option<TriageLevel>,
    own_level: TriageLevel,
) {
    assert!(
        assessment.triage.level >= own_level,
        "a second opinion never lowers the level"
    );
    assert!(
        floor.is_none_or(|floor| assessment.triage.level >= floor),
        "danger sets a floor under the level"
    );
    let Triage {
        level, timeframe, ..
    } = assessment.triage;
    assert!(
        triage::fits(level, timeframe),
        "the timeframe is one of the level"
    );
    let mut tests = assessment.investigations.iter();
    assert!(
        tests.all(|test| plan::is_within(test, timeframe)),
        "no test is asked for sooner than the patient is seen"
    );
    let probabilities = || {
        assessment
            .conditions
            .iter()
            .map(|condition| condition.probability)
    };
    assert!(
        probabilities().all(|probability| (0.0..=1.0).contains(&probability)),
        "probabilities lie between 0 and 1"
    );
    assert!(
        probabilities().is_sorted_by(|a, b| a >= b),
        "conditions are ranked"
    );
    assert!(
        // Each probability is rounded to six decimals.
        probabilities().sum::<f64>() <= 1.0 + 1e-4,
        "probabilities do not exceed the whole"
    );
    let treatments = &assessment.treatment.condition_specific;
    assert!(
        treatments
            .iter()
            .all(|treatment| !treatment.source.is_empty()),
        "no treatment without a source"
    );
}

fn shown_conditions(differential: &Differential<'_>) -> Vec<ConditionIx> {
    let ranking = differential.leading().iter().copied();
    ranking
        .enumerate()
        .take(CONDITIONS_MAX)
        .take_while(|(place, ix)| {
            *place < 3 || differential.probability(*ix) >= PROBABILITY_SHOWN_MIN
        })
        .map(|(_, ix)| ix)
        .collect()
}

fn leaders(differential: &Differential<'_>, shown: &[ConditionIx]) -> Vec<(ConditionIx, f64)> {
    let with_probability = shown.iter().map(|&ix| (ix, differential.probability(ix)));
    with_probability
        .enumerate()
        .take(LEADERS_MAX)
        .take_while(|(place, (_, probability))| {
            *place == 0 || *probability >= LEADER_PROBABILITY_MIN
        })
        .map(|(_, leader)| leader)
        .collect()
}

/// Returns the conditions shown: the head of the ranking, and every condition that the engine
/// itself makes a plan for.
fn shown_with(differential: &Differential<'_>, leaders: &[(ConditionIx, f64)]) -> Vec<ConditionIx> {
    let mut shown = shown_conditions(differential);
    let missing = leaders.iter().map(|(ix, _)| *ix);
    let missing: Vec<ConditionIx> = missing.filter(|ix| !shown.contains(ix)).collect();
    if !missing.is_empty() {
        shown.extend(missing);
        let place = |ix: &ConditionIx| {
            differential
                .ranking()
                .iter()
                .position(|ranked| ranked == ix)
        };
        // The invariants require the order of the changed ranking.
        shown.sort_by_key(place);
    }
    shown
}

/// Returns the leaders that became leaders only through a second opinion.
fn further_leaders(
    differential: &Differential<'_>,
    own: &[(ConditionIx, f64)],
) -> Vec<(ConditionIx, f64)> {
    if differential.opinion.is_none() {
        return Vec::new();
    }
    let mut further = leaders(differential, &shown_conditions(differential));
    further.retain(|(ix, _)| own.iter().all(|(known, _)| known != ix));
    further
}

/// Returns the confidence, from the leader's probability and the explained share, reduced if little
/// evidence supports the leader. A second opinion can only reduce it.
fn confidence(
    facts: &PatientFacts<'_>,
    own: &Differential<'_>,
    differential: &Differential<'_>,
    conditions: &[AssessedCondition<'_>],
) -> f64 {
    let leader = |differential: &Differential<'_>| {
        differential
            .leader()
            .map_or(0.0, |ix| differential.probability(ix))
    };
    // The lower of the two: an opinion that agrees must not make the engine surer.
    let leader = leader(own).min(leader(differential));
    let known = 1.0 - own.unexplained().max(differential.unexplained());
    let own_leader = own.leader();
    let own_leader = own_leader.map(|ix| facts.base.condition(ix).text.id.as_str());
    let leads = |condition: &AssessedCondition<'_>| own_leader == Some(condition.id.as_str());
    let is_thin = conditions
        .first()
        .is_some_and(|condition| condition.insufficient_data)
        || conditions
            .iter()
            .any(|condition| leads(condition) && condition.insufficient_data);
    let supported = if is_thin { 0.6 } else { 1.0 };
    rounded((0.8 * rounded(leader) + 0.2 * known) * supported)
}

fn triage_words<'a>(
    dosing: &Dosing<'_, 'a>,
    differential: &Differential<'_>,
    alarms: &[Alarm<'a>],
    levels: &Levels,
    verdict: &Verdict,
) -> Triage<'a> {
    let facts = dosing.facts();
    let base = facts.base;
    let level_text = base.level_text(verdict.level);
    let by_danger = verdict
        .floor
        .is_some_and(|floor| floor > verdict.candidate_level);
    let deciding_alarm = alarms.first().filter(|alarm| alarm.level == verdict.level);
    let as_urgent = differential.likeliest(|ix| levels.level(ix).0 >= verdict.level);
    let carrying = as_urgent.filter(|ix| carries(*ix, differential, verdict));
    let foremost = carrying.or_else(|| differential.leader());
    let condition = foremost.map(|ix| base.condition(ix));
    let root_cause = match deciding_alarm {
        Some(alarm) if alarm.is_evidence => {
            Some(format!("{}: {}", alarm.flag.name, alarm.flag.root_cause).into())
        }
        Some(alarm) => Some(alarm.flag.root_cause.clone()),
        None if verdict.raised_from.is_some() => Some(RAISED.into()),
        None => condition.map(|leading| {
            let name = &leading.text.name;
            let why = match carrying {
                Some(_) => format!("{name} is among the likely causes."),
                None => format!(
                    "The possible causes together ask for this level; {name} is the likeliest."
                ),
            };
            why.into()
        }),
    };
    Triage {
        level: verdict.level,
        timeframe: verdict.timeframe,
        description: level_text
            .map(|text| Text::from(&text.description))
            .unwrap_or_default(),
        recommended_action: plan::recommended_action(dosing, alarms, verdict.level),
        specialist: condition.and_then(|condition| specialist(base, condition, verdict.level)),
        channel: match verdict.level {
            TriageLevel::Emergency => Some("personal_visit".into()),
            // The usual channel for a patient this urgent, even if the condition is unlikely.
            _ => as_urgent
                .or(foremost)
                .map(|ix| base.condition(ix).text.triage.channel.as_str().into()),
        },
        root_cause,
        contributing_evidence: contributing(
            facts,
            differential,
            deciding_alarm,
            // A level that only the opinion requires does not come from the evidence.
            foremost.filter(|_| verdict.raised_from.is_none()),
        ),
        overridden: by_danger || verdict.raised_from.is_some(),
        override_reason: match verdict.raised_from {
            Some(_) => Some(RAISED.into()),
            None if by_danger => deciding_alarm.map(|alarm| alarm.flag.root_cause.clone()),
            None => None,
        },
    }
}

/// Whether a condition as urgent as the patient explains the level: the candidates alone give that
/// level, and the condition is probable enough to be treated. Otherwise the level comes from danger
/// signs, a second opinion or many unlikely conditions together.
fn carries(condition: ConditionIx, differential: &Differential<'_>, verdict: &Verdict) -> bool {
    verdict.candidate_level == verdict.level
        && verdict.raised_from.is_none()
        && differential.probability(condition) >= LEADER_PROBABILITY_MIN
}

/// Returns the specialist to see. A condition's own specialist is meant for patients at its usual
/// level. A more urgent patient gets the specialist and the reason of the level.
fn specialist<'a>(
    base: &'a KnowledgeBase,
    condition: &'a Condition,
    level: TriageLevel,
) -> Option<Specialist<'a>> {
    let own = &condition.text.triage.specialist;
    let (id, reasoning) = if condition.text.triage.default >= level {
        (own.id.as_str(), Text::from(&own.reasoning))
    } else {
        let asked = base.services().specialist_at(level);
        let reason = base
            .level_text(level)
            .map(|text| Text::from(&text.description));
        (asked.unwrap_or(&own.id), reason.unwrap_or_default())
    };
    Some(Specialist {
        id: id.into(),
        name: Text::from(&base.specialist(id)?.name),
        reasoning,
        escalate_to: Text::from(&own.escalate_to),
        escalation_trigger: Text::from(&own.escalation_trigger),
    })
}

/// Returns the symptoms that counted most. Risk factors and test results are listed among the
/// contributions instead.
fn contributing(
    facts: &PatientFacts<'_>,
    differential: &Differential<'_>,
    alarm: Option<&Alarm<'_>>,
    condition: Option<ConditionIx>,
) -> Vec<ConceptId> {
    if let Some(alarm) = alarm {
        let evidence = alarm.evidence.iter().copied();
        let symptoms: Vec<ConceptRef> = evidence.filter(is_symptom).collect();
        return explain::ids(facts.base, &symptoms);
    }
    let Some(ix) = condition else {
        return Vec::new();
    };
    let mut weighed: Vec<(f64, ConceptRef)> = differential
        .weights
        .iter()
        .filter(|(item, _)| item.present && is_symptom(&item.concept))
        .map(|(item, weights)| (weights.at(ix), item.concept))
        .filter(|(weight, _)| *weight > 0.0)
        .collect();
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let concepts: Vec<ConceptRef> = weighed
        .into_iter()
        .take(5)
        .map(|(_, concept)| concept)
        .collect();
    explain::ids(facts.base, &concepts)
}

fn is_symptom(concept: &ConceptRef) -> bool {
    concept.kind() == ConceptKind::Symptom
}

fn reasoning(
    facts: &PatientFacts<'_>,
    conditions: &[AssessedCondition<'_>],
    alarms: &[Alarm<'_>],
    verdict: &Verdict,
    differential: &Differential<'_>,
    levels: &Levels,
) -> Reasoning {
    let mut steps = Vec::with_capacity(STEPS_USUALLY);
    steps.push(explain::listed(facts, "Present: ", true));
    if facts.evidence_items.iter().any(|item| !item.present) {
        steps.push(explain::listed(facts, "Absent: ", false));
    }
    for RedFlag {
        seriousness,
        root_cause,
        ..
    } in alarms.iter().take(5).map(|alarm| &alarm.flag)
    {
        steps.push(["Danger (", seriousness.as_str(), "): ", root_cause].concat());
    }
    for condition in conditions.iter().take(3) {
        let share = format!(" ({:.0} %): ", condition.probability * 100.0);
        steps.push([condition.name.as_str(), &share, &condition.rationale].concat());
    }
    if differential.unexplained() > 0.2 {
        steps.push(format!(
            "{:.0} % remain for causes outside the knowledge base.",
            differential.unexplained() * 100.0
        ));
    }
    let triage_rationale = match alarms.first().filter(|alarm| alarm.level == verdict.level) {
        Some(alarm) => format!(
            "The level is {} because of a danger sign: {}",
            verdict.level, alarm.flag.root_cause
        ),
        None if verdict.raised_from.is_some() => {
            format!("The level is {}. {RAISED}", verdict.level)
        }
        None => format!(
            "The level is {} because of the conditions that are likely and how long they can wait.",
            verdict.level
        ),
    };
    steps.push(triage_rationale.clone());
    Reasoning {
        steps,
        triage_rationale,
        what_would_change: what_would_change(facts, verdict, differential, levels),
    }
}

/// Returns the smallest changes that would change the level: one more warning sign of the leading
/// condition, or one dangerous candidate excluded.
fn what_would_change(
    facts: &PatientFacts<'_>,
    verdict: &Verdict,
    differential: &Differential<'_>,
    levels: &Levels,
) -> Vec<String> {
    let mut changes = Vec::new();
    if verdict.level < TriageLevel::Emergency {
        let leader = differential.leader().map(|ix| facts.base.condition(ix));
        if let Some(sign) = leader.and_then(|condition| condition.text.watch_for.first()) {
            changes.push(format!("Higher: {}.", sign.sign.trim_end_matches('.')));
        }
    }
    if verdict.raised_from.is_some() {
        changes.push("Lower: an examination that finds no reason for hurry.".to_owned());
    // `None` is lower than any level: the candidates alone decided.
    } else if verdict.floor < Some(verdict.level) {
        let carrying = differential.likeliest(|ix| levels.level(ix).0 == verdict.level);
        if let Some(ix) = carrying {
            changes.push(format!(
                "Lower: {} excluded by examination or test.",
                facts.base.condition(ix).text.name
            ));
        }
    } else {
        changes
            .push("Lower: nothing but the danger sign proving absent on examination.".to_owned());
    }
    changes
}
