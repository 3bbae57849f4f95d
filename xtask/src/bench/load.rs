//! A load of HTTP requests over kept connections, one thread each, and what it cost the server: its processor time from
//! the kernel, which other work on the machine does not disturb.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use std::{str, thread};

use anyhow::{Context, bail};

/// Clock ticks of `/proc` in a second; the same on every Linux this runs on.
const TICKS_PER_SECOND: f64 = 100.0;
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

    /// Sends it once on a connection of its own: the status and the body.
    pub(super) fn once(&self, to: SocketAddr) -> anyhow::Result<(u16, Vec<u8>)> {
        Connection::open(to)?.ask(self)
    }
}

/// A kept connection.
struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect_timeout(&to, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::with_capacity(1 << 16, stream),
        })
    }

    fn ask(&mut self, request: &Request) -> anyhow::Result<(u16, Vec<u8>)> {
        self.stream.get_mut().write_all(&request.bytes)?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.with_context(|| format!("no status in {line:?}"))?;
        let mut length = 0;
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
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status, body))
    }
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
    /// Of the answers of status 200, sorted.
    latencies_us: Vec<f64>,
}

impl Outcome {
    pub(super) fn per_cpu_second(&self) -> f64 {
        self.answered as f64 / self.server_s.max(1.0 / TICKS_PER_SECOND)
    }

    pub(super) fn percentile_us(&self, share: f64) -> f64 {
        let place = (self.latencies_us.len() as f64 * share) as usize;
        let last = self.latencies_us.len().saturating_sub(1);
        self.latencies_us
            .get(place.min(last))
            .copied()
            .unwrap_or(f64::NAN)
    }
}

/// Sends the request over and over on each of some connections.
pub(super) fn run(
    to: SocketAddr,
    server: u32,
    request: &Request,
    connections: usize,
    lasting: Duration,
) -> anyhow::Result<Outcome> {
    let before = processor_s(server)?;
    let until = Instant::now() + lasting;
    let parts: Vec<anyhow::Result<Outcome>> = thread::scope(|scope| {
        let senders: Vec<_> = (0..connections)
            .map(|_| scope.spawn(|| one_connection(to, request, until)))
            .collect();
        let joined = senders.into_iter().map(|sender| sender.join());
        joined
            .map(|it| it.unwrap_or_else(|_| bail!("a sender broke off")))
            .collect()
    });
    let mut whole = Outcome {
        server_s: processor_s(server)? - before,
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

fn one_connection(to: SocketAddr, request: &Request, until: Instant) -> anyhow::Result<Outcome> {
    let mut connection = Connection::open(to)?;
    let mut outcome = Outcome::default();
    while Instant::now() < until {
        let asked = Instant::now();
        let (status, _) = connection.ask(request)?;
        if status == 200 {
            outcome.answered += 1;
            let took_us = asked.elapsed().as_secs_f64() * 1e6;
            outcome.latencies_us.push(took_us);
        } else {
            outcome.refused += 1;
        }
    }
    Ok(outcome)
}

/// Seconds that a process has computed, in itself and for itself in the kernel.
pub(super) fn processor_s(process: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || -> Option<f64> { fields.next()?.parse().ok() };
    let (own, kernel) = (ticks(), ticks());
    let (Some(own), Some(kernel)) = (own, kernel) else {
        bail!("the kernel does not tell the processor time of {process}");
    };
    Ok((own + kernel) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_come_from_the_sorted_answers() {
        let outcome = Outcome {
            latencies_us: (1..=100).map(f64::from).collect(),
            ..Outcome::default()
        };
        assert_eq!(outcome.percentile_us(0.5), 51.0);
        assert_eq!(outcome.percentile_us(0.99), 100.0);
        assert!(Outcome::default().percentile_us(0.5).is_nan());
    }

    #[test]
    fn the_kernel_tells_what_this_process_computed() {
        assert!(processor_s(std::process::id()).unwrap() >= 0.0);
    }
}
