//! The very first start makes a demo tenant and shows its keys; no later one does.

use std::fs;

use lafiya_blackbox::{BackendKind, Server, Start, at_once};

fn keys_in(log: &str) -> Vec<&str> {
    log.split_whitespace()
        .filter(|word| word.starts_with("sk_"))
        .collect()
}

#[test]
fn the_first_start_prints_one_key_of_each_kind_and_the_addresses() {
    let server = Server::start();
    let log = server.log();
    let keys = keys_in(&log);
    assert_eq!(keys.len(), 2, "{log}");
    assert_eq!(
        keys.iter()
            .filter(|key| key.starts_with("sk_test_"))
            .count(),
        1
    );
    assert_eq!(
        keys.iter()
            .filter(|key| key.starts_with("sk_live_"))
            .count(),
        1
    );
    for path in ["/v1", "/docs", "/"] {
        let address = format!("http://{}{path}", server.address);
        assert!(
            log.split_whitespace().any(|word| word == address),
            "no {address}:\n{log}"
        );
    }
    server.live().get("/v1/symptoms").expect(200);
    server.sandbox().get("/v1/symptoms").expect(200);
}

#[test]
fn a_second_start_prints_no_key_and_the_old_ones_still_work() {
    let mut server = Server::start();
    let client = server.live();
    assert!(server.terminate().success());
    server.restart();
    let log = server.log();
    assert!(keys_in(&log).is_empty(), "{log}");
    client.at(server.address).get("/v1/symptoms").expect(200);
}

#[test]
fn a_start_after_a_tenant_was_made_prints_no_key() {
    let mut server = Start::default().prepare();
    server.cli(&["tenant", "create", "clinic", "--tier", "pilot"]);
    server.restart();
    assert!(keys_in(&server.log()).is_empty(), "{}", server.log());
    let listed = server.cli(&["tenant", "list", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[test]
fn of_replicas_that_start_together_one_is_the_first() {
    let place = Start::default().prepare();
    let servers = at_once(3, |_| place.same_again().start());
    let printed: usize = servers.iter().map(|it| keys_in(&it.log()).len()).sum();
    assert_eq!(printed, 2, "one pair of keys in all");
    let listed = place.cli(&["tenant", "list", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[test]
fn no_key_is_kept_in_the_clear() {
    // The files of PostgreSQL are not ours to read; the same code writes both.
    if BackendKind::of_this_run() == BackendKind::Servers {
        return;
    }
    let mut server = Server::start();
    let key = server.key_of_first_start("sk_live_").to_owned();
    server.live().get("/v1/symptoms").expect(200);
    server.terminate();
    let secret = key.trim_start_matches("sk_live_").as_bytes();
    for entry in fs::read_dir(server.folder().join("data")).expect("a data folder") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a file");
        let found = bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!found, "the key stands in {}", path.display());
    }
}
