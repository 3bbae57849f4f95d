//! Rolling upgrades and rollbacks: older and newer replicas at the same time on one PostgreSQL.
//! `LAFIYA_BLACKBOX_OLDER` is an older binary (`cargo xtask faults upgrade --older PATH`). Without
//! it, the binary under test is also the older one, and the tables are one release ahead of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lafiya_blackbox::{Backend, Client, Server, Start, binary, eventually};
use serde_json::{Value, json};

use crate::fleet::{Fleet, servers};
use crate::load::body;
use crate::record::Record;
use crate::webhook_receivers::{registered, telling_at_once, wait_for_every_event};

/// What the next release might add: columns that old replicas do not know and omit in inserts, an
/// index, a table, and the record that the migrations were applied. Each is a separate migration,
/// because one that locks two tables of a running service can deadlock.
const OF_A_LATER_RELEASE: &[&str] = &[
    "alter table tenant add column of_a_later_release text",
    "alter table assessment add column of_a_later_release bigint not null default 0",
    "alter table outbox add column of_a_later_release text",
    "create index assessment_of_a_later_release on assessment (of_a_later_release, created_at)",
    "create table of_a_later_release (id text primary key, \
        tenant text not null references tenant (id) on delete cascade)",
    "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
        values (9999, 'of a later release', true, '\\x00', 1)",
];

fn extend_tables(backend: &Backend) {
    for statement in OF_A_LATER_RELEASE {
        backend.sql(statement);
    }
}

fn older() -> PathBuf {
    std::env::var_os("LAFIYA_BLACKBOX_OLDER").map_or_else(binary, PathBuf::from)
}

#[test]
fn one_replica_after_another() {
    let servers = servers();
    let backend = Arc::new(Backend::on(&servers));
    let newer = telling_at_once().on(&backend);
    let mut fleet = Fleet::two(newer.clone().of(older()));
    let receiver = registered(&fleet);
    let load = fleet.load();
    let in_flight = load.in_flight();
    // The first new replica migrates the tables while the old ones use them.
    add(&mut fleet, &newer);
    extend_tables(&backend);
    load.wait_for_more(16);
    retire_first(&mut fleet);
    add(&mut fleet, &newer);
    retire_first(&mut fleet);
    load.wait_for_more(16);
    // The rollback: an old replica starts with tables that are ahead of it.
    add(&mut fleet, &newer.clone().of(older()));
    let recovered_after = fleet.until_recovered();
    let outcome = fleet.settle(load);
    wait_for_every_event(&fleet, &receiver);
    Record {
        group: "3 The process",
        fault: "rolling upgrade",
        done: "a newer replica joins two older ones and migrates, the tables get a later release's columns, each older one is replaced, then one goes back; every webhook arrives",
        in_flight,
        truthful_after: None,
        recovered_after,
        outcome,
    }
    .settle("upgrade::one_replica_after_another");
}

#[track_caller]
fn add(fleet: &mut Fleet, start: &Start) {
    fleet.replicas.push(start.clone().start());
    fleet.announce();
}

/// Stops the first replica like a load balancer: it gets no more requests, and is then asked to
/// stop.
#[track_caller]
fn retire_first(fleet: &mut Fleet) {
    let mut old = fleet.replicas.remove(0);
    fleet.announce();
    assert!(old.terminate().success(), "an orderly end");
}

const CALLS_A_MINUTE: usize = 24;

#[test]
fn old_and_new_share_interviews_keys_limits_and_answers() {
    let servers = servers();
    let backend = Arc::new(Backend::on(&servers));
    let start = Server::with("LAFIYA_RATE_LIMIT_PER_MINUTE", &CALLS_A_MINUTE.to_string());
    let start = start.on(&backend);
    let old = start.clone().of(older()).start();
    let (_, key) = old.new_key("demo");
    let new = start.start();
    extend_tables(&backend);
    let replicas = [old.client().with_key(&key), new.client().with_key(&key)];
    for (one, other) in [(0, 1), (1, 0)] {
        let (one, other) = (&replicas[one], &replicas[other]);
        an_interview_goes_on_at_the_other(one, other);
        a_repeated_call_gets_the_same_answer(one, other);
    }
    limits_are_counted_together(&old, &new);
    let rotated = replicas[1].post("/v1/keys/rotate", &json!({})).expect(201);
    let successor = rotated.json()["key"].as_str().expect("a key").to_owned();
    old.client()
        .with_key(&successor)
        .get("/v1/symptoms")
        .expect(200);
    eventually("the old key ends", Duration::from_secs(5), || {
        (replicas[0].get("/v1/symptoms").status == 401).then_some(())
    });
}

fn assessed(client: &Client, body: &Value) -> Value {
    client.post("/v1/assess", body).expect(200).json()
}

#[track_caller]
fn an_interview_goes_on_at_the_other(one: &Client, other: &Client) {
    let first = assessed(one, &body());
    let turn = json!({
        "interview_id": first["interview_id"],
        "patient": body()["patient"],
        "evidence": [{"id": "s_cough", "choice_id": "present", "source": "initial"}]
    });
    let second = assessed(other, &turn);
    assert_eq!(second["interview_id"], first["interview_id"]);
    let asked = json!({"assessment_id": second["assessment_id"]});
    let explained = one.post("/v1/rationale", &asked).expect(200).json();
    // Evidence given to the first replica counts at the second.
    assert!(explained.to_string().contains("Headache"), "{explained}");
}

#[track_caller]
fn a_repeated_call_gets_the_same_answer(one: &Client, other: &Client) {
    let id = assessed(one, &body())["assessment_id"].clone();
    let call = |client: &Client| {
        let request = client.request("POST", "/v1/assess").json(&body());
        let key = id.as_str().expect("an id");
        request.header("Idempotency-Key", key).send().expect(200)
    };
    let (first, second) = (call(one).json(), call(other).json());
    assert_eq!(first["assessment_id"], second["assessment_id"]);
}

#[track_caller]
fn limits_are_counted_together(old: &Server, new: &Server) {
    let (_, key) = old.new_key("demo");
    let replicas = [old.client().with_key(&key), new.client().with_key(&key)];
    for call in 0..CALLS_A_MINUTE {
        replicas[call % 2].get("/v1/symptoms").expect(200);
    }
    for replica in &replicas {
        replica.get("/v1/symptoms").expect(429);
    }
}
