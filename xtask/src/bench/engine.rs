//! Measures one turn of reasoning over a synthetic knowledge base, next to a simple dense
//! implementation of the same arithmetic, and how its cost grows. The program is
//! `crates/lafiya-eval/benches/engine.rs`.

use anyhow::Context;

use super::growth;
use super::programs::{self, lines_of};
use super::table::{Bound, Row};

/// One line of the program's output.
#[derive(Clone, Copy)]
struct Turn {
    conditions: f64,
    findings: f64,
    evidence: f64,
    engine_us: f64,
    /// 0 if it was not measured.
    dense_us: f64,
}

/// Runs the program and returns its output.
pub(super) fn printed() -> anyhow::Result<String> {
    println!("measuring the engine ...");
    programs::bench("lafiya-eval", "engine")
}

/// Returns the microseconds of the reference turn: 800 conditions, 1,500 findings, 10 pieces of
/// evidence.
pub(super) fn step_us(printed: &str) -> anyhow::Result<f64> {
    Ok(at(&turns(printed), 10.0)?.engine_us)
}

pub(super) fn rows(printed: &str) -> anyhow::Result<Vec<Row>> {
    let turns = turns(printed);
    let (few, many) = (at(&turns, 10.0)?, at(&turns, 50.0)?);
    let points = |size: fn(&Turn) -> f64, belongs: &dyn Fn(&Turn) -> bool| -> Vec<(f64, f64)> {
        let turns = turns.iter().filter(|turn| belongs(turn));
        turns.map(|turn| (size(turn), turn.engine_us)).collect()
    };
    let by_conditions = points(|turn| turn.conditions, &|turn| {
        turn.findings == few.findings && turn.evidence == few.evidence
    });
    let by_findings = points(|turn| turn.findings, &|turn| {
        turn.conditions == few.conditions && turn.evidence == few.evidence
    });
    let by_evidence = points(|turn| turn.evidence, &|turn| {
        turn.conditions == few.conditions && turn.findings == few.findings && turn.evidence <= 40.0
    });
    Ok(vec![
        Row {
            what: "engine step, 800 conditions x 1,500 findings",
            value: few.engine_us / few.dense_us,
            unit: "x",
            beside: format!(
                "{:.0} µs v. plain dense {:.0} µs",
                few.engine_us, few.dense_us
            ),
            floor: Bound::AtMost(1.0),
            aim: Bound::AtMost(0.35),
            ..Row::default()
        },
        Row {
            what: "50 pieces of evidence against 10",
            value: many.engine_us / few.engine_us,
            unit: "x",
            beside: format!("{:.0} µs v. {:.0} µs", many.engine_us, few.engine_us),
            floor: Bound::AtMost(3.0),
            aim: Bound::AtMost(2.0),
            ..Row::default()
        },
        growth::row("growth: engine over conditions", by_conditions, "µs", 1.15)?,
        growth::row("growth: engine over findings", by_findings, "µs", 1.2)?,
        growth::row("growth: engine over evidence", by_evidence, "µs", 0.7)?,
    ])
}

/// Returns the turn with this many pieces of evidence over the knowledge base of the usual size,
/// which the first lines are for.
fn at(turns: &[Turn], evidence: f64) -> anyhow::Result<Turn> {
    let usual = turns
        .first()
        .context("the bench of the engine prints lines")?;
    let found = turns.iter().find(|turn| {
        turn.conditions == usual.conditions
            && turn.findings == usual.findings
            && turn.evidence == evidence
    });
    found
        .copied()
        .with_context(|| format!("no line of {evidence} pieces of evidence"))
}

/// Parses lines such as `800 conditions, 1500 findings, 10 pieces of evidence: engine 61.0 us,
/// plain dense 70.2 us`. The dense implementation is not measured in all of them.
fn turns(printed: &str) -> Vec<Turn> {
    let turn = |[conditions, findings, evidence, engine_us, dense_us]: [f64; 5]| Turn {
        conditions,
        findings,
        evidence,
        engine_us,
        dense_us,
    };
    let with_dense = lines_of::<5>(printed).into_iter().map(turn);
    let without = lines_of::<4>(printed).into_iter();
    let without = without.map(|[a, b, c, d]| turn([a, b, c, d, 0.0]));
    with_dense.chain(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
        800 conditions, 1500 findings, 10 pieces of evidence: engine 60.0 us, plain dense 80.0 us\n\
        800 conditions, 1500 findings, 50 pieces of evidence: engine 120.0 us, plain dense 90.0 us\n\
        800 conditions, 1500 findings, 20 pieces of evidence: engine 60.0 us\n\
        800 conditions, 1500 findings, 40 pieces of evidence: engine 60.0 us\n\
        1600 conditions, 1500 findings, 10 pieces of evidence: engine 120.0 us\n\
        3200 conditions, 1500 findings, 10 pieces of evidence: engine 240.0 us\n\
        800 conditions, 3000 findings, 10 pieces of evidence: engine 240.0 us\n\
        800 conditions, 6000 findings, 10 pieces of evidence: engine 960.0 us\n";

    #[test]
    fn the_engine_bench_output_becomes_rows() {
        let values: Vec<f64> = rows(PRINTED).unwrap().iter().map(|row| row.value).collect();
        let expected = [0.75, 2.0, 1.0, 2.0, 0.0];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-9, "{values:?}");
        }
        assert_eq!(values.len(), expected.len());
        assert_eq!(step_us(PRINTED).unwrap(), 60.0);
    }

    #[test]
    fn a_bench_without_output_is_an_error() {
        assert!(rows("running 0 tests\n").is_err());
    }
}
