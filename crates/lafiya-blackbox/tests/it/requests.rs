//! What the tests send: cases, patients, tenants with a quota of their own. Nothing is asserted here.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use lafiya_blackbox::{Answer, Client, Server, shared};
use serde_json::{Value, json};

pub(crate) const ASSESS: &str = "/v1/assess";

/// One item of evidence.
pub(crate) fn item(id: &str, choice: &str) -> Value {
    json!({"id": id, "choice_id": choice, "source": "initial"})
}

pub(crate) fn present(id: &str) -> Value {
    item(id, "present")
}

pub(crate) fn absent(id: &str) -> Value {
    item(id, "absent")
}

/// A finding with a measurement.
pub(crate) fn measured(id: &str, value: &str) -> Value {
    with(present(id), "/value", json!(value))
}

/// A woman of 30 with this evidence.
pub(crate) fn case(evidence: &[Value]) -> Value {
    patient(30, "female", evidence)
}

pub(crate) fn patient(age: u32, sex: &str, evidence: &[Value]) -> Value {
    json!({"patient": {"age": age, "sex": sex}, "evidence": evidence})
}

/// The case most tests are content with.
pub(crate) fn fever() -> Value {
    case(&[present("s_fever")])
}

/// The same JSON with another value at the pointer; what is not there yet is added.
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

/// The same case as a turn of an interview.
pub(crate) fn turn(interview: &str, evidence: &[Value]) -> Value {
    with(case(evidence), "/interview_id", json!(interview))
}

/// Sends a case that must be assessed, and returns the body of the answer.
#[track_caller]
pub(crate) fn assessed(client: &Client, body: &Value) -> Value {
    client.post(ASSESS, body).expect(200).json()
}

/// A UUID that no other test uses.
pub(crate) fn new_uuid() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("6f1d2c3b-5a49-4e8f-9b7a-{number:012x}")
}

/// A new tenant of the pilot tier and a client with its live key.
#[track_caller]
pub(crate) fn pilot(server: &Server, name: &str, quota: u32) -> Client {
    tenant(server, name, "pilot", quota)
}

/// A new tenant and a client with its live key.
#[track_caller]
pub(crate) fn tenant(server: &Server, name: &str, tier: &str, quota: u32) -> Client {
    let quota = quota.to_string();
    let words = ["tenant", "create", name, "--tier", tier, "--quota", &quota];
    let made = server.cli(&words);
    assert!(made.status.success(), "{made:?}");
    server.client().with_key(&server.new_key(name).1)
}

/// A client of the shared service with a live key and quota enough for the whole suite.
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

/// The pointers an error names, in its order.
#[track_caller]
pub(crate) fn named(answer: &Answer, status: u16, code: &str) -> Vec<String> {
    let error = answer.expect_error(status, code);
    let fields = error["details"]["fields"].as_array();
    let fields = fields.unwrap_or_else(|| panic!("no field is named: {answer}"));
    let text = |field: &Value, name: &str| field[name].as_str().unwrap_or_default().to_owned();
    for field in fields {
        assert!(!text(field, "reason").is_empty(), "no reason: {answer}");
    }
    fields.iter().map(|it| text(it, "pointer")).collect()
}
