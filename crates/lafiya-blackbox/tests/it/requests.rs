//! Test data: cases, patients, and tenants with their own quota. Nothing is asserted here.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use lafiya_blackbox::{Answer, Client, Server, shared};
use serde_json::{Value, json};

pub(crate) const ASSESS: &str = "/v1/assess";

/// Returns one item of evidence.
pub(crate) fn item(id: &str, choice: &str) -> Value {
    json!({"id": id, "choice_id": choice, "source": "initial"})
}

pub(crate) fn present(id: &str) -> Value {
    item(id, "present")
}

pub(crate) fn absent(id: &str) -> Value {
    item(id, "absent")
}

/// Returns a finding with a measurement.
pub(crate) fn measured(id: &str, value: &str) -> Value {
    with(present(id), "/value", json!(value))
}

/// Returns a case of a woman of 30 with this evidence.
pub(crate) fn case(evidence: &[Value]) -> Value {
    patient(30, "female", evidence)
}

pub(crate) fn patient(age: u32, sex: &str, evidence: &[Value]) -> Value {
    json!({"patient": {"age": age, "sex": sex}, "evidence": evidence})
}

/// Returns the default case of most tests.
pub(crate) fn fever() -> Value {
    case(&[present("s_fever")])
}

/// Returns the JSON with another value at the pointer; missing parts are added.
#[track_caller]
pub(crate) fn with(mut body: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match body.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(name.to_owned(), value);
        }
        Some(Value::Array(items)) => items[name.parse::<usize>().expect("an index")] = value,
        _ => panic!("nothing at {parent}"),
    }
    body
}

/// Returns the same case as a turn of an interview.
pub(crate) fn turn(interview: &str, evidence: &[Value]) -> Value {
    with(case(evidence), "/interview_id", json!(interview))
}

/// Sends a case, asserts that it is assessed, and returns the body of the answer.
#[track_caller]
pub(crate) fn assessed(client: &Client, body: &Value) -> Value {
    client.post(ASSESS, body).expect(200).json()
}

/// Returns a UUID that no other test uses.
pub(crate) fn new_uuid() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("6f1d2c3b-5a49-4e8f-9b7a-{number:012x}")
}

/// Creates a tenant of the pilot tier and returns a client with its live key.
#[track_caller]
pub(crate) fn pilot(server: &Server, name: &str, quota: u32) -> Client {
    tenant(server, name, "pilot", quota)
}

/// Creates a tenant and returns a client with its live key.
#[track_caller]
pub(crate) fn tenant(server: &Server, name: &str, tier: &str, quota: u32) -> Client {
    let quota = quota.to_string();
    let words = ["tenant", "create", name, "--tier", tier, "--quota", &quota];
    let made = server.cli(&words);
    assert!(made.status.success(), "{made:?}");
    server.client().with_key(&server.new_key(name).1)
}

/// Returns a client of the shared service with a live key and enough quota for the whole suite.
pub(crate) fn clinic() -> Client {
    static KEY: OnceLock<String> = OnceLock::new();
    let server = shared();
    let key = KEY.get_or_init(|| {
        let name = "clinic of the suite";
        let words = ["tenant", "create", name, "--tier", "enterprise"];
        server.cli(&[&words[..], &["--quota", "1000000"]].concat());
        server.new_key(name).1
    });
    server.client().with_key(key)
}

/// Returns the pointers in an error, in order.
#[track_caller]
pub(crate) fn named(answer: &Answer, status: u16, code: &str) -> Vec<String> {
    let error = answer.expect_error(status, code);
    let fields = error["details"]["fields"].as_array();
    let fields = fields.unwrap_or_else(|| panic!("no field is named: {answer}"));
    let text = |field: &Value, name: &str| field[name].as_str().unwrap_or_default().to_owned();
    for field in fields {
        assert!(!text(field, "reason").is_empty(), "no reason: {answer}");
    }
    fields.iter().map(|field| text(field, "pointer")).collect()
}
