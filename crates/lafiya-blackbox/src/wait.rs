//! Waiting for conditions instead of fixed times, and running things concurrently.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Polls until there is a value. Panics with `what` when the time is up.
#[track_caller]
pub fn eventually<T>(what: &str, within: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            Instant::now() < deadline,
            "{what}: not within {} ms",
            within.as_millis()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Runs the same work on `count` threads that start at the same time, and returns all results.
pub fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(count);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(number)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a request of many panicked"))
            .collect()
    })
}
