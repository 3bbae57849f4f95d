//! The disk under SQLite: full, read-only from the start, read-only from one moment to the next. The
//! first two in a mount namespace of the service's own, so that nothing outside notices and nothing
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

/// Becomes the service, with a small file system of its own as its data folder.
const ON_A_SMALL_DISK: &[&str] = &[
    "unshare",
    "--mount",
    "sh",
    "-c",
    "mkdir -p data && mount -t tmpfs -o size=64m none data && exec \"$0\" \"$@\"",
];

/// Becomes the service, with its data folder mounted read-only.
const READ_ONLY: &[&str] = &[
    "unshare",
    "--mount",
    "sh",
    "-c",
    "mount --bind data data && mount -o remount,ro,bind data && exec \"$0\" \"$@\"",
];

/// Becomes the service, which can write into its data folder and nowhere else, temporary folders
/// included: a container with a read-only root.
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

/// Becomes the service, which is told of a refused write as on a disk that turned read-only, and not
/// ended. Its log lies on the same disk, so it goes on without one.
const TOLD_OF_REFUSED_WRITES: &[&str] = &["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""];

/// The data folder as the service sees it.
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
    // Commands go where the service is, or they would see another data folder.
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
    // What is already there is used up first; then the first call is refused.
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

/// A file system with open files cannot be mounted read-only from outside, so the kernel is told to
/// refuse every write of this process: to SQLite one is like the other.
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

/// How large the files may be that this process writes.
#[track_caller]
fn allow_files_of(server: &Server, size: &str) {
    let told = Command::new("prlimit")
        .args(["--pid", &server.pid().to_string()])
        .arg(format!("--fsize={size}:unlimited"))
        .status();
    assert!(told.is_ok_and(|it| it.success()), "prlimit");
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
