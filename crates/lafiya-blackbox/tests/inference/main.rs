//! Tests with a real inference server: llama.cpp, from PyPI, with a tiny model of random weights.
//! It implements the real protocol, follows the schema and produces nonsense, which must be
//! contained. Needs Python packages: `cargo xtask inference` installs them and runs this.

#![allow(clippy::unwrap_used)]

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use lafiya_blackbox::Server;
use serde_json::{Value, json};

struct Inference {
    process: Child,
    url: String,
}

impl Inference {
    fn start(folder: &std::path::Path) -> Self {
        let python = env::var_os("LAFIYA_BLACKBOX_PYTHON").expect("run `cargo xtask inference`");
        let mut process = Command::new(python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/inference/server.py"
            ))
            .arg(folder.join("tiny.gguf"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines
            .find_map(|line| Some(line.ok()?.strip_prefix("listening on ")?.to_owned()))
            .expect("the server says where it listens");
        Self { process, url }
    }
}

impl Drop for Inference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn nonsense_from_a_real_inference_server_is_contained() {
    let folder = tempfile::tempdir().unwrap();
    let inference = Inference::start(folder.path());
    let server = Server::without_limits()
        .with("LAFIYA_AI_PROVIDER", "openai")
        .with("LAFIYA_AI_BASE_URL", &format!("{}/v1", inference.url))
        .with("LAFIYA_AI_MODEL", "random-numbers")
        .with("LAFIYA_AI_TIMEOUT_MS", "80000")
        // Few tokens, so that the answer is complete before the client's timeout.
        .with("LAFIYA_AI_TOKENS_MAX", "60")
        .start();
    let plain = Server::without_limits().start();
    let item = |id: &str| json!({"id": id, "choice_id": "present", "source": "initial"});
    for evidence in [
        vec![item("s_fever"), item("s_headache")],
        vec![item("s_fever"), item("s_convulsion")],
    ] {
        let case = json!({"patient": {"age": 30, "sex": "female"}, "evidence": evidence});
        let body = |server: &Server| -> Value {
            server.live().post("/v1/assess", &case).expect(200).json()
        };
        let (with, without) = (body(&server), body(&plain));
        let rank = |value: &Value| {
            let levels = ["self-care", "routine", "urgent", "emergency"];
            levels
                .iter()
                .position(|level| value["triage"]["level"] == *level)
                .unwrap()
        };
        println!("{} {:?}", with["metadata"], with["clinical_warnings"]);
        assert!(rank(&with) >= rank(&without));
        assert_eq!(
            with["red_flags_structured"],
            without["red_flags_structured"]
        );
        let status = with["metadata"]["second_opinion"].as_str().unwrap();
        assert!(status != "not_asked" && status != "unavailable", "{status}");
    }
    let health = server.client().get("/v1/health").expect(200).json();
    assert_eq!(health["checks"]["ai_provider"], "healthy");
}
