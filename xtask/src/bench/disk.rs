//! Durable assessments on SQLite beside the disk itself: rows of the same size written behind one another, with one
//! fdatasync for 64 of them, which is the best a group commit can do, and with one for each.

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
/// The service and the bare disk take turns, so that a machine that becomes slower or faster meanwhile does so for both.
const ROUNDS: usize = 4;
const LASTING: Duration = Duration::from_secs(2);
const RAW_LASTING: Duration = Duration::from_millis(500);
/// A raw file starts anew at this size, so that the bench fills no disk.
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

/// What one of so many assessments added to a database that took up so much before.
pub(super) fn row_bytes(folder: &Path, before: u64, answered: usize) -> anyhow::Result<usize> {
    Ok((bytes_in(folder)? - before) as usize / answered.max(1))
}

/// What the database takes up, its log included.
pub(super) fn bytes_in(folder: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        total += entry?.metadata()?.len();
    }
    Ok(total)
}

/// Rows a second that the disk takes when so many are written before each wait.
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
