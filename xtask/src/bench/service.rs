//! The service under load beside the limit server, which parses the same requests and gives answers of the same size and
//! does nothing else (`crates/lafiya-bench`). Requests per processor second, so that other work on the
//! machine does not decide.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;
use tempfile::TempDir;

use super::load::{self, Outcome, Request};
use super::table::{Bound, Row};
use super::{Running, Spread, resident_mib};
use crate::http::{free_address, get_status};
use crate::process::{self, nothing};
use crate::servers::poll;
use crate::workspace;

const CONNECTIONS: usize = 16;
const LASTING: Duration = Duration::from_secs(5);
const JSON: &str = "application/json";
const FHIR: &str = "application/fhir+json";
/// Bytes that one assessment adds to the database, about.
const ROW_BYTES: usize = 16 * 1024;

/// A service started for the bench on a folder of its own.
pub(super) struct Service {
    pub(super) address: SocketAddr,
    pub(super) process: Running,
    pub(super) key: String,
    folder: TempDir,
}

impl Service {
    /// Starts it without limits on the rate and waits for nothing but the key it shows.
    pub(super) fn start(binary: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let address = free_address()?;
        let mut process = Command::new(binary)
            .env("LAFIYA_LISTEN", address.to_string())
            .env("LAFIYA_DATA_DIR", folder.path().join("data"))
            .env("LAFIYA_LOG_LEVEL", "error")
            .env("LAFIYA_RATE_LIMIT_PER_MINUTE", "1000000000")
            .env("LAFIYA_HEALTH_RATE_LIMIT_PER_MINUTE", "1000000000")
            .env("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "1000000000")
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .context("the binary cannot be started")?;
        let said = process.stdout.take().context("it has an output")?;
        let process = Running(process);
        let mut lines = BufReader::new(said).lines().map_while(Result::ok);
        let live =
            lines.find_map(|line| Some(line.trim().strip_prefix("live ")?.trim().to_owned()));
        let key = live.context("the service showed no key")?;
        // The rest of what it says is read to the end, or it would block.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self {
            address,
            process,
            key,
            folder,
        })
    }

    /// Lets its tenant make any number of assessments.
    fn lift_quota(&self, binary: &Path) -> anyhow::Result<()> {
        let mut tier = Command::new(binary);
        tier.args([
            "tenant",
            "tier",
            "demo",
            "--tier",
            "enterprise",
            "--quota",
            "1000000000",
        ])
        .env("LAFIYA_DATA_DIR", self.folder.path().join("data"))
        .current_dir(self.folder.path());
        process::run(&mut tier, nothing).map(drop)
    }

    fn request(&self, asked: &Asked) -> Request {
        let path = format!("/v1{}", asked.path);
        match &asked.body {
            Some((content_type, body)) => Request::post(&path, &self.key, content_type, body),
            None => Request::get(&path, &self.key),
        }
    }
}

/// One row's request.
struct Asked {
    name: &'static str,
    path: String,
    body: Option<(&'static str, String)>,
}

/// What `/assess` is asked, about 2 KB.
pub(super) fn assess_body() -> String {
    let present = [
        "s_fever",
        "s_vomiting",
        "s_headache",
        "s_convulsion",
        "s_chills",
        "s_fatigue",
    ];
    let absent = ["s_neck_stiffness", "s_cough", "s_diarrhoea", "s_rash"];
    let item = |id: &str, choice: &str| json!({"id": id, "choice_id": choice, "source": "initial", "duration_days": 2});
    let evidence: Vec<_> = present
        .iter()
        .map(|id| item(id, "present"))
        .chain(absent.iter().map(|id| item(id, "absent")))
        .collect();
    json!({
        "patient": {"age": 4, "sex": "male", "location": "kano"},
        "evidence": evidence,
    })
    .to_string()
}

fn fhir_body() -> String {
    let concept = |id: &str, code: &str| {
        json!({"resource": {
            "resourceType": "Observation", "status": "final",
            "code": {"coding": [{"system": "https://lafiya.example/fhir/CodeSystem/concept", "code": id}]},
            "interpretation": [{"coding": [{
                "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": code,
            }]}],
        }})
    };
    json!({"resourceType": "Bundle", "type": "collection", "entry": [
        {"resource": {"resourceType": "Patient", "gender": "male", "birthDate": "2022-03-01"}},
        concept("s_fever", "POS"), concept("s_vomiting", "POS"), concept("s_headache", "POS"),
        concept("s_convulsion", "POS"), concept("s_neck_stiffness", "NEG"), concept("s_cough", "NEG"),
    ]})
    .to_string()
}

fn requests() -> Vec<Asked> {
    let story =
        "My son has had fever and vomiting for 3 days, no cough, he convulsed twice this morning. ";
    let text: String = story.chars().cycle().take(2000).collect();
    let parse = json!({"text": text, "age": {"value": 4}, "sex": "male"}).to_string();
    let get = |name, path: &str| Asked {
        name,
        path: path.to_owned(),
        body: None,
    };
    let post = |name, path: &str, content_type, body| Asked {
        name,
        path: path.to_owned(),
        body: Some((content_type, body)),
    };
    vec![
        post("assess", "/assess", JSON, assess_body()),
        post("parse", "/parse", JSON, parse),
        get("search", "/search?phrase=shortnes%20of%20breth"),
        get("list", "/symptoms"),
        get("health", "/health"),
        post("fhir", "/fhir/assess", FHIR, fhir_body()),
    ]
}

/// All rows that need the running service.
pub(super) fn rows(binary: &Path, limit_binary: &Path) -> anyhow::Result<Vec<Row>> {
    let service = Service::start(binary)?;
    let healthy = poll(Duration::from_secs(30), || {
        (get_status(service.address, "/v1/health") == Some(200)).then_some(())
    });
    healthy.context("the service did not become healthy")?;
    service.lift_quota(binary)?;
    let asked = requests();
    let answers = tempfile::tempdir()?;
    for one in &asked {
        let (status, body) = service.request(one).once(service.address)?;
        ensure!(
            status == 200,
            "{} answers {status}: {}",
            one.path,
            String::from_utf8_lossy(&body)
        );
        fs::write(answers.path().join(one.name), body)?;
    }
    let limit = Limit::start(limit_binary, answers.path())?;
    let pair = |name: &str, connections: usize| -> anyhow::Result<(Outcome, Outcome)> {
        let one = asked
            .iter()
            .find(|it| it.name == name)
            .context("a row of the table")?;
        let own = load::run(
            service.address,
            service.process.0.id(),
            &service.request(one),
            connections,
            LASTING,
        )?;
        ensure!(
            own.refused == 0,
            "{} of {} were refused",
            own.refused,
            own.refused + own.answered
        );
        let bare = load::run(
            limit.address,
            limit.process.0.id(),
            &limit.request(one),
            connections,
            LASTING,
        )?;
        println!(
            "  {name}, {connections} connections: {:.0} a processor second, limit {:.0}",
            own.per_cpu_second(),
            bare.per_cpu_second()
        );
        Ok((own, bare))
    };
    let at_rest_mib = resident_mib(service.process.0.id())?;
    let mut rows = Vec::new();

    let (one, bare_one) = pair("assess", 1)?;
    let sync_us = fdatasync_us(&service.folder.path().join("data"))?;
    rows.push(Row {
        what: "`/assess`, one connection, median",
        value: one.percentile_us(0.5) / (bare_one.percentile_us(0.5) + sync_us),
        unit: "x",
        beside: format!(
            "{:.0} µs v. bare {:.0} + one fdatasync {sync_us:.0}",
            one.percentile_us(0.5),
            bare_one.percentile_us(0.5)
        ),
        floor: Bound::AtMost(2.0),
        aim: Bound::AtMost(1.3),
    });
    let (many, bare_many) = pair("assess", CONNECTIONS)?;
    rows.push(share(
        "durable `/assess`, 16 connections, SQLite",
        &many,
        &bare_many,
        0.25,
        0.5,
    ));
    rows.push(Row {
        what: "`/assess` at 16 connections, 99th percentile",
        value: many.percentile_us(0.99) / bare_many.percentile_us(0.99),
        unit: "x",
        beside: format!(
            "{:.1} ms v. bare {:.1} ms",
            many.percentile_us(0.99) / 1e3,
            bare_many.percentile_us(0.99) / 1e3
        ),
        floor: Bound::AtMost(4.0),
        aim: Bound::AtMost(2.0),
    });
    for (what, name, floor, aim) in [
        ("`/parse` of 2,000 characters", "parse", 0.25, 0.45),
        ("`/search` with two typos", "search", 0.2, 0.35),
        ("`/symptoms`, one page", "list", 0.6, 0.9),
        ("`/health`", "health", 0.6, 0.9),
    ] {
        let (own, bare) = pair(name, CONNECTIONS)?;
        rows.push(share(what, &own, &bare, floor, aim));
    }
    let fhir = asked
        .iter()
        .find(|it| it.name == "fhir")
        .context("a row of the table")?;
    let fhir = load::run(
        service.address,
        service.process.0.id(),
        &service.request(fhir),
        CONNECTIONS,
        LASTING,
    )?;
    ensure!(
        fhir.refused == 0,
        "{} FHIR requests were refused",
        fhir.refused
    );
    rows.push(Row {
        what: "`/fhir/assess`, against `/assess`",
        value: fhir.per_cpu_second() / many.per_cpu_second(),
        unit: "x",
        beside: format!(
            "{:.0} v. {:.0} a processor second",
            fhir.per_cpu_second(),
            many.per_cpu_second()
        ),
        floor: Bound::AtLeast(0.6),
        aim: Bound::AtLeast(0.8),
    });
    let made = one.answered + many.answered + fhir.answered;
    let later_mib = resident_mib(service.process.0.id())?;
    rows.push(Row {
        what: "memory after start",
        value: at_rest_mib,
        unit: "MiB",
        beside: "resident, before the load".to_owned(),
        floor: Bound::AtMost(250.0),
        aim: Bound::AtMost(120.0),
    });
    rows.push(Row {
        what: "memory after the load",
        value: later_mib,
        unit: "MiB",
        beside: format!("resident, after {made} assessments and the other rows"),
        floor: Bound::None,
        aim: Bound::None,
    });
    Ok(rows)
}

fn share(what: &'static str, own: &Outcome, bare: &Outcome, floor: f64, aim: f64) -> Row {
    Row {
        what,
        value: own.per_cpu_second() / bare.per_cpu_second(),
        unit: "x",
        beside: format!(
            "{:.0} v. bare {:.0} a processor second",
            own.per_cpu_second(),
            bare.per_cpu_second()
        ),
        floor: Bound::AtLeast(floor),
        aim: Bound::AtLeast(aim),
    }
}

struct Limit {
    address: SocketAddr,
    process: Running,
}

impl Limit {
    fn start(binary: &Path, answers: &Path) -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(binary);
        command.arg(address.to_string()).arg(answers);
        let process = Running(
            command
                .spawn()
                .context("the limit server cannot be started")?,
        );
        let up = poll(Duration::from_secs(10), || get_status(address, "/health"));
        ensure!(up == Some(200), "the limit server does not answer");
        Ok(Self { address, process })
    }

    fn request(&self, asked: &Asked) -> Request {
        let path = format!("/{}", asked.name);
        match &asked.body {
            Some((content_type, body)) => Request::post(&path, "none", content_type, body),
            None => Request::get(&path, "none"),
        }
    }
}

/// Builds the limit server.
pub(super) fn limit_binary() -> anyhow::Result<PathBuf> {
    let mut build = Command::new("cargo");
    build
        .args(["build", "--release", "--package", "lafiya-bench"])
        .current_dir(workspace::root());
    process::run(&mut build, nothing)?;
    Ok(workspace::target_dir().join("release/lafiya-limit"))
}

/// The median of writing one record behind another and waiting for the disk.
fn fdatasync_us(folder: &Path) -> anyhow::Result<f64> {
    let mut file = File::create(folder.join("fdatasync"))?;
    let record = vec![7_u8; ROW_BYTES];
    let mut times = Vec::new();
    for _ in 0..200 {
        let started = Instant::now();
        file.write_all(&record)?;
        file.sync_data()?;
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(Spread::of(times.into_iter()).median)
}
