//! Cooperative scheduling of concurrent assessments.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the assessments in progress.
#[derive(Default)]
pub struct Thinking {
    at_work: AtomicUsize,
}

/// An assessment in progress, until dropped.
pub(crate) struct Thinker<'a> {
    among: &'a Thinking,
}

impl Thinking {
    pub(crate) fn begin(&self) -> Thinker<'_> {
        self.at_work.fetch_add(1, Ordering::Relaxed);
        Thinker { among: self }
    }
}

impl Thinker<'_> {
    /// Yields to other assessments before a CPU-bound step; returns at once if there are none.
    /// Requests that arrived meanwhile learn sooner whether they are admitted, and assessments that
    /// run the same step one after another find its data in the CPU cache.
    pub(crate) async fn give_way(&self) {
        if self.among.at_work.load(Ordering::Relaxed) > 1 {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Thinker<'_> {
    fn drop(&mut self) {
        self.among.at_work.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn goes_on_at_once(thinker: &Thinker<'_>) -> bool {
        let mut way = pin!(thinker.give_way());
        let polled = way.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        matches!(polled, Poll::Ready(()))
    }

    #[test]
    fn who_is_alone_waits_for_nobody() {
        let thinking = Thinking::default();
        let one = thinking.begin();
        assert!(goes_on_at_once(&one));
        let other = thinking.begin();
        assert!(!goes_on_at_once(&one));
        drop(one);
        assert!(goes_on_at_once(&other));
    }
}
