//! Faults of Redis: killed, flushed, paused, slow or disconnected. Limits are then per replica for
//! a while, `/health` reports `degraded`, and every call is still answered.

use std::sync::Arc;
use std::time::Duration;

use lafiya_blackbox::{Backend, FaultProxy, Flow, LentServers};

use crate::fleet::{Fleet, servers};
use crate::record::Record;

const GROUP: &str = "2 Redis";

/// Breaks the cache, asserts that the load continues, repairs it and checks the counts.
#[track_caller]
fn check(
    fleet: &Fleet,
    (test, fault, done): (&str, &'static str, &'static str),
    says: Option<&str>,
    break_it: impl FnOnce(),
    mend_it: impl FnOnce(),
) {
    let load = fleet.load();
    let in_flight = load.in_flight();
    break_it();
    let truthful_after = says.map(|word| fleet.until_health_says("redis", word));
    load.wait_for_more(16);
    mend_it();
    let recovered_after = fleet.until_recovered();
    let outcome = fleet.settle(load);
    assert_eq!(outcome.repeated, 0, "{fault}: a call was refused");
    Record {
        group: GROUP,
        fault,
        done,
        in_flight,
        truthful_after,
        recovered_after,
        outcome,
    }
    .settle(test);
}

fn with_proxy(servers: &LentServers) -> (Fleet, FaultProxy) {
    let (proxy, through) = FaultProxy::before(&servers.redis_url);
    let backend = Arc::new(Backend::on(servers));
    let fleet = Fleet::on(&backend, &[("LAFIYA_REDIS_URL", &through)]);
    (fleet, proxy)
}

#[test]
fn killed_and_started_again() {
    let mut servers = servers();
    let fleet = Fleet::on(&Arc::new(Backend::on(&servers)), &[]);
    let servers = std::cell::RefCell::new(&mut servers);
    let words = (
        "cache::killed_and_started_again",
        "Redis killed",
        "kill -9, started again empty after 16 more answers; every call was answered meanwhile",
    );
    check(
        &fleet,
        words,
        Some("degraded"),
        || servers.borrow_mut().tell("redis kill"),
        || servers.borrow_mut().tell("redis start"),
    );
}

#[test]
fn flushed() {
    let mut servers = servers();
    let fleet = Fleet::on(&Arc::new(Backend::on(&servers)), &[]);
    let words = (
        "cache::flushed",
        "Redis flushed",
        "FLUSHALL under load: nothing is kept in the cache alone",
    );
    check(&fleet, words, None, || servers.tell("redis flush"), || {});
}

#[test]
fn paused() {
    let mut servers = servers();
    let fleet = Fleet::on(&Arc::new(Backend::on(&servers)), &[]);
    let servers = std::cell::RefCell::new(&mut servers);
    let words = (
        "cache::paused",
        "Redis paused",
        "SIGSTOP, SIGCONT after 16 more answers; each call waits 250 ms at most",
    );
    check(
        &fleet,
        words,
        Some("degraded"),
        || servers.borrow_mut().tell("redis pause"),
        || servers.borrow_mut().tell("redis resume"),
    );
}

#[test]
fn cut_off() {
    let servers = servers();
    let (fleet, proxy) = with_proxy(&servers);
    let words = (
        "cache::cut_off",
        "Redis cut off",
        "a proxy resets every connection, new ones too; passes again after 16 more answers",
    );
    check(
        &fleet,
        words,
        Some("degraded"),
        || proxy.set(Flow::Reset),
        || proxy.set(Flow::Pass),
    );
}

#[test]
fn slow() {
    let servers = servers();
    let (fleet, proxy) = with_proxy(&servers);
    let words = (
        "cache::slow",
        "Redis slow",
        "a proxy hands everything on 400 ms late, more than a call waits for it",
    );
    check(
        &fleet,
        words,
        Some("degraded"),
        || proxy.set(Flow::Slow(Duration::from_millis(400))),
        || proxy.set(Flow::Pass),
    );
}
