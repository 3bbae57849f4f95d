//! Measures the service under load, next to the limit server, in requests per CPU second, so that
//! other load on the machine does not matter.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::disk;
use super::figures::Spread;
use super::load::{self, Extent, Outcome};
use super::requests::{self, BenchRequest};
use super::running::{Limit, Service};
use super::table::{Bound, Row};

pub(super) const CONNECTIONS: usize = 16;
const CONNECTIONS_MOST: usize = 128;
/// The number of rounds. The two servers alternate, so that a change in the machine's speed affects
/// both. Enough rounds that a disturbance of one does not affect the median.
const ROUNDS: usize = 8;
const LASTING: Extent = Extent::Lasting(Duration::from_secs(1));
/// The number of records written in a round, one by one, to time the disk.
const RECORDS: usize = 400;

/// The service and the limit server, set up for the same requests.
struct Pair {
    service: Service,
    limit: Limit,
}

impl Pair {
    fn start(binary: &Path, limit_binary: &Path) -> anyhow::Result<Self> {
        let service = Service::ready(binary, &[])?;
        let answers = tempfile::tempdir()?;
        for asked in [
            requests::assess(),
            requests::parse(),
            requests::search(),
            requests::list(),
            requests::health(),
        ] {
            fs::write(answers.path().join(asked.name), service.ask(&asked)?)?;
        }
        let limit = Limit::start(limit_binary, answers.path())?;
        Ok(Self { service, limit })
    }

    /// Applies the same load to both.
    fn run(&self, asked: &BenchRequest, connections: usize) -> anyhow::Result<Turns> {
        let turns = in_turns(
            || self.own(asked, connections),
            || self.bare(asked, connections),
        )?;
        tell(asked, connections, &turns.one, &turns.other);
        Ok(turns)
    }

    fn bare(&self, asked: &BenchRequest, connections: usize) -> anyhow::Result<Outcome> {
        let request = self.limit.request(asked);
        load::run(self.limit.target(), &request, connections, LASTING)
    }

    fn own(&self, asked: &BenchRequest, connections: usize) -> anyhow::Result<Outcome> {
        let request = self.service.request(asked);
        let own = load::run(self.service.target(), &request, connections, LASTING)?;
        let sent = own.refused + own.answered;
        ensure!(own.refused == 0, "{} of {sent} were refused", own.refused);
        Ok(own)
    }
}

fn tell(asked: &BenchRequest, connections: usize, own: &Outcome, bare: &Outcome) {
    println!(
        "  {}, {connections} connections: {:.0} a processor second, limit {:.0}",
        asked.name,
        own.per_cpu_second(),
        bare.per_cpu_second()
    );
}

/// The results of two alternating loads.
#[derive(Default)]
struct Turns {
    one: Outcome,
    other: Outcome,
    /// The ratio of requests per CPU second in each round.
    shares: Vec<f64>,
}

fn in_turns(
    one: impl Fn() -> anyhow::Result<Outcome>,
    other: impl Fn() -> anyhow::Result<Outcome>,
) -> anyhow::Result<Turns> {
    let mut turns = Turns::default();
    for _ in 0..ROUNDS {
        let (of_one, of_other) = (one()?, other()?);
        let share = of_one.per_cpu_second() / of_other.per_cpu_second();
        turns.shares.push(share);
        turns.one.take_in(of_one);
        turns.other.take_in(of_other);
    }
    Ok(turns)
}

/// Returns the rows of the service on SQLite.
pub(super) fn rows(binary: &Path, limit_binary: &Path) -> anyhow::Result<Vec<Row>> {
    let pair = Pair::start(binary, limit_binary)?;
    let mut rows = vec![memory_row(&pair.service)?];
    rows.push(median_row(&pair)?);
    let many = pair.run(&requests::assess(), CONNECTIONS)?;
    let what = "durable `/assess`, 16 connections, SQLite";
    rows.push(share(what, &many, 0.25, 0.5));
    rows.push(slowest_row(&pair)?);
    let most = pair.run(&requests::assess(), CONNECTIONS_MOST)?;
    let what = "durable `/assess`, 128 connections, SQLite";
    rows.push(share(what, &most, 0.25, 0.5));
    for (what, asked, floor, aim) in [
        (
            "`/parse` of 2,000 characters",
            requests::parse(),
            0.25,
            0.45,
        ),
        ("`/search` with two typos", requests::search(), 0.2, 0.35),
        ("`/symptoms`, one page", requests::list(), 0.6, 0.9),
        ("`/health`", requests::health(), 0.6, 0.9),
    ] {
        rows.push(share(what, &pair.run(&asked, CONNECTIONS)?, floor, aim));
    }
    let fhir = in_turns(
        || pair.own(&requests::fhir(), CONNECTIONS),
        || pair.own(&requests::assess(), CONNECTIONS),
    )?;
    rows.push(Row {
        beside: format!(
            "{:.0} v. {:.0} a processor second",
            fhir.one.per_cpu_second(),
            fhir.other.per_cpu_second()
        ),
        ..share("`/fhir/assess`, against `/assess`", &fhir, 0.6, 0.8)
    });
    Ok(rows)
}

fn memory_row(service: &Service) -> anyhow::Result<Row> {
    Ok(Row {
        what: "memory after start",
        value: service.resident_mib()?,
        unit: "MiB",
        beside: "resident, before the load".to_owned(),
        floor: Bound::AtMost(250.0),
        aim: Bound::AtMost(120.0),
        ..Row::default()
    })
}

/// Returns the row for the median latency of one connection, compared with the limit server with
/// one connection plus one fdatasync. All three alternate.
fn median_row(pair: &Pair) -> anyhow::Result<Row> {
    let (asked, data) = (requests::assess(), pair.service.data());
    let before = disk::bytes_in(&data)?;
    let (mut own, mut bare) = (Outcome::default(), Outcome::default());
    let (mut row_bytes, mut syncs) = (0, Vec::new());
    for _ in 0..ROUNDS {
        own.take_in(pair.own(&asked, 1)?);
        bare.take_in(pair.bare(&asked, 1)?);
        row_bytes = disk::row_bytes(&data, before, own.answered)?;
        syncs.extend(fdatasyncs_us(&data, row_bytes)?);
    }
    tell(&asked, 1, &own, &bare);
    let (own_us, bare_us) = (own.percentile_us(0.5), bare.percentile_us(0.5));
    let sync_us = Spread::of(syncs.into_iter()).median;
    Ok(Row {
        what: "`/assess`, one connection, median",
        value: own_us / (bare_us + sync_us),
        unit: "x",
        beside: format!(
            "{own_us:.0} µs v. bare {bare_us:.0} + one fdatasync {sync_us:.0} of the {:.0} KiB that an assessment takes",
            row_bytes as f64 / 1024.0
        ),
        floor: Bound::AtMost(2.0),
        aim: Bound::AtMost(1.3),
        ..Row::default()
    })
}

/// Returns the row for the p99 latency, under a load that uses little of the machine itself.
fn slowest_row(pair: &Pair) -> anyhow::Result<Row> {
    let asked = requests::assess();
    let (request, bare_request) = (pair.service.request(&asked), pair.limit.request(&asked));
    let sparing = |target, request| load::run_sparing(target, request, CONNECTIONS, LASTING);
    let turns = in_turns(
        || sparing(pair.service.target(), &request),
        || sparing(pair.limit.target(), &bare_request),
    )?;
    let (own, bare) = (turns.one, turns.other);
    ensure!(own.refused == 0, "{} were refused", own.refused);
    let (own_ms, bare_ms) = (
        own.percentile_us(0.99) / 1e3,
        bare.percentile_us(0.99) / 1e3,
    );
    Ok(Row {
        what: "`/assess` at 16 connections, 99th percentile",
        value: own_ms / bare_ms,
        unit: "x",
        beside: format!("{own_ms:.1} ms v. bare {bare_ms:.1} ms"),
        floor: Bound::AtMost(4.0),
        aim: Bound::AtMost(2.0),
        ..Row::default()
    })
}

/// Returns the row with the median of the rounds, and the totals of all of them.
fn share(what: &'static str, turns: &Turns, floor: f64, aim: f64) -> Row {
    Row {
        what,
        value: Spread::of(turns.shares.iter().copied()).median,
        unit: "x",
        beside: format!(
            "{:.0} v. bare {:.0} a processor second",
            turns.one.per_cpu_second(),
            turns.other.per_cpu_second()
        ),
        floor: Bound::AtLeast(floor),
        aim: Bound::AtLeast(aim),
        ..Row::default()
    }
}

/// Returns the times for appending one record of this size and syncing it to disk.
fn fdatasyncs_us(folder: &Path, bytes: usize) -> anyhow::Result<Vec<f64>> {
    let path = folder.join("fdatasync");
    let mut file = File::create(&path)?;
    let record = vec![7_u8; bytes];
    let mut times = Vec::new();
    for _ in 0..RECORDS {
        let started = Instant::now();
        file.write_all(&record)?;
        file.sync_data()?;
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    fs::remove_file(path)?;
    Ok(times)
}
