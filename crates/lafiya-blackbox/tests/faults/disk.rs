//! Faults of the disk under SQLite: full, read-only from the start, or read-only at runtime. The
//! first two use a mount namespace of the service, so that nothing outside is affected and nothing
//! stays mounted.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lafiya_blackbox::{Backend, Server, eventually};
use serde_json::json;

use crate::fleet::Fleet;
use crate::load::body;
use crate::record::{Record, restarted_within};

const GROUP: &str = "4 The disk";

/// Runs the service with a small file system as its data folder.
const ON_A_SMALL_DISK: &[&str] = &[
    "unshare",
    "--mount",
    "sh",
    "-c",
    "mkdir -p data && mount -t tmpfs -o size=64m none data && exec \"$0\" \"$@\"",
];

/// Runs the service with its data folder mounted read-only.
const READ_ONLY: &[&str] = &[
    "unshare",
    "--mount",
    "sh",
    "-c",
    "mount --bind data data && mount -o remount,ro,bind data && exec \"$0\" \"$@\"",
];

/// Runs the service so that it can write only to its data folder, not even to temporary folders, as
/// in a container with a read-only root.
const NOTHING_ELSE_WRITABLE: &[&str] = &[
    "unshare",
    "--mount",
    "sh",
    "-c",
    "mkdir -p data && mount --bind data data && \
     for it in / /tmp /var/tmp /dev/shm; do \
         if mountpoint -q $it; then mount -o remount,ro,bind $it || exit 1; fi \
     done && exec \"$0\" \"$@\"",
];

/// Runs the service so that a refused write is reported to it, as on a disk that became read-only,
/// instead of ending it. Its log is on the same disk, so it continues without one.
const TOLD_OF_REFUSED_WRITES: &[&str] = &["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""];

/// Returns the data folder as seen by the service.
fn seen_by(server: &Server) -> PathBuf {
    PathBuf::from(format!(
        "/proc/{}/root{}",
        server.pid(),
        server.folder().join("data").display()
    ))
}

#[test]
fn full() {
    let backend = Arc::new(Backend::embedded());
    let server = Server::without_limits()
        .on(&backend)
        .under(ON_A_SMALL_DISK)
        .start();
    // Commands run in the same namespace, or they would see another data folder.
    let pid = server.pid().to_string();
    let admin = Server::without_limits()
        .on(&backend)
        .under(&["nsenter", "--mount", "--target", &pid])
        .prepare();
    let fleet = Fleet::alone_with(server, &admin);
    let load = fleet.load();
    let filler = seen_by(&fleet.replicas[0]).join("filler");
    let in_flight = load.in_flight();
    fill(&filler);
    // The remaining space is used up first; then the first call is rejected.
    let before = load.repeated();
    eventually("the disk is full", Duration::from_secs(30), || {
        (load.repeated() > before).then_some(())
    });
    let truthful_after = fleet.until_health_says("database", "unhealthy");
    std::fs::remove_file(&filler).expect("removed");
    let recovered_after = fleet.until_recovered();
    Record {
        group: GROUP,
        fault: "disk full under SQLite",
        done: "a tmpfs of 64 MB filled to the last byte; emptied when health was down",
        in_flight,
        truthful_after: Some(truthful_after),
        recovered_after,
        outcome: fleet.settle(load),
    }
    .settle("disk::full");
}

fn fill(filler: &PathBuf) {
    let mut file = File::create(filler).expect("a file beside the database");
    let block = vec![0; 64 * 1024];
    while file.write_all(&block).is_ok() {}
    while file.write_all(&block[..512]).is_ok() {}
}

#[test]
fn read_only() {
    let began = Instant::now();
    let mut fleet = Fleet::alone(Server::without_limits());
    let start_took = began.elapsed();
    let load = fleet.load();
    let in_flight = load.in_flight();
    assert!(fleet.replicas[0].terminate().success(), "an orderly end");
    let mut refused = fleet.replicas[0].same_again().under(READ_ONLY).prepare();
    let said = refused.start_in_vain();
    assert!(said.contains("the database cannot be opened"), "{said}");
    let started = Instant::now();
    fleet.replicas[0].restart();
    fleet.announce();
    fleet.until_recovered();
    Record {
        group: GROUP,
        fault: "read-only data folder",
        done: "stopped, started on a read-only mount: refuses to start with a sentence; started again on a writable one",
        in_flight,
        truthful_after: None,
        recovered_after: started.elapsed(),
        outcome: fleet.settle(load),
    }
    .settle_within("disk::read_only", restarted_within(start_took));
}

/// A file system with open files cannot be remounted read-only from outside, so the kernel is
/// configured to refuse every write of this process. For SQLite the effect is the same.
#[test]
fn turned_read_only() {
    let fleet = Fleet::alone(Server::without_limits().under(TOLD_OF_REFUSED_WRITES));
    let server = &fleet.replicas[0];
    let observer = server.live();
    let kept = observer.post("/v1/assess", &body()).expect(200).json();
    let load = fleet.load();
    let in_flight = load.in_flight();
    allow_files_of(server, "0");
    let truthful_after = fleet.until_health_says("database", "unhealthy");
    let refused = observer.post("/v1/assess", &body());
    refused.expect_error(503, "SERVICE_UNAVAILABLE");
    let asked = json!({"assessment_id": kept["assessment_id"]});
    observer.post("/v1/rationale", &asked).expect(200);
    allow_files_of(server, "unlimited");
    let recovered_after = fleet.until_recovered();
    Record {
        group: GROUP,
        fault: "data folder turns read-only",
        done: "the kernel refuses every write of the running process; what is stored can still be read; allowed again when health was down",
        in_flight,
        truthful_after: Some(truthful_after),
        recovered_after,
        outcome: fleet.settle(load),
    }
    .settle("disk::turned_read_only");
}

/// Sets the maximum size of files that this process writes.
#[track_caller]
fn allow_files_of(server: &Server, size: &str) {
    let told = Command::new("prlimit")
        .args(["--pid", &server.pid().to_string()])
        .arg(format!("--fsize={size}:unlimited"))
        .status();
    assert!(told.is_ok_and(|item| item.success()), "prlimit");
}

#[test]
fn nothing_but_the_data_folder_is_written_to() {
    let fleet = Fleet::alone(Server::without_limits().under(NOTHING_ELSE_WRITABLE));
    let load = fleet.load();
    let outcome = fleet.settle(load);
    assert_eq!(outcome.repeated, 0, "a call was refused");
    let export = fleet.replicas[0].cli(&["tenant", "export", "clinic"]);
    assert!(export.status.success(), "{export:?}");
    let backup = fleet.replicas[0].cli(&["backup", "data/backup.db"]);
    assert!(backup.status.success(), "{backup:?}");
}
