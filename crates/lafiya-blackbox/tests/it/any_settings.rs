//! Tests arbitrary settings files: the service starts with them or rejects them with a message. It
//! never panics and never prints a secret. The files are generated from a fixed seed, the same in
//! every run.

use std::fs;

use lafiya_blackbox::Server;

const FILES: usize = 40;

/// Values that are valid for some settings or for none.
const VALUES: &[&str] = &[
    "0",
    "-1",
    "99999999999999999999",
    "1.5",
    "true",
    "\"\"",
    "\"127.0.0.1:0\"",
    "\"postgres://u:hunter2secret@127.0.0.1:1/x\"",
    "[]",
    "[\"10.0.0.0/8\"]",
    "[1, \"x\"]",
    "{ a = 1 }",
    "\"\\u0000\"",
    "nonsense",
];

const NAMES: &[&str] = &[
    "listen",
    "admin_listen",
    "public_url",
    "trusted_proxies",
    "data_dir",
    "database_url",
    "redis_url",
    "data_key",
    "retention_days",
    "versions",
    "rate_limit_per_minute",
    "pipeline_timeout_ms",
    "webhook_retry_delays_ms",
    "log_format",
    "log_level",
    "home_country",
    "not_a_setting",
];

/// A small random generator with a fixed seed, the same on every platform.
struct Dice(u64);

impl Dice {
    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        list[(self.0 >> 33) as usize % list.len()]
    }
}

#[test]
fn any_settings_file_is_accepted_or_refused_with_a_message() {
    let mut server = Server::without_limits().prepare();
    server.restart();
    server.kill();
    let file = server.folder().join("made-up.toml");
    let path = file.display().to_string();
    let mut dice = Dice(20_261_115);
    let mut refused = 0;
    for _ in 0..FILES {
        let lines: Vec<String> = (0..3)
            .map(|_| format!("{} = {}", dice.of(NAMES), dice.of(VALUES)))
            .collect();
        fs::write(&file, lines.join("\n")).expect("written");
        let output = server.cli(&["--config", &path, "tenant", "list", "--json"]);
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(!said.contains("panicked"), "{lines:#?}\n{said}");
        assert!(!said.contains("hunter2secret"), "{lines:#?}\n{said}");
        if !output.status.success() {
            refused += 1;
            assert!(output.stderr.contains("lafiya: "), "{lines:#?}\n{said}");
        }
    }
    assert!(refused > FILES / 2, "only {refused} were refused");
}
