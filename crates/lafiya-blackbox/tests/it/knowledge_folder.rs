//! Tests a knowledge base from a folder, reloaded on SIGHUP: an invalid one is rejected and the old
//! one stays in use.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lafiya_blackbox::{Server, eventually};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
const FILE: &str = "conditions/c_common_cold.toml";

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the test can handle its own files");
    for entry in std::fs::read_dir(from).expect("the test can handle its own files") {
        let entry = entry.expect("the test can handle its own files");
        let target = to.join(entry.file_name());
        if entry
            .file_type()
            .expect("the test can handle its own files")
            .is_dir()
        {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("the test can handle its own files");
        }
    }
}

fn own_copy(folder: &Path) -> PathBuf {
    let knowledge = folder.join("knowledge");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../knowledge"),
        &knowledge,
    );
    knowledge
}

fn rewrite(knowledge: &Path, from: &str, to: &str) {
    let path = knowledge.join(FILE);
    let text = std::fs::read_to_string(&path).expect("the test can handle its own files");
    assert!(text.contains(from), "{FILE} does not say {from}");
    std::fs::write(path, text.replacen(from, to, 1)).expect("the test can handle its own files");
}

fn hang_up(server: &Server) {
    let sent = Command::new("kill")
        .args(["-HUP", &server.pid().to_string()])
        .status()
        .expect("the test can handle its own files");
    assert!(sent.success());
}

fn common_name(server: &Server) -> String {
    let answer = server
        .live()
        .get("/v1/conditions/c_common_cold")
        .expect(200);
    answer.json()["common_name"]
        .as_str()
        .expect("the test can handle its own files")
        .to_owned()
}

#[test]
fn sighup_reloads_the_folder_and_refuses_a_broken_one() {
    let folder = tempfile::tempdir().expect("the test can handle its own files");
    let knowledge = own_copy(folder.path());
    let server = Server::without_limits()
        .with(
            "LAFIYA_KNOWLEDGE_DIR",
            knowledge
                .to_str()
                .expect("the test can handle its own files"),
        )
        .start();
    let before = common_name(&server);

    rewrite(
        &knowledge,
        &format!("common_name = \"{before}\""),
        "common_name = \"Catarrh of the folder\"",
    );
    hang_up(&server);
    eventually("the new folder to be served", PATIENCE, || {
        (common_name(&server) == "Catarrh of the folder").then_some(())
    });

    rewrite(&knowledge, "of_100 = ", "of_100 = 9");
    rewrite(&knowledge, "icd10", "icd_ten");
    hang_up(&server);
    eventually("the refusal to be logged", PATIENCE, || {
        server.log().contains("the old one stays").then_some(())
    });
    assert_eq!(common_name(&server), "Catarrh of the folder");
}

/// Returns how often a phrase table was stored for later reference.
fn books_named(server: &Server) -> usize {
    server.log().matches("of this phrase table").count()
}

#[test]
fn stored_answers_are_unchanged_after_a_knowledge_update() {
    let folder = tempfile::tempdir().expect("the test can handle its own files");
    let knowledge = own_copy(folder.path());
    let knowledge_dir = knowledge
        .to_str()
        .expect("the test can handle its own files");
    let server = Server::without_limits()
        .with("LAFIYA_KNOWLEDGE_DIR", knowledge_dir)
        .start();
    eventually("the first phrase table to be stored", PATIENCE, || {
        (books_named(&server) == 1).then_some(())
    });
    let present = |id: &str| json!({"id": id, "choice_id": "present", "source": "initial"});
    let case = json!({
        "patient": {"age": 30, "sex": "female"},
        "evidence": [present("s_runny_nose"), present("s_sneezing"), present("s_sore_throat")],
    });
    let described = |answer: &Value| -> String {
        let mut conditions = answer["conditions"].as_array().expect("a list").iter();
        let cold = conditions.find(|condition| condition["id"] == "c_common_cold");
        let cold = cold.expect("a cold is among the candidates");
        cold["description"].as_str().expect("a text").to_owned()
    };
    let client = server.live().with_header("Idempotency-Key", "before");
    let before = client.post("/v1/assess", &case).expect(200).json();

    rewrite(
        &knowledge,
        "description = \"A viral",
        "description = \"An altogether other",
    );
    hang_up(&server);
    eventually("the second phrase table to be stored", PATIENCE, || {
        (books_named(&server) == 2).then_some(())
    });
    let again = client.post("/v1/assess", &case).expect(200).json();
    for part in ["conditions", "sources", "triage", "treatment_guidance"] {
        assert_eq!(again[part], before[part], "{part}");
    }
    assert!(described(&before).starts_with("A viral"));
    let after = server.live().post("/v1/assess", &case).expect(200).json();
    assert!(described(&after).starts_with("An altogether other"));
}

#[test]
fn a_broken_folder_stops_the_start_with_a_message() {
    let folder = tempfile::tempdir().expect("the test can handle its own files");
    let knowledge = own_copy(folder.path());
    rewrite(&knowledge, "icd10", "icd_ten");
    let server = Server::without_limits()
        .with(
            "LAFIYA_KNOWLEDGE_DIR",
            knowledge
                .to_str()
                .expect("the test can handle its own files"),
        )
        .prepare();
    let output = server.cli(&["knowledge", "stats"]);
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stderr.contains("is refused"), "{}", output.stderr);
}
