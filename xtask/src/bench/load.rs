//! Generates HTTP load over keep-alive connections, and measures its cost for the server: CPU time
//! from the kernel, which is independent of other load. Every connection has its own thread, like
//! separate clients; [`run_sparing`] leaves as much of the machine to the server as possible.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::connection::{Connection, Request};
use super::figures::percentile;
use super::processor::{self, TICKS_PER_SECOND};
use super::sparing;

/// The target of a load.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) address: SocketAddr,
    /// The process whose CPU time is measured.
    pub(super) process: u32,
}

/// The amount of load.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    Lasting(Duration),
    Requests(usize),
}

/// The result of a load.
#[derive(Default)]
pub(super) struct Outcome {
    /// Answers with status 200.
    pub(super) answered: usize,
    /// Other answers.
    pub(super) refused: usize,
    /// CPU seconds of the server.
    pub(super) server_s: f64,
    /// Elapsed seconds.
    pub(super) wall_s: f64,
    /// Of answers with status 200, sorted.
    latencies_us: Vec<f64>,
}

impl Outcome {
    pub(super) fn per_cpu_second(&self) -> f64 {
        self.answered as f64 / self.server_s.max(1.0 / TICKS_PER_SECOND)
    }

    pub(super) fn per_second(&self) -> f64 {
        self.answered as f64 / self.wall_s
    }

    pub(super) fn cpu_us_each(&self) -> f64 {
        1e6 / self.per_cpu_second()
    }

    /// Records an answer with its latency.
    pub(super) fn note(&mut self, status: u16, took: Duration) {
        if status == 200 {
            self.answered += 1;
            self.latencies_us.push(took.as_secs_f64() * 1e6);
        } else {
            self.refused += 1;
        }
    }

    /// Adds the result of another load of the same kind.
    pub(super) fn take_in(&mut self, more: Self) {
        self.answered += more.answered;
        self.refused += more.refused;
        self.server_s += more.server_s;
        self.wall_s += more.wall_s;
        self.latencies_us.extend(more.latencies_us);
        self.latencies_us.sort_by(f64::total_cmp);
    }

    pub(super) fn percentile_us(&self, share: f64) -> f64 {
        percentile(&self.latencies_us, share)
    }
}

/// Sends the request repeatedly on each of several connections.
pub(super) fn run(
    to: Target,
    request: &Request,
    connections: usize,
    extent: Extent,
) -> anyhow::Result<Outcome> {
    run_several(to, std::slice::from_ref(request), connections, extent)
}

/// Like [`run`], with several requests that are distributed over the connections.
pub(super) fn run_several(
    to: Target,
    requests: &[Request],
    connections: usize,
    extent: Extent,
) -> anyhow::Result<Outcome> {
    let each = requests.iter().cycle().take(connections);
    let senders =
        each.map(|request| move |goes_on: GoesOn<'_>| one_connection(to.address, request, goes_on));
    sent_by(senders.collect(), to, extent)
}

/// Like [`run`], from at most as many threads as there are processors. A thread for each of 64
/// connections would take a tenth of the machine from the server.
pub(super) fn run_sparing(
    to: Target,
    request: &Request,
    connections: usize,
    extent: Extent,
) -> anyhow::Result<Outcome> {
    let threads = processors();
    let shares = (0..threads).map(|place| (connections + place) / threads);
    let senders = shares
        .filter(|&share| share > 0)
        .map(|share| move |goes_on: GoesOn<'_>| sparing::send(to.address, request, share, goes_on));
    sent_by(senders.collect(), to, extent)
}

/// Whether to send another request; called before each one.
pub(super) type GoesOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// Runs senders, each on its own thread, and returns the result.
fn sent_by<S>(senders: Vec<S>, to: Target, extent: Extent) -> anyhow::Result<Outcome>
where
    S: FnOnce(GoesOn<'_>) -> anyhow::Result<Outcome> + Send,
{
    let before = processor::seconds_of(to.process)?;
    let started = Instant::now();
    let sent = AtomicUsize::new(0);
    let goes_on = || match extent {
        Extent::Lasting(duration) => started.elapsed() < duration,
        Extent::Requests(wanted) => sent.fetch_add(1, Ordering::Relaxed) < wanted,
    };
    let goes_on: GoesOn<'_> = &goes_on;
    let senders = senders.into_iter();
    let parts = at_once(senders.map(|sender| move || sender(goes_on)))?;
    let mut whole = Outcome {
        server_s: processor::seconds_of(to.process)? - before,
        wall_s: started.elapsed().as_secs_f64(),
        ..Outcome::default()
    };
    for part in parts {
        whole.answered += part.answered;
        whole.refused += part.refused;
        whole.latencies_us.extend(part.latencies_us);
    }
    whole.latencies_us.sort_by(f64::total_cmp);
    Ok(whole)
}

/// Returns the number of threads for a load that leaves as much of the machine to the server as
/// possible.
pub(super) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Runs several senders, each on its own thread, and returns their results.
pub(super) fn at_once<T: Send>(
    senders: impl Iterator<Item = impl FnOnce() -> anyhow::Result<T> + Send>,
) -> anyhow::Result<Vec<T>> {
    thread::scope(|scope| {
        let begun: Vec<_> = senders.map(|sender| scope.spawn(sender)).collect();
        let joined = begun.into_iter().map(|sender| sender.join());
        joined
            .map(|result| result.unwrap_or_else(|_| bail!("a sender broke off")))
            .collect()
    })
}

fn one_connection(
    to: SocketAddr,
    request: &Request,
    goes_on: GoesOn<'_>,
) -> anyhow::Result<Outcome> {
    let mut connection = Connection::open(to)?;
    let mut outcome = Outcome::default();
    while goes_on() {
        let asked = Instant::now();
        let answer = connection.ask(request)?;
        outcome.note(answer.status, asked.elapsed());
    }
    Ok(outcome)
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// Starts a server that answers every request with these bytes.
    pub(in crate::bench) fn parrot(says: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                    while let Some(Ok(line)) = lines.next() {
                        if line.is_empty() {
                            (&stream).write_all(says.as_bytes()).unwrap();
                        }
                    }
                });
            }
        });
        address
    }

    #[test]
    fn a_load_sends_the_requested_number_of_requests() {
        let address = parrot("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        let target = Target {
            address,
            process: std::process::id(),
        };
        let request = Request::get("/", "none");
        for run in [run, run_sparing] {
            let outcome = run(target, &request, 3, Extent::Requests(50)).unwrap();
            assert_eq!((outcome.answered, outcome.refused), (50, 0));
            assert!(outcome.percentile_us(0.5) > 0.0);
        }
    }
}
