//! Faults of PostgreSQL: restarted, paused, out of connections, slow or disconnected. Calls are
//! rejected with 503 while it is unavailable, and acknowledged data are kept.

use std::sync::Arc;
use std::time::Duration;

use lafiya_blackbox::{Backend, FaultProxy, Flow, LentServers};

use crate::fleet::{Fleet, servers};
use crate::record::Record;

const GROUP: &str = "1 PostgreSQL";

/// Breaks the database, waits until `/health` reports it, repairs it and checks the counts.
#[track_caller]
fn check(
    fleet: &Fleet,
    (test, fault, done): (&str, &'static str, &'static str),
    break_it: impl FnOnce(),
    mend_it: impl FnOnce(),
) {
    let load = fleet.load();
    let in_flight = load.in_flight();
    break_it();
    let truthful_after = fleet.until_health_says("database", "unhealthy");
    mend_it();
    let recovered_after = fleet.until_recovered();
    let outcome = fleet.settle(load);
    Record {
        group: GROUP,
        fault,
        done,
        in_flight,
        truthful_after: Some(truthful_after),
        recovered_after,
        outcome,
    }
    .settle(test);
}

/// Returns replicas that connect to their database through a proxy.
fn with_proxy(servers: &LentServers) -> (Fleet, FaultProxy) {
    let backend = Arc::new(Backend::on(servers));
    let url = backend.database_url().expect("a database server");
    let (proxy, through) = FaultProxy::before(&url);
    let fleet = Fleet::on(&backend, &[("LAFIYA_DATABASE_URL", &through)]);
    (fleet, proxy)
}

#[test]
fn killed_and_started_again() {
    let mut servers = servers();
    let fleet = Fleet::on(&Arc::new(Backend::on(&servers)), &[]);
    let servers = std::cell::RefCell::new(&mut servers);
    let words = (
        "database::killed_and_started_again",
        "PostgreSQL restarted",
        "all its processes ended at once, started again when health was down",
    );
    check(
        &fleet,
        words,
        || servers.borrow_mut().tell("postgres kill"),
        || servers.borrow_mut().tell("postgres start"),
    );
}

#[test]
fn paused() {
    let mut servers = servers();
    let fleet = Fleet::on(&Arc::new(Backend::on(&servers)), &[]);
    let servers = std::cell::RefCell::new(&mut servers);
    let words = (
        "database::paused",
        "PostgreSQL paused",
        "SIGSTOP to all its processes, SIGCONT when health was down",
    );
    check(
        &fleet,
        words,
        || servers.borrow_mut().tell("postgres pause"),
        || servers.borrow_mut().tell("postgres resume"),
    );
}

#[test]
fn out_of_connections() {
    let servers = servers();
    let backend = Arc::new(Backend::on(&servers));
    let role = backend.database_name().expect("a role").to_owned();
    let fleet = Fleet::on(&backend, &[]);
    let words = (
        "database::out_of_connections",
        "PostgreSQL out of connections",
        "the role may not connect any more and its connections are ended; allowed again when health was down",
    );
    let end_all = format!(
        "alter role {role} connection limit 0; \
         select pg_terminate_backend(pid) from pg_stat_activity where usename = '{role}'"
    );
    let allow = format!("alter role {role} connection limit -1");
    check(
        &fleet,
        words,
        || servers.sql(&end_all),
        || servers.sql(&allow),
    );
}

#[test]
fn cut_off() {
    let servers = servers();
    let (fleet, proxy) = with_proxy(&servers);
    let words = (
        "database::cut_off",
        "PostgreSQL cut off",
        "a proxy closes every connection and refuses new ones; passes again when health was down",
    );
    check(
        &fleet,
        words,
        || proxy.set(Flow::Cut),
        || proxy.set(Flow::Pass),
    );
}

#[test]
fn reset() {
    let servers = servers();
    let (fleet, proxy) = with_proxy(&servers);
    let words = (
        "database::reset",
        "connections to PostgreSQL reset",
        "a proxy resets every connection (RST), new ones too; passes again when health was down",
    );
    check(
        &fleet,
        words,
        || proxy.set(Flow::Reset),
        || proxy.set(Flow::Pass),
    );
}

#[test]
fn silent() {
    let servers = servers();
    let (fleet, proxy) = with_proxy(&servers);
    let words = (
        "database::silent",
        "PostgreSQL silent",
        "a proxy keeps connections open and hands nothing on; passes again when health was down",
    );
    check(
        &fleet,
        words,
        || proxy.set(Flow::Hang),
        || proxy.set(Flow::Pass),
    );
}

#[test]
fn slow() {
    let servers = servers();
    let (fleet, proxy) = with_proxy(&servers);
    let load = fleet.load();
    let in_flight = load.in_flight();
    proxy.set(Flow::Slow(Duration::from_millis(20)));
    // A slow database is not unavailable: everything is still answered, and `/health` says so.
    load.wait_for_more(16);
    fleet.until_health_says("database", "healthy");
    proxy.set(Flow::Pass);
    let recovered_after = fleet.until_recovered();
    Record {
        group: GROUP,
        fault: "PostgreSQL slow",
        done: "a proxy hands everything on 20 ms late in both directions; calls are answered all the same",
        in_flight,
        truthful_after: None,
        recovered_after,
        outcome: fleet.settle(load),
    }
    .settle("database::slow");
}
