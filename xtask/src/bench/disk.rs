//! Compares durable assessments on SQLite with the disk itself: rows of the same size written
//! sequentially, with one fdatasync per 64 rows, which is the best that group commit can achieve,
//! and with one per row.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::load::{self, Extent, Outcome};
use super::requests;
use super::running::Service;
use super::table::{Bound, Row};

const CONNECTIONS: usize = 64;
const GROUP: usize = 64;
/// The number of rounds. The service and the raw disk alternate, so that a change in the machine's
/// speed affects both.
const ROUNDS: usize = 4;
const LASTING: Duration = Duration::from_secs(2);
const RAW_LASTING: Duration = Duration::from_millis(500);
/// A raw file is restarted at this size, so that the benchmark does not fill the disk.
const RAW_BYTES_MAX: usize = 1 << 30;

pub(super) fn rows(binary: &Path) -> anyhow::Result<Vec<Row>> {
    println!("assessments beside the disk:");
    let service = Service::ready(binary, &[])?;
    let request = service.request(&requests::assess());
    let data = service.data();
    let before = bytes_in(&data)?;
    let mut own = Outcome::default();
    let (mut bytes, mut grouped, mut single) = (0, 0.0, 0.0);
    for _ in 0..ROUNDS {
        let lasting = Extent::Lasting(LASTING);
        let more = load::run_sparing(service.target(), &request, CONNECTIONS, lasting)?;
        own.take_in(more);
        bytes = row_bytes(&data, before, own.answered)?;
        grouped += raw_rows_per_second(&data, bytes, GROUP)? / ROUNDS as f64;
        single += raw_rows_per_second(&data, bytes, 1)? / ROUNDS as f64;
    }
    ensure!(own.refused == 0, "{} were refused", own.refused);
    println!(
        "  {:.0} assessments a second; rows of {bytes} bytes: {grouped:.0} in groups, {single:.0} one by one",
        own.per_second()
    );
    Ok(vec![
        Row {
            what: "durable `/assess`, 64 connections, against the disk",
            value: own.per_second() / grouped,
            unit: "x",
            beside: format!(
                "{:.0} a second v. {grouped:.0} rows of {:.0} KiB in groups of {GROUP}, one fdatasync each group",
                own.per_second(),
                bytes as f64 / 1024.0
            ),
            floor: Bound::AtLeast(0.1),
            aim: Bound::AtLeast(0.25),
            ..Row::default()
        },
        Row {
            what: "the same against one commit for each row",
            value: own.per_second() / single,
            unit: "x",
            beside: format!(
                "{:.0} a second v. {single:.0} rows with an fdatasync each",
                own.per_second()
            ),
            floor: Bound::None,
            aim: Bound::AtLeast(5.0),
            ..Row::default()
        },
    ])
}

/// Returns the bytes per assessment, given the size of the database before them and their number.
pub(super) fn row_bytes(folder: &Path, before: u64, answered: usize) -> anyhow::Result<usize> {
    Ok((bytes_in(folder)? - before) as usize / answered.max(1))
}

/// Returns the size of the database, including its write-ahead log.
pub(super) fn bytes_in(folder: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        total += entry?.metadata()?.len();
    }
    Ok(total)
}

/// Returns the rows per second that the disk writes with one sync per `group` rows.
fn raw_rows_per_second(folder: &Path, row_bytes: usize, group: usize) -> anyhow::Result<f64> {
    let path = folder.join("raw");
    let mut file = File::create(&path)?;
    let rows = vec![7_u8; row_bytes * group];
    let started = Instant::now();
    let (mut written, mut in_file) = (0, 0);
    while started.elapsed() < RAW_LASTING {
        if in_file > RAW_BYTES_MAX {
            file = File::create(&path)?;
            in_file = 0;
        }
        file.write_all(&rows)?;
        file.sync_data()?;
        written += group;
        in_file += rows.len();
    }
    let rate = written as f64 / started.elapsed().as_secs_f64();
    fs::remove_file(path)?;
    Ok(rate)
}
