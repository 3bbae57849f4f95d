//! Tests FHIR with independent software: two client libraries and two sets of R4 models from PyPI.
//! `cargo xtask test --only fhir` installs them and sets the interpreter; without it, this suite
//! fails with a message.

use std::process::Command;

use lafiya_blackbox::Server;

#[test]
fn third_party_fhir_clients_and_models_accept_every_answer() {
    let python = std::env::var("LAFIYA_BLACKBOX_PYTHON")
        .expect("LAFIYA_BLACKBOX_PYTHON names a Python with the FHIR packages; run `cargo xtask test --only fhir`");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fhir/validate.py");
    let server = Server::without_limits().start();
    let output = Command::new(python)
        .arg(script)
        .arg(format!("http://{}", server.address))
        .arg(server.key_of_first_start("sk_live_"))
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("all valid"), "{said}");
}
