//! Faults of the process: killed, stopped, or killed with a corrupt end of its log.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lafiya_blackbox::{Backend, Server};

use crate::fleet::{Fleet, servers};
use crate::load::Load;
use crate::record::{Record, restarted_within};

const GROUP: &str = "3 The process";

#[test]
fn one_of_two_replicas_is_killed() {
    let servers = servers();
    let mut fleet = Fleet::on(&Arc::new(Backend::on(&servers)), &[]);
    let load = fleet.load();
    let in_flight = load.in_flight();
    let mut killed = fleet.replicas.remove(0);
    killed.kill();
    fleet.announce();
    let recovered_after = fleet.until_recovered();
    load.wait_for_more(16);
    killed.restart();
    fleet.replicas.push(killed);
    fleet.announce();
    Record {
        group: GROUP,
        fault: "one of two replicas killed",
        done: "kill -9 of one; the other goes on, the first is started again later",
        in_flight,
        truthful_after: None,
        recovered_after,
        outcome: fleet.settle(load),
    }
    .settle("crash::one_of_two_replicas_is_killed");
}

/// Ends the only process with `end`, corrupts its files, and starts it again.
#[track_caller]
fn check(
    (test, fault, done): (&str, &'static str, &'static str),
    end: impl FnOnce(&mut Server, &Load),
    spoil: impl FnOnce(&Server),
) {
    let began = Instant::now();
    let mut fleet = Fleet::alone(Server::without_limits());
    let start_took = began.elapsed();
    let load = fleet.load();
    let in_flight = load.in_flight();
    end(&mut fleet.replicas[0], &load);
    spoil(&fleet.replicas[0]);
    let started = Instant::now();
    fleet.replicas[0].restart();
    fleet.announce();
    fleet.until_recovered();
    let recovered_after = started.elapsed();
    Record {
        group: GROUP,
        fault,
        done,
        in_flight,
        truthful_after: None,
        recovered_after,
        outcome: fleet.settle(load),
    }
    .settle_within(test, restarted_within(start_took));
}

#[test]
fn the_only_process_is_killed() {
    let words = (
        "crash::the_only_process_is_killed",
        "the only process killed",
        "kill -9 on SQLite, started again at once; recovery counts from the start",
    );
    check(words, |server, _| server.kill(), |_| {});
}

#[test]
fn the_end_of_the_write_ahead_log_is_rubbish() {
    let words = (
        "crash::the_end_of_the_write_ahead_log_is_rubbish",
        "torn end of SQLite's log",
        "kill -9, then 10,000 bytes of rubbish behind the write-ahead log, as a torn write leaves them",
    );
    check(
        words,
        |server, _| server.kill(),
        |server| {
            let log = server.folder().join("data/lafiya.db-wal");
            let file = OpenOptions::new().append(true).open(&log);
            let mut file = file.expect("there is a write-ahead log");
            let rubbish: Vec<u8> = (0..10_000_u32)
                .map(|number| (number * 31 % 251) as u8)
                .collect();
            file.write_all(&rubbish).expect("written");
        },
    );
}

#[test]
fn asked_to_stop_under_load() {
    let words = (
        "crash::asked_to_stop_under_load",
        "SIGTERM under load",
        "SIGTERM; everything accepted is answered, the process ends in order and is started again",
    );
    check(
        words,
        |server, _| {
            let asked = Instant::now();
            assert!(server.terminate().success(), "an orderly end");
            let took = asked.elapsed();
            assert!(took < Duration::from_secs(10), "stopped after {took:?}");
            assert!(
                server.log().contains("All running requests were answered."),
                "some were not"
            );
        },
        |_| {},
    );
}
