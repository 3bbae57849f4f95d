//! Tests a tenant's data: what is stored about a patient, encryption, export, deletion and backup.

use std::fs;
use std::path::Path;

use lafiya_blackbox::{BackendKind, Client, CommandOutput, Server, Start};
use serde_json::{Value, json};

use crate::fhir_requests::{bundle, fhir_assessed, positive};
use crate::requests::{ASSESS, assessed, fever, pilot, present, with};

const ONE: &str = "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE=";
const TWO: &str = "3232323232323232323232323232323232323232323232323232323232323232";

#[track_caller]
fn succeeded(output: CommandOutput) -> CommandOutput {
    assert!(output.status.success(), "{output:?}");
    output
}

#[track_caller]
fn refused(output: &CommandOutput, word: &str) {
    assert!(!output.status.success(), "it was accepted: {output:?}");
    assert!(
        output.stderr.contains(word),
        "no word of {word}: {output:?}"
    );
}

#[track_caller]
fn exported(server: &Server, tenant: &str) -> Vec<Value> {
    let output = succeeded(server.cli(&["tenant", "export", tenant]));
    let lines = output.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn of_kind<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    records
        .iter()
        .filter(|record| record["kind"] == kind)
        .collect()
}

#[track_caller]
fn explained(client: &Client, assessment: &Value) {
    let body = json!({"assessment_id": assessment["assessment_id"]});
    client.post("/v1/rationale", &body).expect(200);
}

/// Returns the contents of all files in a folder.
fn bytes_in(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            bytes.extend(bytes_in(&entry.path()));
        } else {
            bytes.extend(fs::read(entry.path()).expect("a file"));
        }
    }
    bytes
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes
        .windows(word.len())
        .any(|part| part == word.as_bytes())
}

#[test]
fn nothing_that_could_identify_the_patient_is_stored_or_logged() {
    let server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 10);
    let case = with(
        fever(),
        "/patient/location",
        json!("7 Adesanya Close, Ikeja, Lagos"),
    );
    let case = with(case, "/patient/name", json!("Ngozi Okonkwoxyz"));
    let case = with(case, "/evidence/0/value", json!("call 08031234567"));
    let case = with(
        case,
        "/evidence/0/note",
        json!("lives behind Zubairu mosque"),
    );
    let case = with(
        case,
        "/interview_id",
        json!("9b1c1c5e-95d8-4c3f-8f1c-1f0b3f6c2a11"),
    );
    let answer = assessed(&client, &case);
    assert_eq!(answer["metadata"]["phi_region"], "lagos", "{answer}");

    let records = exported(&server, "clinic");
    assert_eq!(of_kind(&records, "assessment").len(), 1);
    assert_eq!(of_kind(&records, "interview").len(), 1);
    let export = serde_json::to_vec(&records).expect("JSON");
    // The embedded database, its journal and every log are in the folder.
    let stored = bytes_in(&server.folder());
    assert!(!stored.is_empty());
    for word in ["Adesanya", "Okonkwoxyz", "08031234567", "Zubairu"] {
        assert!(!holds(&export, word), "{word} is in the export");
        assert!(!holds(&stored, word), "{word} is on the disk");
    }
    let document = &of_kind(&records, "assessment")[0]["document"];
    assert_eq!(document["age_group"], "adult_15_49", "{document}");
    assert_eq!(document["region"], "lagos", "{document}");
}

#[test]
fn an_export_has_all_data_of_the_tenant() {
    let server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 10);
    let other = pilot(&server, "other clinic", 10);
    let live = assessed(&client, &fever());
    let sandbox = client.with_header("X-Service-Environment", "sandbox");
    let mock = assessed(&sandbox, &fever());
    let foreign = assessed(&other, &fever());

    let records = exported(&server, "clinic");
    assert_eq!(records[0]["kind"], "tenant");
    assert_eq!(records[0]["name"], "clinic");
    assert_eq!(of_kind(&records, "key").len(), 1);
    let usage = of_kind(&records, "usage");
    let days = usage[0]["by_day"].as_object().expect("days");
    assert_eq!(days.values().collect::<Vec<_>>(), [&json!(1)]);
    let ids: Vec<&Value> = of_kind(&records, "assessment")
        .iter()
        .map(|entry| &entry["id"])
        .collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&&live["assessment_id"]) && ids.contains(&&mock["assessment_id"]));
    let acts = of_kind(&records, "act");
    assert!(
        acts.iter().any(|act| act["action"] == "tenant.export"),
        "{acts:?}"
    );

    let text = serde_json::to_string(&records).expect("JSON");
    for secret in ["sk_live_", "sk_test_"] {
        // Only the first few characters, which identify a key.
        let shown = text
            .split(secret)
            .skip(1)
            .all(|rest| rest[4..].starts_with('…'));
        assert!(shown, "a key is in the export");
    }
    let theirs = foreign["assessment_id"].as_str().expect("an id");
    assert!(!text.contains(theirs), "another tenant's assessment");
}

#[test]
fn an_export_is_written_to_a_new_private_file() {
    let server = Start::default().prepare();
    succeeded(server.cli(&["tenant", "create", "clinic", "--tier", "pilot"]));
    let words = ["tenant", "export", "clinic", "--output", "clinic.jsonl"];
    let said = server.cli(&[&words[..], &["--json"]].concat()).json();
    let file = server.folder().join("clinic.jsonl");
    let lines = fs::read_to_string(&file).expect("the file").lines().count();
    assert_eq!(said["records"], lines, "{said}");
    refused(&server.cli(&words), "clinic.jsonl");
    refused(&server.cli(&["tenant", "export", "nobody"]), "tenant");
    let missing = ["tenant", "export", "nobody", "--output", "nobody.jsonl"];
    refused(&server.cli(&missing), "tenant");
    assert!(!server.folder().join("nobody.jsonl").exists());
}

#[test]
fn erasing_a_tenant_leaves_other_tenants_intact() {
    let server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 10);
    let neighbour = pilot(&server, "neighbour", 10);
    let kept = assessed(&neighbour, &fever());
    for _ in 0..3 {
        assessed(&client, &fever());
    }
    refused(&server.cli(&["tenant", "erase", "clinic"]), "--yes");
    client.post(ASSESS, &fever()).expect(200);
    let erased = server.cli(&["tenant", "erase", "clinic", "--yes", "--json"]);
    assert_eq!(erased.json()["erased"], true);

    // Keys are cached for less than a second.
    lafiya_blackbox::eventually("the key ends", std::time::Duration::from_secs(3), || {
        let answer = client.get("/v1/symptoms");
        (answer.status == 401).then(|| answer.expect_error(401, "INVALID_API_KEY"))
    });
    refused(&server.cli(&["tenant", "export", "clinic"]), "tenant");
    explained(&neighbour, &kept);
    assert_eq!(
        of_kind(&exported(&server, "neighbour"), "assessment").len(),
        1
    );

    // The name is available again, and a new tenant with it sees no old data.
    let anew = pilot(&server, "clinic", 10);
    let records = exported(&server, "clinic");
    assert_eq!(of_kind(&records, "assessment"), Vec::<&Value>::new());
    assessed(&anew, &fever());
}

#[test]
fn every_administrative_action_is_in_the_audit_log() {
    let server = Start::default().prepare();
    let run = |words: &[&str]| succeeded(server.cli(words));
    run(&["tenant", "create", "clinic", "--tier", "pilot"]);
    let (id, _) = server.new_key("clinic");
    let rotated = server.cli(&["key", "rotate", &id, "--json"]).json();
    run(&["key", "revoke", rotated["id"].as_str().expect("an id")]);
    let tier = ["--tier", "professional", "--quota", "40"];
    let changed = run(&[&["tenant", "tier", "clinic", "--json"], &tier[..]].concat()).json();
    assert_eq!(changed["monthly_quota"], 40, "{changed}");
    run(&["tenant", "suspend", "clinic"]);
    run(&["tenant", "resume", "clinic"]);
    run(&["tenant", "export", "clinic"]);
    run(&["tenant", "create", "other", "--tier", "pilot"]);

    let listed = server
        .cli(&["audit", "list", "--tenant", "clinic", "--json"])
        .json();
    let acts = listed.as_array().expect("a list");
    let actions: Vec<&str> = acts
        .iter()
        .filter_map(|act| act["action"].as_str())
        .collect();
    assert_eq!(
        actions,
        [
            "tenant.export",
            "tenant.set_status",
            "tenant.set_status",
            "tenant.set_tier",
            "key.revoke",
            "key.rotate",
            "key.create",
            "tenant.create",
        ]
    );
    for act in acts {
        assert!(
            act["actor"]
                .as_str()
                .is_some_and(|who| who.starts_with("cli")),
            "{act}"
        );
        let at = act["at"].as_str().expect("a time");
        at.parse::<jiff::Timestamp>().expect("an RFC 3339 time");
    }
    run(&["tenant", "erase", "clinic", "--yes"]);
    let tenant = acts[0]["tenant_id"].as_str().expect("an id");
    let after = server
        .cli(&["audit", "list", "--tenant", tenant, "--json"])
        .json();
    assert_eq!(after[0]["action"], "tenant.erase", "{after}");
    assert_eq!(after.as_array().map(Vec::len), Some(acts.len() + 2));
    let all = run(&["audit", "list", "--limit", "1"]);
    assert!(all.stdout.contains("tenant.erase"), "{all:?}");
}

#[test]
fn documents_are_encrypted_with_a_replaceable_data_key() {
    let mut server = Server::without_limits()
        .with("LAFIYA_DATA_KEY", ONE)
        .start();
    let client = pilot(&server, "clinic", 10);
    let first = assessed(&client, &fever());
    explained(&client, &first);
    server.kill();
    if BackendKind::of_this_run() == BackendKind::Embedded {
        let stored = bytes_in(&server.folder().join("data"));
        assert!(!holds(&stored, "age_group") && !holds(&stored, "s_fever"));
    }
    // Without the required key nothing starts, and the message names it.
    refused(
        &server
            .same_again()
            .with("LAFIYA_DATA_KEY", TWO)
            .prepare()
            .cli(&["serve"]),
        "data key",
    );

    let both = format!("{TWO},{ONE}");
    let with_both = server.same_again().with("LAFIYA_DATA_KEY", &both).start();
    let client = client.at(with_both.address);
    explained(&client, &first);
    let second = assessed(&client, &fever());
    let done = with_both.cli(&["reencrypt", "--json"]).json();
    assert_eq!(done, json!({"reencrypted": 2, "remaining": 0}));
    drop(with_both);

    let with_new = server.same_again().with("LAFIYA_DATA_KEY", TWO).start();
    let client = client.at(with_new.address);
    explained(&client, &first);
    explained(&client, &second);
    let turn = with(fever(), "/interview_id", first["interview_id"].clone());
    let turn = with(turn, "/evidence/0", present("s_headache"));
    assessed(&client, &turn);
}

#[test]
fn a_database_server_requires_encryption_unless_disabled() {
    let server = Server::with("LAFIYA_DATA_KEY", "").prepare();
    if BackendKind::of_this_run() == BackendKind::Embedded {
        // The embedded database of a trial does not need one.
        succeeded(server.cli(&["tenant", "list"]));
        return;
    }
    refused(&server.cli(&["serve"]), "LAFIYA_DATA_KEY");
    let meant = server
        .same_again()
        .with("LAFIYA_ALLOW_UNENCRYPTED_DATA", "true");
    assessed(&meant.start().live(), &fever());
}

#[test]
fn a_backup_of_a_running_service_can_be_started_from() {
    let server = Server::without_limits().start();
    let client = pilot(&server, "clinic", 10);
    let before = assessed(&client, &fever());
    let made = server.cli(&["backup", "copy.db", "--json"]);
    if BackendKind::of_this_run() == BackendKind::Servers {
        refused(&made, "pg_dump");
        return;
    }
    assert!(made.json()["bytes"].as_u64() > Some(0));
    refused(&server.cli(&["backup", "copy.db"]), "exists");
    refused(&server.cli(&["backup", "nowhere/copy.db"]), "nowhere");
    let acts = server.cli(&["audit", "list", "--json"]).stdout;
    assert_eq!(acts.matches("data.backup").count(), 1, "{acts}");
    let after = assessed(&client, &fever());

    let restored = Start::default().prepare();
    fs::create_dir(restored.folder().join("data")).expect("a folder");
    let place = restored.folder().join("data").join("lafiya.db");
    fs::copy(server.folder().join("copy.db"), place).expect("a copy");
    let mut restored = restored;
    restored.restart();
    let client = client.at(restored.address);
    explained(&client, &before);
    let body = json!({"assessment_id": after["assessment_id"]});
    client.post("/v1/rationale", &body).expect(404);
    assessed(&client, &fever());
}

/// A Bundle may contain anything besides the case. None of that may be stored, whatever its size.
#[test]
fn unread_bundle_content_is_counted_and_not_stored() {
    let server = Server::without_limits().start();
    let client = server.sandbox();
    let small = fhir_assessed(&client, &bundle(&[positive("s_fever")]));
    let made_up = "AminaOkafor".repeat(400);
    let condition = |system: &str, code: &str| {
        json!({"resourceType": "Condition", "code": {"text": made_up,
            "coding": [{"system": system, "code": code, "display": made_up}]}})
    };
    let mut resources = vec![positive("s_fever")];
    for number in 0..30 {
        let kind = format!("AminaOkafor{number}{made_up}");
        resources.push(json!({"resourceType": kind, "text": made_up}));
        resources.push(condition("http://snomed.info/sct", &made_up));
        resources.push(condition(
            &format!("http://okafor.example/{number}"),
            "Okafor",
        ));
    }
    let answer = fhir_assessed(&client, &bundle(&resources));
    let (small, text) = (small.to_string(), answer.to_string());
    assert!(!text.contains("Okafor"), "it comes back");
    assert!(text.contains("30 of other resources"), "{text}");
    assert!(text.contains("60 Conditions"), "{text}");
    assert!(text.len() < small.len() + 2000, "{} bytes", text.len());
    let output = succeeded(server.cli(&["tenant", "export", "demo"]));
    assert!(!output.stdout.contains("Okafor"), "it is stored");
    let longest = output.stdout.lines().map(str::len).max();
    assert!(
        longest.is_some_and(|longest| longest < 512 * 1024),
        "{longest:?}"
    );
}

#[test]
fn only_sandbox_assessments_have_a_storage_budget() {
    let mut server = Server::without_limits().start();
    for _ in 0..4 {
        assessed(&server.sandbox(), &fever());
    }
    for _ in 0..2 {
        assessed(&server.live(), &fever());
    }
    let counts = |server: &Server| {
        let records = exported(server, "demo");
        let assessments = of_kind(&records, "assessment");
        let in_sandbox = |value: &&&Value| value.to_string().contains("\"environment\":\"test\"");
        let sandbox = assessments.iter().filter(in_sandbox).count();
        (sandbox, assessments.len() - sandbox)
    };
    assert_eq!(counts(&server), (4, 2));
    server.terminate();
    let again = server.same_again();
    let again = again.with("LAFIYA_SANDBOX_ASSESSMENTS_MAX", "1").start();
    let within = std::time::Duration::from_secs(20);
    lafiya_blackbox::eventually("the oldest are removed", within, || {
        (counts(&again) == (1, 2)).then_some(())
    });
}
