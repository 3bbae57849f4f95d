//! A load of HTTP requests over kept connections, one thread each, and what it cost the server: its processor time from
//! the kernel, which other work on the machine does not disturb.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::figures::percentile;
use super::processor::{self, TICKS_PER_SECOND};

const PATIENCE: Duration = Duration::from_secs(30);

/// One request, ready to be sent again and again.
pub(super) struct Request {
    bytes: Vec<u8>,
}

impl Request {
    pub(super) fn get(path: &str, key: &str) -> Self {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\r\n");
        Self {
            bytes: head.into_bytes(),
        }
    }

    pub(super) fn post(path: &str, key: &str, content_type: &str, body: &str) -> Self {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        Self {
            bytes: [head.as_bytes(), body.as_bytes()].concat(),
        }
    }

    /// Sends it once on a connection of its own.
    pub(super) fn once(&self, to: SocketAddr) -> anyhow::Result<Answer> {
        Connection::open(to)?.ask(self)
    }
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    /// What `Retry-After` says, where it is sent.
    pub(super) retry_after: Option<String>,
    pub(super) body: Vec<u8>,
}

/// A kept connection.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect_timeout(&to, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::with_capacity(1 << 16, stream),
        })
    }

    pub(super) fn ask(&mut self, request: &Request) -> anyhow::Result<Answer> {
        self.stream.get_mut().write_all(&request.bytes)?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.with_context(|| format!("no status in {line:?}"))?;
        let (mut length, mut retry_after) = (0, None);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                bail!("the answer ends in its head");
            }
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse()?;
            } else if name.eq_ignore_ascii_case("retry-after") {
                retry_after = Some(value.trim().to_owned());
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer {
            status,
            retry_after,
            body,
        })
    }
}

/// Whom a load goes to.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) address: SocketAddr,
    /// The process that pays for it.
    pub(super) process: u32,
}

/// How much of a load.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    Lasting(Duration),
    Requests(usize),
}

/// What a load came to.
#[derive(Default)]
pub(super) struct Outcome {
    /// Answers of status 200.
    pub(super) answered: usize,
    /// Other answers.
    pub(super) refused: usize,
    /// Processor seconds of the server.
    pub(super) server_s: f64,
    /// Seconds on the wall.
    pub(super) wall_s: f64,
    /// Of the answers of status 200, sorted.
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

    /// Takes in what came of a further load of the same kind.
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

/// Sends the request over and over on each of some connections.
pub(super) fn run(
    to: Target,
    request: &Request,
    connections: usize,
    extent: Extent,
) -> anyhow::Result<Outcome> {
    run_several(to, std::slice::from_ref(request), connections, extent)
}

/// The same with several requests, which the connections share among themselves.
pub(super) fn run_several(
    to: Target,
    requests: &[Request],
    connections: usize,
    extent: Extent,
) -> anyhow::Result<Outcome> {
    let before = processor::seconds_of(to.process)?;
    let started = Instant::now();
    let sent = AtomicUsize::new(0);
    let goes_on = || match extent {
        Extent::Lasting(duration) => started.elapsed() < duration,
        Extent::Requests(wanted) => sent.fetch_add(1, Ordering::Relaxed) < wanted,
    };
    let parts: Vec<anyhow::Result<Outcome>> = thread::scope(|scope| {
        let goes_on = &goes_on;
        let senders: Vec<_> = requests
            .iter()
            .cycle()
            .take(connections)
            .map(|request| scope.spawn(move || one_connection(to.address, request, goes_on)))
            .collect();
        let joined = senders.into_iter().map(|sender| sender.join());
        joined
            .map(|it| it.unwrap_or_else(|_| bail!("a sender broke off")))
            .collect()
    });
    let mut whole = Outcome {
        server_s: processor::seconds_of(to.process)? - before,
        wall_s: started.elapsed().as_secs_f64(),
        ..Outcome::default()
    };
    for part in parts {
        let part = part?;
        whole.answered += part.answered;
        whole.refused += part.refused;
        whole.latencies_us.extend(part.latencies_us);
    }
    whole.latencies_us.sort_by(f64::total_cmp);
    Ok(whole)
}

fn one_connection(
    to: SocketAddr,
    request: &Request,
    goes_on: impl Fn() -> bool,
) -> anyhow::Result<Outcome> {
    let mut connection = Connection::open(to)?;
    let mut outcome = Outcome::default();
    while goes_on() {
        let asked = Instant::now();
        let answer = connection.ask(request)?;
        if answer.status == 200 {
            outcome.answered += 1;
            let took_us = asked.elapsed().as_secs_f64() * 1e6;
            outcome.latencies_us.push(took_us);
        } else {
            outcome.refused += 1;
        }
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers every request on every connection with these bytes.
    fn parrot(says: &'static str) -> SocketAddr {
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
    fn a_load_of_so_many_requests_sends_so_many() {
        let address = parrot("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        let target = Target {
            address,
            process: std::process::id(),
        };
        let request = Request::get("/", "none");
        let outcome = run(target, &request, 3, Extent::Requests(50)).unwrap();
        assert_eq!((outcome.answered, outcome.refused), (50, 0));
        assert!(outcome.percentile_us(0.5) > 0.0);
    }

    #[test]
    fn a_refusal_keeps_what_it_says_about_coming_back() {
        let address = parrot("HTTP/1.1 503 Full\r\nretry-after: 2\r\nContent-Length: 0\r\n\r\n");
        let answer = Request::get("/", "none").once(address).unwrap();
        assert_eq!(
            (answer.status, answer.retry_after.as_deref()),
            (503, Some("2"))
        );
    }
}
