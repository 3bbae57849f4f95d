//! Clock jumps, as after a machine wakes up or synchronises its time. The service runs with
//! libfaketime, which the test controls.

use std::fs;
use std::path::Path;
use std::time::Duration;

use lafiya_blackbox::{Server, eventually};

use crate::fleet::Fleet;
use crate::record::Record;

fn library() -> String {
    std::env::var("LAFIYA_BLACKBOX_FAKETIME").unwrap_or_else(|_| {
        panic!("LAFIYA_BLACKBOX_FAKETIME names libfaketime.so.1; `cargo xtask faults` sets it")
    })
}

#[test]
fn jumps_back_and_forth() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let offset = folder.path().join("offset");
    say(&offset, "+0");
    let words = [
        "env".to_owned(),
        format!("LD_PRELOAD={}", library()),
        format!("FAKETIME_TIMESTAMP_FILE={}", offset.display()),
        "FAKETIME_NO_CACHE=1".to_owned(),
        "FAKETIME_DONT_FAKE_MONOTONIC=1".to_owned(),
    ];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let fleet = Fleet::alone(Server::without_limits().under(&words));
    let load = fleet.load();
    let in_flight = load.in_flight();
    for jump in ["-3h", "+2h", "-30m", "+0"] {
        say(&offset, jump);
        let expected = expected(jump);
        eventually("the clock jumps", Duration::from_secs(10), || {
            let answer = fleet.client.request("GET", "/v1/health").try_send().ok()?;
            let time = answer.json()["timestamp"].as_str()?.to_owned();
            let time: jiff::Timestamp = time.parse().ok()?;
            let off = time.duration_since(jiff::Timestamp::now()).as_secs();
            ((off - expected).abs() < 60).then_some(())
        });
        load.wait_for_more(16);
    }
    let recovered_after = fleet.until_recovered();
    let outcome = fleet.settle(load);
    assert_eq!(outcome.repeated, 0, "a call was refused");
    Record {
        group: "5 The clock",
        fault: "clock jumps",
        done: "three hours back, five forth, two and a half back, then right again (libfaketime); no call refused",
        in_flight,
        truthful_after: None,
        recovered_after,
        outcome,
    }
    .settle("clock::jumps_back_and_forth");
}

fn say(file: &Path, offset: &str) {
    // Written to a temporary file and renamed, because the service may read it at any moment.
    let aside = file.with_extension("new");
    fs::write(&aside, offset).expect("written");
    fs::rename(&aside, file).expect("moved");
}

fn expected(offset: &str) -> i64 {
    let (number, unit) = offset.split_at(offset.len() - 1);
    let seconds = match unit {
        "h" => 3600,
        "m" => 60,
        _ => return 0,
    };
    number.parse::<i64>().expect("a number") * seconds
}
