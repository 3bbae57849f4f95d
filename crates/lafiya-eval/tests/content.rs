//! Tests that the knowledge base is consistent and plausible: textbook patients are recognised, the
//! case mix is as a clinician would expect, and simulated patients are diagnosed.

use std::path::Path;
use std::sync::LazyLock;

use lafiya_engine::Parameters;
use lafiya_eval::{Draw, MixOf, Simulation, commonest, compare, confusions, score, simulate};
use lafiya_knowledge::KnowledgeBase;
use serde::Deserialize;

static BASE: LazyLock<KnowledgeBase> =
    LazyLock::new(|| lafiya_content::load().expect("the embedded base loads"));

/// The minimum share of textbook patients ranked in the first three. The rest, which the message
/// names, are pairs of degrees of the same illness, infections that only a test distinguishes from
/// more common ones, and diagnoses of exclusion.
const RECOGNISED_MIN: f64 = 0.965;

#[test]
fn textbook_patients_are_recognised_among_the_first_three() {
    let all = confusions(&BASE, &Parameters::default());
    let missed: Vec<String> = all
        .iter()
        .filter(|it| it.place > 3)
        .map(|it| format!("{} at {}", it.id, it.place))
        .collect();
    let recognised = 1.0 - missed.len() as f64 / all.len() as f64;
    assert!(
        recognised >= RECOGNISED_MIN,
        "{:.1} % recognised; not: {}",
        recognised * 100.0,
        missed.join(", ")
    );
}

#[derive(Deserialize)]
struct Expectations {
    mix: Vec<Expectation>,
}

#[derive(Deserialize)]
struct Expectation {
    #[serde(flatten)]
    of: MixOf,
    expected: Vec<String>,
    unexpected: Vec<String>,
}

#[test]
fn the_ten_most_common_conditions_match_expectations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluation/case-mix.toml");
    let text = std::fs::read_to_string(path).expect("the expectations can be read");
    let expectations: Expectations = toml::from_str(&text).expect("they have their form");
    let mut wrong = Vec::new();
    for Expectation {
        of,
        expected,
        unexpected,
    } in &expectations.mix
    {
        let first = commonest(&BASE, of, 10).expect("the age can be read");
        println!("{}", of.title);
        for it in &first {
            println!("  {:>6.1}  {}", it.per_1000, it.name);
        }
        for id in expected.iter().chain(unexpected) {
            assert!(BASE.resolve(id).is_some(), "{id} is not in the base");
        }
        let among = |id: &String| first.iter().any(|it| it.id == *id);
        wrong.extend(
            expected
                .iter()
                .filter(|id| !among(id))
                .map(|id| format!("{}: no {id}", of.title)),
        );
        wrong.extend(
            unexpected
                .iter()
                .filter(|id| among(id))
                .map(|id| format!("{}: {id}", of.title)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn simulation_recognises_patients_and_is_reproducible() {
    let simulation = Simulation {
        patients: 150,
        draw: Draw::Mix,
        questions_max: 12,
        seed: 7,
    };
    let run = || simulate(&BASE, &simulation, &Parameters::default(), &|| {});
    let outcomes = run();
    let scores = score(outcomes.iter());
    assert!(scores.cases >= 140, "{scores:#?}");
    assert!(scores.top3 >= 0.80, "{scores:#?}");
    let ids = |outcomes: &[lafiya_eval::Outcome]| -> Vec<(String, Option<usize>)> {
        outcomes
            .iter()
            .map(|outcome| (outcome.diagnosis.clone(), outcome.rank))
            .collect()
    };
    assert_eq!(ids(&outcomes[..20]), ids(&run()[..20]));
}

#[test]
fn a_knowledge_base_does_not_differ_from_itself() {
    let difference = compare(&BASE, &BASE, 60, 1, &[], &Parameters::default());
    assert!(difference.changed.is_empty());
    assert!(
        difference
            .content
            .iter()
            .all(|it| it.added.is_empty() && it.removed.is_empty() && it.changed.is_empty())
    );
}
