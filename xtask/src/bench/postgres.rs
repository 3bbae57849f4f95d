//! Compares durable assessments on PostgreSQL and Redis with PostgreSQL itself: the same rows
//! inserted in groups of 64 by a binary COPY, the fastest way, each group in its own transaction
//! with synchronous commit.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::connection::Request;
use super::load::{self, Extent, Outcome};
use super::machine::Machine;
use super::processor;
use super::requests;
use super::running::Service;
use super::table::{Bound, Row};
use crate::postgres::WaitsForDisk;
use crate::process::{self, nothing};
use crate::servers::Servers;

const CONNECTIONS: usize = 64;
const TENANTS: usize = 4;
const LASTING: Extent = Extent::Lasting(Duration::from_secs(6));
const GROUP: usize = 64;
const GROUPS: usize = 60;
const COLUMNS: &str = "select attname from pg_attribute \
    where attrelid = 'assessment'::regclass and attnum > 0 and not attisdropped order by attnum";
/// From this CPU share on, the machine is saturated.
const CPU_BOUND: f64 = 0.9;
/// 32 bytes in base64. A server installation encrypts its documents, so this one does too.
const DATA_KEY: &str = "bGFmaXlhIGJlbmNoIGxhZml5YSBiZW5jaCBsYWZpeWE=";

/// The result of the load and the CPU usage behind it.
struct Work {
    outcome: Outcome,
    /// Shares of the whole machine.
    service: f64,
    servers: f64,
    load: f64,
}

pub(super) fn rows(binary: &Path) -> anyhow::Result<Vec<Row>> {
    println!("assessments on PostgreSQL and Redis:");
    let servers = Servers::start_with(WaitsForDisk::Always)?;
    let variables = [
        ("LAFIYA_DATABASE_URL", servers.postgres_url.as_str()),
        ("LAFIYA_REDIS_URL", servers.redis_url.as_str()),
        ("LAFIYA_DATA_KEY", DATA_KEY),
    ];
    let service = Service::ready(binary, &variables)?;
    let one = [service.request(&requests::assess())];
    let of_one = work(&service, &servers, &one)?;
    let several: anyhow::Result<Vec<Request>> = (1..=TENANTS)
        .map(|number| {
            let key = service.another_tenant(binary, &format!("bench {number}"), &variables)?;
            Ok(Service::request_with(&key, &requests::assess()))
        })
        .collect();
    let of_several = work(&service, &servers, &several?)?;
    let inserted = inserted_per_second(&servers.postgres_url)?;
    println!(
        "  {:.0} assessments a second of one tenant, {:.0} of {TENANTS}; {inserted:.0} rows inserted a second",
        of_one.outcome.per_second(),
        of_several.outcome.per_second()
    );
    Ok(vec![
        row(
            "durable `/assess`, 64 connections, PostgreSQL + Redis, four tenants, against the rows copied in",
            &of_several,
            inserted,
        ),
        row(
            "the same, all of one tenant, whose counters are one row",
            &of_one,
            inserted,
        ),
    ])
}

fn row(what: &'static str, work: &Work, inserted: f64) -> Row {
    let own = work.outcome.per_second();
    let busy = work.service + work.servers + work.load;
    let floor = if busy >= CPU_BOUND {
        Bound::Met("CPU-bound (or >= 0.5)")
    } else {
        Bound::AtLeast(0.5)
    };
    Row {
        what,
        value: own / inserted,
        unit: "x",
        beside: format!(
            "{own:.0} a second v. {inserted:.0} rows in groups of {GROUP}; {:.0} % of the machine: service {:.0}, \
             PostgreSQL and Redis {:.0}, the load itself {:.0}",
            busy * 100.0,
            work.service * 100.0,
            work.servers * 100.0,
            work.load * 100.0
        ),
        floor,
        aim: Bound::None,
        ..Row::default()
    }
}

fn work(service: &Service, servers: &Servers, requests: &[Request]) -> anyhow::Result<Work> {
    let servers_before = processor::seconds_of_tree(servers.process())?;
    let load_before = processor::seconds_of(std::process::id())?;
    let outcome = load::run_several(service.target(), requests, CONNECTIONS, LASTING)?;
    let load_s = processor::seconds_of(std::process::id())? - load_before;
    let servers_s = processor::seconds_of_tree(servers.process())? - servers_before;
    ensure!(outcome.refused == 0, "{} were refused", outcome.refused);
    let whole_s = outcome.wall_s * Machine::this().cores as f64;
    Ok(Work {
        service: outcome.server_s / whole_s,
        servers: servers_s / whole_s,
        load: load_s / whole_s,
        outcome,
    })
}

/// Returns the rows per second when stored assessments are inserted again into a table of the same
/// form.
fn inserted_per_second(url: &str) -> anyhow::Result<f64> {
    let names = psql(url, &[COLUMNS.to_owned()])?;
    let folder = tempfile::tempdir()?;
    let file = |group: usize| format!("{}/{group}", folder.path().display());
    let rows = selection(names.lines());
    let out = (0..GROUPS).map(|group| format!("\\copy ({rows}) to '{}' binary", file(group)));
    psql(url, &out.collect::<Vec<_>>())?;
    psql(
        url,
        &["create table again (like assessment including all)".to_owned()],
    )?;
    let back = (0..GROUPS).map(|group| format!("\\copy again from '{}' binary", file(group)));
    let back: Vec<String> = back.collect();
    let started = Instant::now();
    psql(url, &back)?;
    let took_s = started.elapsed().as_secs_f64();
    let count = psql(url, &["select count(*) from again".to_owned()])?;
    ensure!(
        count.trim() == (GROUP * GROUPS).to_string(),
        "{count} rows were taken in"
    );
    Ok((GROUP * GROUPS) as f64 / took_s)
}

/// Returns the query for stored assessments with new ids.
fn selection<'a>(columns: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<&str> = columns
        .map(|column| match column {
            "id" => "gen_random_uuid()::text",
            other => other,
        })
        .collect();
    format!("select {} from assessment limit {GROUP}", values.join(", "))
}

/// Runs the commands sequentially on one connection.
fn psql(url: &str, commands: &[String]) -> anyhow::Result<String> {
    let program = crate::postgres::programs().context("PostgreSQL is not installed")?;
    let mut command = Command::new(program.join("psql"));
    command
        .args([url, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
        .args(["--set", "ON_ERROR_STOP=1"])
        .args(commands.iter().flat_map(|command| ["--command", command]));
    process::run(&mut command, nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_copied_under_a_new_id() {
        assert_eq!(
            selection(["id", "tenant"].into_iter()),
            "select gen_random_uuid()::text, tenant from assessment limit 64"
        );
    }
}
