//! Twice the load that saturates the service, sent at its own pace whether or not answers come back: those beyond what is
//! worked on at once must be told so (503 with `Retry-After`), and every assessment that was acknowledged must be found again.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use super::connection::{Connection, Request};
use super::figures::percentile;
use super::load::{self, Extent};
use super::requests;
use super::running::Service;
use super::service::CONNECTIONS;
use super::table::{Bound, Row};

const LASTING: Duration = Duration::from_secs(6);
const TIMES: f64 = 2.0;
/// More than are worked on at once, so that some find the service full.
const SENDERS: usize = 1_024;
/// Acknowledged assessments that are looked for afterwards.
const SAMPLE: usize = 300;

/// What became of the requests.
#[derive(Default)]
struct Fate {
    /// Of the acknowledged, from the moment they were due.
    latencies_us: Vec<f64>,
    /// The ids of the acknowledged.
    acknowledged: Vec<String>,
    /// Answered 503 with `Retry-After`.
    refused: usize,
    /// Answered in another way, or not at all.
    astray: usize,
}

impl Fate {
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

/// So many requests a second, each at its time, by senders that take turns.
fn send_at(service: &Service, request: &Request, per_second: f64) -> anyhow::Result<Fate> {
    let between = Duration::from_secs_f64(SENDERS as f64 / per_second);
    // Connections are opened before the clock starts.
    let begins = Instant::now() + Duration::from_secs(2);
    let parts: Vec<anyhow::Result<Fate>> = thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|place| {
                let first = begins + between.mul_f64(place as f64 / SENDERS as f64);
                scope.spawn(move || one_sender(service, request, first, between, begins + LASTING))
            })
            .collect();
        let joined = senders.into_iter().map(|sender| sender.join());
        joined
            .map(|it| it.unwrap_or_else(|_| bail!("a sender broke off")))
            .collect()
    });
    let mut whole = Fate::default();
    for part in parts {
        whole.add(part?);
    }
    Ok(whole)
}

fn one_sender(
    service: &Service,
    request: &Request,
    first: Instant,
    between: Duration,
    until: Instant,
) -> anyhow::Result<Fate> {
    let address = service.target().address;
    let mut connection = Connection::open(address)?;
    let mut fate = Fate::default();
    let mut due = first;
    while due < until {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        match connection.ask(request) {
            Ok(answer) if answer.status == 200 => {
                fate.latencies_us.push(due.elapsed().as_secs_f64() * 1e6);
                fate.acknowledged.push(assessment_id(&answer.body)?);
            }
            Ok(answer) if answer.status == 503 && answer.retry_after.is_some() => {
                fate.refused += 1;
            }
            Ok(_) => fate.astray += 1,
            Err(_) => {
                fate.astray += 1;
                connection = Connection::open(address)?;
            }
        }
        due += between;
    }
    Ok(fate)
}

/// The id in an answer, without reading the rest of it: the senders must not be what is measured.
pub(super) fn assessment_id(body: &[u8]) -> anyhow::Result<String> {
    let text = str::from_utf8(body)?;
    let (_, rest) = text
        .split_once("\"assessment_id\":\"")
        .context("an answer without an id")?;
    let (id, _) = rest.split_once('"').context("an id without an end")?;
    Ok(id.to_owned())
}

/// How many of a sample, spread evenly over the run, are not found again.
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
    use super::*;

    #[test]
    fn the_id_is_read_out_of_an_answer() {
        let body = br#"{"api_version":"1.0","assessment_id":"0190-a","triage":{}}"#;
        assert_eq!(assessment_id(body).unwrap(), "0190-a");
        assert!(assessment_id(b"{}").is_err());
    }
}
