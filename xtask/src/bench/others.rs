//! Measures the same model in common libraries: scikit-learn and pgmpy, in a separate environment.
//! The program is `same_model.py` in this folder.

use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::table::{Bound, Row};
use crate::process::{self, nothing};
use crate::{python, workspace};

/// Returns the rows, compared with one turn of the engine.
pub(super) fn rows(engine_us: f64) -> anyhow::Result<Vec<Row>> {
    println!("measuring the same model in Python ...");
    let mut program = Command::new(python::models_interpreter()?);
    program
        .arg(workspace::root().join("xtask/src/bench/same_model.py"))
        // One core each, like the engine.
        .env("OMP_NUM_THREADS", "1")
        .env("OPENBLAS_NUM_THREADS", "1");
    let said = process::run(&mut program, nothing)?;
    let line = said.lines().find(|line| line.starts_with('{'));
    let figures = serde_json::from_str(line.context("the program printed no figures")?)?;
    Ok(from_figures(&figures, engine_us))
}

fn from_figures(figures: &Value, engine_us: f64) -> Vec<Row> {
    let ms = |name: &str| figures[name].as_f64().unwrap_or(f64::NAN) / 1e3;
    let row = |what, turn: &str, posterior: &str| Row {
        what,
        value: ms(turn) * 1e3 / engine_us,
        unit: "x",
        beside: format!(
            "{:.0} ms (posterior alone {:.1} ms) v. engine {engine_us:.0} µs",
            ms(turn),
            ms(posterior)
        ),
        floor: Bound::AtLeast(100.0),
        aim: Bound::AtLeast(250.0),
        ..Row::default()
    };
    vec![
        row(
            "the same turn in scikit-learn",
            "scikit_turn_us",
            "scikit_posterior_us",
        ),
        row(
            "the same turn in pgmpy",
            "pgmpy_turn_us",
            "pgmpy_posterior_us",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_ratio_compares_complete_turns() {
        let figures = json!({"scikit_turn_us": 50_000.0, "pgmpy_turn_us": 1_000_000.0});
        let rows = from_figures(&figures, 100.0);
        assert_eq!((rows[0].value, rows[1].value), (500.0, 10_000.0));
    }
}
