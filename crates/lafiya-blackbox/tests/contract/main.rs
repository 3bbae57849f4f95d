//! Tests the API against its own document with schemathesis, an independent tool: it generates
//! requests within and beyond the documented bounds, and checks every answer against the document.
//! `cargo xtask test --only contract` installs it and sets the interpreter.

use std::path::PathBuf;
use std::process::Command;

use lafiya_blackbox::Server;

/// The checks, without the one that every documented request is accepted: a schema cannot express
/// whether a concept exists or two dates agree.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,\
                      negative_data_rejection,missing_required_header,ignored_auth";

#[test]
fn generated_requests_get_only_documented_answers_and_no_5xx() {
    let python = std::env::var("LAFIYA_BLACKBOX_PYTHON").expect(
        "LAFIYA_BLACKBOX_PYTHON names a Python with schemathesis; run `cargo xtask test --only contract`",
    );
    let schemathesis = PathBuf::from(python).with_file_name("schemathesis");
    let server = Server::without_limits().start();
    let key = server.key_of_first_start("sk_test_");
    let output = Command::new(schemathesis)
        .current_dir(server.folder())
        .arg("run")
        .arg(format!("http://{}/v1/openapi.json", server.address))
        .args(["--header", &format!("Authorization: Bearer {key}")])
        .args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", "15", "--seed", "7", "--workers", "1"])
        // Excluded because it would revoke the key for all later requests.
        .args(["--exclude-path", "/v1/keys/rotate"])
        .args([
            "--request-timeout",
            "20",
            "--continue-on-failure",
            "--no-color",
        ])
        .output()
        .expect("schemathesis can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    // A run that tested nothing would also report no failures.
    let tested = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("Tested: "));
    let tested: usize = tested.and_then(|number| number.parse().ok()).unwrap_or(0);
    assert!(tested >= 27, "{tested} operations were tried:\n{said}");
}
