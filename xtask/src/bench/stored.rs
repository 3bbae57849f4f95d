//! Measures how the cost of a request grows with the number of stored assessments. A real
//! assessment is copied many times into the SQLite file, with new ids and a small document; then
//! requests are sent to the service.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::ensure;

use super::growth;
use super::load::{self, Extent};
use super::overload::assessment_id;
use super::requests::{self, BenchRequest};
use super::running::Service;
use super::service::CONNECTIONS;
use super::table::Row;
use crate::process::{self, nothing};
use crate::servers;

const LASTING: Extent = Extent::Lasting(Duration::from_secs(3));
const WARM_UP: Extent = Extent::Requests(1_000);
const LEAST: usize = 10_000;
/// The number of rows per transaction, small enough that the service does not time out on the lock.
const CHUNK: usize = 50_000;
const DOCUMENT_BYTES: usize = 200;

/// Returns the sizes to measure: each ten times the previous one.
fn sizes(most: usize) -> Vec<usize> {
    let grown = std::iter::successors(Some(LEAST), |size| size.checked_mul(10));
    grown.take_while(|size| *size <= most).collect()
}

pub(super) fn rows(binary: &Path, stored_max: usize) -> anyhow::Result<Vec<Row>> {
    println!("requests over stored assessments:");
    let sizes = sizes(stored_max);
    ensure!(
        sizes.len() >= 3,
        "the growth over stored assessments needs at least {} of them",
        LEAST * 100
    );
    install_sqlite()?;
    let service = Service::ready(binary, &[])?;
    let id = assessment_id(&service.ask(&requests::assess())?)?;
    let file = service.data().join("lafiya.db");
    let columns = columns(&file)?;
    let asked = [
        requests::assess(),
        requests::rationale(&id),
        requests::usage(),
    ];
    let mut points = asked.each_ref().map(|_| Vec::new());
    let mut stored = 0;
    for size in sizes {
        while stored < size {
            let until = size.min(stored + CHUNK);
            sqlite(&file, &copies(&columns, &id, stored, until))?;
            stored = until;
        }
        for (asked, points) in asked.iter().zip(&mut points) {
            points.push((size as f64, cost_us(&service, asked)?));
        }
    }
    let [insert, rationale, usage] = points;
    Ok(vec![
        growth::row(
            "growth: `/assess` over stored assessments",
            insert,
            "µs",
            0.1,
        )?,
        growth::row(
            "growth: `/rationale` over stored assessments",
            rationale,
            "µs",
            0.1,
        )?,
        growth::row("growth: `/usage` over stored assessments", usage, "µs", 0.1)?,
    ])
}

/// Returns the CPU time of the service per request, after a warm-up.
fn cost_us(service: &Service, asked: &BenchRequest) -> anyhow::Result<f64> {
    let request = service.request(asked);
    load::run(service.target(), &request, CONNECTIONS, WARM_UP)?;
    let outcome = load::run(service.target(), &request, CONNECTIONS, LASTING)?;
    ensure!(outcome.refused == 0, "{} were refused", outcome.refused);
    println!(
        "  {}: {:.0} µs of processor time",
        asked.name,
        outcome.cpu_us_each()
    );
    Ok(outcome.cpu_us_each())
}

/// Returns the columns of the table, read from the file so that a new one needs no change here.
fn columns(file: &Path) -> anyhow::Result<Vec<String>> {
    let said = sqlite(file, "select name from pragma_table_info('assessment');")?;
    Ok(said.lines().map(str::to_owned).collect())
}

/// Returns the statement that copies one assessment, numbered above `from` up to `until`. The ids
/// are from an earlier time, so that new ones are appended at the end, as in production.
fn copies(columns: &[String], id: &str, from: usize, until: usize) -> String {
    let fresh = "printf('00000000-0000-7000-8000-%012x', n)";
    let value = |column: &String| match column.as_str() {
        "id" | "interview_id" => fresh.to_owned(),
        "created_at" => "model.created_at - n".to_owned(),
        "document" => format!("zeroblob({DOCUMENT_BYTES})"),
        other => format!("model.{other}"),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    format!(
        "pragma synchronous = off;\n\
         with recursive numbers (n) as (select {} union all select n + 1 from numbers where n < {until})\n\
         insert into assessment ({}) select {} from numbers, assessment as model where model.id = '{id}';",
        from + 1,
        columns.join(", "),
        values.join(", ")
    )
}

fn sqlite(file: &Path, statement: &str) -> anyhow::Result<String> {
    let mut command = Command::new("sqlite3");
    command
        .args(["-batch", "-cmd", ".timeout 20000"])
        .arg(file)
        .arg(statement);
    process::run(&mut command, nothing)
}

fn install_sqlite() -> anyhow::Result<()> {
    let there = Command::new("sqlite3").arg("-version").output();
    if there.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    servers::install(&["sqlite3"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_tenfold_up_to_the_maximum() {
        assert_eq!(sizes(1_000_000), [10_000, 100_000, 1_000_000]);
        assert_eq!(sizes(99_999), [10_000]);
    }

    #[test]
    fn a_copy_has_its_own_id_and_keeps_the_rest() {
        let columns = ["id", "tenant", "created_at", "document"].map(str::to_owned);
        let statement = copies(&columns, "abc", 10, 20);
        assert!(statement.contains("select 11 union all"), "{statement}");
        assert!(
            statement
                .contains("%012x', n), model.tenant, model.created_at - n, zeroblob(200) from"),
            "{statement}"
        );
    }
}
