//! A circuit breaker: after repeated failures, calls are refused for a while; then one call at a
//! time is let through as a trial. It reads no clock when a call is admitted (the time is an
//! argument) and never waits.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Calls are let through; `failures` have failed in a row.
    Closed { failures: u32 },
    /// No call is let through before this time.
    Open { until: Instant },
    /// A trial call is running.
    HalfOpen,
}

#[derive(Debug)]
pub(crate) struct Breaker {
    state: Mutex<State>,
    failures_max: u32,
    open_for: Duration,
}

impl Breaker {
    pub(crate) fn new(failures_max: u32, open_for: Duration) -> Self {
        Self {
            state: Mutex::new(State::Closed { failures: 0 }),
            failures_max: failures_max.max(1),
            open_for,
        }
    }

    /// Whether calls are refused at this time.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        match *self.lock() {
            State::Closed { .. } => false,
            State::Open { until } => now < until,
            // A trial is running; until it ends, the server counts as down.
            State::HalfOpen => true,
        }
    }

    /// Lets a call through or refuses it. The holder of a pass reports success; a dropped pass
    /// counts as a failure.
    pub(crate) fn admit(&self, now: Instant) -> Option<CallPermit<'_>> {
        let mut state = self.lock();
        let trial = match *state {
            State::Closed { .. } => false,
            State::Open { until } if now >= until => true,
            State::Open { .. } | State::HalfOpen => return None,
        };
        if trial {
            // Set by the first call after the pause, so that only this one is let through.
            *state = State::HalfOpen;
        }
        Some(CallPermit {
            breaker: self,
            trial,
            settled: false,
        })
    }

    fn settle(&self, trial: bool, success: bool, now: Instant) {
        let mut state = self.lock();
        let open = State::Open {
            until: now + self.open_for,
        };
        *state = match (*state, success) {
            (State::Closed { .. }, true) => State::Closed { failures: 0 },
            (State::Closed { failures }, false) if failures + 1 < self.failures_max => {
                State::Closed {
                    failures: failures + 1,
                }
            }
            (State::Closed { .. }, false) => open,
            (State::HalfOpen, true) if trial => State::Closed { failures: 0 },
            (State::HalfOpen, false) if trial => open,
            // The result of a call from before the breaker opened is ignored.
            (unchanged, _) => unchanged,
        };
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The permission to make one call.
pub(crate) struct CallPermit<'a> {
    breaker: &'a Breaker,
    trial: bool,
    settled: bool,
}

impl CallPermit<'_> {
    pub(crate) fn succeeded(mut self) {
        self.settled = true;
        self.breaker.settle(self.trial, true, Instant::now());
    }
}

impl Drop for CallPermit<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.breaker.settle(self.trial, false, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN_FOR: Duration = Duration::from_secs(60);

    fn broken() -> Breaker {
        let breaker = Breaker::new(2, OPEN_FOR);
        for _ in 0..2 {
            drop(breaker.admit(Instant::now()));
        }
        breaker
    }

    #[test]
    fn it_opens_after_the_configured_consecutive_failures() {
        let breaker = Breaker::new(2, OPEN_FOR);
        drop(breaker.admit(Instant::now()));
        breaker.admit(Instant::now()).unwrap().succeeded();
        drop(breaker.admit(Instant::now()));
        assert!(!breaker.is_open(Instant::now()), "not in a row");
        drop(breaker.admit(Instant::now()));
        assert!(breaker.is_open(Instant::now()));
        assert!(breaker.admit(Instant::now()).is_none());
    }

    #[test]
    fn after_the_pause_one_trial_call_is_admitted() {
        let breaker = broken();
        let later = Instant::now() + OPEN_FOR;
        let trial = breaker.admit(later).expect("one may try");
        assert!(breaker.admit(later).is_none(), "a second may not");
        trial.succeeded();
        assert!(breaker.admit(later).is_some());
        assert!(breaker.admit(later).is_some());
    }

    #[test]
    fn an_abandoned_trial_opens_it_again() {
        let breaker = broken();
        let later = Instant::now() + OPEN_FOR;
        drop(breaker.admit(later).expect("one may try"));
        assert!(breaker.is_open(Instant::now()));
        assert!(breaker.admit(Instant::now()).is_none());
    }

    #[test]
    fn a_late_success_of_an_old_call_does_not_close_it() {
        let breaker = Breaker::new(1, OPEN_FOR);
        let old = breaker.admit(Instant::now()).unwrap();
        drop(breaker.admit(Instant::now()));
        old.succeeded();
        assert!(breaker.is_open(Instant::now()));
    }
}
