//! Fits the global parameters of the model: a coordinate search on the cases, evaluated by
//! cross-validation. The diagnostic parameters maximise the probability of the correct answer. The
//! triage thresholds minimise a cost in which a missed emergency weighs most.

use lafiya_engine::{Parameters, assess};
use lafiya_knowledge::ConditionIx;
use lafiya_model::{DeidentifiedCase, TriageLevel};

use crate::case::Case;
use crate::run::{Mode, Runner};

const FOLDS: usize = 4;
const ROUNDS: usize = 2;
const MISSED_EMERGENCY: f64 = 12.0;
const UNDER: f64 = 3.0;
const OVER: f64 = 1.0;

/// The result of the search.
pub struct FitReport {
    /// The parameters fitted on all cases.
    pub parameters: Parameters,
    /// The mean log-probability of the correct answer with the initial parameters.
    pub before: f64,
    /// The same with the fitted parameters, on held-out cases.
    pub held_out: f64,
    /// The mean triage cost with the initial parameters.
    pub triage_before: f64,
    /// The mean triage cost with the fitted parameters, on held-out cases.
    pub triage_held_out: f64,
    /// The Brier score of the first answer with the initial parameters.
    pub brier_before: f64,
    /// The Brier score with the fitted parameters, on held-out cases.
    pub brier_held_out: f64,
}

struct Prepared<'a> {
    case: &'a Case,
    input: DeidentifiedCase,
    right: Vec<ConditionIx>,
}

type Knob = (
    &'static str,
    fn(&mut Parameters) -> &mut f64,
    &'static [f64],
);

const DIAGNOSTIC: &[Knob] = &[
    (
        "present_weight",
        |p| &mut p.present_weight,
        &[0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05],
    ),
    (
        "absent_weight",
        |p| &mut p.absent_weight,
        &[0.2, 0.35, 0.5, 0.65, 0.8, 1.0],
    ),
    (
        "absent_cardinal_weight",
        |p| &mut p.absent_cardinal_weight,
        &[0.4, 0.6, 0.8, 1.0, 1.2, 1.5],
    ),
    (
        "prior_weight",
        |p| &mut p.prior_weight,
        &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
    ),
    (
        "unexplained_times",
        |p| &mut p.unexplained_times,
        &[0.2, 0.35, 0.5, 0.7, 1.0],
    ),
    (
        "narrower_times",
        |p| &mut p.narrower_times,
        &[0.1, 0.2, 0.35, 0.5, 0.75, 1.0],
    ),
    (
        "other_times",
        |p| &mut p.other_times,
        &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0],
    ),
    (
        "other_prior",
        |p| &mut p.other_prior,
        &[0.05, 0.1, 0.2, 0.4, 0.8],
    ),
    ("risk_weight", |p| &mut p.risk_weight, &[0.4, 0.6, 0.8, 1.0]),
    (
        "course_weight",
        |p| &mut p.course_weight,
        &[0.5, 1.0, 1.5, 2.0, 3.0],
    ),
];

const TRIAGE: &[Knob] = &[
    (
        "emergency_share",
        |p| &mut p.emergency_share,
        &[0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7],
    ),
    (
        "emergency_share_for_urgent",
        |p| &mut p.emergency_share_for_urgent,
        &[0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3],
    ),
    (
        "urgent_share",
        |p| &mut p.urgent_share,
        &[0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7],
    ),
    (
        "routine_share",
        |p| &mut p.routine_share,
        &[0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8],
    ),
];

/// Parameters of the interview, which can be set but are not searched for.
const INTERVIEW: &[Knob] = &[("sure_share", |p| &mut p.sure_share, &[])];

/// Sets one parameter by name, for experiments. Returns whether a parameter has that name.
pub fn set_parameter(parameters: &mut Parameters, name: &str, value: f64) -> bool {
    let knob = DIAGNOSTIC
        .iter()
        .chain(TRIAGE)
        .chain(INTERVIEW)
        .find(|(known, _, _)| *known == name);
    if let Some((_, knob, _)) = knob {
        *knob(parameters) = value;
    }
    knob.is_some()
}

/// Fits the parameters on cases, starting from `start`.
pub fn fit(runner: &Runner<'_>, cases: &[Case], mode: Mode, start: Parameters) -> FitReport {
    let base = runner.base();
    let prepared: Vec<Prepared<'_>> = cases
        .iter()
        .filter_map(|case| {
            let right = base
                .condition_indices()
                .filter(|ix| case.accepts(base.condition(*ix)));
            Some(Prepared {
                case,
                input: runner.deidentified(case, mode)?,
                right: right.collect(),
            })
        })
        .collect();
    let all: Vec<&Prepared<'_>> = prepared.iter().collect();
    let mut held_out = Vec::new();
    let mut triage_held_out = Vec::new();
    let mut brier_held_out = Vec::new();
    for fold in 0..FOLDS {
        let (test, train): (Vec<_>, Vec<_>) = all
            .iter()
            .copied()
            .enumerate()
            .partition(|(place, _)| place % FOLDS == fold);
        let train: Vec<&Prepared<'_>> = train.into_iter().map(|(_, it)| it).collect();
        let set = search(runner, &train, start);
        for (_, it) in test {
            held_out.extend(log_probability(runner, it, &set));
            triage_held_out.extend(triage_cost(runner, it, &set));
            brier_held_out.extend(brier(runner, it, &set));
        }
    }
    FitReport {
        before: mean(
            all.iter()
                .filter_map(|it| log_probability(runner, it, &start)),
        ),
        triage_before: mean(all.iter().filter_map(|it| triage_cost(runner, it, &start))),
        held_out: mean(held_out.into_iter()),
        triage_held_out: mean(triage_held_out.into_iter()),
        brier_before: mean(all.iter().filter_map(|it| brier(runner, it, &start))),
        brier_held_out: mean(brier_held_out.into_iter()),
        parameters: search(runner, &all, start),
    }
}

fn search(runner: &Runner<'_>, cases: &[&Prepared<'_>], start: Parameters) -> Parameters {
    let diagnosed = descend(start, DIAGNOSTIC, |parameters| {
        -mean(
            cases
                .iter()
                .filter_map(|case| log_probability(runner, case, parameters)),
        )
    });
    descend(diagnosed, TRIAGE, |parameters| {
        mean(
            cases
                .iter()
                .filter_map(|case| triage_cost(runner, case, parameters)),
        )
    })
}

/// Optimises one parameter at a time over its grid of values, until a round changes nothing.
fn descend(start: Parameters, knobs: &[Knob], cost: impl Fn(&Parameters) -> f64) -> Parameters {
    let mut best = start;
    let mut least = cost(&best);
    for _ in 0..ROUNDS {
        let before = least;
        for (_, knob, grid) in knobs {
            for &value in *grid {
                let mut tried = best;
                *knob(&mut tried) = value;
                let tried_cost = cost(&tried);
                if tried_cost < least - 1e-9 {
                    (best, least) = (tried, tried_cost);
                }
            }
        }
        if least >= before - 1e-9 {
            break;
        }
    }
    best
}

fn log_probability(runner: &Runner<'_>, it: &Prepared<'_>, parameters: &Parameters) -> Option<f64> {
    if it.right.is_empty() {
        return None;
    }
    let draft = assess(runner.base(), &it.input, parameters);
    let probability: f64 = it
        .right
        .iter()
        .map(|ix| draft.differential().probability(*ix))
        .sum();
    Some(probability.max(1e-4).ln())
}

/// Returns the squared error of the first answer's probability; the outcome is 1 if it was correct
/// and 0 if not.
fn brier(runner: &Runner<'_>, it: &Prepared<'_>, parameters: &Parameters) -> Option<f64> {
    if it.right.is_empty() {
        return None;
    }
    let draft = assess(runner.base(), &it.input, parameters);
    let first = *draft.differential().ranking().first()?;
    let is_right = f64::from(u8::from(it.right.contains(&first)));
    Some((draft.differential().probability(first) - is_right).powi(2))
}

fn triage_cost(runner: &Runner<'_>, it: &Prepared<'_>, parameters: &Parameters) -> Option<f64> {
    let (least, most) = it.case.acceptable()?;
    let level = assess(runner.base(), &it.input, parameters).level();
    Some(if level < least {
        if least == TriageLevel::Emergency {
            MISSED_EMERGENCY
        } else {
            UNDER
        }
    } else if level > most {
        OVER
    } else {
        0.0
    })
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0_usize), |(sum, count), number| {
        (sum + number, count + 1)
    });
    if count == 0 { 0.0 } else { sum / count as f64 }
}
