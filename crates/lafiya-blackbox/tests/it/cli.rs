//! Tests the command line: tenants, keys, settings. Admin commands work before the first start of a
//! server and beside a running one. Invalid input is rejected with a message.

use std::fs::{self, File};
use std::time::Duration;

use lafiya_blackbox::{CommandOutput, Server, Start, eventually, shared};
use serde_json::Value;

/// Asserts that a command was rejected with a message on standard error and no other output.
#[track_caller]
fn refused(output: &CommandOutput, word: &str) {
    assert!(!output.status.success(), "it was accepted: {output:?}");
    assert!(output.stdout.is_empty(), "a refusal on stdout: {output:?}");
    let said = output.stderr.to_lowercase();
    assert!(
        said.contains(&word.to_lowercase()),
        "no word of `{word}`: {output:?}"
    );
    assert!(!said.contains("panicked"), "{output:?}");
}

#[test]
fn a_tenant_is_created_listed_suspended_and_resumed() {
    let server = Start::default().prepare();
    let made = server
        .cli(&[
            "tenant",
            "create",
            "St. Mary's",
            "--tier",
            "professional",
            "--json",
        ])
        .json();
    assert_eq!(made["name"], "St. Mary's");
    assert_eq!(made["tier"], "professional");
    assert_eq!(made["status"], "active");
    assert_eq!(made["monthly_quota"], 2500);
    assert!(
        made["id"].is_string() && made["created_at"].is_string(),
        "{made}"
    );

    let listed = server.cli(&["tenant", "list", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed[0]["id"], made["id"]);

    let suspended = server
        .cli(&["tenant", "suspend", "St. Mary's", "--json"])
        .json();
    assert_eq!(suspended["status"], "suspended");
    let resumed = server
        .cli(&["tenant", "resume", "St. Mary's", "--json"])
        .json();
    assert_eq!(resumed["status"], "active");
}

#[test]
fn an_invalid_tenant_is_refused() {
    let server = Start::default().prepare();
    let create = |words: &[&str]| server.cli(&[&["tenant", "create"], words].concat());
    assert!(create(&["clinic", "--tier", "pilot"]).status.success());
    refused(&create(&["clinic", "--tier", "pilot"]), "exists");
    refused(&create(&["other", "--tier", "gold"]), "pilot");
    refused(&create(&["other"]), "--tier");
    refused(&create(&["big", "--tier", "enterprise"]), "quota");
    refused(
        &create(&["big", "--tier", "pilot", "--quota", "many"]),
        "quota",
    );
    refused(&create(&["", "--tier", "pilot"]), "name");
    refused(&server.cli(&["tenant", "suspend", "nobody"]), "tenant");
}

#[test]
fn a_key_is_created_listed_rotated_and_revoked() {
    let server = Start::default().prepare();
    server.cli(&["tenant", "create", "clinic", "--tier", "pilot"]);
    let made = server
        .cli(&[
            "key",
            "create",
            "--tenant",
            "clinic",
            "--environment",
            "test",
            "--json",
        ])
        .json();
    let key = made["key"].as_str().expect("a key");
    assert!(key.starts_with("sk_test_"), "{made}");
    assert_eq!(made["environment"], "test");
    let id = made["id"].as_str().expect("an id");

    let listed = server.cli(&["key", "list", "--tenant", "clinic", "--json"]);
    assert!(!listed.stdout.contains(key), "the list shows the key");
    assert_eq!(listed.json()[0]["id"], id);

    let rotated = server.cli(&["key", "rotate", id, "--json"]).json();
    assert_eq!(rotated["rotated_from"], id);
    assert_ne!(rotated["key"], key);
    refused(&server.cli(&["key", "rotate", id]), "active");

    let new = rotated["id"].as_str().expect("an id");
    let revoked = server.cli(&["key", "revoke", new, "--json"]).json();
    assert!(revoked["revoked_at"].is_string(), "{revoked}");
    assert_eq!(revoked["key"], Value::Null, "a revoked key is not shown");
}

#[test]
fn an_invalid_key_command_is_refused() {
    let server = Start::default().prepare();
    server.cli(&["tenant", "create", "clinic", "--tier", "pilot"]);
    let create = |words: &[&str]| server.cli(&[&["key", "create"], words].concat());
    let good = ["--tenant", "clinic", "--environment", "live"];
    refused(
        &create(&["--tenant", "nobody", "--environment", "live"]),
        "tenant",
    );
    refused(
        &create(&["--tenant", "clinic", "--environment", "prod"]),
        "live",
    );
    refused(&create(&["--tenant", "clinic"]), "--environment");
    refused(
        &create(&[&good[..], &["--expires-at", "2020-01-01"]].concat()),
        "future",
    );
    refused(
        &create(&[&good[..], &["--expires-at", "soon"]].concat()),
        "expires-at",
    );
    refused(&server.cli(&["key", "revoke", "not-an-id"]), "id");
    let unknown = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    refused(&server.cli(&["key", "revoke", unknown]), "key");
    refused(&server.cli(&["key", "rotate", unknown]), "key");
}

#[test]
fn the_human_readable_output_shows_the_key_once() {
    let server = Start::default().prepare();
    server.cli(&["tenant", "create", "clinic", "--tier", "pilot"]);
    let made = server.cli(&[
        "key",
        "create",
        "--tenant",
        "clinic",
        "--environment",
        "live",
    ]);
    assert_eq!(made.stdout.matches("sk_live_").count(), 1, "{made:?}");
    let listed = server.cli(&["key", "list"]);
    assert!(
        listed.status.success() && listed.stdout.contains("active"),
        "{listed:?}"
    );
}

#[test]
fn a_key_made_while_the_server_runs_works_at_once() {
    let server = Server::start();
    let (_, key) = server.new_key("demo");
    server
        .client()
        .with_key(&key)
        .get("/v1/symptoms")
        .expect(200);
}

#[test]
fn an_unknown_setting_in_the_file_is_refused() {
    let server = Start::default().prepare();
    let file = server.folder().join("lafiya.toml");
    fs::write(&file, "rate_limit_per_minut = 5\n").expect("the file is written");
    let output = server.cli(&["serve"]);
    refused(&output, "rate_limit_per_minut");
    assert!(
        output
            .stderr
            .contains("did you mean `rate_limit_per_minute`"),
        "{output:?}"
    );
    fs::write(&file, "rate_limit_per_minute = \"five\"\n").expect("the file is written");
    refused(&server.cli(&["serve"]), "rate_limit_per_minute");
    fs::write(&file, "rate_limit_per_minute = \n").expect("the file is written");
    refused(&server.cli(&["serve"]), "lafiya.toml");
    refused(
        &server.cli(&["serve", "--config", "elsewhere.toml"]),
        "elsewhere.toml",
    );
}

#[test]
fn an_invalid_setting_value_is_refused() {
    for (name, value, word) in [
        ("LAFIYA_LISTEN", "nonsense", "listen"),
        (
            "LAFIYA_RATE_LIMIT_PER_MINUTE",
            "many",
            "rate_limit_per_minute",
        ),
        ("LAFIYA_RATE_LIMIT_PER_MINUTE", "0", "rate_limit_per_minute"),
        (
            "LAFIYA_RATE_LIMIT_PER_MINUTE",
            "-5",
            "rate_limit_per_minute",
        ),
        ("LAFIYA_DATABASE_URL", "mysql://localhost/x", "database_url"),
        ("LAFIYA_REDIS_URL", "http://localhost", "redis_url"),
        ("LAFIYA_DATA_KEY", "a short word", "data_key"),
        ("LAFIYA_RETENTION_DAYS", "-1", "retention_days"),
        ("LAFIYA_PUBLIC_URL", "api.example.org", "public_url"),
        ("LAFIYA_ADMIN_LISTEN", "9090", "admin_listen"),
        ("LAFIYA_TRUSTED_PROXIES", "everybody", "trusted_proxies"),
        ("LAFIYA_LOG_FORMAT", "xml", "log_format"),
        ("LAFIYA_LOG_LEVEL", "inof", "log_level"),
        ("LAFIYA_HOME_COUNTRY", "XX", "home_country"),
        ("LAFIYA_DATA_DIR", "", "data_dir"),
        ("LAFIYA_KNOWLEDGE_DIR", "nowhere", "nowhere"),
    ] {
        let server = Server::with(name, value).prepare();
        refused(&server.cli(&["serve"]), word);
    }
}

#[test]
fn an_unknown_variable_gives_a_warning() {
    let server = Server::with("LAFIYA_LISTNE", "1").prepare();
    let output = server.cli(&["tenant", "list"]);
    assert!(output.status.success(), "{output:?}");
    let said = &output.stderr;
    assert!(
        said.contains("LAFIYA_LISTNE") && said.contains("`listen`"),
        "{said}"
    );
}

#[test]
fn a_first_start_without_its_admin_listener_creates_no_keys() {
    let taken = shared().address.to_string();
    let second = Server::with("LAFIYA_ADMIN_LISTEN", &taken).prepare();
    let output = second.cli(&["serve"]);
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stderr.contains(&taken), "{output:?}");
    assert!(output.stdout.is_empty(), "keys were shown: {output:?}");
}

#[test]
fn two_listeners_on_one_address_are_refused() {
    let server = Server::with("LAFIYA_ADMIN_LISTEN", "127.0.0.1:18999")
        .with("LAFIYA_LISTEN", "127.0.0.1:18999")
        .prepare();
    refused(&server.cli(&["serve"]), "admin_listen");
}

#[test]
fn an_address_in_use_is_reported() {
    let server = shared();
    let address = server.address.to_string();
    let second = Server::with("LAFIYA_LISTEN", &address).prepare();
    let output = second.cli(&["serve"]);
    assert!(
        !output.status.success() && output.stderr.contains(&address),
        "{output:?}"
    );
}

#[test]
fn flags_override_variables_and_variables_override_the_file() {
    let limit = |server: &Server| {
        let answer = server.live().get("/v1/symptoms").expect(200);
        answer.number("x-ratelimit-limit")
    };
    let mut server = Start::default().prepare();
    let file = server.folder().join("lafiya.toml");
    fs::write(&file, "rate_limit_per_minute = 71\n").expect("the file is written");
    server.restart();
    assert_eq!(limit(&server), 71);
    let keyed = server.live();
    let asked = |other: &Server| {
        let answer = keyed.at(other.address).get("/v1/symptoms").expect(200);
        answer.number("x-ratelimit-limit")
    };
    let variable = server
        .same_again()
        .with("LAFIYA_RATE_LIMIT_PER_MINUTE", "72");
    assert_eq!(asked(&variable.clone().start()), 72);
    let flag = variable.with_flags(&["serve", "--rate-limit-per-minute", "73"]);
    assert_eq!(asked(&flag.start()), 73);
}

#[test]
fn an_unknown_variable_does_not_prevent_the_start() {
    // Some platforms set their own variables in every process.
    let server = Server::with("LAFIYA_SERVICE_PORT", "tcp://10.0.0.1:80").start();
    server.live().get("/v1/symptoms").expect(200);
}

#[test]
fn help_and_version_need_no_configuration() {
    let server = Start::default().prepare();
    let help = server.cli(&["--help"]);
    assert!(help.status.success(), "{help:?}");
    for word in ["serve", "tenant", "key", "openapi"] {
        assert!(help.stdout.contains(word), "no word of {word}");
    }
    let version = server.cli(&["--version"]);
    assert!(version.stdout.starts_with("lafiya "), "{version:?}");
    refused(&server.cli(&["no-such-command"]), "no-such-command");
}

#[test]
fn a_closed_stdout_is_not_a_failure() {
    let server = Start::default().prepare();
    let log = server.folder().join("unread.log");
    let assessed = ["assess", "--age", "30", "--sex", "female", "fever"];
    for arguments in [&["openapi"][..], &["knowledge", "stats"], &assessed] {
        let stderr = File::create(&log).expect("a file");
        let status = server.cli_unread(arguments, stderr).wait();
        let said = fs::read_to_string(&log).expect("a log");
        assert!(status.expect("it ends").success(), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
}

#[test]
fn the_service_runs_with_a_closed_stdout() {
    let server = Start::default().prepare();
    let log = server.folder().join("unread.log");
    let mut service = server.cli_unread(&["serve"], File::create(&log).expect("a file"));
    eventually("it is ready", Duration::from_secs(60), || {
        let ended = service.try_wait().expect("it can be asked");
        let said = fs::read_to_string(&log).expect("a log");
        assert!(ended.is_none(), "it ended: {said}");
        said.contains("is ready").then_some(())
    });
    service.kill().expect("it can be stopped");
    service.wait().expect("it has stopped");
}
