//! Backoff: when a failed delivery is retried.

use std::time::Duration;

/// Jitter of a delay in either direction, so that receivers that fail together are not all retried
/// together.
const JITTER: f64 = 0.2;
/// Maximum pause that a receiver can request with `Retry-After`.
const ASKED_PAUSE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The delays between attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySchedule {
    delays: Vec<Duration>,
}

impl RetrySchedule {
    /// Creates a schedule with one more attempt than there are delays.
    pub fn new(delays: Vec<Duration>) -> Self {
        Self { delays }
    }

    /// Returns the pause after a failed attempt, or `None` if no attempts are left.
    /// `attempts_before` is the number of earlier attempts, `chance` a random number between 0 and
    /// 1, `asked` the pause that the receiver requested.
    ///
    /// # Example
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use lafiya_webhooks::RetrySchedule;
    ///
    /// let minute = Duration::from_secs(60);
    /// let schedule = RetrySchedule::new(vec![minute]);
    /// // A chance of 0.5 is the middle of the jitter.
    /// assert_eq!(schedule.pause(0, 0.5, None), Some(minute));
    /// assert_eq!(schedule.pause(1, 0.5, None), None);
    /// ```
    pub fn pause(
        &self,
        attempts_before: u32,
        chance: f64,
        asked: Option<Duration>,
    ) -> Option<Duration> {
        let delay = self.delays.get(attempts_before as usize)?;
        let jittered = delay.mul_f64(1.0 - JITTER + 2.0 * JITTER * chance.clamp(0.0, 1.0));
        let asked = asked.unwrap_or_default().min(ASKED_PAUSE_MAX);
        // A receiver may ask for a longer pause than planned, not for a shorter one.
        Some(jittered.max(asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> RetrySchedule {
        RetrySchedule::new(vec![Duration::from_secs(10), Duration::from_secs(100)])
    }

    #[test]
    fn retry_delays_follow_the_schedule_and_end_with_it() {
        let middle = |before| schedule().pause(before, 0.5, None);
        assert_eq!(middle(0), Some(Duration::from_secs(10)));
        assert_eq!(middle(1), Some(Duration::from_secs(100)));
        assert_eq!(middle(2), None);
        assert_eq!(middle(u32::MAX), None);
    }

    #[test]
    fn jitter_changes_a_delay_by_at_most_a_fifth() {
        let pause = |chance| schedule().pause(0, chance, None).unwrap();
        assert_eq!(pause(0.0), Duration::from_secs(8));
        assert_eq!(pause(1.0), Duration::from_secs(12));
        assert!(pause(0.3) > pause(0.2));
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_delay_up_to_a_maximum() {
        let pause = |seconds| schedule().pause(0, 0.5, Some(Duration::from_secs(seconds)));
        assert_eq!(pause(3), Some(Duration::from_secs(10)));
        assert_eq!(pause(60), Some(Duration::from_secs(60)));
        assert_eq!(pause(10_000_000), Some(ASKED_PAUSE_MAX));
    }
}
