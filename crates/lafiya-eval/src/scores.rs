//! Scores of a set of outcomes.

use std::collections::BTreeMap;

use lafiya_model::TriageLevel;
use serde::Serialize;

use crate::run::Outcome;

/// The scores of one set. Shares are of all cases in it, 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    /// The number of cases.
    pub cases: usize,
    /// Cases whose correct answer is in the knowledge base.
    pub covered: usize,
    /// Correct answer first.
    pub top1: f64,
    /// Correct answer among the first three.
    pub top3: f64,
    /// Correct answer among the first five.
    pub top5: f64,
    /// The same three shares, of the covered cases.
    pub covered_top1: f64,
    /// See `covered_top1`.
    pub covered_top3: f64,
    /// See `covered_top1`.
    pub covered_top5: f64,
    /// Cases with an expected level.
    pub triaged: usize,
    /// The level is acceptable.
    pub triage_ok: f64,
    /// The level is exactly as expected.
    pub triage_exact: f64,
    /// Lower than acceptable.
    pub under: f64,
    /// Higher than acceptable.
    pub over: f64,
    /// Emergencies.
    pub emergencies: usize,
    /// Emergencies that got a lower level.
    pub emergencies_under: usize,
    /// The Brier score of the first answer over covered cases.
    pub brier: f64,
    /// The average number of questions asked.
    pub asked: f64,
}

/// Computes the scores of outcomes.
pub fn score<'a>(outcomes: impl Iterator<Item = &'a Outcome> + Clone) -> Scores {
    let cases = outcomes.clone().count();
    let share = |count: usize, of: usize| {
        if of == 0 {
            0.0
        } else {
            count as f64 / of as f64
        }
    };
    let covered = outcomes.clone().filter(|outcome| outcome.covered).count();
    let top = |k: usize, only_covered: bool| {
        let hits = outcomes
            .clone()
            .filter(|outcome| {
                (!only_covered || outcome.covered) && outcome.rank.is_some_and(|rank| rank <= k)
            })
            .count();
        share(hits, if only_covered { covered } else { cases })
    };
    let triaged = outcomes
        .clone()
        .filter(|outcome| outcome.wanted_level.is_some());
    let n_triaged = triaged.clone().count();
    let of_triaged = |keep: &dyn Fn(&&Outcome) -> bool| {
        share(triaged.clone().filter(|it| keep(it)).count(), n_triaged)
    };
    let emergencies = triaged.clone().filter(|it| {
        it.wanted_level
            .is_some_and(|(_, _, wanted)| wanted == TriageLevel::Emergency)
    });
    let squared = outcomes
        .clone()
        .filter(|outcome| outcome.covered)
        .map(|outcome| {
            let right = f64::from(u8::from(outcome.rank == Some(1)));
            (outcome.probability_of_first - right).powi(2)
        });
    Scores {
        cases,
        covered,
        top1: top(1, false),
        top3: top(3, false),
        top5: top(5, false),
        covered_top1: top(1, true),
        covered_top3: top(3, true),
        covered_top5: top(5, true),
        triaged: n_triaged,
        triage_ok: of_triaged(&|it| !it.is_under() && !it.is_over()),
        triage_exact: of_triaged(&|it| it.level == it.wanted_level.map(|(_, _, wanted)| wanted)),
        under: of_triaged(&|it| it.is_under()),
        over: of_triaged(&|it| it.is_over()),
        emergencies: emergencies.clone().count(),
        emergencies_under: emergencies.filter(|emergency| emergency.is_under()).count(),
        brier: if covered == 0 {
            0.0
        } else {
            squared.sum::<f64>() / covered as f64
        },
        asked: if cases == 0 {
            0.0
        } else {
            outcomes.map(|outcome| outcome.asked).sum::<usize>() as f64 / cases as f64
        },
    }
}

/// Returns a table for display, with one line per set.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut sets: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        sets.entry(&outcome.set).or_default().push(outcome);
    }
    let mut text = format!(
        "{:<26}{:>6}{:>9}{:>7}{:>7}{:>7} |{:>7}{:>7}{:>7} |{:>8}{:>7}{:>7}{:>11}{:>8}{:>7}\n",
        "set",
        "cases",
        "covered",
        "top1",
        "top3",
        "top5",
        "cov1",
        "cov3",
        "cov5",
        "triage",
        "under",
        "over",
        "em.under",
        "brier",
        "asked"
    );
    let mut rows: Vec<(&str, Vec<&Outcome>)> = sets.into_iter().collect();
    if rows.len() > 1 {
        rows.push(("all", outcomes.iter().collect()));
    }
    for (set, outcomes) in &rows {
        let it = score(outcomes.iter().copied());
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        text.push_str(&format!(
            "{set:<26}{:>6}{:>9}{:>7}{:>7}{:>7} |{:>7}{:>7}{:>7} |{:>8}{:>7}{:>7}{:>11}{:>8.3}{:>7.1}\n",
            it.cases, it.covered, percent(it.top1), percent(it.top3), percent(it.top5),
            percent(it.covered_top1), percent(it.covered_top3), percent(it.covered_top5),
            percent(it.triage_ok), percent(it.under), percent(it.over),
            format!("{}/{}", it.emergencies_under, it.emergencies), it.brier, it.asked
        ));
    }
    text
}
