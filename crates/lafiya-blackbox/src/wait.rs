//! Waiting on conditions, never for a length of time; and doing things at the same time.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Asks until there is an answer. Panics with `what` when the time is up.
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

/// Does the same thing on `count` threads that set out together, and returns all results.
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
