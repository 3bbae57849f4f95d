//! Compares our own cases with the accepted scores in `evaluation/accepted.json`, which may only
//! rise. If a change raises a score, raise the accepted figure with it.

use std::collections::BTreeMap;
use std::path::Path;

use lafiya_engine::Parameters;
use lafiya_eval::{Mode, Outcome, Runner, Scores, read_cases, score};
use serde::Deserialize;

/// Scores that a change may not lower (and counts that it may not raise).
#[derive(Deserialize)]
struct Accepted {
    covered_top1_min: f64,
    covered_top3_min: f64,
    triage_ok_min: f64,
    over_max: f64,
    emergencies_under_max: usize,
    brier_max: f64,
}

/// Scores by mode; a set may be scored in only one of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedScores {
    findings: Option<Accepted>,
    text: Option<Accepted>,
}

fn evaluation(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../evaluation")
        .join(file)
}

fn check(what: &str, scores: &Scores, accepted: &Accepted) {
    let said = format!("{what}: {scores:#?}");
    assert!(
        scores.covered_top1 >= accepted.covered_top1_min,
        "top 1 fell. {said}"
    );
    assert!(
        scores.covered_top3 >= accepted.covered_top3_min,
        "top 3 fell. {said}"
    );
    assert!(
        scores.triage_ok >= accepted.triage_ok_min,
        "triage fell. {said}"
    );
    assert!(scores.over <= accepted.over_max, "over-triage rose. {said}");
    assert!(
        scores.emergencies_under <= accepted.emergencies_under_max,
        "an emergency was missed. {said}"
    );
    assert!(
        scores.brier <= accepted.brier_max,
        "the Brier score rose. {said}"
    );
}

#[test]
fn the_evaluation_cases_reach_the_accepted_scores() {
    let base = lafiya_content::load().expect("the embedded base loads");
    let runner = Runner::new(&base);
    let text = std::fs::read_to_string(evaluation("accepted.json"))
        .expect("the accepted scores can be read");
    let accepted: BTreeMap<String, AcceptedScores> =
        serde_json::from_str(&text).expect("the accepted scores have their form");
    for (set, accepted) in accepted {
        let cases = read_cases(&evaluation(&set)).expect("our cases can be read");
        let modes = [
            (Mode::Findings, accepted.findings),
            (Mode::Text, accepted.text),
        ];
        for (mode, accepted) in modes {
            let Some(accepted) = accepted else { continue };
            let run = |case| runner.run(case, mode, &Parameters::default(), 0);
            let outcomes: Vec<Outcome> = cases.iter().map(run).collect();
            check(
                &format!("{set}, {mode:?}"),
                &score(outcomes.iter()),
                &accepted,
            );
        }
    }
}
