//! Tests that the first start creates a demo tenant and prints its keys, and that no later start
//! does.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use lafiya_blackbox::{BackendKind, Server, Start, at_once};

fn keys_in(log: &str) -> Vec<&str> {
    log.split_whitespace()
        .filter(|word| word.starts_with("sk_"))
        .collect()
}

#[test]
fn the_first_start_shows_one_key_per_environment_and_addresses() {
    let server = Server::start();
    let log = server.log();
    let told = server.told_at_first_start();
    let keys = keys_in(&told);
    assert_eq!(keys.len(), 2, "{log}\n{told}");
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

/// Logs are kept, copied and read by many people.
#[test]
fn without_a_terminal_keys_and_link_go_to_a_private_file() {
    let server = Server::start();
    let log = server.log();
    assert!(!log.contains("sk_"), "{log}");
    assert!(!log.contains("/sign-in/link/"), "{log}");
    let file = server.folder().join("data/first-start.txt");
    let mode = fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let says_where = |line: &str| {
        line.starts_with("Keys and the sign-in link are in ")
            && line.ends_with("data/first-start.txt")
    };
    assert!(log.lines().any(says_where), "{log}");
    assert!(server.told_at_first_start().contains("/sign-in/link/"));
}

#[test]
fn a_second_start_shows_no_key_and_the_old_ones_work() {
    let mut server = Server::start();
    let client = server.live();
    assert!(server.terminate().success());
    server.restart();
    let log = server.log();
    assert!(keys_in(&log).is_empty(), "{log}");
    assert_eq!(server.told_at_first_start(), "");
    client.at(server.address).get("/v1/symptoms").expect(200);
}

#[test]
fn a_start_after_a_tenant_was_made_prints_no_key() {
    let mut server = Start::default().prepare();
    server.cli(&["tenant", "create", "clinic", "--tier", "pilot"]);
    server.restart();
    assert!(keys_in(&server.log()).is_empty(), "{}", server.log());
    assert_eq!(server.told_at_first_start(), "");
    let listed = server.cli(&["tenant", "list", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[test]
fn only_one_of_several_replicas_performs_the_first_start() {
    let place = Start::default().prepare();
    let servers = at_once(3, |_| place.same_again().start());
    let told = servers.iter().map(|server| server.told_at_first_start());
    let told: usize = told.map(|item| keys_in(&item).len()).sum();
    assert_eq!(told, 2, "one pair of keys in all");
    let listed = place.cli(&["tenant", "list", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[test]
fn no_key_is_stored_in_plain_text() {
    // The tests cannot read the files of PostgreSQL; the same code writes both.
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
        // The output of the first start, readable only by its owner.
        if path.ends_with("first-start.txt") {
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        let found = bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!found, "the key stands in {}", path.display());
    }
}
