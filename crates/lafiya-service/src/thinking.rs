//! Places at the table of those who think.

use tokio::sync::{Semaphore, SemaphorePermit};

/// A place at the table, given back when dropped.
pub(crate) type Place<'a> = Option<SemaphorePermit<'a>>;

/// The table: as many places as there are processors.
pub struct Thinking {
    free: Semaphore,
    places: usize,
}

impl Thinking {
    /// A table with so many places.
    pub fn new(places: usize) -> Self {
        Self {
            free: Semaphore::new(places),
            places,
        }
    }

    /// Waits for a place. Reasoning takes a processor for a while, so where others think already, those
    /// who have arrived meanwhile come first: they take their places behind, or hear at once that the
    /// service is full. Where nobody does, waking others for that would only cost time. On a single
    /// processor whoever asks is the only one that runs, and sees nobody think: there all give way.
    pub(crate) async fn place(&self) -> Place<'_> {
        if self.places == 1 || self.free.available_permits() < self.places {
            tokio::task::yield_now().await;
        }
        self.free.acquire().await.ok()
    }
}
