//! Checks whether memory grows with the number of assessments: resident memory after the first of
//! them, when every cache has been filled once, and after the last.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::ensure;

use super::load::{self, Extent};
use super::requests;
use super::running::Service;
use super::service::CONNECTIONS;
use super::table::{Bound, Row};

const WARM_UP: usize = 2_000;
/// The time after the load within which freed memory is returned to the system.
const REST: Duration = Duration::from_secs(2);

pub(super) fn rows(binary: &Path, assessments: usize) -> anyhow::Result<Vec<Row>> {
    println!("memory over {assessments} assessments:");
    ensure!(
        assessments > WARM_UP,
        "more than {WARM_UP} assessments are needed"
    );
    let service = Service::ready(binary, &[])?;
    let request = service.request(&requests::assess());
    let make = |count: usize| -> anyhow::Result<f64> {
        let extent = Extent::Requests(count);
        let made = load::run(service.target(), &request, CONNECTIONS, extent)?;
        ensure!(made.answered == count, "{} were refused", made.refused);
        thread::sleep(REST);
        service.resident_mib()
    };
    let first_mib = make(WARM_UP)?;
    let last_mib = make(assessments - WARM_UP)?;
    println!("  {first_mib:.1} MiB after {WARM_UP}, {last_mib:.1} MiB at the end");
    Ok(vec![Row {
        what: "memory: growth over assessments",
        value: (last_mib / first_mib - 1.0) * 100.0,
        unit: "%",
        beside: format!(
            "{first_mib:.0} MiB after {WARM_UP}, {last_mib:.0} MiB after {assessments}"
        ),
        floor: Bound::AtMost(10.0),
        aim: Bound::AtMost(3.0),
        ..Row::default()
    }])
}
