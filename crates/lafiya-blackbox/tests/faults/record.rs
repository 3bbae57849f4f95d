//! The figures of one fault, written to a small file for the table.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::load::Outcome;

/// The limits for every fault.
pub(crate) const TRUTHFUL_WITHIN: Duration = Duration::from_secs(2);
pub(crate) const RECOVERED_WITHIN: Duration = Duration::from_secs(5);

/// Returns the limit for a restarted process, whose startup depends on the machine: 5 s, or twice
/// the time of its first start if that is longer.
pub(crate) fn restarted_within(first_start: Duration) -> Duration {
    RECOVERED_WITHIN.max(first_start * 2)
}

/// One row of the table.
pub(crate) struct Record {
    /// The sort key of the table.
    pub(crate) group: &'static str,
    pub(crate) fault: &'static str,
    pub(crate) done: &'static str,
    pub(crate) in_flight: usize,
    /// The time until `/health` was correct; `None` if it had nothing to report.
    pub(crate) truthful_after: Option<Duration>,
    pub(crate) recovered_after: Duration,
    pub(crate) outcome: Outcome,
}

impl Record {
    /// Asserts the limits and writes the figures. `test` is the name of the test that reproduces
    /// them.
    #[track_caller]
    pub(crate) fn settle(self, test: &str) {
        self.settle_within(test, RECOVERED_WITHIN);
    }

    /// Like [`Self::settle`], with another limit for the recovery.
    #[track_caller]
    pub(crate) fn settle_within(self, test: &str, recovered_within: Duration) {
        let Self { fault, outcome, .. } = &self;
        self.leave(test);
        assert_eq!(outcome.lost, 0, "{fault}: acknowledged and lost");
        assert_eq!(outcome.doubled, 0, "{fault}: billed twice");
        assert!(outcome.acknowledged > 0, "{fault}: there was no load");
        if let Some(after) = self.truthful_after {
            assert!(
                after <= TRUTHFUL_WITHIN,
                "{fault}: health lied for {after:?}"
            );
        }
        let after = self.recovered_after;
        assert!(
            after <= recovered_within,
            "{fault}: recovered after {after:?}"
        );
    }

    fn leave(&self, test: &str) {
        let Some(folder) = std::env::var_os("LAFIYA_FAULTS_DIR") else {
            return;
        };
        let row = json!({
            "group": self.group,
            "fault": self.fault,
            "done": self.done,
            "in_flight": self.in_flight,
            "acknowledged": self.outcome.acknowledged,
            "repeated": self.outcome.repeated,
            "lost": self.outcome.lost,
            "doubled": self.outcome.doubled,
            "truthful_after_ms": self.truthful_after.map(|time| time.as_millis() as u64),
            "recovered_after_ms": self.recovered_after.as_millis() as u64,
            "test": test,
        });
        let file = Path::new(&folder).join(format!("{}.json", test.replace("::", "-")));
        std::fs::write(file, row.to_string()).expect("the figures can be left");
    }
}
