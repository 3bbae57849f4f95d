//! Cooperative scheduling of concurrent assessments.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the assessments in progress.
#[derive(Default)]
pub struct RunningAssessments {
    at_work: AtomicUsize,
}

/// An assessment in progress, until dropped.
pub(crate) struct RunningAssessment<'a> {
    among: &'a RunningAssessments,
}

impl RunningAssessments {
    pub(crate) fn begin(&self) -> RunningAssessment<'_> {
        self.at_work.fetch_add(1, Ordering::Relaxed);
        RunningAssessment { among: self }
    }
}

impl RunningAssessment<'_> {
    /// Yields to other assessments before a CPU-bound step; returns at once if there are none.
    /// Requests that arrived meanwhile learn sooner whether they are admitted, and assessments that
    /// run the same step one after another find its data in the CPU cache.
    pub(crate) async fn yield_to_others(&self) {
        if self.among.at_work.load(Ordering::Relaxed) > 1 {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for RunningAssessment<'_> {
    fn drop(&mut self) {
        self.among.at_work.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn continues_at_once(running: &RunningAssessment<'_>) -> bool {
        let mut way = pin!(running.yield_to_others());
        let polled = way.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        matches!(polled, Poll::Ready(()))
    }

    #[test]
    fn a_single_assessment_does_not_yield() {
        let running_assessments = RunningAssessments::default();
        let one = running_assessments.begin();
        assert!(continues_at_once(&one));
        let other = running_assessments.begin();
        assert!(!continues_at_once(&one));
        drop(one);
        assert!(continues_at_once(&other));
    }
}
