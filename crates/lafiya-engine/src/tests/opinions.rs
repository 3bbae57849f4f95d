//! Tests what a second opinion cannot do, whatever it says, over the whole knowledge base.

use lafiya_model::opinion::Reason;
use lafiya_model::{Age, Sex};
use lafiya_model::{Assessment, Choice, ConceptId, DeidentifiedCase, Opinion, TriageLevel};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::properties::any_case;
use super::{BASE, case, item};
use crate::{Parameters, Refusal, assess, review};

/// The largest factor by which the odds between two hypotheses may change. The 1.07 allows for the
/// small share that added candidates take from all others.
const ODDS_TIMES_MAX: f64 = 4.0 * 1.07;
const ADDED_SHARE: f64 = 0.02;

fn any_opinion() -> impl Strategy<Value = Opinion> {
    let ids: Vec<String> = BASE
        .conditions()
        .iter()
        .map(|condition| condition.text.id.clone())
        .chain(["c_nobody_knows".to_owned(), "s_fever".to_owned()])
        .collect();
    let view = (prop::sample::select(ids), 0.0_f64..=1.0);
    let level = prop::sample::select(TriageLevel::ALL.to_vec());
    (
        prop::collection::vec(view, 0..10),
        prop::option::of(level),
        prop::bool::ANY,
    )
        .prop_map(|(views, level, against)| Opinion {
            by: "test".to_owned(),
            views: views
                .into_iter()
                .map(|(id, share)| (ConceptId(id), if against { 0.0 } else { share }))
                .collect(),
            level,
            reasons: Vec::new(),
        })
}

/// Builds an opinion that rejects the engine's own leaders and supports what it considers unlikely.
fn contrary(case: &DeidentifiedCase) -> Opinion {
    let draft = assess(&BASE, case, &Parameters::default());
    let ranking = draft.differential().ranking();
    let id = |ix: &lafiya_knowledge::ConditionIx| ConceptId(BASE.condition(*ix).text.id.clone());
    let denied = ranking.iter().take(5).map(|ix| (id(ix), 0.0));
    let praised = ranking.iter().rev().take(5).map(|ix| (id(ix), 0.2));
    Opinion {
        by: "test".to_owned(),
        views: denied.chain(praised).collect(),
        level: Some(TriageLevel::SelfCare),
        reasons: Vec::new(),
    }
}

fn without(case: &DeidentifiedCase) -> Assessment<'static> {
    review(assess(&BASE, case, &Parameters::default()), 0)
}

fn with(case: &DeidentifiedCase, opinion: Opinion) -> Assessment<'static> {
    let mut draft = assess(&BASE, case, &Parameters::default());
    draft.consider(opinion);
    review(draft, 0)
}

/// Asserts that everything from the answer without the opinion is still there.
fn assert_no_harm(alone: &Assessment, advised: &Assessment) {
    assert!(advised.triage.level >= alone.triage.level, "level");
    assert!(
        advised.triage.timeframe >= alone.triage.timeframe,
        "timeframe"
    );
    assert_eq!(advised.red_flags, alone.red_flags);
    assert_eq!(advised.has_emergency_evidence, alone.has_emergency_evidence);
    assert_eq!(advised.next_question, alone.next_question);
    assert_eq!(advised.should_stop, alone.should_stop);
    assert!(advised.confidence <= alone.confidence + 1e-9, "confidence");
    assert!(advised.escalation_tier <= alone.escalation_tier, "tier");
    let all_kept = |name: &str, before: Vec<&str>, after: Vec<&str>| {
        for text in before {
            assert!(after.contains(&text), "{name}: {text} is gone");
        }
    };
    let treatment = |assessment: &'_ Assessment| -> Vec<String> {
        let specific = assessment.treatment.condition_specific.iter();
        specific
            .map(|treatment| &treatment.first_line)
            .chain(&assessment.treatment.immediate_actions)
            .chain(&assessment.treatment.avoid)
            .map(|line| line.to_string())
            .collect()
    };
    let (before, after) = (treatment(alone), treatment(advised));
    all_kept(
        "treatment",
        before.iter().map(String::as_str).collect(),
        after.iter().map(String::as_str).collect(),
    );
    let tests = |assessment: &'_ Assessment| -> Vec<String> {
        let all = assessment.investigations.iter();
        all.map(|test| test.test_id.to_string()).collect()
    };
    let (before, after) = (tests(alone), tests(advised));
    all_kept(
        "tests",
        before.iter().map(String::as_str).collect(),
        after.iter().map(String::as_str).collect(),
    );
    for duty in &alone.notifiable {
        assert!(
            advised
                .notifiable
                .iter()
                .any(|reported| reported.condition_id == duty.condition_id)
        );
    }
    for sign in &alone.watch_for {
        assert!(advised.watch_for.contains(sign), "{} is gone", sign.sign);
    }
    for warning in alone
        .warnings
        .iter()
        .filter(|warning| warning.kind != lafiya_model::assessment::WarningKind::ConfidenceLow)
    {
        assert!(advised.warnings.contains(warning), "{}", warning.message);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, rng_seed: RngSeed::Fixed(20_261_115), ..ProptestConfig::default() })]

    #[test]
    fn no_opinion_lowers_the_level_or_removes_anything(case in any_case(), opinion in any_opinion()) {
        let alone = without(&case);
        assert_no_harm(&alone, &with(&case, opinion));
        assert_no_harm(&alone, &with(&case, contrary(&case)));
    }

    #[test]
    fn odds_move_by_a_factor_of_four_at_most(case in any_case(), opinion in any_opinion()) {
        for opinion in [opinion, contrary(&case)] {
            let mut draft = assess(&BASE, &case, &Parameters::default());
            let before = draft.differential().clone();
            draft.consider(opinion);
            let after = draft.considered_differential().expect("an opinion was considered");
            let sum: f64 = after.probabilities().iter().sum::<f64>() + after.unexplained();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
            let odds = |share: f64| share / (1.0 - share);
            for ix in BASE.condition_indices() {
                let (was, is) = (before.probability(ix), after.probability(ix));
                prop_assert_eq!(was > 0.0 || before.is_possible(ix), is > 0.0 || before.is_possible(ix));
                if !before.is_possible(ix) {
                    prop_assert!(is == 0.0, "an impossible condition was made possible");
                }
                if was > 0.0 {
                    prop_assert!(odds(is) >= odds(was) / ODDS_TIMES_MAX, "{} -> {}", was, is);
                    let bound = (odds(was) * ODDS_TIMES_MAX).max(odds(ADDED_SHARE));
                    prop_assert!(odds(is) <= bound + 1e-12, "{} -> {}", was, is);
                }
            }
        }
    }
}

fn fever() -> DeidentifiedCase {
    case(
        Age::from_years(30),
        Sex::Female,
        vec![
            item("s_fever", Choice::Present),
            item("s_headache", Choice::Present),
        ],
    )
}

fn shares(answer: &Assessment) -> Vec<(ConceptId, f64)> {
    let all = answer.conditions.iter();
    all.map(|condition| (condition.id.clone(), condition.probability))
        .collect()
}

#[test]
fn an_opinion_without_views_changes_nothing() {
    let opinion = Opinion {
        by: "test".to_owned(),
        ..Opinion::default()
    };
    assert_eq!(shares(&without(&fever())), shares(&with(&fever(), opinion)));
}

#[test]
fn an_opinion_changes_the_ranking_and_states_by_how_much() {
    let alone = shares(&without(&fever()));
    let (second, was) = alone[1].clone();
    let opinion = Opinion {
        by: "test".to_owned(),
        views: vec![(second.clone(), 0.9)],
        ..Opinion::default()
    };
    let advised = with(&fever(), opinion);
    let moved = advised
        .conditions
        .iter()
        .find(|condition| condition.id == second);
    let moved = moved.expect("it is still there");
    assert!(moved.probability > was, "{was} -> {}", moved.probability);
    let mut contributions = advised.contributions(moved);
    let weight = contributions.find(|contribution| contribution.of.id == "second_opinion");
    assert!(
        weight.is_some_and(|weight| weight.weight > 0.1),
        "{weight:?}"
    );
}

#[test]
fn a_higher_level_of_an_opinion_applies_and_names_its_source() {
    let alone = without(&fever());
    assert!(alone.triage.level < TriageLevel::Emergency);
    let opinion = Opinion {
        by: "test".to_owned(),
        level: Some(TriageLevel::Emergency),
        ..Opinion::default()
    };
    let advised = with(&fever(), opinion);
    assert_eq!(advised.triage.level, TriageLevel::Emergency);
    assert!(advised.triage.overridden);
    assert!(
        advised
            .triage
            .override_reason
            .is_some_and(|reason| reason.contains("second opinion"))
    );
    assert_eq!(advised.escalation_tier, 2);
}

#[test]
fn refused_parts_of_an_opinion_are_named() {
    let mut draft = assess(&BASE, &fever(), &Parameters::default());
    let unknown = ConceptId::from("c_nobody_knows");
    let male_only = BASE
        .conditions()
        .iter()
        .find(|condition| !condition.is_possible(Age::from_years(30), Sex::Female))
        .map(|condition| ConceptId(condition.text.id.clone()))
        .expect("some condition is impossible in a woman of 30");
    let refusals = draft.consider(Opinion {
        by: "test".to_owned(),
        views: vec![(unknown.clone(), 0.5), (male_only.clone(), 0.5)],
        level: Some(TriageLevel::SelfCare),
        reasons: vec![],
    });
    assert_eq!(
        refusals,
        [
            Refusal::Impossible(unknown),
            Refusal::Impossible(male_only),
            Refusal::LowerLevel
        ]
    );
}

#[test]
fn reasons_appear_among_the_steps_with_their_sources() {
    let source = BASE.sources()[0].id.clone();
    let answer = with(
        &fever(),
        Opinion {
            by: "small-model".to_owned(),
            reasons: vec![Reason {
                text: "Fever with headache.".to_owned(),
                sources: vec![source],
            }],
            ..Opinion::default()
        },
    );
    let step = answer.reasoning.steps.last().expect("steps");
    assert!(
        step.starts_with("Second opinion (small-model): Fever with headache. (["),
        "{step}"
    );
    let number = step
        .split('[')
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    let line = number
        .map(|number| format!("[{number}]"))
        .expect("a citation");
    assert!(
        answer
            .sources
            .iter()
            .any(|source| source.starts_with(&line))
    );
}
