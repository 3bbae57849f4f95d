//! Time budgets of the stages, and the table of times. The budgets are for a clean checkout on two
//! otherwise idle cores; their sum is below 25 minutes. Machines differ, so a stage is judged
//! relative to the pace of its run: the times of all stages relative to their budgets.

use std::fmt::Write as _;
use std::time::Duration;

/// A stage fails if it takes more than this multiple of its budget, scaled by the pace of its run.
/// A stage that is slower than all others has grown.
const TOLERATED: f64 = 2.5;
/// The minimum number of stages for estimating the speed of the machine; with fewer, the machine is
/// assumed to be idle.
const TELLING: usize = 5;

/// Whether exceeding a budget fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// It fails the run.
    Enforced,
    /// It is only reported.
    Shown,
}

/// The outcome of one stage.
pub(crate) struct Outcome {
    pub(crate) stage: &'static str,
    pub(crate) took: Duration,
    pub(crate) budget: Duration,
    pub(crate) passed: bool,
}

impl Outcome {
    /// Returns its time as a multiple of its budget.
    fn share(&self) -> f64 {
        self.took.as_secs_f64() / self.budget.as_secs_f64()
    }

    /// Whether the stage took much longer than its budget in a run of this pace.
    pub(crate) fn over_budget(&self, pace: f64) -> bool {
        self.share() > TOLERATED * pace
    }

    fn verdict(&self, pace: f64) -> &'static str {
        match (self.passed, self.over_budget(pace)) {
            (false, _) => "FAILED",
            (true, true) => "TOO SLOW",
            (true, false) => "ok",
        }
    }
}

/// Returns the median of the times as multiples of their budgets: a busy machine slows all stages.
/// It is never less than 1, because stages that wait for timers do not get faster on a fast
/// machine.
pub(crate) fn pace(outcomes: &[Outcome]) -> f64 {
    let mut shares: Vec<f64> = outcomes.iter().map(Outcome::share).collect();
    if shares.len() < TELLING {
        return 1.0;
    }
    shares.sort_by(f64::total_cmp);
    shares[shares.len() / 2].max(1.0)
}

/// Returns the table for the end of a run.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut text = String::from("where the time went\n");
    let pace = pace(outcomes);
    let _ = writeln!(text, "  {:<18} {:>9} {:>9}  ", "stage", "seconds", "budget");
    for outcome in outcomes {
        let _ = writeln!(
            text,
            "  {:<18} {:>9.1} {:>9}  {}",
            outcome.stage,
            outcome.took.as_secs_f64(),
            outcome.budget.as_secs(),
            outcome.verdict(pace)
        );
    }
    let took: f64 = outcomes
        .iter()
        .map(|outcome| outcome.took.as_secs_f64())
        .sum();
    let budget: u64 = outcomes
        .iter()
        .map(|outcome| outcome.budget.as_secs())
        .sum();
    let _ = writeln!(text, "  {:<18} {took:>9.1} {budget:>9}", "together");
    let _ = writeln!(
        text,
        "  judged at {pace:.1} times the pace of a quiet machine"
    );
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
    fn a_stage_may_take_at_most_two_and_a_half_times_its_budget() {
        assert!(!outcome(25, 10, true).over_budget(1.0));
        assert!(outcome(26, 10, true).over_budget(1.0));
    }

    #[test]
    fn on_a_busy_machine_a_stage_is_compared_with_the_others() {
        let mut run: Vec<Outcome> = (0..6).map(|_| outcome(20, 10, true)).collect();
        run.push(outcome(45, 10, true));
        assert_eq!(pace(&run), 2.0);
        assert!(!run[6].over_budget(pace(&run)));
        run.push(outcome(51, 10, true));
        assert!(run[7].over_budget(pace(&run)), "one that grew stands out");
    }

    #[test]
    fn a_fast_machine_or_a_single_stage_keeps_the_limits() {
        let quick: Vec<Outcome> = (0..6).map(|_| outcome(1, 10, true)).collect();
        assert_eq!(pace(&quick), 1.0);
        assert_eq!(pace(&[outcome(90, 10, true)]), 1.0);
    }

    #[test]
    fn the_table_shows_every_stage_and_its_result() {
        let text = table(&[outcome(1, 10, true), outcome(1, 10, false)]);
        assert!(text.contains("ok") && text.contains("FAILED"), "{text}");
        assert!(text.contains("together"), "{text}");
    }
}
