//! Measures twice the load that saturates the service, sent at a constant rate whether or not
//! answers come back. Requests beyond the concurrency limit must be rejected (503 with
//! `Retry-After`), and every acknowledged assessment must be stored.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use mio::{Events, Poll, Token};

use super::connection::{Head, PATIENCE, PIECE_MAX, Request};
use super::figures::percentile;
use super::load::{self, Extent};
use super::requests;
use super::running::Service;
use super::service::CONNECTIONS;
use super::sparing::{Line, wait};
use super::table::{Bound, Row};

const LASTING: Duration = Duration::from_secs(6);
const TIMES: f64 = 2.0;
/// More connections than the concurrency limit, so that some requests find the service full.
const LINES: usize = 1_024;
/// The number of acknowledged assessments that are looked up afterwards.
const SAMPLE: usize = 300;

/// The results of the requests.
#[derive(Default)]
struct Fate {
    /// Of acknowledged requests, measured from the time they were due.
    latencies_us: Vec<f64>,
    /// The ids of acknowledged assessments.
    acknowledged: Vec<String>,
    /// Answered 503 with `Retry-After`.
    refused: usize,
    /// Other answers, or none at all.
    astray: usize,
}

impl Fate {
    /// Records the answer to a request that was due at a given time.
    fn note(&mut self, due: Instant, head: &Head, body: &[u8]) -> anyhow::Result<()> {
        match head.status {
            200 => {
                self.latencies_us.push(due.elapsed().as_secs_f64() * 1e6);
                self.acknowledged.push(assessment_id(body)?);
            }
            503 if head.retry_after.is_some() => self.refused += 1,
            _ => self.astray += 1,
        }
        Ok(())
    }

    fn add(&mut self, other: Self) {
        self.latencies_us.extend(other.latencies_us);
        self.acknowledged.extend(other.acknowledged);
        self.refused += other.refused;
        self.astray += other.astray;
    }
}

pub(super) fn rows(binary: &Path) -> anyhow::Result<Vec<Row>> {
    println!("twice the load that saturates:");
    let service = Service::ready(binary, &[])?;
    let request = service.request(&requests::assess());
    let full = load::run(
        service.target(),
        &request,
        CONNECTIONS,
        Extent::Lasting(LASTING),
    )?;
    ensure!(full.refused == 0, "{} were refused", full.refused);
    let rate = full.per_second() * TIMES;
    let mut fate = send_at(&service, &request, rate)?;
    fate.latencies_us.sort_by(f64::total_cmp);
    let lost = lost(&service, &fate.acknowledged)?;
    let accepted_ms = percentile(&fate.latencies_us, 0.99) / 1e3;
    let full_ms = full.percentile_us(0.99) / 1e3;
    let (acknowledged, refused) = (fate.acknowledged.len(), fate.refused);
    println!(
        "  {acknowledged} acknowledged, {refused} refused with 503, {} astray",
        fate.astray
    );
    Ok(vec![
        Row {
            what: "twice the load that saturates: 99th percentile of the accepted",
            value: accepted_ms / full_ms,
            unit: "x",
            beside: format!(
                "{accepted_ms:.0} ms at {rate:.0} sent a second v. {full_ms:.0} ms at {CONNECTIONS} connections ({:.0} a second)",
                full.per_second()
            ),
            floor: Bound::None,
            aim: Bound::AtMost(3.0),
            ..Row::default()
        },
        Row {
            what: "the same: acknowledged and lost, or refused other than by 503 + Retry-After",
            value: (lost + fate.astray) as f64,
            unit: "requests",
            beside: format!(
                "{acknowledged} acknowledged, {lost} lost of {} looked for; {refused} refused with 503 + Retry-After, {} in another way",
                acknowledged.min(SAMPLE),
                fate.astray
            ),
            floor: Bound::AtMost(0.0),
            aim: Bound::AtMost(0.0),
            ..Row::default()
        },
    ])
}

/// Sends requests at a constant rate, each at its scheduled time, from at most as many threads as
/// there are processors, so that the senders are not the bottleneck.
fn send_at(service: &Service, request: &Request, per_second: f64) -> anyhow::Result<Fate> {
    let to = service.target().address;
    let threads = load::processors();
    let between = Duration::from_secs_f64(threads as f64 / per_second);
    // Connections are opened before the clock starts.
    let begins = Instant::now() + Duration::from_secs(2);
    let schedules = (0..threads).map(|place| Schedule {
        next: begins + between.mul_f64(place as f64 / threads as f64),
        between,
        until: begins + LASTING,
    });
    let senders = schedules.map(|schedule| move || send(to, request, LINES / threads, schedule));
    let mut whole = Fate::default();
    for part in load::at_once(senders)? {
        whole.add(part);
    }
    Ok(whole)
}

/// The times at which requests are due.
struct Schedule {
    next: Instant,
    between: Duration,
    until: Instant,
}

impl Schedule {
    /// Returns the next request if it is due, each only once.
    fn take_due(&mut self) -> Option<Instant> {
        let due = self.next;
        let is_due = !self.is_over() && due <= Instant::now();
        is_due.then(|| {
            self.next += self.between;
            due
        })
    }

    fn is_over(&self) -> bool {
        self.next >= self.until
    }

    fn until_next(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }
}

/// The pending request on a connection, if any.
#[derive(Default)]
struct PendingRequest {
    due: Option<Instant>,
    /// The part of the answer's body received so far.
    body: Vec<u8>,
}

/// Sends each request when it is due on a free connection, or as soon as one becomes free.
fn send(
    to: SocketAddr,
    request: &Request,
    lines: usize,
    mut schedule: Schedule,
) -> anyhow::Result<Fate> {
    let mut poll = Poll::new()?;
    let open = |poll: &Poll, place| Line::open(to, poll.registry(), place);
    let mut lines: Vec<Line> = (0..lines)
        .map(|place| open(&poll, place))
        .collect::<Result<_, _>>()?;
    let mut free: Vec<usize> = (0..lines.len()).collect();
    let mut asked: Vec<PendingRequest> = lines.iter().map(|_| PendingRequest::default()).collect();
    let mut fate = Fate::default();
    let mut events = Events::with_capacity(lines.len());
    let mut room = [0; PIECE_MAX];
    loop {
        while let Some(place) = free.pop() {
            let Some(due) = schedule.take_due() else {
                free.push(place);
                break;
            };
            asked[place].due = Some(due);
            // If this fails, reading fails too.
            let _ = lines[place].ask(request);
        }
        if schedule.is_over() && free.len() == lines.len() {
            return Ok(fate);
        }
        let has_more = !schedule.is_over() && !free.is_empty();
        let at_most = if has_more {
            schedule.until_next()
        } else {
            PATIENCE
        };
        wait(&mut poll, &mut events, at_most)?;
        ensure!(has_more || !events.is_empty(), "no answer in {PATIENCE:?}");
        for event in &events {
            let Token(place) = event.token();
            let PendingRequest { due, body } = &mut asked[place];
            match lines[place].answer(&mut room, |piece| body.extend_from_slice(piece)) {
                Ok(None) => continue,
                Ok(Some(head)) => {
                    let due = due.context("an answer that nobody asked for")?;
                    fate.note(due, &head, body)?;
                }
                Err(_) => {
                    fate.astray += usize::from(due.is_some());
                    lines[place] = open(&poll, place)?;
                }
            }
            body.clear();
            if due.take().is_some() {
                free.push(place);
            }
        }
    }
}

/// Returns the id in an answer without parsing the rest, so that the senders are not the
/// bottleneck.
pub(super) fn assessment_id(body: &[u8]) -> anyhow::Result<String> {
    let text = str::from_utf8(body)?;
    let (_, rest) = text
        .split_once("\"assessment_id\":\"")
        .context("an answer without an id")?;
    let (id, _) = rest.split_once('"').context("an id without an end")?;
    Ok(id.to_owned())
}

/// Returns how many of a sample, spread evenly over the run, are not stored.
fn lost(service: &Service, acknowledged: &[String]) -> anyhow::Result<usize> {
    let step = acknowledged.len().div_ceil(SAMPLE).max(1);
    let mut lost = 0;
    for id in acknowledged.iter().step_by(step) {
        let asked = requests::rationale(id);
        let answer = service.request(&asked).once(service.target().address)?;
        lost += usize::from(answer.status != 200);
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use super::super::load::tests::parrot;
    use super::*;

    #[test]
    fn every_due_request_is_sent_and_its_answer_recorded() {
        let body = r#"{"assessment_id":"0190-a"}"#;
        let full = "HTTP/1.1 503 Full\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n";
        let too_full = "HTTP/1.1 503 Full\r\nContent-Length: 0\r\n\r\n";
        let well = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let fate_of = |says: &str| {
            let begins = Instant::now();
            let schedule = Schedule {
                next: begins,
                between: Duration::from_millis(2),
                until: begins + Duration::from_millis(100),
            };
            let to = parrot(says.to_owned().leak());
            let fate = send(to, &Request::get("/", "none"), 3, schedule).unwrap();
            assert!(begins.elapsed() >= Duration::from_millis(98));
            (fate.acknowledged.len(), fate.refused, fate.astray)
        };
        assert_eq!(fate_of(&well), (50, 0, 0));
        assert_eq!(fate_of(full), (0, 50, 0));
        assert_eq!(fate_of(too_full), (0, 0, 50));
    }

    #[test]
    fn the_assessment_id_is_read_from_an_answer() {
        let body = br#"{"api_version":"1.0","assessment_id":"0190-a","triage":{}}"#;
        assert_eq!(assessment_id(body).unwrap(), "0190-a");
        assert!(assessment_id(b"{}").is_err());
    }
}
