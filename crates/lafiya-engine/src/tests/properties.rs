//! Tests the safety invariants over the whole knowledge base.

use lafiya_knowledge::{ConceptRef, FindingIx};
use lafiya_model::{
    Age, Choice, ConceptKind, DeidentifiedCase, Evidence, Seriousness, Sex, TriageLevel,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{BASE, case, finding_id, item};
use crate::differential::Differential;
use crate::facts::{EvidenceItem, PatientFacts};
use crate::triage::{self, Levels};
use crate::{Parameters, assess, candidate_level, danger, review};

/// The people on whom every invariant is tested.
const PEOPLE: [(Age, Sex); 5] = [
    (Age::from_days(10), Sex::Male),
    (Age::from_months(9), Sex::Female),
    (Age::from_years(7), Sex::Male),
    (Age::from_years(28), Sex::Female),
    (Age::from_years(70), Sex::Male),
];

fn level(case: &DeidentifiedCase) -> TriageLevel {
    let parameters = Parameters::default();
    let facts = PatientFacts::gather(&BASE, case);
    let differential = Differential::of(&facts, case, &parameters);
    let alarms = danger::alarms(&facts);
    triage::decide(
        &facts,
        &differential,
        &alarms,
        &Levels::of(&facts),
        &parameters,
    )
    .level
}

fn possible_findings(age: Age, sex: Sex) -> Vec<FindingIx> {
    let allowed = |ix: &FindingIx| {
        let finding = BASE.finding(*ix);
        finding.sex.allows(sex) && finding.ages.contains(age)
    };
    BASE.finding_indices().filter(allowed).collect()
}

#[test]
fn an_emergency_sign_always_gives_an_emergency() {
    for (age, sex) in PEOPLE {
        for ix in possible_findings(age, sex) {
            let Some(seriousness) = BASE.finding(ix).text.red_flag.seriousness() else {
                continue;
            };
            let reached = level(&case(age, sex, vec![item(finding_id(ix), Choice::Present)]));
            assert!(
                reached >= seriousness.floor(),
                "{} in {age:?} gives {reached}",
                finding_id(ix)
            );
        }
    }
}

/// Tests every pair of a dangerous and any other finding for a young woman, and a sample for the
/// others.
#[test]
fn adding_a_danger_sign_never_lowers_the_level() {
    for (place, (age, sex)) in PEOPLE.into_iter().enumerate() {
        let step = if sex == Sex::Female && place == 3 {
            1
        } else {
            17
        };
        let findings = possible_findings(age, sex);
        let (dangerous, _): (Vec<FindingIx>, Vec<FindingIx>) = findings
            .iter()
            .partition(|ix| BASE.finding(**ix).text.red_flag.seriousness().is_some());
        let chunk = findings.len().div_ceil(2);
        std::thread::scope(|scope| {
            for part in findings.chunks(chunk) {
                let dangerous = &dangerous;
                scope.spawn(move || {
                    for (number, &other) in part.iter().enumerate() {
                        let alone = level(&case(
                            age,
                            sex,
                            vec![item(finding_id(other), Choice::Present)],
                        ));
                        for &danger in dangerous.iter().skip(number % step).step_by(step) {
                            let both = vec![
                                item(finding_id(other), Choice::Present),
                                item(finding_id(danger), Choice::Present),
                            ];
                            let together = level(&case(age, sex, both));
                            assert!(
                                together >= alone,
                                "{} + {}: {alone} -> {together}",
                                finding_id(other),
                                finding_id(danger)
                            );
                        }
                    }
                });
            }
        });
    }
}

fn any_choice() -> impl Strategy<Value = Choice> {
    prop_oneof![3 => Just(Choice::Present), 2 => Just(Choice::Absent), 1 => Just(Choice::Unknown)]
}

pub(super) fn any_case() -> impl Strategy<Value = DeidentifiedCase> {
    let ids: Vec<String> = BASE
        .findings()
        .iter()
        .map(|finding| finding.text.id.clone())
        .chain(BASE.risks().iter().map(|risk| risk.text.id.clone()))
        .chain(BASE.labs().iter().map(|lab| lab.text.id.clone()))
        .collect();
    let evidence = prop::collection::btree_map(prop::sample::select(ids), any_choice(), 1..14);
    (
        0_u32..44_000,
        prop::sample::select(vec![Sex::Male, Sex::Female, Sex::Other]),
        evidence,
    )
        .prop_map(|(days, sex, evidence)| {
            let evidence = evidence
                .into_iter()
                .map(|(id, choice)| item(&id, choice))
                .collect();
            case(Age::from_days(days), sex, evidence)
        })
}

fn bytes(case: &DeidentifiedCase) -> String {
    let assessment = review(assess(&BASE, case, &Parameters::default()), 0);
    serde_json::to_string(&assessment).expect("an assessment serialises")
}

/// Positive tests, and findings of illness that speak for nothing that can be cared for at home.
fn evidence_that_only_adds(age: Age, sex: Sex) -> Vec<&'static str> {
    let findings = possible_findings(age, sex).into_iter();
    let findings = findings.map(ConceptRef::Finding);
    let concepts = findings.chain(BASE.lab_indices().map(ConceptRef::Lab));
    let is_added = |concept: &ConceptRef| {
        let item = EvidenceItem {
            concept: *concept,
            present: true,
            severity: None,
        };
        candidate_level::only_adds(&item, &BASE)
    };
    // What excludes a condition for certain may lower the level.
    let excludes = |id: &str| {
        let mut conditions = BASE.conditions().iter();
        conditions.any(|condition| {
            let excluded = condition.text.excluded_by.iter();
            excluded
                .flat_map(|exclusion| &exclusion.list)
                .any(|excluding| excluding == id)
        })
    };
    let ids = concepts.filter(is_added).map(|concept| BASE.id_of(concept));
    ids.filter(|id| !excludes(id)).collect()
}

/// The complaints of most visits, each alone, and each test that may be positive beside it.
#[test]
fn no_positive_test_takes_away_the_wait_of_a_complaint() {
    let complaints = BASE.finding_indices().filter(|ix| {
        let showing = BASE.likelihood().showing(*ix, None);
        showing.conditions().len() > 150
    });
    let complaints: Vec<FindingIx> = complaints.collect();
    assert!(complaints.len() > 8, "{} complaints", complaints.len());
    for (age, sex) in PEOPLE {
        let added = evidence_that_only_adds(age, sex);
        for (number, &ix) in complaints.iter().enumerate() {
            if !BASE.fits(ConceptRef::Finding(ix), age, sex) {
                continue;
            }
            let complaint = item(finding_id(ix), Choice::Present);
            let alone = level(&case(age, sex, vec![complaint.clone()]));
            for id in added.iter().skip(number % 29).step_by(29) {
                let both = vec![complaint.clone(), item(id, Choice::Present)];
                let together = level(&case(age, sex, both));
                assert!(
                    together >= alone,
                    "{} + {id}: {alone} -> {together}",
                    finding_id(ix)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, rng_seed: RngSeed::Fixed(20_261_115), ..ProptestConfig::default() })]

    #[test]
    fn every_case_gets_a_valid_answer(case in any_case()) {
        // `review` itself asserts order, bounds, sum, sources and the minimum level.
        let answer = review(assess(&BASE, &case, &Parameters::default()), 0);
        let is_grave = answer.red_flags.iter().any(|flag| flag.seriousness >= Seriousness::Emergency);
        prop_assert_eq!(answer.has_emergency_evidence, is_grave);
        for id in &answer.triage.contributing_evidence {
            let kind = BASE.resolve(id.as_str()).map(|concept| concept.kind());
            prop_assert_eq!(kind, Some(ConceptKind::Symptom), "{:?}", id);
        }
        let sum: f64 = answer.conditions.iter().map(|condition| condition.probability).sum::<f64>();
        prop_assert!(sum + answer.unexplained <= 1.0 + 1e-4);
        for condition in &answer.conditions {
            let ix = BASE.resolve(condition.id.as_str()).and_then(|concept| concept.condition()).expect("a condition of the base");
            prop_assert!(BASE.condition(ix).is_possible(case.age, case.sex), "{} is impossible here", condition.name);
            prop_assert_eq!(condition.weights.len(), answer.weighed.len());
            prop_assert!(condition.weights.iter().sum::<f64>().is_finite());
        }
    }

    #[test]
    fn order_repetition_and_unknown_change_nothing(case in any_case()) {
        let expected = bytes(&case);
        let mut turned = case.clone();
        turned.evidence.reverse();
        let again: Vec<Evidence> = turned.evidence.clone();
        turned.evidence.extend(again);
        prop_assert_eq!(&bytes(&turned), &expected);
        let known: Vec<Evidence> = case.evidence.iter().filter(|item| item.choice != Choice::Unknown).cloned().collect();
        let without_unknown = DeidentifiedCase { evidence: known, ..case.clone() };
        let conditions = |case: &DeidentifiedCase| review(assess(&BASE, case, &Parameters::default()), 0);
        let (with, without) = (conditions(&case), conditions(&without_unknown));
        prop_assert_eq!(with.conditions, without.conditions);
        prop_assert_eq!(with.triage, without.triage);
    }

    #[test]
    fn every_matching_rule_is_among_the_candidate_rules(case in any_case()) {
        let facts = PatientFacts::gather(&BASE, &case);
        let awake: Vec<&str> = BASE.rules_awake(&facts.known).filter(|rule| rule.when.holds(&facts)).map(|rule| rule.text.id.as_str()).collect();
        let hypotheses: Vec<&str> = BASE.rules().iter().filter(|rule| rule.when.holds(&facts)).map(|rule| rule.text.id.as_str()).collect();
        prop_assert_eq!(awake, hypotheses);
        let levels = Levels::of(&facts);
        for ix in BASE.condition_indices() {
            let hypotheses = BASE.condition(ix).higher.iter().filter(|higher| higher.when.holds(&facts));
            let raised = hypotheses.map(|higher| (higher.level, higher.timeframe)).max();
            let usual = BASE.usual_levels()[ix.index()];
            prop_assert_eq!(levels.level(ix), raised.map_or(usual, |raised| raised.max(usual)));
        }
    }

    #[test]
    fn one_more_danger_sign_never_lowers_any_case(case in any_case(), place in 0_usize..10_000) {
        let dangerous: Vec<FindingIx> = possible_findings(case.age, case.sex)
            .into_iter()
            .filter(|ix| BASE.finding(*ix).text.red_flag.seriousness().is_some())
            .collect();
        let added = dangerous[place % dangerous.len()];
        let id = finding_id(added);
        prop_assume!(case.evidence.iter().all(|item| item.id.as_str() != id));
        let mut more = case.clone();
        more.evidence.push(item(id, Choice::Present));
        prop_assert!(level(&more) >= level(&case), "adding {}", id);
    }

    #[test]
    fn one_more_finding_of_illness_never_lowers_any_case(case in any_case(), place in 0_usize..10_000) {
        let added = evidence_that_only_adds(case.age, case.sex);
        let id = added[place % added.len()];
        prop_assume!(case.evidence.iter().all(|item| item.id.as_str() != id));
        let mut more = case.clone();
        more.evidence.push(item(id, Choice::Present));
        prop_assert!(level(&more) >= level(&case), "adding {}", id);
    }
}
