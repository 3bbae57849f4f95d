//! How long each stage may take, and the table that says where the time went. The figures hold for
//! a clean checkout on two cores; together they stay below twenty-five minutes.

use std::fmt::Write as _;
use std::time::Duration;

/// Beyond this multiple of its budget a stage fails: twice is a busy machine, more is a stage that grew.
const TOLERATED: f64 = 2.5;

/// Whether a blown budget fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// It does.
    Enforced,
    /// It is only shown.
    Shown,
}

/// What became of one stage.
pub(crate) struct Outcome {
    pub(crate) stage: &'static str,
    pub(crate) took: Duration,
    pub(crate) budget: Duration,
    pub(crate) passed: bool,
}

impl Outcome {
    /// Whether the stage took much longer than it may.
    pub(crate) fn over_budget(&self) -> bool {
        self.took.as_secs_f64() > self.budget.as_secs_f64() * TOLERATED
    }

    fn verdict(&self) -> &'static str {
        match (self.passed, self.over_budget()) {
            (false, _) => "FAILED",
            (true, true) => "TOO SLOW",
            (true, false) => "ok",
        }
    }
}

/// The table at the end of a run.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut text = String::from("where the time went\n");
    let _ = writeln!(text, "  {:<18} {:>9} {:>9}  ", "stage", "seconds", "budget");
    for outcome in outcomes {
        let _ = writeln!(
            text,
            "  {:<18} {:>9.1} {:>9}  {}",
            outcome.stage,
            outcome.took.as_secs_f64(),
            outcome.budget.as_secs(),
            outcome.verdict()
        );
    }
    let took: f64 = outcomes.iter().map(|it| it.took.as_secs_f64()).sum();
    let budget: u64 = outcomes.iter().map(|it| it.budget.as_secs()).sum();
    let _ = writeln!(text, "  {:<18} {took:>9.1} {budget:>9}", "together");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(took: u64, budget: u64, passed: bool) -> Outcome {
        Outcome {
            stage: "unit",
            took: Duration::from_secs(took),
            budget: Duration::from_secs(budget),
            passed,
        }
    }

    #[test]
    fn a_stage_may_pass_its_budget_on_a_busy_machine_and_no_more() {
        assert!(!outcome(25, 10, true).over_budget());
        assert!(outcome(26, 10, true).over_budget());
    }

    #[test]
    fn the_table_names_every_stage_and_its_fate() {
        let text = table(&[outcome(1, 10, true), outcome(1, 10, false)]);
        assert!(text.contains("ok") && text.contains("FAILED"), "{text}");
        assert!(text.contains("together"), "{text}");
    }
}
